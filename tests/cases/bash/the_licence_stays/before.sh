#!/bin/sh
# Copyright 2020 Ann
a
b
