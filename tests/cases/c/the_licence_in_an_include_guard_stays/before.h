#ifndef LIST_H
#define LIST_H

/* Copyright (C) 2024 The List Authors */
#include <stddef.h>

struct list;

#endif
