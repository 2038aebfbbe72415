#ifdef DEBUG
#define LEVEL 2
// Copyright (C) 2001 A. Leaf: taken from another program.
int trace(int c) {
  return c;
}
#endif
int other(int c) {
  return c;
}
