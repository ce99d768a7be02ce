#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Clusters through the runtime: launches of all kinds and what they answer, beside an H200's readings.
. "$(dirname "$0")/../cli/kernels.sh"

"$LOCKSTEP" cc -arch=sm_90 -o "$work/p" "$SOURCE_DIR/tests/cudart/clusters.cu" || exit 1
for workers in 1 2 3; do
    expect "programs, $workers workers" 0 "out:^0 wrong" env LOCKSTEP_GPU=h200 LOCKSTEP_WORKERS=$workers "$work/p"
done
"$LOCKSTEP" cc -arch=sm_80 -o "$work/old" "$SOURCE_DIR/tests/cudart/clusters.cu" 2>/dev/null || exit 1
expect "an older device" 0 "out:no clusters: cudaErrorNotSupported" env LOCKSTEP_GPU=a100 "$work/old"
"$LOCKSTEP" cc -arch=sm_90 -o "$work/launches" "$SOURCE_DIR/tools/record/cluster/launches.cu" -lcuda 2>/dev/null || exit 1
LOCKSTEP_GPU=h200 "$work/launches" >"$work/launches.csv" 2>/dev/null
expect "launches, attributes, occupancy" 0 "" diff "$work/launches.csv" "$SOURCE_DIR/tests/data/h200_cluster_launches.csv"
finish
