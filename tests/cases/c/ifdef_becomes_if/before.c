#include <stdio.h>

#ifdef WITH_LOG
static int level = 2;

void log_line(const char *text) {
  puts(text);
}
#endif

int main(void) {
  return 0;
}
