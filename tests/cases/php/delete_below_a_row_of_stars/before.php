<?php

class Request
{
    /***************************************
     * Cookies
     **************************************/

    /**
     * One of them.
     */
    public function cookie(string $name): string
    {
        return $this->cookies[$name];
    }

    public function all(): array
    {
        return $this->cookies;
    }
}
