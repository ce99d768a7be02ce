#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/profile/transfers.cu under the profiler of this machine's GPU: needs nvcc and ncu. transfers.sh OUT.csv
# [SOURCE]: ncu's raw page, a row a kernel.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath "${1:?usage: transfers.sh OUT.csv [SOURCE]}")
source=${2:-$here/../../tests/profile/transfers.cu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >&2
nvcc -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o "$work/transfers" "$source" -lcuda
timeout 20 "$work/transfers" >&2
metrics=smsp__inst_executed_op_tma_ld.sum,smsp__inst_executed_op_tma_st.sum,smsp__inst_executed_pipe_tma.sum
metrics+=,lts__t_sectors_srcunit_tex.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum
for op in tma_ld tma_ld_dest_self tma_ld_dest_multicast; do
    metrics+=,l1tex__m_xbar2l1tex_read_sectors_mem_global_op_$op.sum
done
for op in tma_st tma_red; do
    metrics+=,l1tex__m_l1tex2xbar_write_sectors_mem_global_op_$op.sum
done
for op in ld st atom redas; do
    metrics+=,l1tex__t_requests_pipe_lsu_mem_dshared_op_$op.sum,l1tex__t_sectors_pipe_lsu_mem_dshared_op_$op.sum
done
for op in ld st atom redas tma_st tma_red; do
    metrics+=,l1tex__m_l1tex2xbar_write_bytes_mem_dshared_op_$op.sum
    metrics+=,l1tex__m_xbar2l1tex_read_bytes_mem_dshared_op_$op.sum
done
timeout "${LIMIT:-120}" ncu --csv --page raw --print-units base --clock-control none --metrics "$metrics" \
    "$work/transfers" >"$out"
