#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# LOCKSTEP_VECTORS=256: the code for a processor without AVX-512 gives the same results on one that
# has it; masked loads of more than a register and bit selects, with which LLVM goes wrong
# (src/jit/post/defects.c), among them.
set -u
[ "$MACHINE" = x86_64 ] || { echo "SKIP: LOCKSTEP_VECTORS is of x86-64"; exit 77; }
[ -z "${SANITIZE:-}" ] || { echo "SKIP: what is compiled has no sanitizer"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
export LOCKSTEP_VECTORS=256 LOCKSTEP_WORKERS=2
fail() {
    echo "FAIL $1"
    head -20 "$work/out"
    bad=1
}
for program in splits taps rows strides; do
    "$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/$program.cu" -o "$work/$program" || exit 1
    timeout 300 "$work/$program" >"$work/out" 2>&1 || fail "$program"
done
python3 "$SOURCE_DIR/tests/jit/bit_select_test.py" >"$work/out" 2>&1 || fail "bit selects"
"$LOCKSTEP" cc -ptx -O2 "$SOURCE_DIR/tests/exec/splits.cu" -o "$work/splits.ptx" || exit 1
kernel=$(grep -o '_Z5three[A-Za-z0-9_]*' "$work/splits.ptx" | head -1)
launch=("$LOCKSTEP" launch "$work/splits.ptx" -k "$kernel" --block 64 --dump-stage asm
    -a buffer:256 -a buffer:256 -a buffer:256 -a buffer:256 -a s32:8 -a s32:16)
"${launch[@]}" >"$work/out" || fail "launch"
grep -q 'ret' "$work/out" || fail "no code"
grep -q 'zmm' "$work/out" && fail "vectors of 512 bits with LOCKSTEP_VECTORS=256"
if grep -qw avx512f /proc/cpuinfo; then
    LOCKSTEP_VECTORS= "${launch[@]}" >"$work/out"
    grep -q 'zmm' "$work/out" || fail "no vectors of 512 bits without it"
fi
for what in 128 x; do
    for command in "${launch[*]}" "$work/rows"; do
        LOCKSTEP_VECTORS=$what $command >"$work/out" 2>&1 && fail "LOCKSTEP_VECTORS=$what is taken"
        grep -q "LOCKSTEP_VECTORS is \"$what\", not 256" "$work/out" ||
            fail "LOCKSTEP_VECTORS=$what has no message"
    done
done
exit $bad
