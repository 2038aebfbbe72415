<?php
switch ($a) {
    case 1:
        run();
        break;
    default:
        stop();
}
