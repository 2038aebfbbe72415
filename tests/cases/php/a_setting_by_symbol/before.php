<?php

return [
    'name' => env('APP_NAME', 'Shop'),

    // How many are shown.
    'pages' => 20,
    'list' => ['a', 'b'],
    'last' => <<<'TEXT'
        kept
          as it is
        TEXT
];
