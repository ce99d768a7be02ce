# SPDX-License-Identifier: Apache-2.0
# What a kernel needs is told without code for it, alike with every tool; a launch makes the code that it runs and no other.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
unset LOCKSTEP_GPU LOCKSTEP_CC LOCKSTEP_JIT LOCKSTEP_REMARKS
failures=0
fail() { echo "FAILED: $*" ; failures=$((failures + 1)); }

cat >"$work/p.cu" <<'P'
#include <cstdio>
#include <cstdlib>
__global__ void steps(const float *in, float *out, int n) // an index that a loop steps on: passes of plain code change it
{
    __shared__ float tile[32][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        tile[y][x] = in[y * n + k + x];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += tile[j][x] * tile[y][j];
        __syncthreads();
    }
    out[y * 16 + x] = sum;
}
int main(int count, char **word)
{
    cudaFuncAttributes a;
    int blocks, grid, threads;
    cudaFuncGetAttributes(&a, steps);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, steps, 256, 0);
    cudaOccupancyMaxPotentialBlockSize(&grid, &threads, steps, 0, 0);
    cudaFuncSetAttribute(steps, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096);
    printf("needs %d registers, %zu shared, %zu local, %d blocks, %d threads\n", a.numRegs, a.sharedSizeBytes, a.localSizeBytes,
           blocks, threads);
    float *p;
    cudaMalloc(&p, 64 * 64 * sizeof *p);
    cudaMemset(p, 0, 64 * 64 * sizeof *p);
    for (int k = 1; k < count; k++) // launches with blocks of 16 by so many
        steps<<<1, dim3(16, atoi(word[k]))>>>(p, p + 1024, 32);
    return cudaDeviceSynchronize() != cudaSuccess || cudaFree(p) != cudaSuccess;
}
P
"$LOCKSTEP" cc -O2 "$work/p.cu" -o "$work/p" || exit 1

# run KERNELS COMMAND...: it ends well, as many kernels were compiled, and $needs is what it prints
run() {
    local want=$1 got
    shift
    rm -rf "$work/cache" && mkdir "$work/cache"
    LOCKSTEP_CACHE=$work/cache "$@" >"$work/out" 2>&1 || fail "$*: status $?: $(head -3 "$work/out")"
    got=$(find "$work/cache" -name '*.kernel' | wc -l)
    [ "$got" -eq "$want" ] || fail "$*: $got kernels were compiled, not $want"
    needs=$(grep '^needs' "$work/out")
}
run 0 "$work/p"
plain=$needs
echo "$plain"
case $plain in *" 2048 shared, 0 local, "*) ;; *) fail "a tile of 32 by 16 floats has 2048 bytes" ;; esac
for words in "1 16" "2 16 32"; do
    set -- $words
    for tool in "" "$LOCKSTEP check -q" "$LOCKSTEP profile"; do
        run "$1" $tool "$work/p" "${@:2}"
        [ "$needs" = "$plain" ] || fail "with $tool: $needs"
    done
done
LOCKSTEP_SCHEDULE=random:1 run 1 "$work/p" 16
[ "$needs" = "$plain" ] || fail "with a schedule: $needs"
echo "$failures failures"
[ $failures -eq 0 ]
