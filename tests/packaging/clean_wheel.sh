#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A wheel in an empty virtual environment: the README's lines, with nothing of a compiler in PATH. By root the
# machine's compilers, headers and the libraries that lockstep uses are hidden from it, too (a mount namespace of its
# own). Not in CTest: the wheel takes a minute to make.
#
#     make wheel && tests/packaging/clean_wheel.sh build/lockstep-*.whl
set -euo pipefail
wheel=$(realpath "${1:?a wheel}")
cd "$(dirname "$0")/../.."
source=$PWD
if [ "$(id -u)" = 0 ] && [ "${HIDDEN:-}" = "" ]; then
    HIDDEN=1 exec unshare -m "$0" "$wheel"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-index --no-deps "$wheel"
cp "$source/tests/packaging/wheel/race.cu" "$work"
if [ "${HIDDEN:-}" = 1 ]; then
    for folder in /usr/include /usr/lib/llvm-* /usr/lib/gcc /usr/lib/clang /usr/local; do
        [ ! -d "$folder" ] || [ -L "$folder" ] || mount -t tmpfs none "$folder"
    done
    for file in /usr/lib/*-linux-gnu/{libLLVM,libclang,libsleef,libjansson,libdw,libbfd}*.so* /usr/lib/*-linux-gnu/*crt*.o; do
        [ ! -f "$file" ] || [ -L "$file" ] || mount --bind /dev/null "$file"
    done
    mount -t tmpfs none "$source"
    echo "hidden: compilers, headers, LLVM, the source tree"
fi

failed=0
lines()
{ # status, words that the output must have, command
    local status=0 want=$1 words=$2
    shift 2
    env -i PATH="$work/venv/bin" HOME="$work" LOCKSTEP_CACHE="$work/cache" "$@" >"$work/out" 2>&1 || status=$?
    if [ "$status" != "$want" ] || { [ "$words" ] && ! /usr/bin/grep -q "$words" "$work/out"; }; then
        echo "WRONG (status $status): $*"
        /usr/bin/cat "$work/out"
        failed=1
    else
        echo "right: $*"
    fi
}
cd "$work"
suite=$(echo venv/lib/python*/site-packages/lockstep/_root/share/lockstep/suite)
lines 0 "verified  yes" lockstep run "$suite/matmul/tiled.cu" --n 128
lines 1 "__syncthreads()" lockstep check race.cu
lines 0 "bank conflicts\|verdict" lockstep profile "$suite/matmul/tiled.cu" --n 64
lines 0 "" lockstep-nvcc race.cu -o race
lines 0 "^sum 2016$" ./race
lines 0 "8.0 1" "$work/venv/bin/python" -c "
import ctypes, os
from lockstep import native
native.start('8.0')
root = os.path.dirname(native.path())
driver = ctypes.CDLL(root + '/lockstep/libcuda.so.1')
count = ctypes.c_int()
driver.cuDeviceGetCount(ctypes.byref(count))
print(f'{native.attribute(75)}.{native.attribute(76)}', count.value)"
exit $failed
