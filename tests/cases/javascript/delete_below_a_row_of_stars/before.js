/**
 * @fileoverview Adds up.
 */

import a from "a";
import b from "b";

/*******************
 * Helpers
 *******************/

/**
 * Adds.
 */

function add(x, y) {
  return x + y;
}
