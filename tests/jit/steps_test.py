#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conditions tested once for warps that run together, by how far a value is from warp to warp (analysis/steps.c):
values whose low halves are the same in all warps, and whose upper halves are not."""
import struct
import sys

from ptx_cases import case, check_all

ROWS = 8


def stored(row, limit):
    """How `row` is made of %y: the words that a row and a limit leave to be stored."""
    text = f"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry run(.param .u64 out, .param .u32 n)
{{
    .reg .u64 %o, %g, %at, %d; .reg .u32 %t, %y, %row, %n, %i; .reg .pred %p;
    ld.param.u64 %o, [out]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;
    mov.u32 %y, %tid.y; mad.lo.u32 %i, %y, 32, %t; mul.wide.u32 %g, %i, 4; add.u64 %at, %g, %o;
    cvt.u64.u32 %d, %y;
    {row}
    mad.lo.s32 %i, %row, 32, %t; setp.ge.s32 %p, %i, %n;
    @%p bra DONE;
    st.global.u32 [%at], 1;
DONE:
    ret;
}}
"""
    got = case("", 4 * 32 * ROWS, block=f"32,{ROWS}", text=text, options=("--arg", f"u32:{limit}"))
    return list(struct.unpack(f"<{32 * ROWS}I", got))


def upper_halves():
    for row in ("shl.b64 %d, %d, 16; shl.b64 %d, %d, 16; shr.u64 %d, %d, 32; cvt.u32.u64 %row, %d;",
                "shl.b64 %d, %d, 31; shl.b64 %d, %d, 1; div.u64 %d, %d, 4294967296; cvt.u32.u64 %row, %d;"):
        for limit in (0, 32, 40, 100, 256):
            got = stored(row, limit)
            assert got == [int(k < limit) for k in range(32 * ROWS)], f"{row} limit {limit}: {sum(got)} stores"


def low_halves():
    """What does not depend on them is tested as before."""
    for limit in (0, 32, 40, 100, 256):
        got = stored("shl.b64 %d, %d, 4; shr.u64 %d, %d, 4; cvt.u32.u64 %row, %d;", limit)
        assert got == [int(k < limit) for k in range(32 * ROWS)], f"limit {limit}: {sum(got)} stores"


sys.exit(check_all([upper_halves, low_halves]))
