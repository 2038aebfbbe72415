import type { Reader } from "./reader";
import { Injectable } from "@angular/core";

/** What is read. */
export interface Options<T = unknown, K extends string = "a"> extends Base, Named {
  /** The name: name, of it. */
  name: string;
  readonly size?: number;
  read(path: string): Promise<T>;
  [key: string]: unknown;
}

export type Shape =
  | { kind: "circle"; radius: number }
  | { kind: "square" };

export type Props = {
  title: string,
  onSave?: (id: number) => void,
};

/**
 * Colours.
 */
export enum Colour {
  Red = "red",
  Green = "green", // as grass
  Blue,
}

@Injectable({
  providedIn: "root",
})
export class Service<T> extends Store<T> implements Reader, Options<T> {
  @Input() label = "name: string";
  private items: Map<string, T> = new Map();

  constructor(private readonly http: Http, public name: string) {
    super();
  }

  find(id: string): T;
  find(id: number): T;
  find(id: unknown): T {
    return this.items.get(id as string)!;
  }

  @HostListener("click")
  handle = (event: Event): void => {
    this.label = `
  ${event}
`;
  };

  /** Clears it. */
  @Log()
  clear(): void {}
}

export abstract class Base {
  abstract area(): number;
  protected abstract name: string;
}

export function parse(text: string): number;
export function parse(text: Buffer): number;
/** Parses. */
export function parse(text: unknown): number {
  return 0;
}

declare module "lib" {
  export const version: string;
}

declare const VERSION: string;
declare let mode: string;
declare var legacy: boolean;

namespace Inner.Deep {
  export function go<A, B>(pair: [A, B]): Array<A> {
    return [pair[0]] satisfies A[];
  }
}

abstract class Plain { one = 1; two = () => 2; }
type Fn = new (a: string) => asserts a is string;
const f = <T,>(x: T) => x;
let s: symbol, n = x!;
