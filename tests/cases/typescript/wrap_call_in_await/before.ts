async function run() {
  const a = load(1).data;
}
