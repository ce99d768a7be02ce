#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# LOCKSTEP_VECTORS=256: the code for a processor without AVX-512 gives the same results on one that has it; masked
# loads of more than a register, which LLVM splits wrongly there (src/jit/post/defects.c), among them.
set -u
[ -z "${SANITIZE:-}" ] || { echo "SKIP: what is compiled has no sanitizer"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
export LOCKSTEP_VECTORS=256 LOCKSTEP_WORKERS=2
for program in splits taps rows strides; do
    "$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/$program.cu" -o "$work/$program" || exit 1
    timeout 300 "$work/$program" >"$work/out" 2>&1 || { echo "FAIL $program"; head -20 "$work/out"; bad=1; }
done
"$LOCKSTEP" cc -ptx -O2 "$SOURCE_DIR/tests/exec/splits.cu" -o "$work/splits.ptx" || exit 1
kernel=$(grep -o '_Z5three[A-Za-z0-9_]*' "$work/splits.ptx" | head -1)
launch=("$LOCKSTEP" launch "$work/splits.ptx" -k "$kernel" --block 64 --dump-stage asm
    -a buffer:256 -a buffer:256 -a buffer:256 -a buffer:256 -a s32:8 -a s32:16)
"${launch[@]}" >"$work/asm" || bad=1
grep -q 'ret' "$work/asm" || { echo "FAIL no code"; bad=1; }
grep -q 'zmm' "$work/asm" && { echo "FAIL LOCKSTEP_VECTORS=256: vectors of 512 bits"; bad=1; }
if grep -qw avx512f /proc/cpuinfo; then
    LOCKSTEP_VECTORS= "${launch[@]}" | grep -q 'zmm' || { echo "FAIL without it: no vector of 512 bits"; bad=1; }
fi
for what in 128 x; do
    LOCKSTEP_VECTORS=$what "${launch[@]}" >"$work/out" 2>&1 && { echo "FAIL LOCKSTEP_VECTORS=$what: taken"; bad=1; }
    grep -q "LOCKSTEP_VECTORS is \"$what\", not 256" "$work/out" || { echo "FAIL LOCKSTEP_VECTORS=$what:"; cat "$work/out"; bad=1; }
    LOCKSTEP_VECTORS=$what "$work/rows" >"$work/out" 2>&1 && { echo "FAIL LOCKSTEP_VECTORS=$what: a program runs"; bad=1; }
    grep -q "LOCKSTEP_VECTORS is \"$what\", not 256" "$work/out" || { echo "FAIL LOCKSTEP_VECTORS=$what, a program:"; head -5 "$work/out"; bad=1; }
done
exit $bad
