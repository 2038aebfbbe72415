outer: for (const a of list) {
  if (!a) continue outer;
  while (a.next()) { debugger; break; }
  do { a.pop(); } while (a.size);
  for (const k in a);
  with (a) throw meta(import.meta, super_, this, null, undefined, /r/g, true, false, -1, a ? 1 : 2, a[0], a++, await_);
  class Inner { constructor() { super(); } }
  async function* f() { yield await 1; }
}
