#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A register that the first turn of a loop reads before anything was written to it, and does not use
# then: what is computed from it must be there all the same.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/k.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %first, %q;
    .reg .b32 %t, %i, %new, %last, %sum;
    .reg .b64 %o, %at;
    mov.u32 %t, %tid.x;
    mov.u32 %i, 0;
    mov.u32 %sum, 0;
LOOP:
    setp.eq.u32 %first, %i, 0;
    selp.b32 %new, %t, %last, %first;
    add.u32 %last, %new, 3;
    bar.sync 0;
    add.u32 %sum, %sum, %last;
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 4;
    @%q bra LOOP;
    ld.param.u64 %o, [out];
    mul.wide.u32 %at, %t, 4;
    add.u64 %at, %at, %o;
    st.global.u32 [%at], %sum;
    ret;
}
PTX
"$LOCKSTEP" launch "$work/k.ptx" --kernel k --block 40 --arg buffer:160 --dump "0:$work/out" || exit 1
od -An -v -w4 -tu4 "$work/out" | tr -d ' ' >"$work/found"
for t in $(seq 0 39); do # t+3, t+6, t+9, t+12
    echo $((4 * t + 30))
done >"$work/wanted"
diff "$work/wanted" "$work/found" | head
cmp -s "$work/wanted" "$work/found"
