#!/usr/bin/env node
/* eslint-disable no-console */
import fs, { readFile, writeFile as write } from "node:fs";
import * as path from 'node:path';

const LIMIT = 10, STEP = 2;
let count = 0;
var old;

/**
 * Adds two numbers.
 * @param {number} a
 */
export function add(a, b) {
  return a + b; // add(a, b)
}

// Counts from zero.
export const countTo = async (n) => {
  for (let i = 0; i < n; i++) {
    count += STEP;
  }
};

export class Store extends Base {
  static limit = LIMIT;
  #items = new Map();

  static {
    Store.ready = true;
  }

  constructor(name) {
    super(name);
  }

  /** How many. */
  get size() {
    return this.#items.size;
  }

  async *pages(size = 10) {
    yield "add(a, b)";
  }
}

export default function () {
  return [1, 2, 3];
}
