<?php

class Till
{
    public function open(): void
    {
    }

    public function close(): void
    {
    }
}
