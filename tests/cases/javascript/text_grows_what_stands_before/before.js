function f(x) {
  if (x) {
    a();
  }
  b();
}
