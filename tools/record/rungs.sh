#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The suite's rungs of tensor copies, wgmma and clusters, compiled by nvcc, under the profiler of this machine's
# GPU: needs nvcc and ncu. rungs.sh OUT.csv writes the rows of tests/data/h200_rungs.csv.
set -euo pipefail
suite=$(cd "$(dirname "$0")/../../suite" && pwd)
out=$(realpath "${1:?usage: rungs.sh OUT.csv}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >&2
rungs="convolution2d/tma hgemm/multicast hgemm/roles hgemm/stages hgemm/wgmma matmul/tma transpose/tma"
metrics=(
    smsp__inst_executed_op_tma_ld.sum
    smsp__inst_executed_op_tma_st.sum
    l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum
    l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum
    sm__inst_executed_pipe_tensor_op_gmma.sum
    l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum
    l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
    gpu__time_duration.sum
)
for rung in $rungs; do
    env -u NVCC_APPEND_FLAGS -u NVCC_PREPEND_FLAGS nvcc -gencode arch=compute_90a,code=sm_90a -O3 -std=c++17 \
        -I"$suite/common" -I"$suite/${rung%/*}" "$suite/$rung.cu" -lcuda -o "$work/${rung/\//.}" &
done
wait
for rung in $rungs; do
    ncu --csv --page raw --print-units base --clock-control none --metrics "$(IFS=,; echo "${metrics[*]}")" \
        "$work/${rung/\//.}" --size 512 --repeat 1 --verify 0 >"$work/${rung/\//.}.csv"
done
python3 - "$work" "${metrics[@]}" >"$out" <<'PYTHON'
import csv, glob, os, sys
work, metrics = sys.argv[1], sys.argv[2:]
print("rung,tma_load_instructions,tma_store_instructions,tma_load_sectors,tma_store_sectors,wgmma_instructions,"
      "wgmma_wavefronts,global_load_sectors,global_store_sectors,us")
for path in sorted(glob.glob(work + "/*.csv")):
    lines = [l for l in open(path) if l.startswith('"')]
    last = list(csv.DictReader(lines))[-1]  # of two launches
    counts = [str(int(float(last[m].replace(",", "")))) for m in metrics[:-1]]
    print(",".join([os.path.basename(path)[:-4].replace(".", "/")] + counts + [str(float(last[metrics[-1]].replace(",", "")) / 1000)]))
PYTHON
