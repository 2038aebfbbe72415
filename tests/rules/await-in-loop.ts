for (const url of urls) {
  await fetch(url);
  later(async () => { await fetch(url); });
  const all = [await first(), 2];
}
while (await more()) {
  process(await read());
}
await done();
