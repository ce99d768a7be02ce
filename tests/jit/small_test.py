#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions that have no family of their own: ldu, isspacep, cvta, bar.warp, pmevent, brkpt."""
import struct
import sys

from ptx_cases import Failed, case, check_all


def address_spaces():
    """cvta there and back; isspacep of each kind of address, and a load through the generic one."""
    body = """
    .shared .b32 s[4]; .local .b32 l[4]; .reg .u64 %a, %b, %c; .reg .u32 %v, %w; .reg .pred %p;
    mov.u64 %a, s; cvta.shared.u64 %b, %a; cvta.to.shared.u64 %c, %b;
    st.shared.u32 [s+4], 77; ld.u32 %v, [%b+4]; st.global.u32 [%o], %v;
    setp.eq.u64 %p, %a, %c; selp.u32 %v, 1, 0, %p; st.global.u32 [%o+4], %v;
    isspacep.shared %p, %b; selp.u32 %v, 1, 0, %p; isspacep.global %p, %b; selp.u32 %w, 10, 0, %p; add.u32 %v, %v, %w;
    isspacep.local %p, %b; selp.u32 %w, 100, 0, %p; add.u32 %v, %v, %w; st.global.u32 [%o+8], %v;
    mov.u64 %a, l; cvta.local.u64 %b, %a; st.local.u32 [l+8], 5; ld.u32 %v, [%b+8]; st.global.u32 [%o+12], %v;
    isspacep.shared %p, %b; selp.u32 %v, 1, 0, %p; isspacep.global %p, %b; selp.u32 %w, 10, 0, %p; add.u32 %v, %v, %w;
    isspacep.local %p, %b; selp.u32 %w, 100, 0, %p; add.u32 %v, %v, %w; st.global.u32 [%o+16], %v;
    cvta.to.global.u64 %b, %o;
    isspacep.shared %p, %b; selp.u32 %v, 1, 0, %p; isspacep.global %p, %b; selp.u32 %w, 10, 0, %p; add.u32 %v, %v, %w;
    isspacep.local %p, %b; selp.u32 %w, 100, 0, %p; add.u32 %v, %v, %w; st.global.u32 [%o+20], %v;
"""
    assert struct.unpack("<6I", case(body, 24, block="1")) == (77, 1, 1, 5, 100, 10)


def uniform_load():
    body = """
    .reg .u32 %v, %w; .reg .u64 %g;
    ldu.global.v2.u32 {%v, %w}, [%i1]; pmevent 3; bar.warp.sync 0xffffffff;
    mad.lo.u32 %v, %v, %t, %w; mul.wide.u32 %g, %t, 4; add.u64 %g, %g, %o; st.global.u32 [%g], %v;
"""
    got = struct.unpack("<32I", case(body, 128, [struct.pack("<2I", 7, 1000)]))
    assert got == tuple(7 * t + 1000 for t in range(32))


def packed_conversions():
    """One of two sources differs by lane: so does the result."""
    body = """
    .reg .f32 %f; .reg .b32 %r; .reg .u64 %g;
    cvt.rn.f32.u32 %f, %t; mul.wide.u32 %g, %t, 8; add.u64 %g, %g, %o;
    cvt.rn.f16x2.f32 %r, 0f3f800000, %f; st.global.u32 [%g], %r;
    cvt.pack.sat.s16.s32 %r, 7, %t; st.global.u32 [%g+4], %r;
"""
    got = case(body, 256)
    assert got == b"".join(struct.pack("<eeHH", t, 1, t, 7) for t in range(32))


def guarded_write_beside():
    """A guarded write on one side of a branch leaves what the other side's lanes hold."""
    body = """
    .reg .u64 %d, %e, %g; .reg .u32 %v; .reg .pred %p, %q;
    setp.gt.u32 %p, %t, 20; setp.lt.u32 %q, %t, 25; mov.u64 %d, 1000; cvt.u64.u32 %e, %t;
@!%p bra OTHER;
@%q add.u64 %d, %e, 1;
    cvt.u32.u64 %v, %d; bra JOIN;
OTHER:
    add.u64 %e, %e, %d; cvt.u32.u64 %v, %e;
JOIN:
    mul.wide.u32 %g, %t, 4; add.u64 %g, %g, %o; st.global.u32 [%g], %v;
"""
    got = struct.unpack("<32I", case(body, 128))
    assert got == tuple(t + 1000 if t <= 20 else t + 1 if t < 25 else 1000 for t in range(32)), got


def breakpoint_ends():
    """Without a debugger a breakpoint ends the launch, with its line."""
    try:
        case("brkpt;", 4)
    except Failed as why:
        assert "k.ptx:" in str(why), why
    else:
        raise AssertionError("it ran")


if __name__ == "__main__":
    sys.exit(check_all([address_spaces, uniform_load, packed_conversions, guarded_write_beside, breakpoint_ends]))
