#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every rung of lecture 000's systems verifies at all its sizes, on the oldest device and a new one
# (`lockstep suite run --profiles all` does all five), and every system has a rung and a README.
set -u
failures=0
work=$(mktemp)
systems="A1 A2 A3 A4 A5 A6 A7 A8 A9"
profiles=1.0,9.0
[ -n "${SANITIZE:-}" ] && profiles=2.0
list=$("$LOCKSTEP" suite list --json) || failures=1
for system in $systems; do
    case $list in
        *"\"$system\""*) ;;
        *) echo "FAILED: no rung for $system" && failures=$((failures + 1)) ;;
    esac
done
# shellcheck disable=SC2086
if ! "$LOCKSTEP" suite run --suite-dir "$SOURCE_DIR/suite" --profiles $profiles --repeat 1 $systems >"$work" 2>&1; then
    failures=$((failures + 1))
    grep -v ' yes ' "$work" | head -n 30
fi
tail -n 1 "$work"
rm -f "$work"
for folder in "$SOURCE_DIR"/suite/*/; do
    case $folder in
        */common/) ;;
        *) [ -s "$folder/README.md" ] || { echo "FAILED: $folder has no README.md" && failures=$((failures + 1)); } ;;
    esac
done
echo "$failures failures"
[ "$failures" -eq 0 ]
