#pragma once
// SPDX-License-Identifier: MIT
#include <stddef.h>
#include <stdint.h>
