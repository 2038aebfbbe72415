extern "C" {
struct b { int i; };
}

int f(void)
{
    struct a { int i; };
#ifdef X
    char sign = 'x';
    struct inner { int i; };
#endif
    return 1;
}

struct x {
    int i; /**< the i */
    int j; ///< the j
    /// the k
    int k;
};
