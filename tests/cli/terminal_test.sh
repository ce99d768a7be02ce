# SPDX-License-Identifier: Apache-2.0
# On a terminal (made by script(1)): how far a long launch is, with an estimate, gone when it ends; findings
# in colour unless NO_COLOR is set. In a pipe: none of it.
set -u
script -qec true /dev/null >/dev/null 2>&1 || { echo "SKIP: no script"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset LOCKSTEP_QUIET LOCKSTEP_PROGRESS NO_COLOR
export LOCKSTEP_WORKERS=1 TERM=xterm
cat >slow.cu <<'C'
#include <cstdio>
__device__ unsigned long long ns() { unsigned long long t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }
namespace some { template <class T> __global__ void slow(int *p) { unsigned long long t = ns(); while (ns() - t < 25000000) *p = 1; } }
int main() { int *p; cudaMalloc(&p, 4); some::slow<float><<<100, 1>>>(p); cudaDeviceSynchronize(); cudaFree(p); puts("done"); }
C
cat >race.cu <<'C'
__global__ void race(int *p) { __shared__ int s[64]; s[threadIdx.x] = 1; p[threadIdx.x] = s[63 - threadIdx.x]; }
int main() { int *p; cudaMalloc(&p, 256); race<<<1, 64>>>(p); cudaDeviceSynchronize(); cudaFree(p); }
C
failures=0
check() { eval "$2" || { echo "FAILED: $1"; cat -A out | tail -5; failures=$((failures + 1)); }; }
terminal() { script -qec "$*" /dev/null </dev/null | tr '\r' '\n' >out; }
: >out
"$LOCKSTEP" run slow.cu >pipe 2>&1
check "in a pipe nothing but the output" '[ "$(cat pipe)" = done ]'
terminal "$LOCKSTEP" run slow.cu
check "progress with an estimate" 'grep -qE "\[some::slow\] [0-9]+ of 100 blocks, [0-9]+ s left" out'
check "the line is gone at the end" 'grep -q "^.\[Kdone" out'
LOCKSTEP_CACHE=$work/none LOCKSTEP_PROGRESS=0.001 terminal "$LOCKSTEP" run slow.cu
check "what is compiled" 'grep -qE "compiling some::slow \.\.\. [0-9]+ s" out && grep -q "^done\|Kdone" out'
LOCKSTEP_CACHE=$work/none2 LOCKSTEP_PROGRESS=0 terminal "$LOCKSTEP" run slow.cu
check "none of it" '! grep -qE "compiling|blocks" out && grep -q "^done" out'
terminal "$LOCKSTEP" run -q slow.cu
check "--quiet" '! grep -q blocks out && grep -q "^done" out'
terminal "$LOCKSTEP" check race.cu
check "colour" 'grep -q "= .\[1;31mRace in shared memory.\[0m (" out'
terminal NO_COLOR=1 "$LOCKSTEP" check race.cu
check "NO_COLOR" 'grep -q "= Race in shared memory (" out && ! grep -q "\[1;" out'
"$LOCKSTEP" check race.cu >pipe 2>&1
check "no colour in a pipe" 'grep -q "= Race in shared memory (" pipe'
echo "9 cases, $failures failures"
[ "$failures" -eq 0 ]
