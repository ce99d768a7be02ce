#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run, check, profile and tune take the compiler's options before a .cu file and further files behind it; what they
# made is built anew when any of it changes; options that stand behind the program are the program's, with a note.
. "$(dirname "$0")/kernels.sh"
cd "$work" || exit 1
mkdir inc other
cat >a.cu <<'C'
#include <cmath>
#include <cstdio>
#include "width.h"
extern int twice(int);
#ifndef N
#define N 1
#endif
#ifdef STANDARD
static_assert(__cplusplus == STANDARD, "another standard");
#endif
__global__ void first(int *p) { *p = N + WIDTH; }
__global__ void second(int *p) { *p += 1; }
int main(int argc, char **argv)
{
    int *p, v = 0;
    cudaMalloc(&p, 4);
    first<<<1, 1>>>(p);
    second<<<1, 1>>>(p);
    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);
    cudaFree(p);
    printf("%d", twice(v));
    for (int i = 1; i < argc; i++)
        printf(" %s", argv[i]);
    printf("\n");
}
C
echo '#define WIDTH 10' >inc/width.h
echo '#define WIDTH 1000' >other/width.h
echo 'int twice(int x) { return 2 * x; }' >b.cu
echo 'int twice(int x) { return -2 * x; }' >c.cpp
"$CXX" -c c.cpp -o c.o && ar rcs libc2.a c.o || complain "an object and an archive"

expect "a macro" 0 'out:^32$' "$LOCKSTEP" run -DN=5 -Iinc a.cu b.cu
expect "words apart, long names, among our options" 0 'out:^-32 x -y --z$' "$LOCKSTEP" run --workers 2 -D N=5 --cc 8.0 \
    --include-path inc a.cu c.cpp x -y --z
expect "all kinds" 0 'out:^32$' "$LOCKSTEP" run -q -DN=5 -Iinc -std=c++20 -DSTANDARD=202002L -O1 -g -lineinfo -arch=sm_80 -lm \
    --use_fast_math -Wall -Xcompiler -fno-strict-aliasing -rdc=true a.cu b.cu
expect "another standard" 2 "another standard" "$LOCKSTEP" run -Iinc -std=c++17 -DSTANDARD=202002L a.cu b.cu
expect "an object and an archive" 0 'out:^-24 1$' "$LOCKSTEP" run -Iinc a.cu c.o libc2.a 1
expect "check" 0 'out:^32$' "$LOCKSTEP" check -DN=5 -Iinc a.cu b.cu
expect "profile" 0 'out:^32$' "$LOCKSTEP" profile -DN=5 -Iinc a.cu b.cu
expect "tune" 0 'out:best: -DN=' "$LOCKSTEP" tune --by model -P N=5,6 -Iinc a.cu b.cu

# -- a change of any of it is seen
expect "from the cache" 0 'out:^32$' "$LOCKSTEP" run -DN=5 -Iinc a.cu b.cu
echo 'int twice(int x) { return 3 * x; }' >b.cu
expect "the second source changed" 0 'out:^48$' "$LOCKSTEP" run -DN=5 -Iinc a.cu b.cu
echo '#define WIDTH 20' >inc/width.h
expect "a header changed" 0 'out:^78$' "$LOCKSTEP" run -DN=5 -Iinc a.cu b.cu
echo 'int twice(int x) { return 4 * x; }' >c.cpp && "$CXX" -c c.cpp -o c.o
expect "an object changed" 0 'out:^88 1$' "$LOCKSTEP" run -Iinc a.cu c.o libc2.a 1
mkdir other/inc && echo '#define WIDTH 0' >other/inc/width.h
expect "the same words elsewhere" 0 'out:^8$' bash -c 'cd other && "$LOCKSTEP" run -Iinc "$1/a.cu" "$1/c.o"' _ "$work"
expect "and here" 0 'out:^88$' "$LOCKSTEP" run -Iinc "$work/a.cu" "$work/c.o"
expect "without a cache" 0 'out:^88$' env LOCKSTEP_CACHE=off "$LOCKSTEP" run -Iinc a.cu c.o

# -- what cannot be
expect "an option that makes no program" 2 'lockstep cc -c' "$LOCKSTEP" run -c a.cu
expect "an output" 2 'lockstep cc -o' "$LOCKSTEP" run -o prog a.cu
expect "PTX" 2 'lockstep cc -ptx' "$LOCKSTEP" check -ptx a.cu
expect "for a program" 2 '-DN=5 is for the compiler, but ./prog is no .cu file' "$LOCKSTEP" run -DN=5 ./prog
expect "an unknown one" 2 'did you mean --workers' "$LOCKSTEP" run --wrokers 2 a.cu
expect "commands without programs" 2 'unknown option -D' "$LOCKSTEP" devices -DN=5
expect "a file as an argument" 2 'to hand files to the program: lockstep run -- a.cu' "$LOCKSTEP" run -Iinc a.cu a.cu

# -- behind the program: the program's, with a note where it looks like a mistake
echo 'int twice(int x) { return 2 * x; }' >b.cu
note='note: --html stands behind a.cu, so the program got it'
expect "an option behind" 0 "$note" "$LOCKSTEP" profile -Iinc a.cu b.cu --html r.html
grep -q '^44 --html r.html$' "$work/out" && grep -q 'lockstep profile --html r.html a.cu' "$work/err" && [ ! -e r.html ] ||
    complain "the program gets it, and how to write it"
# A sanitizer's own text in the program holds "-D", which says that the program may know the option.
[ -n "${SANITIZE:-}" ] || expect "a macro behind" 0 'for the compiler: lockstep run -DN=5 a.cu' "$LOCKSTEP" run -Iinc a.cu b.cu -DN=5
sed 's/extern int twice(int);/static int twice(int x) { return 2 * x; }/' a.cu >one.cu
expect "tune, an option behind" 0 'note: --csv stands behind one.cu' "$LOCKSTEP" tune --by model -P N=1 -Iinc one.cu --csv x.csv
silent() {
    local name=$1
    shift
    expect "$name" 0 'out:^44 ' "$@"
    ! grep -q 'note:' "$work/err" || complain "$name: a note"
}
silent "quiet" "$LOCKSTEP" run -q -Iinc a.cu b.cu --json
silent "usual words" "$LOCKSTEP" run -Iinc a.cu b.cu --help -v --verbose -n 5 --size 3
sed 's/argc; i++)/argc; i++) if (argv[i] != (char *)"--html")/' a.cu >knows.cu
silent "an option that the program has" "$LOCKSTEP" profile -Iinc knows.cu b.cu --html r.html
cp b.cu d.cu
silent "a file for the program" "$LOCKSTEP" run -Iinc -- one.cu d.cu --json
expect "a script's own" 0 'out:^--json$' "$LOCKSTEP" run echo --json
! grep -q 'note:' "$work/err" || complain "a note about a script"
expect "the help says so" 0 'out:-DN=5' "$LOCKSTEP" run --help
finish
