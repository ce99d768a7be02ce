#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions that have no family of their own: ldu, isspacep, cvta, bar.warp, pmevent, brkpt."""
import struct
import sys

from ptx_cases import Failed, case, check_all


def coordinates():
    """Of blocks whose rows are no power of two, whole warps or not."""
    body = """
    .reg .u32 %x, %y, %z, %nx, %ny, %n, %v; .reg .u64 %g;
    mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %z, %tid.z; mov.u32 %nx, %ntid.x; mov.u32 %ny, %ntid.y;
    mad.lo.u32 %n, %z, %ny, %y; mad.lo.u32 %n, %n, %nx, %x; mad.lo.u32 %v, %z, 100, %y; mad.lo.u32 %v, %v, 100, %x;
    mul.wide.u32 %g, %n, 4; add.u64 %g, %g, %o; st.global.u32 [%g], %v;
"""
    for w, h, d in ((20, 20, 1), (3, 5, 7), (33, 2, 1), (4, 3, 16), (1, 7, 11), (7, 1, 9), (5, 64, 2), (100, 1, 1)):
        got = struct.unpack(f"<{w * h * d}I", case(body, 4 * w * h * d, block=f"{w},{h},{d}"))
        want = tuple((z * 100 + y) * 100 + x for z in range(d) for y in range(h) for x in range(w))
        assert got == want, f"{w} x {h} x {d}"


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


def other_addresses():
    """In 32 bits, cvta.to.shared of what lies outside of shared memory is its lower half: so an H200 has it."""
    values = (0, 1, 0x100, 0x12345678, 0x123456789abc, 0x7f0000000000, 0xffffffffffffffff, 1 << 32)
    body = """
    .reg .u64 %g, %a; .reg .u32 %v;
    mul.wide.u32 %g, %t, 8; add.u64 %g, %g, %i1; ld.global.u64 %a, [%g]; cvta.to.shared.u64 %a, %a; cvt.u32.u64 %v, %a;
    mul.wide.u32 %g, %t, 4; add.u64 %g, %g, %o; st.global.u32 [%g], %v;
"""
    got = struct.unpack("<8I", case(body, 32, [struct.pack("<8Q", *values)], block="8"))
    assert got == tuple(v & 0xffffffff for v in values), got


def constant_predicates():
    """Integer constants may be used as predicates (PTX ISA 4.5.3): all but 0 are true."""
    body = """
    .reg .u32 %v, %w; .reg .u64 %g; .reg .pred %p, %q; mul.wide.u32 %g, %t, 16; add.u64 %g, %g, %o;
    selp.u32 %v, %t, 77, 2; st.global.u32 [%g], %v; selp.u32 %v, %t, 77, 0; st.global.u32 [%g+4], %v;
    setp.lt.and.u32 %p|%q, %t, 9, 2; selp.u32 %v, 1, 0, %p; selp.u32 %w, 10, 0, %q; add.u32 %v, %v, %w;
    st.global.u32 [%g+8], %v; set.lt.or.u32.u32 %v, %t, 9, 0; st.global.u32 [%g+12], %v;
"""
    got = struct.unpack("<128I", case(body, 512))
    want = [x for t in range(32) for x in (t, 77, 1 if t < 9 else 10, 0xffffffff if t < 9 else 0)]
    assert list(got) == want, got


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


def guarded_logic():
    """Logic of three into one of its sources, guarded, another source known when the kernel is compiled."""
    words = [(t * 0x9E3779B1 + 0x1234567) & 0xFFFFFFFF for t in range(64)]
    body = """
    .reg .b32 %x, %y, %k, %a, %b, %c, %n; .reg .u64 %g, %h; .reg .pred %p;
    mul.wide.u32 %g, %t, 4; add.u64 %h, %g, %i1; ld.global.u32 %x, [%h]; ld.global.u32 %y, [%h+128];
    add.u64 %g, %g, %o; and.b32 %n, %x, 4; setp.eq.u32 %p, %n, 0;
"""
    want = b""
    tables = (0x96, 0xE8, 0xCA, 0xB8, 0x1B, 0x2D, 0x7F)
    orders = ("xyk", "xky", "kxy")
    for table in tables:
        for order in orders:
            for to in range(3):
                factor = 0x01010101 + len(want)
                body += f"mul.lo.u32 %k, %t, {factor};"
                for name, source in zip("abc", order):
                    body += f"mov.b32 %{name}, %{source};"
                body += f"@%p lop3.b32 %{'abc'[to]}, %a, %b, %c, {table};"
                body += f"st.global.u32 [%g+{len(want)}], %{'abc'[to]};\n"
                for t in range(32):
                    value = {"x": words[t], "y": words[t + 32], "k": t * factor}
                    three = [value[s] for s in order]
                    rows = [(three[0] >> b & 1) << 2 | (three[1] >> b & 1) << 1 | three[2] >> b & 1 for b in range(32)]
                    logic = sum((table >> r & 1) << b for b, r in enumerate(rows))
                    want += struct.pack("<I", three[to] if words[t] & 4 else logic)
    got = case(body, len(want), [struct.pack("<64I", *words)])
    bad = [k for k in range(0, len(want), 4) if got[k : k + 4] != want[k : k + 4]]
    assert not bad, f"{len(bad)} of {len(want) // 4} words, the first in case {bad[0] // 128}"


def small_elements():
    """Bytes and halves at addresses without order, with guards; neighbours in a word stay what they are."""
    count = 256
    table = bytes((7 * k + 3) % 256 for k in range(count))
    index = [(t * 37 + 11) % 61 for t in range(32)]
    body = """
    .reg .u32 %k, %v, %n; .reg .u64 %g, %h; .reg .pred %p, %q;
    mul.wide.u32 %g, %t, 4; add.u64 %h, %g, %i2; ld.global.u32 %k, [%h]; add.u64 %g, %g, %o;
    and.b32 %n, %t, 3; setp.ne.u32 %p, %n, 1; setp.gt.u32 %q, %t, 40; mov.u32 %v, 0xabcdef;
    cvt.u64.u32 %h, %k; add.u64 %h, %h, %i1;
    st.global.u32 [%g], %v; @%p ld.global.u8 %v, [%h+1]; @%p st.global.u32 [%g], %v;
    @%p ld.global.s8 %v, [%h]; st.global.u32 [%g+128], %v;
    mul.wide.u32 %h, %k, 2; add.u64 %h, %h, %i1; mov.u32 %v, 5;
    @%p ld.global.s16 %v, [%h+2]; @%q ld.global.u16 %v, [%h]; st.global.u32 [%g+256], %v;
    cvt.u64.u32 %h, %k; add.u64 %h, %h, %o; @%p st.global.u8 [%h+384], %t; @%q st.global.u8 [%h+384], 9;
    mul.wide.u32 %h, %k, 2; add.u64 %h, %h, %o; mul.lo.u32 %v, %t, 1111; @%p st.global.u16 [%h+512], %v;
"""
    want = bytearray(768)
    for t, k in enumerate(index):
        guard = t & 3 != 1
        word = table[k + 1] if guard else 0xABCDEF
        signed = struct.unpack_from("<b", table, k)[0] & 0xFFFFFFFF if guard else 0xABCDEF
        half = struct.unpack_from("<h", table, 2 * k + 2)[0] & 0xFFFFFFFF if guard else 5
        for at, value in ((0, word), (128, signed), (256, half)):
            struct.pack_into("<I", want, at + 4 * t, value)
        if guard:
            want[384 + k] = t
            struct.pack_into("<H", want, 512 + 2 * k, t * 1111 & 0xFFFF)
    got = case(body, len(want), [table, struct.pack("<32I", *index)])
    assert got == want, [(k, got[k], want[k]) for k in range(len(want)) if got[k] != want[k]][:9]


def guarded_write_beside():
    """A guarded write on one side of a branch leaves what lanes on the other side hold."""
    body = """
    .reg .u64 %d2, %d3, %g; .reg .u32 %v; .reg .pred %p1, %p2, %p3;
    setp.gt.u32 %p2, %t, 20; setp.lt.u32 %p1, %t, 4; and.b32 %v, %t, 1; setp.eq.u32 %p3, %v, 1;
    mov.u64 %d2, 1000; mul.wide.u32 %d3, %t, 3;
@!%p2 bra OTHER;
@!%p3 bra EVEN;
    bra ODD;
EVEN:
@!%p1 selp.b64 %d2, 5, %d3, %p3;
ODD:
    bra JOIN;
OTHER:
@%p1 bra SMALL;
    add.s64 %d3, %d2, %d3;
SMALL:
JOIN:
    min.s64 %d2, %d3, 77; mul.wide.u32 %g, %t, 8; add.u64 %g, %g, %o;
    cvt.u32.u64 %v, %d3; st.global.u32 [%g], %v; cvt.u32.u64 %v, %d2; st.global.u32 [%g+4], %v;
"""
    want = [3 * t + (1000 if 4 <= t <= 20 else 0) for t in range(32)]
    assert struct.unpack("<64I", case(body, 256)) == tuple(x for d in want for x in (d, min(d, 77)))


def shifts_by_lane():
    """A constant shifted by twice the lane: lanes differ by more than a signed number holds."""
    body = """
    .reg .u64 %d, %g; .reg .u32 %n;
    mov.u64 %d, 1000; shl.b32 %n, %t, 1; shl.b64 %d, %d, %n; mul.wide.u32 %g, %t, 8; add.u64 %g, %g, %o;
    st.global.u64 [%g], %d;
"""
    body += """
    .reg .s64 %m, %n2; mov.s64 %m, -9223372036854775808; sub.s64 %n2, %d, %m; st.global.u64 [%g+256], %n2;
    mov.s64 %n2, 7; sub.s64 %n2, %n2, %m; st.global.u64 [%g+512], %n2;
"""
    got = case(body, 768)
    assert struct.unpack("<32Q", got[512:]) == (7 + 2**63,) * 32
    assert struct.unpack("<32Q", got[:256]) == tuple((1000 << 2 * t) % 2**64 for t in range(32))


def barrier_of_some():
    """Lanes come to a barrier, whose number and count they have loaded, before their warp's first lane does."""
    body = """
    .reg .u64 %f, %g; .reg .u32 %v, %id, %n; .reg .pred %p;
    setp.ge.u32 %p, %t, 32;
@%p bra OTHER;
    setp.ne.u32 %p, %t, 0;
@%p bra JOIN;
SPIN:
    ld.acquire.gpu.global.u32 %v, [%i2]; setp.eq.u32 %p, %v, 0;
@%p bra SPIN;
    bra JOIN;
OTHER:
    setp.ne.u32 %p, %t, 32;
@%p bra JOIN;
    st.release.gpu.global.u32 [%i2], 1;
JOIN:
    mul.wide.u32 %g, %t, 4; add.u64 %f, %i1, %g; ld.global.u32 %id, [%f]; ld.global.u32 %n, [%f+256];
    bar.sync %id, %n;
    add.u64 %g, %o, %g; st.global.u32 [%g], %id;
"""
    got = case(body, 256, [struct.pack("<128I", *(4,) * 64, *(64,) * 64), bytes(4)], block="64")
    assert struct.unpack("<64I", got) == (4,) * 64


def asking_gives_way():
    """A warp asks an mbarrier whether its phase is over, a few times before another warp, which arrives, has its turn."""
    body = """
    .shared .align 8 .b64 %bar;
    .reg .b32 %a, %c; .reg .b64 %f; .reg .pred %p;
    mov.u32 %a, %bar; mov.u32 %c, 0;
    setp.ne.u32 %p, %t, 0;
@%p bra READY;
    mbarrier.init.shared.b64 [%a], 32;
READY:
    bar.sync 0;
    setp.ge.u32 %p, %t, 32;
@%p bra ARRIVE;
ASK:
    add.u32 %c, %c, 1;
    mbarrier.{op}.parity.shared.b64 %p, [%a], 0;
@!%p bra ASK;
    bra OUT;
ARRIVE:
    mbarrier.arrive.shared.b64 _, [%a];
OUT:
    mul.wide.u32 %f, %t, 4; add.u64 %f, %o, %f; st.global.u32 [%f], %c;
"""
    for op in ("test_wait", "try_wait"):
        asked = struct.unpack("<64I", case(body.replace("{op}", op), 256, block="64"))[:32]
        assert max(asked) < 8, (op, asked)


def breakpoint_ends():
    """Without a debugger a breakpoint ends the launch, with its line."""
    try:
        case("brkpt;", 4)
    except Failed as why:
        assert "k.ptx:" in str(why), why
    else:
        raise AssertionError("it ran")


if __name__ == "__main__":
    sys.exit(check_all([coordinates, address_spaces, other_addresses, constant_predicates, uniform_load, packed_conversions,
                        guarded_write_beside, guarded_logic, small_elements, shifts_by_lane, barrier_of_some,
                        asking_gives_way, breakpoint_ends]))
