#!/usr/bin/env bun
// The pages of a small shop: products, carts and the orders that are made of them.
import React, { useState as remember, type ReactNode } from "react";
import * as prices from "./prices.js";
import settings from "./settings.json" with { type: "json" };
import codec = require("codec");
import Cents = Shop.Cents;

export { Price, Row as ProductRow };
export * from "./stock.jsx";
export * as stock from "./stock.jsx";

const FREE_SHIPPING: number = 50.0;
var pagesShown = 0;
let owner: string | undefined, cart: Cart<Product>;

export type Currency = "EUR" | "USD";
type Rule = (price: Cents) => Cents;
type Line = [name: string, price?: number];
type Box = [string, number?, ...boolean[]];
type Maker<T> = abstract new (name: string) => T;
type Lowered<T> = { -readonly [Key in keyof T]-?: T[Key] };
type Partly<T> = { [Key in keyof T]?: T[Key] };
type Shown<T> = { readonly [Key in keyof T as `show_${string & Key}`]+?: () => T[Key] };
type ItemOf<T> = T extends readonly (infer Item extends Product)[] ? Item : never;
type Found = prices.Table<Currency>["EUR"];

declare module "codec" {
  export function encode(order: object): string;
}

namespace Shop.Parts {
  export const limit: typeof FREE_SHIPPING = 20;
}

export enum Payment {
  Cash,
  Card = 4,
  Voucher = "voucher",
}

interface RowProps<T = Product> extends Iterable<T> {
  readonly [sku: string]: unknown;
  (name: string): T;
  new (name: string): RowProps<T>;
  add(product: T, count?: number): void;
  children?: ReactNode;
  owner: this;
}

/* One price, with its currency. */
const Price = ({ cents, currency = "EUR", ...rest }: PriceProps) => (
  <span className="price" {...rest}>
    {(cents / 100).toFixed(2)} {currency}
  </span>
);

function Row<T extends Product>({ product, onAdd }: RowProps<T>): ReactNode {
  const [count, setCount] = remember<number>(1);
  const { price: cents, tags: [first, ...others] = [] } = product;
  return (
    <li key={product.sku}>
      <h2>Tea &amp; {product.name!}</h2>
      <Price cents={cents * count} />
      {first && <em>{first} and {others.length} more&hellip;</em>}
      <Choice<T> of={product} />
      <input type="number" value={count} onChange={(event) => setCount(+event.target.value)} />
      <button onClick={() => onAdd(product, count)} disabled>
        Put into the cart
      </button>
      {/* The little picture beside it. */}
      <svg:image xlink:href="cup.svg" />
    </li>
  );
}

export abstract class Page extends React.Component<Props> implements Listed {
  static currency: Currency = "EUR";
  declare readonly tags: readonly string[];
  #orders = 0;

  static {
    Page.shelf = new Map<string, Product>();
  }

  constructor(protected name: string, public override props: Props) {
    super(props);
    if (new.target === undefined) {
      throw new TypeError("a page is made with new");
    }
    this.state = { lines: [], open: true, note: null };
  }

  abstract title(): string;

  get orders(): number {
    return this.#orders;
  }

  @logged
  async load(...names: string[]) {
    for await (const name of names) {
      this.state.lines.push(await prices.of(name));
    }
  }

  [Symbol.iterator]() {
    return this.state.lines[Symbol.iterator]();
  }

  render() {
    const { lines } = this.state as State;
    return (
      <>
        <Page.Header title="The Tea Corner" />
        {lines.length > 0 ? <Lines of={lines} /> : <p>The cart is empty.</p>}
      </>
    );
  }
}

class Cart<T> {
  find(name: string): T | null;
  find(sku: number, exact?: boolean): T | null;
  find(name: any, exact = false) {
    return this.lines.find((line) => line.is(name, exact)) ?? null;
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

function isCard(payment: unknown): payment is Card {
  return typeof payment === "object";
}

function mustBeOpen(shop: Shop): asserts shop is Open {
  if (!shop.open) throw new ShopError("closed");
}

const describe = function (payment: any) {
  switch (payment.kind) {
    case "card":
      return payment.number.replace(/\s+/g, " ");
    default:
      debugger;
  }
  return `paid: ${payment}\n`;
};

function restock(shelf: Record<string, number>, wanted: number) {
  let place = -1;
  search: do {
    place += 1;
    for (const name in shelf) {
      if (name === "empty") continue search;
      if (shelf[name] >= wanted) break search;
    }
  } while (place < 9);
  for (let i = 0; i < place; i++) {
    shelf.first ??= 0;
  }
  return place, !shelf.first;
}

async function send(order: Order): Promise<string> {
  const makeCart = Cart<Product>;
  try {
    const module = await import("./post.js");
    module.post?.(order, { ...settings, makeCart } satisfies Options);
  } catch (problem) {
    console.error(problem?.message);
  } finally {
    pagesShown++;
  }
  return import.meta.url;
}

function old(order: Order) {
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
