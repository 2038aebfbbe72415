import { price } from "./prices";

export function total(names: string[]): number {
    return names.reduce((sum, name) => sum + price(name), 0);
}

export const first = ["größer als ☕ 𝒙", price("tea")];
export const wrong: string = total(["cake"]);
