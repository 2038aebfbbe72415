/* A small shop: products, carts and the orders that are made of them. */
#include <compare>
#include <vector>
#include "prices.hpp"

#define CART_LIMIT 20
#define ROUND_UP(price, step) (((price) + (step) - 1) / (step) * (step))
#pragma warning(disable : 4068)

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

namespace shop::stock {

using namespace std;
using Cents = long long;
typedef unsigned int *Counts;
namespace sold = shop::orders;

enum class Payment : char { Cash, Card = 4, Voucher };

union Digits {
    unsigned long whole;
    unsigned char bytes[8];
};

// What is sold, and for how much.
struct Product {
    const char *name;
    Cents price = 0;
    unsigned sold_out : 1;
    alignas(16) int box[3];
} __attribute__((packed));

template <typename T>
concept Priced = requires(T thing) {
    typename T::Currency;
    thing.total();
    { thing.total() } noexcept -> same_as<Cents>;
};

class Shelf {
  public:
    virtual ~Shelf() = 0;
    Shelf() = default;
    virtual int place() const = 0;
    Shelf(const Shelf &) = delete;
    friend class Cart;

  protected:
    static inline int orders_today = 0;
};

template <typename Item = Product, int Limit = CART_LIMIT>
    requires Priced<Item> && (Limit > 0)
class Cart final : public Shelf {
  public:
    explicit Cart(int count) : count_(count), items_{} {}

    int place() const override { return this->count_; }

    explicit operator bool() const & { return count_ > 0; }

    auto operator<=>(const Cart &other) const = default;

    Cart &operator+=(Item &&item) noexcept {
        items_.template emplace_back<Item>(item);
        return *this;
    }

    template <typename Rule> auto each(Rule rule) -> decltype(rule(0));

    void old() throw(ShopError);

  private:
    int count_;
    void (*changed_)(Cart &);
    vector<Item> items_;
    typename Item::Currency currency_;
};

template <template <typename> class List, typename... Items>
    requires Priced<List<int>> || true
Cents total(const Items &...items) {
    return (items.price + ...);
}

template <typename... Names> void greet(Names... names) { print(names...); }

template Cents total<int>(const int &item);

static_assert(sizeof(Cents) == 8, "amounts are long");

extern "C" {
int send_order(int number);
}

Cents shipping(int weight, bool abroad = false);
void print_line(const char *format, ...);
void sort(Product *[], int (*)(const void *, const void *), int (&)[4], int (*[])(void));
[[noreturn]] void give_up();
static volatile int shown [[maybe_unused]] = 1;

constexpr Cents operator""_eur(unsigned long long amount) { return amount * 100; }

const Product offers[] = {
    [0] = {.name = "tea", .price = 450},
    [1 ... 3] = {"cup\t", 1200, 0},
};

Cents shipping(int weight, bool abroad) {
    Cents price = abroad ? 890 : 390;
    switch (weight / 500) {
    case 0:
        break;
    case 1:
        price += 1_eur;
        [[fallthrough]];
    default:
        price *= 2;
    }
    return price;
}

int restock(int wanted) {
    int place = 0, found = 0;
search:
    while (place < SHELVES) {
        if (offers[place].sold_out) {
            ++place;
            continue;
        }
        found = place, place = SHELVES;
    }
    if (int missing = wanted - found; missing > 0) {
        --wanted;
        goto search;
    } else {
        do {
            place--;
        } while (place > 0);
    }
    return found;
}

generator<Cents> prices(channel &orders) {
    for (const auto &[name, price, sold_out] : offers) {
        co_yield price;
    }
    co_await orders.next();
    co_return;
}

unsigned read_clock() {
    unsigned low, high;
    __asm__ volatile goto("rdtsc" : "=a"(low), [high] "=d"(high) : "c"(0) : "memory" : failed);
failed:
    return __extension__(low ^ high);
}

#ifdef _MSC_VER
__declspec(dllexport) int __stdcall open_till(const char *__restrict name, int *__uptr till) {
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

} // namespace shop::stock

int main() {
    using shop::stock::Cart;
    auto *cart = new Cart<Product, 4>(2);
    auto names = new (shelf) int[4][8];
    Cents Product::*of_product = &Product::price;
    auto motto = R"tea(Every cup
is a small break.)tea";
    auto cheaper = [&, limit = 5](const auto &product) mutable { return product.price < limit; };
    auto copied = [=] { return *cart; };
    decltype(auto) first = names[0][0];
    double rate = 1.5 * static_cast<double>(max<int>(3, 4)), half = (double)rate / 2;
    char letter = 'x', line_end = '\n';
    auto gift = Product{"cup", 1200};
    auto kind = _Generic(rate, double: "an amount", default: "unknown");
    size_t place = offsetof(Product, price) + alignof(Cents);
    try {
        if (!cart) {
            throw ShopError("no " "cart");
        }
        for (int i = 0; i < 3 && cart != nullptr; i++) {
            (*cart)[i, 0] += true;
        }
    } catch (const ShopError &problem) {
        print_line(problem.what());
    }
    cart->each<int>(cheaper);
    delete cart;
}
