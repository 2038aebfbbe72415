<?php

/**
 * @license MIT
 */

use A\B;
use C\D;
