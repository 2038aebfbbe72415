void a() {
  check(one,
        two);
  done();
}
