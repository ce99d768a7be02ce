#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A vector load whose registers are used by themselves and, behind a join, together with those of
# another load: every one of its registers must arrive there.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/k.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .align 8 .b8 pair[8])
{
    .reg .pred %p;
    .reg .b32 %t, %a, %b, %s, %d;
    .reg .b64 %o, %at;
    mov.u32 %t, %tid.x;
    ld.param.u64 %o, [out];
    setp.lt.u32 %p, %t, 5;
    mov.u32 %s, 0;
    @%p bra WITH;
    ld.param.v2.u32 {%a, %b}, [pair];
    bra JOIN;
WITH:
    ld.param.v2.u32 {%a, %b}, [pair];
    add.u32 %s, %a, %b;
JOIN:
    mad.lo.u32 %d, %a, 1000, %b;
    add.u32 %d, %d, %s;
    mul.wide.u32 %at, %t, 4;
    add.u64 %at, %at, %o;
    st.global.u32 [%at], %d;
    ret;
}
PTX
"$LOCKSTEP" launch "$work/k.ptx" --kernel k --block 40 --arg buffer:160 --arg hex:0300000007000000 --dump "0:$work/out" || exit 1
od -An -v -w4 -tu4 "$work/out" | tr -d ' ' >"$work/found"
for t in $(seq 0 39); do
    if [ "$t" -lt 5 ]; then echo 3017; else echo 3007; fi
done >"$work/wanted"
diff "$work/wanted" "$work/found" | head
cmp -s "$work/wanted" "$work/found"
