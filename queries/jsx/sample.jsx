#!/usr/bin/env bun
// The pages of a small shop: products, carts and the orders that are made of them.
import React, { useState as remember } from "react";
import * as prices from "./prices.js";
import settings from "./settings.json" with { type: "json" };

export { Price, Row as ProductRow };
export * from "./stock.jsx";
export * as stock from "./stock.jsx";

const FREE_SHIPPING = 50.0;
var pagesShown = 0;
let owner, cart;

/* One price, with its currency. */
const Price = ({ cents, currency = "EUR", ...rest }) => (
  <span className="price" {...rest}>
    {(cents / 100).toFixed(2)} {currency}
  </span>
);

function Row({ product, onAdd }) {
  const [count, setCount] = remember(1);
  const { price: cents, tags: [first, ...others] = [] } = product;
  return (
    <li key={product.sku}>
      <h2>Tea &amp; {product.name}</h2>
      <Price cents={cents * count} />
      {first && <em>{first} and {others.length} more&hellip;</em>}
      <input type="number" value={count} onChange={(event) => setCount(+event.target.value)} />
      <button onClick={() => onAdd(product, count)} disabled>
        Put into the cart
      </button>
      {/* The little picture beside it. */}
      <svg:image xlink:href="cup.svg" />
    </li>
  );
}

export default class Shop extends React.Component {
  static currency = "EUR";
  #orders = 0;

  static {
    Shop.shelf = new Map();
  }

  constructor(props) {
    super(props);
    if (new.target === undefined) {
      throw new TypeError("a shop is made with new");
    }
    this.state = { lines: [], open: true, note: null };
  }

  get orders() {
    return this.#orders;
  }

  @logged
  async load(...names) {
    for await (const name of names) {
      this.state.lines.push(await prices.of(name));
    }
  }

  [Symbol.iterator]() {
    return this.state.lines[Symbol.iterator]();
  }

  render() {
    const { lines } = this.state;
    return (
      <>
        <Shop.Header title="The Tea Corner" />
        {lines.length > 0 ? (
          <ul>
            {lines.map((product) => (
              <Row key={product.sku} product={product} onAdd={this.add} />
            ))}
          </ul>
        ) : (
          <p>The cart is empty.</p>
        )}
      </>
    );
  }
}

function* numbers() {
  let number = 1;
  while (true) {
    yield number++;
  }
}

const evens = function* () {
  yield* [2, 4, 6];
};

const describe = function (payment) {
  switch (typeof payment) {
    case "string":
      return payment.replace(/\s+/g, " ");
    default:
      debugger;
  }
  return `paid: ${payment}\n`;
};

function restock(shelf, wanted) {
  let place = -1;
  search: do {
    place += 1;
    for (const name in shelf) {
      if (name === "empty") continue search;
      if (shelf[name] >= wanted) break search;
    }
  } while (place < 9);
  for (let i = 0; i < place; i++) {
    shelf.first ??= false;
  }
  return place, !shelf.first;
}

async function send(order) {
  using file = await open("orders.txt");
  try {
    const module = await import("./post.js");
    module.post?.(order, { ...settings, file });
  } catch (problem) {
    console.error(problem?.message);
  } finally {
    pagesShown++;
  }
  return import.meta.url;
}

function old(order) {
  with (order) {
    restock(lines);
  }
  var Box = class {
    size = 4;
  };
  for ([order.number, cart = []] of order.boxes);
  ({ owner, cart = new Box() } = order);
  return undefined;
}

if (settings.open) {
  const byName = { tea: 4.5, "cup": 12, [owner]: FREE_SHIPPING };
  React.render(<Shop prices={byName} />, document.body);
} else {
  send(cart);
}
