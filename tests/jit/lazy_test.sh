# SPDX-License-Identifier: Apache-2.0
# LLVM is loaded when a kernel must be compiled, and only then: not by a program whose kernels lie in the
# cache; again when an entry there is damaged. A missing LLVM is an error that names it.
set -u
[ "$MACHINE" = x86_64 ] || { echo "SKIP: elsewhere LLVM is linked"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LOCKSTEP_CACHE=$work/cache LOCKSTEP_WORKERS=2
fail() { echo "FAIL $*"; exit 1; }

cat >"$work/p.cu" <<'P'
#include <cstdio>
__global__ void k(float *p) { p[threadIdx.x] = sinf(threadIdx.x) + expf(-1.0f * threadIdx.x); }
int main()
{
    float *d, h[40], sum = 0;
    cudaMalloc(&d, sizeof h);
    k<<<1, 40>>>(d);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)) {
        puts(cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    for (float x : h)
        sum += x;
    printf("%.4f\n", sum);
}
P
"$LOCKSTEP" cc "$work/p.cu" -o "$work/p" || fail "it does not build"
ldd "$work/p" | grep -q libLLVM && fail "programs are linked to LLVM"

# run: prints what the program prints; loaded: 1 when LLVM was
run() { LD_DEBUG=files LD_DEBUG_OUTPUT=$work/debug "$work/p" >"$work/out" 2>"$work/err"; status=$?
        loaded=0; cat "$work"/debug.* 2>/dev/null | grep -q libLLVM && loaded=1; rm -f "$work"/debug.*; }
run
[ $status = 0 ] && [ $loaded = 1 ] || fail "first run: status $status, LLVM loaded: $loaded"
first=$(cat "$work/out")
run
[ $status = 0 ] && [ "$(cat "$work/out")" = "$first" ] || fail "second run: $(cat "$work/out")"
[ $loaded = 0 ] || fail "a kernel from the cache loaded LLVM"

entry=$(ls "$work"/cache/*.kernel)
for at in 100 700 1200; do
    printf '\x5a' | dd of="$entry" bs=1 seek=$at conv=notrunc status=none
    run
    [ $status = 0 ] && [ $loaded = 1 ] && [ "$(cat "$work/out")" = "$first" ] || fail "damaged at $at: $loaded"
done
head -c 900 "$entry" >"$work/cut" && cat "$work/cut" >"$entry"
run
[ $status = 0 ] && [ $loaded = 1 ] && [ "$(cat "$work/out")" = "$first" ] || fail "cut: $loaded"
run
[ $loaded = 0 ] || fail "what replaced the cut entry is not used"

mkdir "$work/without" # the library, whose LLVM has a name that nobody has
sed 's/libLLVM/libNone/g' "$(dirname "$LOCKSTEP")/liblockstep.so" >"$work/without/liblockstep.so"
LOCKSTEP_CACHE=$work/empty LD_LIBRARY_PATH=$work/without "$work/p" >"$work/out" 2>"$work/err"
grep -q 'kernels are compiled by libNone.*cannot be loaded' "$work/err" || fail "no word of LLVM: $(cat "$work/err")"
LD_LIBRARY_PATH=$work/without run
[ $status = 0 ] && [ "$(cat "$work/out")" = "$first" ] || fail "a kernel from the cache needs LLVM: $(cat "$work/err")"
echo "PASS $first"
