# SPDX-License-Identifier: Apache-2.0
# Textures and surfaces in whole programs, and the readings of a real GPU through texture instructions.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc "$SOURCE_DIR/tests/cudart/textures.cu" -o "$work/textures" || exit 1
"$work/textures" "$SOURCE_DIR/tests/data/texels.csv" "$SOURCE_DIR/tests/data/h200_texture.csv"
