# SPDX-License-Identifier: Apache-2.0
# examples/make-project: a Makefile with NVCC=lockstep-nvcc.
set -u
command -v make >/dev/null || { echo "SKIP: no make"; exit 77; }
[ -z "$SANITIZE" ] || { echo "SKIP: the project is linked without sanitizers"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cp "$SOURCE_DIR"/examples/make-project/* "$work"
export LOCKSTEP_WORKERS=2
MAKEFLAGS='' make -C "$work" NVCC="$BINARY_DIR/lockstep-nvcc" >"$work/log" 2>&1 || { cat "$work/log"; echo "FAIL it does not build"; exit 1; }
"$work/saxpy" 777 | grep -q '777 elements, 0 wrong' || { echo "FAIL it does not run"; exit 1; }
echo PASS
