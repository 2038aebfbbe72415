#include <stdio.h>

/* A point. */
struct point {
    int x, y;
}; // end of it

enum mode { FAST, SLOW };

int main(void)
{
    return 0;
}
