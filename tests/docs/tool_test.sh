# SPDX-License-Identifier: Apache-2.0
# examples/tool: of 5 blocks of 40 threads for 100 elements, 2 blocks and a half have work: 40 + 40 + 20 lanes
# in 2 + 2 + 1 warps.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc -ptx -lineinfo "$SOURCE_DIR/examples/inc.cu" -o "$work/inc.ptx" || exit 1
"$BINARY_DIR/tests/example_tool" "$work/inc.ptx" >"$work/out" || exit 1
sed "s/.*inc.cu/inc.cu/" "$work/out" | diff - <(printf 'inc.cu:7: 100 lanes in 5 warps\ninc.cu:7: 100 lanes in 5 warps\n') ||
    { echo "FAIL: other counts"; exit 1; }
"$BINARY_DIR/tests/example_tool" "$work/none.ptx" 2>"$work/said" && { echo "FAIL: a file that is not there"; exit 1; }
grep -q 'none.ptx' "$work/said" || { cat "$work/said"; exit 1; }
