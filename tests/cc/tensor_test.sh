# SPDX-License-Identifier: Apache-2.0
# tensor.cu: mma.h, pipelines and barriers; fp8.cu: cuda_fp8.h; ptx.cu: cuda/ptx.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc -std=c++17 -arch=sm_90 "$SOURCE_DIR/tests/cc/tensor.cu" -o "$work/tensor" || exit 1
"$work/tensor"
status=$?
for arch in sm_80 sm_90; do # without and with the conversions of the instruction set
    "$LOCKSTEP" cc -arch=$arch "$SOURCE_DIR/tests/cc/fp8.cu" -o "$work/fp8" && "$work/fp8" || status=1
done
"$LOCKSTEP" cc -std=c++17 -arch=sm_90a "$SOURCE_DIR/tests/cc/ptx.cu" -o "$work/ptx" && [ "$("$work/ptx")" = fine ] || status=1
exit $status
