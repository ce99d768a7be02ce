# SPDX-License-Identifier: Apache-2.0
#
# tensor_wide.cu runs on a device of compute capability 10.0, and one of 9.0 refuses what it does.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LOCKSTEP_WORKERS=1
"$LOCKSTEP" cc -o "$work/wide" "$SOURCE_DIR/tests/cuda/tensor_wide.cu" -lcuda
LOCKSTEP_CC=10.0 "$LOCKSTEP" run "$work/wide" >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; exit 1; }
[ "$(tail -1 "$work/out")" = fine ]
for said in "the map is of 4 dimensions, tiled, the instruction of 4, im2col::w" \
    "the map is of 4 dimensions, im2col::w::128, the instruction of 4, im2col::w" \
    "the map is of 4 dimensions, im2col::w, the instruction of 4, im2col" \
    "im2col::w::128 with {32, 0}: wHalo is less than 32, wOffset than 32" \
    "coordinate 1 is 9: the pixels' box is from 0 to 8" "tensorRank is 2: 3 to 5"; do
    grep -qF "$said" "$work/err" || { echo "not said: $said"; cat "$work/err"; exit 1; }
done
LOCKSTEP_CC=9.0 "$LOCKSTEP" run "$work/wide" old >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; exit 1; }
[ "$(tail -1 "$work/out")" = fine ]
grep -q "tensor maps of im2col::w are for compute capability 10.0 and newer" "$work/err"
