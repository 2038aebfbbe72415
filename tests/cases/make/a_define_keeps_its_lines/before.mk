VPATH = src:lib
.RECIPEPREFIX = >
NOW != date
export CC
unexport NOW
override CFLAGS += -g

override define big
a
endef

override undefine SMALL
export LANG = C
private SECRET = 1
undefine PRICE
vpath %.h include
include rules.mk

define greeting
Welcome,
    it is open.
endef

$(OBJ): %.o: %.c
	$(CC) -c $<
ifdef STRIP
	strip $@
endif

lib.a(one.o): ; true
ifeq "$(CC)" 'gcc'
X = 1
endif

$(info $(shell uname))
