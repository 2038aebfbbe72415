export async function start(): Promise<void> {
  const state = load();
  run(state);
}
