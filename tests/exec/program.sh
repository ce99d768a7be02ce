# SPDX-License-Identifier: Apache-2.0
# program.sh NAME WORKERS...: one row of programs.txt.
set -u
name=$1 bad=0
shift
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/$name.cu" -o "$work/$name" || exit 1
for workers; do
    LOCKSTEP_WORKERS=$workers timeout 300 "$work/$name" || { echo "FAIL $name with $workers workers"; bad=1; }
done
exit $bad
