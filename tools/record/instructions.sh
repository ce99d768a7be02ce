#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records the results of every instruction form on this machine's GPU: needs python3, the driver,
# cuda.h and a C compiler. instructions.sh OUT.xz
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
forms=${FORMS:-instructions} # whose forms: instructions.py, matrices.py
out=${1:?usage: $forms.sh OUT.xz}
cuda=${CUDA_HOME:-/usr/local/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >&2 || true
date -u +%Y-%m-%d >&2
python3 "$here/$forms.py" emit "$work/forms"
"${CC:-cc}" -O1 -I"$cuda/include" -o "$work/run" "$here/instructions.c" \
    -L"$cuda/lib64/stubs" -L"$cuda/lib64" -lcuda
"$work/run" "$work/forms"
python3 "$here/$forms.py" pack "$work/forms" "$out"
# why the driver's compiler refused a form, once per reason
for e in "$work"/forms/*.err; do
    [ -e "$e" ] && echo "$(basename "$e" .err): $(grep -m1 -i error "$e" || head -1 "$e")"
done >&2 || true
