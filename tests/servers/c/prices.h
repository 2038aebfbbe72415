/* What things cost. */
#ifndef PRICES_H
#define PRICES_H

/* In cents, with all taxes. */
int price(const char *name);

#endif
