#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The warp IR of compiled kernels: printed, it is read back as the same kernel (text_test.c), and a launch of that
# text gives the same results as one of the PTX it came from.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$SOURCE_DIR"/tests/passes/{local-words,grouped-loads,barrier-regions,pending-sums,pieces}.cu \
    "$SOURCE_DIR"/suite/matmul/{naive,pipelined}.cu; do
    "$LOCKSTEP" cc -ptx "$source" -o "$work/$(basename "$(dirname "$source")")-$(basename "$source" .cu).ptx" || exit 1
done
$EMULATOR "$BINARY_DIR/tests/test_wir_text" "$work"/*.ptx

cat >"$work/sum.cu" <<'CU'
__device__ int above(int n) { return n < 1 ? 0 : n + above(n - 2); } // recursion: the call stays a call
extern "C" __global__ void sum(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, total = 0;
    s[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int k = 0; k <= t; k++) {
        if (s[k] & 1)
            continue;
        switch (s[k] % 5) {
        case 0: total += 7; break;
        case 1: total += s[k] / 3; break;
        case 2: total ^= 12; break;
        case 3: total -= s[63 - k]; break;
        default: total += 1000;
        }
    }
    out[blockIdx.x * 64 + t] = total + above(s[t]);
}
CU
"$LOCKSTEP" cc -ptx "$work/sum.cu" -o "$work/sum.ptx"
"$LOCKSTEP" launch "$work/sum.ptx" --kernel sum --block 64 --dump-stage wir | sed -n '/^\.version/,/^}/p' >"$work/sum.wir"
grep -q '^b0:' "$work/sum.wir"
head -c 256 <(for ((k = 1; k < 200; k++)); do printf "\\x$(printf %02x $((k * 37 % 251)))\\0\\0\\0"; done) >"$work/in"
for text in ptx wir; do
    "$LOCKSTEP" launch "$work/sum.$text" --kernel sum --grid 2 --block 64 --arg "buffer:@$work/in" --arg buffer:512 \
        --arg s32:50 --dump "1:$work/$text.out" || exit 1
done
cmp "$work/ptx.out" "$work/wir.out"
od -An -v -tx4 "$work/ptx.out" | tr -s ' ' '\n' | sort -u | wc -l | { read -r values; [ "$values" -gt 20 ]; }
