/* Copyright (c) 2024 The Shop Authors */

// @ts-check
/* eslint-disable no-console */
/// <reference types="node" />
// Opens the shop.
function first() {}

function second() {}
