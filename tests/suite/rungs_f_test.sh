#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tensor copies and products of halves verify at their sizes, and are silent under check; devices that lack what they
# need leave them out.
set -euo pipefail
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$LOCKSTEP" suite run --repeat 1 F1 F2
"$LOCKSTEP" suite check F1 F2
"$LOCKSTEP" suite run --profiles 1.0,8.0 --sizes 17 F1 F2 >"$out" && status=0 || status=$?
cat "$out"
[ "$status" -eq 0 ]
[ "$(grep -c 'left out: needs tensor copies' "$out")" -eq 14 ]
grep -q ' 2 runs: 0 not' "$out" # hgemm/naive alone
for verb in bench check profile; do
    "$LOCKSTEP" suite $verb --cc 8.0 hgemm/roles >"$out" && status=0 || status=$?
    [ "$status" -eq 3 ]
    grep -q 'hgemm/roles .* left out: needs tensor copies and wgmma (9.0)' "$out"
done
[ "$("$LOCKSTEP" suite bench --json --cc 8.0 hgemm/roles || true)" = "[]" ]
