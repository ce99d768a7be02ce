# SPDX-License-Identifier: Apache-2.0
# Textures and surfaces in whole programs, and the readings of a real GPU through texture instructions.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
for name in textures surfaces; do
    "$LOCKSTEP" cc "$SOURCE_DIR/tests/cudart/$name.cu" -o "$work/$name" || exit 1
done
"$work/textures" "$SOURCE_DIR/tests/data/texels.csv" "$SOURCE_DIR/tests/data/h200_texture.csv" || bad=1
"$work/surfaces" || bad=1
expect() { # argument, error's name, words of the report
    local out
    out=$("$work/surfaces" "$1" 2>"$work/report")
    [ "$out" = "$2" ] || { echo "FAIL surfaces $1: printed '$out', not $2"; bad=1; }
    grep -qE "$3" "$work/report" || { echo "FAIL surfaces $1: no '$3' in:"; cat "$work/report"; bad=1; }
}
expect 0 cudaErrorLaunchFailure 'surface access out of bounds in kernel .*thread \(20,0,0\): byte 80 of a row, row 1, .* 80 bytes a row, 3 rows'
expect 1 cudaErrorMisalignedAddress 'misaligned surface access in kernel .*thread \(1,0,0\)'
expect 2 cudaErrorIllegalAddress 'illegal texture .*the handle is 0'
expect 3 cudaErrorIllegalAddress "illegal texture .*the handle is a surface's"
exit $bad
