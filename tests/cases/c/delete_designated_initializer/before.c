int old(a, b)
    int a;
    char *b;
{
    int i, n = 0;
    static int calls;

    for (int j = 0; j < a; j++)
        n += j;
    for (i = 0; i < a; i++) {
        if (i == 3) goto out;
        while (n > 9)
            n /= 2;
        do { n--; } while (n);
        n = i ? MAX(i, n) : sizeof(int);
    }
    switch (a) {
    case 0: {
        break;
    }
    case 1:
        int k;
        k = 1;
    }
out:
    int z = 0;
    foo(&(struct point){ .x = 1, .y = 2 });
    __asm__("nop" : : "r"(n) : "memory", "cc");
    if (n) {
        n = 1;
    } else {
        n = 2;
    }
    if (a)
        return 1;
    else
        return 2;
}
