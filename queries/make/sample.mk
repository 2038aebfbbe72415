# Builds a small shop.
SHELL := /bin/bash
CC ?= gcc
CFLAGS += -O2 -Wall
SRC = $(wildcard src/*.c)
OBJ := $(SRC:.c=.o) $(patsubst %.c,%.o,$(SRC))
NOW != date +%F
HOST := $(shell uname -n)
NAME = "tea $(HOST)"
PRICE = $$5 //x
VPATH = src:lib
.RECIPEPREFIX = >
export CFLAGS
unexport NOW
override CFLAGS += -g
private SECRET = 1
undefine PRICE
vpath %.h src:include
include rules.mk
-include $(OBJ:.o=.d)

define greeting
Welcome to the shop,
  it is open.
endef

ifeq ($(OS),Windows_NT)
EXE = .exe
else ifdef DEBUG
EXE = .dbg
else
EXE =
endif

ifneq "$(CC)" "gcc"
MODE = other
endif

ifndef PREFIX
PREFIX = /usr/local
endif

.PHONY: all clean

all: shop$(EXE) | out

shop$(EXE): $(OBJ) lib.a(one.o two.o)
	$(CC) $(CFLAGS) -o $@ $^
	@echo "built $@" && \
		echo done

$(OBJ): %.o: %.c
	$(CC) -c $<

debug: CFLAGS = -g

clean: ; rm -f *.o

$(info $(greeting))
