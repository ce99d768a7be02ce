#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/a-kernels-way.md: what its blocks quote is what the tool prints. Numbers of LLVM's values and registers of the
# machine may be others; machine code is looked for where the processor has AVX-512.
set -eu
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
page=$SOURCE_DIR/docs/a-kernels-way.md
"$LOCKSTEP" cc -ptx -lineinfo "$SOURCE_DIR/examples/inc.cu" -o "$work/inc.ptx"
for stage in wir remarks llvm asm; do
    "$LOCKSTEP" launch "$work/inc.ptx" --block 256 --dump-stage $stage
done >"$work/out"
bad=0
bare() { sed -E 's/%[A-Za-z0-9_.]+/%/g; s/![0-9]+/!/g; s/ +;.*$//; s/^[ \t]+//' "$@"; }
bare "$work/out" >"$work/bare"
machine='^(v|prefetch)'
grep -q zmm "$work/out" || machine='^$'
while IFS= read -r line; do
    grep -qF -- "$line" "$work/out" || { echo "not printed: $line"; bad=1; }
done < <(awk '/^```/ {inside = !inside; next} inside' "$page" |
         grep -E '^(b[0-9]+:|    [a-z]+[.a-z0-9]* %|        // |inc: )')
while IFS= read -r line; do
    grep -qF -- "$line" "$work/bare" || { echo "not printed: $line"; bad=1; }
done < <(awk '/^```/ {inside = !inside; next} inside' "$page" | bare |
         grep -E "^% = |^store <|^call |^br i1|$machine")
"$LOCKSTEP" launch "$work/inc.ptx" --block 256 --grid 5000000 --dump-stage wir |
    grep -q "ctaid.x; *// uniform, in \[0, 2147483647\]" ||
    { echo "a grid of five million blocks: the code of small ones is shown"; bad=1; }
exit $bad
