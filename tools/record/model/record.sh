#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Compiles and runs all microbenchmarks of this folder and writes their CSV into a folder (some four minutes on an H200):
#
#     tools/record/model/record.sh OUT [PTX]      PTX: a folder of PTX files whose registers are asked of ptxas
#
# A program that does not compile or takes too long leaves its log; the others go on.
here=$(dirname "$0")
out=$1 ptx=$2
mkdir -p "$out"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,power.draw --format=csv >"$out/device.txt" 2>&1
nvcc --version >>"$out/device.txt" 2>&1

compile() { # program, options
    nvcc -O3 -arch=sm_90 -std=c++17 -o "$build/$1" "${@:2}" >"$out/$1.compile" 2>&1 || echo "$1: not compiled"
}
for part in 0 1 2 3 4; do
    compile "instructions$part" -DPART=$part "$here/instructions.cu" &
done
for name in atomics waiting launches stores together memory; do
    compile $name "$here/$name.cu" &
done
wait
echo "compiled after $SECONDS s"

record() { # program, seconds at most, output, arguments
    timeout "$2" "$build/$1" "${@:4}" >"$out/$3" 2>"$out/$3.log" || echo "$1: status $?"
    [ -s "$out/$3.log" ] || rm -f "$out/$3.log"
    echo "$3: $(wc -l <"$out/$3") lines, $SECONDS s"
}
for part in 0 1 2 3 4; do
    record "instructions$part" 20 "instructions$part.csv"
done
record launches 60 launches.csv
record waiting 60 waiting.csv
record atomics 90 atomics.csv
record stores 30 stores.csv
record together 30 together.csv
record memory 30 memory.csv
nvidia-smi --query-gpu=clocks.sm,power.draw,temperature.gpu --format=csv >>"$out/device.txt" 2>&1

metrics=smsp__inst_executed.sum
for pipe in alu fma fmaheavy fp64 xu lsu cbu uniform; do
    metrics=$metrics,sm__inst_executed_pipe_$pipe.sum
done
for part in 0 1 2 3 4; do
    left=$((330 - SECONDS))
    [ $left -gt 5 ] || break
    record "instructions$part" 5 "operations$part.csv" count
    timeout $left ncu --clock-control none --csv --metrics $metrics "$build/instructions$part" count \
        >"$out/counts$part.csv" 2>"$out/counts$part.log" || echo "counts$part: status $?"
    echo "counts$part: $(wc -l <"$out/counts$part.csv") lines, $SECONDS s"
done
if [ -n "$ptx" ]; then
    timeout 60 python3 "$here/registers.py" "$ptx" >"$out/registers.csv" 2>"$out/registers.log"
    echo "registers: $(wc -l <"$out/registers.csv") lines, $SECONDS s"
fi
for part in 0 1 2 3 4; do
    cuobjdump -sass "$build/instructions$part" 2>/dev/null | grep -v '^\s*/\* 0x' | xz -T0 >"$out/instructions$part.sass.xz"
done
echo "done after $SECONDS s"
