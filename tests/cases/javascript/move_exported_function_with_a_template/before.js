import { post } from "./post.js";

// How much a visitor may order.
const limit = 20;

/** Adds up. */
export function total(lines) {
  return `sum
  of ${lines}`;
}

function later() {
  send(1); // the first
  send(2);
}

{
  later();
}
