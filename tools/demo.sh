#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What `make demo` shows once everything is built: an ordinary CUDA program, compiled and run here.
set -eu
cd "$(dirname "$0")/.."

show() {
    echo
    echo "\$ $*"
    "$@"
}
echo "A tiled matrix product in CUDA C, on a virtual GPU, checked against plain C:"
show build/lockstep run suite/matmul/tiled.cu --n 1024 --repeat 5
cat <<'TEXT'

Try next:
  build/lockstep run suite/matmul/register.cu --n 1024 --repeat 5    the fastest rung
  build/lockstep run suite/matmul/tiled.cu --m 100 --k 17 --n 33     any size
  build/lockstep cc suite/matmul/tiled.cu -o tiled && ./tiled        a program that runs by itself
  build/lockstep devices                                             the GPUs it can pretend to be
  build/lockstep --help                                              everything else
TEXT
