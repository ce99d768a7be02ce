#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/a-kernels-way.md: what its blocks quote of the flow graph and the remarks is what the tool prints.
set -eu
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
page=$SOURCE_DIR/docs/a-kernels-way.md
"$LOCKSTEP" cc -ptx -lineinfo "$SOURCE_DIR/examples/inc.cu" -o "$work/inc.ptx"
for stage in wir remarks llvm asm; do
    "$LOCKSTEP" launch "$work/inc.ptx" --block 256 --dump-stage $stage
done >"$work/out"
bad=0
while IFS= read -r line; do
    grep -qF -- "$line" "$work/out" || { echo "not printed: $line"; bad=1; }
done < <(awk '/^```/ {inside = !inside; next} inside' "$page" |
         grep -E '^(b[0-9]+:|    [a-z]+[.a-z0-9]* %|        // |inc: )')
exit $bad
