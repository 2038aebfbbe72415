/** In cents, with all taxes. */
export function price(name: string): number {
    return name === "tea" ? 250 : 400;
}
