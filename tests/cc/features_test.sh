# SPDX-License-Identifier: Apache-2.0
# features.cu: every feature of the headers, compiled with and without fast mathematics, and run.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$LOCKSTEP" cc -Werror all-warnings -c "$SOURCE_DIR/tests/cc/features.cu" -o "$work/features.o" || exit 1
"$LOCKSTEP" cc -use_fast_math -G -c "$SOURCE_DIR/tests/cc/features.cu" -o "$work/fast.o" || exit 1
# Hot operations are one instruction each, not calls.
cat >"$work/hot.cu" <<'C'
extern "C" __global__ void hot(float *f, int *i, unsigned *u)
{
    f[0] = sqrtf(f[0]), f[1] = fabsf(f[1]), f[2] = fmaf(f[2], f[3], f[4]), f[5] = floorf(f[5]);
    f[6] = __sinf(f[6]), f[7] = rsqrtf(f[7]), f[8] = fmaxf(f[8], f[9]), f[9] = __fdividef(f[9], f[1]);
    i[0] = __popc(i[0]), i[1] = __clz(i[1]), u[2] = __brev(u[2]), i[3] = max(i[3], i[4]), i[5] = __float2int_rn(f[5]);
    u[6] = __umulhi(u[6], u[7]), u[8] = __byte_perm(u[8], u[9], u[0]);
    f[10] = expf(f[10]);
}
C
"$LOCKSTEP" cc -ptx "$work/hot.cu" -o "$work/hot.ptx" || exit 1
for instruction in sqrt.rn.f32 abs.f32 fma.rn.f32 cvt.rmi.f32.f32 sin.approx.f32 rsqrt.approx.f32 max.f32 div.approx.f32 \
    popc.b32 clz.b32 brev.b32 max.s32 cvt.rni.s32.f32 mul.hi.u32 prmt.b32; do
    grep -q "$instruction" "$work/hot.ptx" || { echo "FAIL no $instruction"; exit 1; }
done
[ "$(grep -c '^.extern .func' "$work/hot.ptx")" = 1 ] || { echo "FAIL calls besides expf's"; exit 1; }
# The program itself, once the runtime is there.
"$LOCKSTEP" cc "$SOURCE_DIR/tests/cc/features.cu" -o "$work/features" 2>"$work/log" || {
    grep -q 'undefined reference\|undefined symbol\|liblockstep.so is not beside' "$work/log" && echo "SKIP: the runtime is not complete" && exit 77
    cat "$work/log"
    exit 1
}
"$work/features"
