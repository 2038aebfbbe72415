export function greet(name: string): string {
  const word = "hello";
  return word + name;
}
