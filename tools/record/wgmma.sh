#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records what this machine's GPU gives for 11,160 random tiles of wgmma, all shapes and types (wgmma.py,
# wgmma.c): needs python3, ptxas, the driver, cuda.h and a C compiler. wgmma.sh OUT.xz
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath "${1:?usage: wgmma.sh OUT.xz}")
cuda=${CUDA_HOME:-/usr/local/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >&2 || true
date -u +%Y-%m-%d >&2
python3 "$here/wgmma.py" emit "$work"
"${CC:-cc}" -O1 -I"$cuda/include" -o "$work/run" "$here/wgmma.c" -L"$cuda/lib64/stubs" -L"$cuda/lib64" -lcuda
(cd "$work" && ls -- *.ptx | sed 's/\.ptx$//' | xargs -P "$(nproc)" -I{} "$cuda/bin/ptxas" -arch=sm_90a -O1 {}.ptx -o {}.cubin)
"$work/run" "$work" | xz -9e >"$out"
