// Decoding: turns bytes into text; do not edit the buffer meanwhile.
// The license of the font is not looked at.
int decode(const char *bytes) {
  return bytes[0];
}

int encode(int c) {
  return c;
}
