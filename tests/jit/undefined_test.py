#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Registers that one lane alone writes: accesses whose addresses are compared over all lanes do not depend on what the others
hold. GCC makes such code of a reduction over gangs: compare-and-swap by lane 0, a barrier in the loop."""
import struct
import sys

from ptx_cases import case, check_all

BODY = """
    .shared .b32 s; .reg .u64 %p, %q, %a, %b, %z; .reg .u32 %v, %w, %x, %n, %m, %y, %f, %g; .reg .pred %row, %lane, %c;
    add.u64 %p, %o, 16; add.u64 %q, %o, 32; st.u64 [%o], %p; st.u64 [%o+8], %q;
    st.global.u32 [%o+16], 3; st.global.u32 [%o+32], 7;
    bar.sync 0;
    mov.u32 %y, %tid.y; setp.ne.u32 %row, %y, 0; mov.u32 %x, %tid.x; setp.ne.u32 %lane, %x, 0;
    @%row bra ROWS; @%lane bra LANES;
    mov.u64 %z, %o; ld.u64 %a, [%z]; ld.u32 %v, [%a]; bra TRY;
AGAIN:
    mov.u32 %v, %w;
TRY:
    mul.lo.u32 %n, %v, 5; atom.cas.b32 %w, [%a], %v, %n; setp.ne.u32 %c, %v, %w; @%c bra AGAIN;
    ld.u64 %b, [%z+8]; mov.u32 %m, 1;
LANES:
    bar.warp.sync 0xffffffff;
ROWS:
LOOP:
    @%row bra NEXT; @%lane bra JOIN;
    mov.u32 %n, %m; mul.lo.u32 %w, %m, 5; atom.cas.b32 %m, [%b], %m, %w; setp.ne.u32 %c, %n, %m; selp.u32 %f, 1, 0, %c;
    st.shared.u32 [s], %f;
JOIN:
    bar.warp.sync 0xffffffff;
NEXT:
    barrier.sync.aligned 0; ld.shared.u32 %g, [s]; setp.ne.u32 %c, %g, 0; barrier.sync.aligned 0;
    @%c bra LOOP;
"""


def one_lane_alone():
    for block in ("32,1", "32,32"):
        got = struct.unpack("<12I", case(BODY, 48, block=block))
        assert (got[4], got[8]) == (15, 35), (block, got)


if __name__ == "__main__":
    sys.exit(check_all([one_lane_alone]))
