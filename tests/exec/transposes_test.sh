# SPDX-License-Identifier: Apache-2.0
# Stores of transposes that are kept back, and tiles that are read by columns: whole programs.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
for name in columns tiles; do
    "$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/$name.cu" -o "$work/$name" || exit 1
    LOCKSTEP_WORKERS=2 timeout 300 "$work/$name" || { echo "FAIL $name"; bad=1; }
done
exit $bad
