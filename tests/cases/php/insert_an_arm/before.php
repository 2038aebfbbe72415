<?php
$a = match ($b) {
    1 => 'one',
    default => 'many',
};
