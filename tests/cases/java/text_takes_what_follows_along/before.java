class A {
  int a;
  int b;
}
