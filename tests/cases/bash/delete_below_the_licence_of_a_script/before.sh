#!/bin/sh
# SPDX-License-Identifier: MIT
set -e
ls
