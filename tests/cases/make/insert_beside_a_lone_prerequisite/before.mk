# The shop.
CC ?= gcc
CFLAGS += -Wall
SRC := $(wildcard src/*.c) $(patsubst %.y,%.c,$(GRAMMARS))

# Where it is put.
PREFIX = /usr/local

ifeq ($(OS),Windows_NT)
EXE = .exe
else ifdef DEBUG
EXE = .dbg
else
EXE =
endif

.PHONY: all clean test

all: shop$(EXE) docs | out

# Links the shop.
shop$(EXE): $(SRC:.c=.o)
	$(CC) $(CFLAGS) -o $@ $^
	@echo "built $@" && \
		echo done

debug: CFLAGS = -g

%.o: %.c
	$(CC) -c $<

# Takes away what was built.
clean:
	rm -f *.o

docs: ; mkdir -p docs

test: all
	./shop$(EXE) "a b"
