enum flags {
    FIRST, /* the first */
#ifdef EXTRA
    EXTRA_FLAG,
#endif
    LAST
};

void none(void) {}

union both {};
