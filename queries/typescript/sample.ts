#!/usr/bin/env -S deno run
// A small shop: products, carts and the orders that are made of them.
import fs, { readFile as read, type Stats } from "node:fs";
import * as prices from "./prices.js";
import settings from "./settings.json" with { type: "json" };
import codec = require("codec");
import Cents = Shop.Cents;

export { total, shipping as postage };
export * from "./stock.js";
export * as stock from "./stock.js";

const FREE_SHIPPING: number = 50.0;
var ordersToday = 0;
let owner: string | undefined, cart: Cart<Product>;

export type Currency = "EUR" | "USD";
type Pair = [name: string, price?: number, ...rest: boolean[]];
type Optional = [string, number?, ...boolean[]];
type Partly<T> = { [Key in keyof T]?: T[Key] };
type Rule = (price: Cents) => Cents;
type Maker<T> = abstract new (name: string) => T;
type Lowered<T> = { -readonly [Key in keyof T]-?: T[Key] };
type Shown<T> = { readonly [Key in keyof T as `show_${string & Key}`]+?: () => T[Key] };
type ItemOf<T> = T extends readonly (infer Item extends Product)[] ? Item : never;
type Priced = Product & { readonly price: Cents; tax?: typeof FREE_SHIPPING };
type Found = prices.Table<Currency>["EUR"];

declare module "codec" {
  export function encode(order: object): string;
}

declare global {
  var shopOpen: boolean;
}

namespace Shop.Parts {
  export const limit = 20;
}

export enum Payment {
  Cash,
  Card = 4,
  Voucher = "voucher",
}

interface Listed<T = Product> extends Iterable<T> {
  readonly [sku: string]: unknown;
  (name: string): T;
  new (name: string): Listed<T>;
  find(name: string, exact?: boolean): T | null;
  owner: this;
}

/* What is sold, and for how much. */
export abstract class Product implements Priced {
  static currency: Currency = "EUR";
  declare readonly tags: readonly string[];
  #price = 0;

  static {
    Product.shelf = new Map<string, Product>();
  }

  constructor(protected name: string, public override price: Cents) {
    super();
    if (new.target === undefined) {
      throw new TypeError("a product is made with new");
    }
    this.#price = price!;
  }

  abstract weigh(): number;

  get cents(): Cents {
    return this.#price;
  }

  @logged
  static async *all(...names: string[]) {
    for await (const name of names) {
      yield await Product.find(name);
    }
  }

  [Symbol.iterator]() {
    return [this.name][Symbol.iterator]();
  }
}

class Cart<T extends Product> extends Shop<T> {
  add(product: T, { count = 1, gift: wrapped, ...extras }: Options = {}): this {
    this.lines ??= [];
    this.lines.push({ product, count, wrapped, ...extras });
    return this;
  }
}

function total(lines: Line[]): number;
function total(lines: Line[], rate: number): number;
function total(lines: Line[], rate = 1) {
  let sum = 0;
  for (let i = 0; i < lines.length; i++) {
    sum += lines[i].price * lines[i].count;
  }
  return sum >= FREE_SHIPPING ? sum * rate : sum + shipping(500);
}

const shipping = (weight: number, abroad?: boolean): number => {
  switch (true) {
    case weight === 0:
      return 0;
    case abroad:
      return 8.9;
    default:
      return 3.9;
  }
};

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
  const { card: [first, , ...rest] = [], voucher } = payment;
  if (isCard(payment)) {
    return (payment as Card).number.replace(/\s+/g, " ");
  } else if (payment == null) {
    debugger;
  }
  return `${first} and ${rest.length} more\n` + <string>voucher;
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
  return place, !shelf.first;
}

async function send(order: Order): Promise<void> {
  const tables = new Map<string, number>();
  const makeCart = Cart<Product>;
  try {
    const module = await import("./post.js");
    module.post?.(order, tables satisfies ReadonlyMap<string, number>);
  } catch (problem) {
    console.error(problem?.message);
  } finally {
    ordersToday++;
  }
  log(import.meta.url, makeCart);
}

function old(order: Order) {
  with (order) {
    total(lines);
  }
  var Box = class {
    size = null;
  };
  for ([order.number, cart = []] of order.boxes);
  ({ owner, cart = new Box() } = order);
  return undefined;
}

if (settings.open) {
  const byName = { tea: 4.5, "cup": 12, [owner]: (1 + 2) * 3, sale: false };
  read("orders.json", (problem, text) => send(JSON.parse(text, byName)));
}
