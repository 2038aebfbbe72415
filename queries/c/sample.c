/* A small shop: products, carts and the orders that are made of them. */
#include <stddef.h>
#include <stdio.h>
#include "prices.h"

#define CART_LIMIT 20
#define ROUND_UP(price, step) (((price) + (step) - 1) / (step) * (step))
#define LIST_OF(type) struct type##_list
#pragma GCC poison gets

#if defined(SHOP_LARGE) && SHOP_LARGE > 1
#define SHELVES 64
#elif SHOP_LARGE
#define SHELVES 16
#else
#define SHELVES 4
#endif

#ifndef SHOP_CURRENCY
#define SHOP_CURRENCY "EUR"
#elifdef SHOP_OLD_CURRENCY
#define SHOP_CURRENCY_CHANGED
#endif

typedef long long cents;
typedef unsigned int(rule)(cents price);

enum payment { CASH, CARD = 4, VOUCHER };

/* What is sold, and for how much. */
struct product {
    const char *name;
    cents price;
    unsigned sold_out : 1;
    int box[3];
} __attribute__((packed));

union digits {
    unsigned long whole;
    unsigned char bytes[8];
};

struct cart {
    struct product *lines[CART_LIMIT];
    size_t count;
    void (*changed)(struct cart *);
};

static int orders_today = 0;
_Alignas(16) static char label[64];
static LIST_OF(product) shelf;
static volatile int shown [[maybe_unused]] = 1;

#ifdef __cplusplus
extern "C" {
int send_order(int number);
}
#endif

cents total_of(const struct cart *cart);
int print_line(const char *format, ...);
void sort(struct product *[], int (*)(const void *, const void *), size_t (*[])(void));

[[noreturn]] void give_up(void);

static const struct product offers[SHELVES] = {
    [0] = {.name = "tea", .price = 450, .box = {8, 8, 12}},
    [1 ... 3] = {"cup\t", 1200, 0, {0}},
};

inline cents total_of(const struct cart *cart)
{
    cents sum = 0;
    for (size_t i = 0; i < cart->count; i++) {
        sum += cart->lines[i]->price;
    }
    return sum;
}

/* Puts a product into the cart; tells whether there was room. */
static _Bool add(struct cart *cart, struct product *product, int count)
{
    if (product == NULL || cart->count + count >= CART_LIMIT) {
        return false;
    } else if (!count) {
        count = -1;
    }
    do {
        cart->lines[cart->count++] = product;
    } while (--count > 0);
    return true;
}

static cents shipping(int weight, _Bool abroad)
{
    cents price = abroad ? 890 : 390;
    switch (weight / 500) {
    case 0:
        break;
    case 1:
        price += 100;
        [[fallthrough]];
    default:
        price *= 2;
    }
    return price;
}

static int restock(int wanted)
{
    int place = 0, found = 0;
search:
    while (place < SHELVES) {
        if (offers[place].sold_out) {
            place++;
            continue;
        }
        found = place, place = SHELVES;
    }
    if (found < wanted && wanted > 0) {
        wanted--;
        goto search;
    }
    return found;
}

static const char *kind_of(double price)
{
    return _Generic(price, double: "an amount", cents: "cents", default: "unknown");
}

static unsigned read_clock(void)
{
    unsigned low, high;
    __asm__ volatile goto("rdtsc" : "=a"(low), [high] "=d"(high) : "c"(0) : "memory" : failed);
failed:
    return __extension__(low ^ high);
}

#ifdef _MSC_VER
__declspec(dllexport) int __stdcall open_till(const char *__restrict name, int *__uptr till)
{
    char __based(till) *place;
    int *__sptr old = till;
    long *__unaligned sum;
    __try {
        if (name[0] == '\0') {
            __leave;
        }
        lock_till(place, old, sum);
    } __except (1) {
        return -1;
    }
    __try {
        print_line(name);
    } __finally {
        unlock_till();
    }
    return 0;
}
#endif

int main(int argc, char **argv)
{
    struct product tea = {"tea", 450, 0, {8, 8, 12}};
    struct cart cart = {.count = 0};
    struct product *gift = &(struct product){"cup", 1200};
    size_t place = offsetof(struct product, price);
    char (*names)[4] = (char(*)[4])argv[0];
    char letter = 'x', line_end = '\n';

    add(&cart, &tea, 2);
    add(&cart, gift, sizeof(cents) > 4);
    printf("the cart costs " SHOP_CURRENCY " %lld\n", total_of(&cart));
    printf("%s %zu %c%c", kind_of(0.5), _Alignof(cents) + place, letter, line_end);
    return (int)restock(**names) + orders_today;
}
