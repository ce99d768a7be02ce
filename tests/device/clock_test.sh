#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --clock: with `model` event times are the modelled GPU's: the seven reductions of a course rank as on a GPU, on any, and
# twice the same; streams, copies and waits; with `cpu` compiling is no part of them.
. "$(dirname "$0")/../cli/kernels.sh"
here=$SOURCE_DIR/tests/device
run=("$LOCKSTEP" run)

# name of the GPU: each reduction no slower than the one before by over a tenth (on an H200 the last four lie within 8 % of
# each other), the first at least that much slower than the last
ranks() {
    cases=$((cases + 1))
    "${run[@]}" --clock model --gpu "$1" "$here/reductions.cu" >"$work/ranks" 2>"$work/err" || complain "$1: status"
    awk -v least="$2" '$2 != "right" { bad = 1 } { t[NR] = $3 } NR > 1 && $3 > 1.1 * last { bad = 1 } { last = $3 }
        END { exit bad || NR != 7 || t[1] < least * t[7] || t[3] <= 1.2 * t[4] }' "$work/ranks" ||
        complain "$1: not ranked: $(tr '\n' ';' <"$work/ranks")"
}
ranks h200 1.4
# An H200, nvcc 13.0 -O3, clocks as they came: 200 launches of each between two events, the middle of three runs, in us. Of the
# first reduction's remainder, by a power of two, clang makes a mask and nvcc does not (12.26 us): it is left out.
cases=$((cases + 1))
echo 8.17 7.77 5.22 5.17 5.11 4.95 | tr ' ' '\n' | paste - <(sed 1d "$work/ranks") |
    awk '{ r = 1000 * $4 / $1 } r < 0.7 || r > 1.25 { exit 1 }' || complain "not the H200's: $(tr '\n' ';' <"$work/ranks")"
ranks a100 1.4
ranks g80 5
ranks k40 3
cp "$work/ranks" "$work/once"
ranks k40 3
cases=$((cases + 1))
cmp -s "$work/once" "$work/ranks" || complain "the model's times differ from run to run"

cat >"$work/streams.cu" <<'END'
#include <cstdio>
__global__ void spin(float *p, int n) { float v = p[threadIdx.x]; for (int k = 0; k < n; k++) v = v * v + 0.5f; p[blockIdx.x * 256 + threadIdx.x] = v; }
static float between(cudaEvent_t a, cudaEvent_t b) { float ms = -1; cudaEventElapsedTime(&ms, a, b); return ms; }
int main()
{
    const size_t bytes = 64 << 20;
    float *d, *h = (float *)calloc(1, bytes);
    cudaStream_t s, t;
    cudaEvent_t e[8];
    cudaMalloc(&d, bytes);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    for (auto &x : e)
        cudaEventCreate(&x);
    cudaMemset(d, 0, bytes);
    cudaEventRecord(e[0]);
    cudaEventRecord(e[1]);
    printf("nothing %.6f\n", between(e[0], e[1]));
    cudaEventRecord(e[0], s);
    spin<<<132, 256, 0, s>>>(d, 10000);
    cudaEventRecord(e[1], s);
    cudaEventRecord(e[2], t);
    cudaMemcpyAsync(d + (1 << 20), h, bytes / 2, cudaMemcpyHostToDevice, t);
    cudaEventRecord(e[3], t);
    printf("kernel %.6f copy %.6f apart %.6f\n", between(e[0], e[1]), between(e[2], e[3]), between(e[0], e[2]));
    cudaStreamWaitEvent(s, e[3], 0);
    cudaEventRecord(e[4], s);
    printf("waited %d\n", between(e[3], e[4]) >= 0);
    cudaEventRecord(e[5]); /* the legacy stream waits for both */
    printf("legacy %d\n", between(e[1], e[5]) >= 0 && between(e[3], e[5]) >= 0);
    for (volatile int k = 0; k < 100000000; k++) /* what the host does in between takes no time */
        ;
    cudaEventRecord(e[6]);
    printf("host %.6f\n", between(e[5], e[6]));
    free(h);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
expect "no time passes by itself" 0 'out:^nothing 0.000000' "${run[@]}" --clock model --gpu h200 "$work/streams.cu"
expect "host work takes none" 0 'out:^host 0.000000' "${run[@]}" --clock model --gpu h200 "$work/streams.cu"
expect "an event of another stream" 0 'out:^waited 1' "${run[@]}" --clock model --gpu h200 "$work/streams.cu"
expect "the legacy stream" 0 'out:^legacy 1' "${run[@]}" --clock model --gpu h200 "$work/streams.cu"
# 32 MiB at 50.4 GB/s and 2.1 us; the two begin together; the kernel's chain is 10,000 multiply-adds of 4 clocks at 1.98 GHz
cases=$((cases + 1))
awk '$1 == "kernel" { exit !($4 > 0.66 && $4 < 0.67 && $2 > 0.0202 && $2 < 0.1 && $6 == 0) }' "$work/out" || complain "kernel and copy: $(cat "$work/out")"

expect "by the environment" 0 'out:^7 right 0.00' env LOCKSTEP_CLOCK=model LOCKSTEP_GPU=h200 "${run[@]}" "$here/reductions.cu"
expect "under profile" 0 'out:^7 right 0.00' "$LOCKSTEP" profile --clock model --gpu h200 "$here/reductions.cu"
# An A100 of 40 GB: 1,400, 1,360, 1,370, 1,378 and 1,353 GB/s at twice the size (published_times.csv); within a tenth.
expect "the five kernels of STREAM" 0 'out:^triad right 1[234]' "${run[@]}" --clock model --gpu a100 "$here/stream.cu" 16777216
cases=$((cases + 1))
awk '$2 != "right" && $1 != "no" || NF == 4 && ($3 < 0.9 * 1353 || $3 > 1.1 * 1400) { bad = 1 } END { exit bad || NR != 6 }' "$work/out" ||
    complain "not the A100's: $(tr '\n' ';' <"$work/out")"
expect "no such clock" 2 'cpu or model' "${run[@]}" --clock sun "$here/reductions.cu"
expect "no such clock in the environment" 2 'cpu or model' env LOCKSTEP_CLOCK=sun "${run[@]}" "$here/reductions.cu"
"$LOCKSTEP" cc -o "$work/reductions" "$here/reductions.cu" || complain "reductions.cu"
expect "nor of a program by itself" 1 'cudaErrorNoDevice' env LOCKSTEP_CLOCK=sun LOCKSTEP_TRACE=api "$work/reductions"

# Compiling a kernel of thousands of instructions takes far longer than running it.
{
    echo '#include <chrono>'
    echo '#include <cstdio>'
    echo '__global__ void large(float *p) { float v = p[threadIdx.x];'
    for k in $(seq 1 3000); do echo "v = v * $k.5f + p[threadIdx.x + $((k % 97))];"; done
    echo 'p[threadIdx.x] = v; }'
    echo 'int main() { float *p, first, second; cudaEvent_t a, b, c; cudaMalloc(&p, 4096); cudaMemset(p, 0, 4096);'
    echo 'cudaEventCreate(&a); cudaEventCreate(&b); cudaEventCreate(&c);'
    echo 'auto begin = std::chrono::steady_clock::now();'
    echo 'cudaEventRecord(a); large<<<1, 32>>>(p); cudaEventRecord(b);'
    echo 'double all = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();'
    echo ' large<<<1, 32>>>(p); cudaEventRecord(c);'
    echo 'cudaEventSynchronize(c); cudaEventElapsedTime(&first, a, b); cudaEventElapsedTime(&second, b, c);'
    echo 'printf("compiled %d\n", first < all / 2 && first >= 0 && second >= 0); return 0; }'
} >"$work/large.cu"
cases=$((cases + 1))
LOCKSTEP_CACHE=off "$LOCKSTEP" cc -o "$work/large" "$work/large.cu" || complain "large.cu"
expect "compiling is left out" 0 'out:^compiled 1' env LOCKSTEP_CACHE=off "$work/large"
finish
