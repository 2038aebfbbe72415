async function run() {
  const a = fetch(url);
  const b = load(a);
}
