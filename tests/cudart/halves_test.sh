#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Conversions of half in host code: the library's (on x86-64), with the kernel's results.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/cudart/halves.cu" -o "$work/halves" -ldl || exit 1
LOCKSTEP_QUIET=1 "$work/halves" >"$work/said" || exit 1
cat "$work/said"
grep -qx '0 unlike' "$work/said" || exit 1
[ "$MACHINE" != x86_64 ] || [ "$(grep -c ': lockstep$' "$work/said")" = 3 ]
