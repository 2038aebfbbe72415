/* Licence: MIT */
#include <stdio.h>
#include "list.h"

#define LIMIT 16
#define MAX(a, b) \
    ((a) > (b) ? \
     (a) : (b))

struct point {
    int x;
    int y; /* from the top */
};

enum color { RED, GREEN, BLUE };

/* Adds two numbers. */
static int add(int a, int b)
{
    return a + b;
}

/**
 * Names the add color.
 */
const char *name_of(enum color c)
{
    switch (c) {
    case RED:
        return "red";
    case GREEN:
        puts("add");
        return "green";
    default:
        return NULL;
    }
}
