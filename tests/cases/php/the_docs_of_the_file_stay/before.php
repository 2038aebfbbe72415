<?php
/**
 * @file
 * Opens the shop.
 */

// Opens it.
function first() {}

function second() {}
