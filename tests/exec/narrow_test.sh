# SPDX-License-Identifier: Apache-2.0
# Blocks of one warp, alone and watched: the same answers.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/narrow.cu" -o "$work/narrow" || exit 1
for workers in 1 2; do
    LOCKSTEP_WORKERS=$workers timeout 300 "$work/narrow" || { echo "FAIL with $workers workers"; bad=1; }
done
# The kernels whose threads leave, or wait in two places, are reported, and nothing else is.
out=$("$LOCKSTEP" check "$work/narrow" 2>&1)
echo "$out" | grep -q '^PASS' && echo "$out" | grep -q 'ERROR SUMMARY: 3 errors' &&
    [ "$(echo "$out" | grep -c 'barrier in leaving\|barrier in sides')" = 4 ] ||
    { echo "FAIL under check: $out"; bad=1; }
exit $bad
