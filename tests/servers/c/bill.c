/* What a guest pays. */
#include "prices.h"

int total(void) {
    return price("tea") + price("cake");
}

int main(void) {
    const char *wrong = total;
    const char *line = "größer als ☕ 𝒙"; return price(line);
}
