#ifdef DEBUG
#define LEVEL 2
#endif
int first;
// Copyright (C) 2001 A. Leaf: taken from another program.
int trace(int c) {
  return c;
}
