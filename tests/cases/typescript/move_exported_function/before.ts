/** Says hello. */
export function hello() {}

export function bye() {}
