#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cp.async with its groups and zero-filling, mbarriers phase by phase, bulk copies and reductions,
st.async, red.async, clusters of one block, the stack, 128-bit and vector atomics: kernels in PTX
against what the manual says, computed here."""
import random
import struct
import sys

from ptx_cases import Failed, case, check_all, ptx_text

R = random.Random(11)


def words(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def cp_async_sizes():
    """4, 8 and 16 bytes from scattered sources, awkward block size."""
    for n in (4, 8, 16):
        data = R.randbytes(4096)
        body = f"""
    .shared .align 16 .b8 s[4096]; .reg .u32 %a, %k, %j, %v; .reg .u64 %g, %h;
    mul.lo.u32 %k, %t, 37; and.b32 %k, %k, 127; mul.wide.u32 %g, %k, {n}; add.u64 %g, %g, %i1;
    mov.u32 %a, s; mad.lo.u32 %a, %t, {n}, %a;
    cp.async.{'cg' if n == 16 else 'ca'}.shared.global [%a], [%g], {n};
    cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
    mul.wide.u32 %h, %t, {n}; add.u64 %h, %h, %o;
""" + "".join(f"ld.shared.u32 %v, [%a+{4 * k}]; st.global.u32 [%h+{4 * k}], %v;\n" for k in range(n // 4))
        got = case(body, 77 * n, [data], block="77")
        want = b"".join(data[(t * 37 & 127) * n:][:n] for t in range(77))
        assert got == want, n


def cp_async_uniform():
    """All lanes copy from and to one place."""
    body = """
    .shared .align 16 .b8 s[16]; .reg .u32 %v; .reg .pred %p;
    cp.async.cg.shared.global [s], [%i1+16], 16; cp.async.wait_all; bar.sync 0; setp.ne.u32 %p, %t, 0;
@%p bra DONE;
    ld.shared.u32 %v, [s+4]; st.global.u32 [%o], %v; ld.shared.u32 %v, [s+12]; st.global.u32 [%o+4], %v;
DONE:
"""
    data = R.randbytes(32)
    assert case(body, 8, [data]) == data[20:24] + data[28:32]


def cp_async_zero_fill():
    """Sizes of the source 0..16, some of whose bytes lie past the buffer's end."""
    data = R.randbytes(16 * 63 + 5)
    body = """
    .shared .align 16 .b8 s[1024]; .reg .u32 %a, %k, %v, %e; .reg .u64 %g, %h;
    mul.wide.u32 %g, %t, 16; add.u64 %g, %g, %i1; mov.u32 %a, s; mad.lo.u32 %a, %t, 16, %a;
    mul.lo.u32 %e, %t, 16; sub.u32 %e, 1013, %e; min.u32 %e, %e, 16; rem.u32 %k, %t, 17; min.u32 %k, %k, %e;
    cp.async.cg.shared.global [%a], [%g], 16, %k; cp.async.wait_all; bar.sync 0;
    mul.wide.u32 %h, %t, 16; add.u64 %h, %h, %o;
""" + "".join(f"ld.shared.u32 %v, [%a+{4 * k}]; st.global.u32 [%h+{4 * k}], %v;\n" for k in range(4))
    got = case(body, 1024, [data], block="64")
    want = b""
    for t in range(64):
        n = min(t % 17, 16, max(0, 1013 - 16 * t))
        want += data[16 * t:16 * t + n].ljust(16, b"\0")
    assert got == want


def cp_async_ignored_source():
    """A predicate in place of the size: nothing is read, not even a wild address."""
    data = R.randbytes(512)
    body = """
    .shared .align 16 .b8 s[512]; .reg .u32 %a, %k, %v; .reg .u64 %g, %h; .reg .pred %p;
    and.b32 %k, %t, 1; setp.eq.u32 %p, %k, 1;
    mul.wide.u32 %h, %t, 4; add.u64 %g, %h, %i1; selp.b64 %g, 24, %g, %p;
    mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a;
    cp.async.ca.shared.global [%a], [%g], 4, %p; cp.async.wait_all;
    ld.shared.u32 %v, [%a]; add.u64 %h, %h, %o; st.global.u32 [%h], %v;
"""
    got = case(body, 512, [data], block="128")
    assert words(got) == [0 if t & 1 else w for t, w in enumerate(words(data))]


def mbarrier_phases():
    """Counts, states, parities, drops: one thread, each step's outcome written down."""
    steps = """
    mbarrier.init.shared.b64 [m], 3;
    mbarrier.test_wait.parity.shared.b64 %p, [m], 1;      OUT
    mbarrier.test_wait.parity.shared.b64 %p, [m], 0;      OUT
    mbarrier.arrive.shared.b64 %s, [m];
    mbarrier.pending_count.b64 %v, %s;                    PUT
    mbarrier.arrive.shared.b64 %q, [m], 1;
    mbarrier.pending_count.b64 %v, %q;                    PUT
    mbarrier.test_wait.shared.b64 %p, [m], %s;            OUT
    mbarrier.arrive_drop.shared.b64 %q, [m];
    mbarrier.pending_count.b64 %v, %q;                    PUT
    mbarrier.test_wait.shared.b64 %p, [m], %s;            OUT
    mbarrier.try_wait.parity.shared::cta.b64 %p, [m], 0;  OUT
    mbarrier.try_wait.parity.shared::cta.b64 %p, [m], 1, 100;  OUT
    mbarrier.arrive.shared.b64 %s, [m];
    mbarrier.pending_count.b64 %v, %s;                    PUT
    mbarrier.arrive.expect_tx.shared::cta.b64 %q, [m], 24;
    mbarrier.test_wait.shared.b64 %p, [m], %s;            OUT
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [m], 16;
    mbarrier.test_wait.shared.b64 %p, [m], %s;            OUT
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [m], 8;
    mbarrier.test_wait.shared.b64 %p, [m], %s;            OUT
    mbarrier.inval.shared.b64 [m];
"""
    # the phase of 3: true (the phase before), false; pending 3, 2; false; 1; true; parity 0 over, 1 not;
    # one dropped: 2 are expected
    want = [1, 0, 3, 2, 0, 1, 1, 1, 0, 2, 0, 0, 1]
    at = 0
    body = ".shared .align 8 .b64 m; .reg .u64 %s, %q; .reg .u32 %v; .reg .pred %p;\n"
    for line in steps.splitlines():
        body += line.replace("OUT", "selp.u32 %v, 1, 0, %p; PUT").replace("PUT", f"st.global.u32 [%o+{4 * at}], %v;") + "\n"
        at += "OUT" in line or "PUT" in line
    assert words(case(body, 4 * at, block="1")) == want


def mbarrier_across_warps():
    """Three producer warps, one consumer warp, 50 rounds through one mbarrier each way."""
    body = """
    .shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .b32 s[96];
    .reg .u32 %w, %r, %ph, %a, %v, %sum, %b, %l; .reg .u64 %st, %g; .reg .pred %p, %c;
    setp.eq.u32 %p, %t, 0;
@%p mbarrier.init.shared.b64 [full], 96;
@%p mbarrier.init.shared.b64 [empty], 32;
    bar.sync 0;
    shr.u32 %w, %t, 5; and.b32 %l, %t, 31; mov.u32 %r, 0; mov.u32 %sum, 0; setp.eq.u32 %c, %w, 3; mov.u32 %b, s;
LOOP:
    and.b32 %ph, %r, 1;
@%c bra CONSUME;
    xor.b32 %v, %ph, 1;
WAITE:
    mbarrier.try_wait.parity.shared.b64 %p, [empty], %v;
@!%p bra WAITE;
    mad.lo.u32 %a, %t, 4, %b; mad.lo.u32 %v, %r, 100, %t; st.shared.u32 [%a], %v;
    mbarrier.arrive.shared.b64 %st, [full];
    bra NEXT;
CONSUME:
    mbarrier.try_wait.parity.shared.b64 %p, [full], %ph;
@!%p bra CONSUME;
    mad.lo.u32 %a, %l, 12, %b;
    ld.shared.u32 %v, [%a]; add.u32 %sum, %sum, %v; ld.shared.u32 %v, [%a+4]; add.u32 %sum, %sum, %v;
    ld.shared.u32 %v, [%a+8]; add.u32 %sum, %sum, %v;
    mbarrier.arrive.shared.b64 %st, [empty];
NEXT:
    add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 50; @%p bra LOOP;
@!%c bra DONE;
    mul.wide.u32 %g, %l, 4; add.u64 %g, %g, %o; st.global.u32 [%g], %sum;
DONE:
"""
    got = words(case(body, 128, block="128"))
    assert got == [sum(100 * r * 3 + 9 * lane + 3 for r in range(50)) for lane in range(32)]


def cp_async_arrivals():
    """cp.async.mbarrier.arrive with .noinc counts, without it does not."""
    body = """
    .shared .align 8 .b64 m; .shared .b32 s[32]; .reg .u32 %a, %v; .reg .u64 %g, %st; .reg .pred %p;
    setp.eq.u32 %p, %t, 0;
@%p mbarrier.init.shared.b64 [m], 64;
    bar.sync 0;
    mul.wide.u32 %g, %t, 4; add.u64 %i1, %i1, %g; add.u64 %o, %o, %g; mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a;
    cp.async.ca.shared.global [%a], [%i1], 4;
    cp.async.mbarrier.arrive.shared.b64 [m];
    cp.async.mbarrier.arrive.noinc.shared.b64 [m];
    mbarrier.arrive.shared.b64 %st, [m];
    mbarrier.test_wait.parity.shared.b64 %p, [m], 0;
    ld.shared.u32 %v, [%a]; selp.u32 %v, %v, 0, %p; st.global.u32 [%o], %v;
"""
    data = R.randbytes(128)
    assert case(body, 128, [data]) == data


def bulk_copies():
    """Global to shared with an mbarrier, shared to shared, back with a group, a fill, a byte mask."""
    data = R.randbytes(2048)
    body = """
    .shared .align 16 .b8 s[2048]; .shared .align 16 .b8 r[2048]; .shared .align 8 .b64 m;
    .reg .u64 %st; .reg .pred %p, %q; .reg .u16 %h;
    setp.ne.u32 %q, %t, 0;
@%q bra DONE;
    mbarrier.init.shared.b64 [m], 1; fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.shared.b64 %st, [m], 4096;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%i1], 2048, [m];
    mbarrier.test_wait.shared.b64 %p, [m], %st;
@%p trap;
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r], [s], 2048, [m];
    mbarrier.test_wait.shared.b64 %p, [m], %st;
@!%p trap;
    st.bulk.weak.shared::cta [r+512], 512, 0;
    cp.async.bulk.prefetch.L2.global [%i1], 2048;
    mov.u16 %h, 0x00f0;
    cp.async.bulk.global.shared::cta.bulk_group [%o], [r], 1024;
    cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%o+1024], [r+1024], 1024, %h;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;
DONE:
"""
    want = data[:512] + bytes(512) + b"".join(
        bytes(b if k % 16 in range(4, 8) else 0 for k, b in enumerate(data[1024:])) for _ in (0,))
    assert case(body, 2048, [data]) == want


def bulk_reductions():
    """cp.reduce.async.bulk: every operation and type, into global memory."""
    def add16(a, b):
        return struct.unpack("<H", struct.pack("<e", sum(struct.unpack("<e", struct.pack("<H", x))[0] for x in (a, b))))[0]
    cases = (("add.u32", 4, lambda a, b: (a + b) % 2**32), ("min.s32", 4, lambda a, b: min(a, b, key=lambda x: x ^ 2**31)),
             ("max.u64", 8, max), ("inc.u32", 4, lambda a, b: 0 if a >= b else a + 1),
             ("dec.u32", 4, lambda a, b: b if a == 0 or a > b else a - 1), ("and.b32", 4, lambda a, b: a & b),
             ("xor.b64", 8, lambda a, b: a ^ b), ("add.noftz.f16", 2, add16),
             ("add.u64", 8, lambda a, b: (a + b) % 2**64))
    for name, size, rule in cases:
        code = {2: "H", 4: "I", 8: "Q"}[size]
        if size == 2: # finite halves
            one, two = ([struct.unpack("<H", struct.pack("<e", R.uniform(-9, 9)))[0] for _ in range(64)] for _ in "ab")
        else:
            one, two = ([R.getrandbits(8 * size) for _ in range(64)] for _ in "ab")
        text = name.replace("add.noftz", "add.noftz")
        body = f"""
    .shared .align 16 .b8 s[512]; .shared .align 8 .b64 m; .reg .u64 %st; .reg .pred %q;
    setp.ne.u32 %q, %t, 0;
@%q bra DONE;
    mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.expect_tx.shared.b64 %st, [m], {64 * size};
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%i1], {64 * size}, [m];
    cp.async.bulk.global.shared::cta.bulk_group [%o], [s], {64 * size};
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%i2], {64 * size}, [m];
    cp.reduce.async.bulk.global.shared::cta.bulk_group.{text} [%o], [s], {64 * size};
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
DONE:
"""
        pack = lambda v: struct.pack(f"<64{code}", *v) # noqa: E731
        got = case(body, 64 * size, [pack(one), pack(two)])
        assert got == pack([rule(a, b) for a, b in zip(one, two)]), name


def remote_stores():
    """st.async, red.async in a cluster of one block; mapa, getctarank, the special registers."""
    body = """
    .shared .align 16 .b32 s[64]; .shared .align 8 .b64 m;
    .reg .u32 %a, %b, %mb, %v, %w; .reg .u64 %st, %g; .reg .pred %p;
    setp.eq.u32 %p, %t, 0;
@%p mbarrier.init.shared.b64 [m], 1;
    bar.sync 0; barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;
@%p mbarrier.arrive.expect_tx.shared.b64 %st, [m], 512;
    mov.u32 %b, s; mov.u32 %w, %cluster_ctarank; mapa.shared::cluster.u32 %b, %b, %w;
    mov.u32 %mb, m; mapa.shared::cluster.u32 %mb, %mb, 0;
    mad.lo.u32 %a, %t, 8, %b; mad.lo.u32 %v, %t, 3, 7;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%a], {%v, %t}, [%mb];
    add.u32 %w, %a, 4;
    red.async.relaxed.cluster.global.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%w], %v, [%mb];
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%w], 40, [%mb];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [m], 0;
@!%p bra WAIT;
    bar.sync 0;
    ld.shared.v2.u32 {%v, %w}, [%a];
    mul.wide.u32 %g, %t, 16; add.u64 %o, %o, %g; st.global.v2.u32 [%o], {%v, %w};
    getctarank.shared::cluster.u32 %v, %a; mov.u32 %w, %cluster_nctarank; st.global.v2.u32 [%o+8], {%v, %w};
""".replace(".global.shared::cluster.mbarrier::complete_tx::bytes.add", ".shared::cluster.mbarrier::complete_tx::bytes.add")
    got = words(case(body, 512))
    want = [x for t in range(32) for x in (3 * t + 7, max(4 * t + 7, 40), 0, 1)]
    assert got == want


def stack():
    """alloca of different sizes in a loop with diverging lanes; save and restore; too much."""
    body = """
    .reg .u64 %s, %a, %g; .reg .u32 %k, %v, %sum, %n; .reg .pred %p, %q;
    mov.u32 %k, 0; mov.u32 %sum, 0;
LOOP:
    stacksave.u64 %s;
    add.u32 %n, %t, %k; and.b32 %n, %n, 7; add.u32 %n, %n, 1; mul.wide.u32 %g, %n, 4;
    setp.gt.u32 %q, %n, 4;
@%q bra BIG;
    alloca.u64 %a, %g; bra USE;
BIG:
    add.u64 %g, %g, 64; alloca.u64 %a, %g, 8;
USE:
    st.local.u32 [%a], %n; sub.u32 %v, %n, 1; mul.wide.u32 %g, %v, 4; add.u64 %g, %g, %a; st.local.u32 [%g], %k;
    ld.local.u32 %v, [%a]; add.u32 %sum, %sum, %v; ld.local.u32 %v, [%g]; mad.lo.u32 %sum, %v, 100, %sum;
    stackrestore.u64 %s;
    add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 200; @%p bra LOOP;
    mul.wide.u32 %g, %t, 4; add.u64 %o, %o, %g; st.global.u32 [%o], %sum;
"""
    want = [sum((((t + k) & 7) + 1 if (t + k) & 7 else k) + 100 * k for k in range(200)) for t in range(32)]
    assert words(case(body, 128)) == want
    try:
        case(".reg .u64 %a; .reg .u64 %n; mov.u64 %n, 100000000; alloca.u64 %a, %n; st.local.u32 [%a], %t;", 4)
    except Failed as why:
        assert "stack" in str(why).lower(), why
    else:
        raise AssertionError("100 MB of stack were given")


def wide_atomics():
    """128-bit exch and cas; red and atom of vectors."""
    body = """
    .reg .b128 %x, %y, %z; .reg .u64 %l, %h; .reg .f32 %f<4>; .reg .u64 %g; .reg .pred %p; .reg .b32 %r<4>;
    cvt.u64.u32 %l, %t; mov.u64 %h, 5; mov.b128 %x, {%l, %h};
    atom.global.exch.b128 %y, [%o], %x;
    mov.b128 {%l, %h}, %y; mul.wide.u32 %g, %t, 16; add.u64 %g, %g, %o; st.global.v2.u64 [%g+64], {%l, %h};
    setp.ne.u32 %p, %t, 0;
@%p bra NEXT;
    mov.u64 %l, 31; mov.u64 %h, 5; mov.b128 %x, {%l, %h}; mov.u64 %l, 77; mov.b128 %z, {%l, %l};
    atom.global.cas.b128 %y, [%o], %x, %z; atom.global.cas.b128 %y, [%o], %x, %x;
    mov.b128 {%l, %h}, %y; st.global.v2.u64 [%o+16], {%l, %h};
NEXT:
    mov.f32 %f0, 0f3f800000; mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f40400000; cvt.rn.f32.u32 %f3, %t;
    red.global.v4.f32.add [%o+32], {%f0, %f1, %f2, %f3};
    mov.b32 %r0, 0x3c003c00; mov.b32 %r1, 0x40003c00;
    red.global.add.noftz.v2.f16x2 [%o+48], {%r0, %r1};
"""
    got = case(body, 64 + 512)
    assert struct.unpack_from("<4Q", got) == (77, 77, 77, 77)
    assert struct.unpack_from("<4f", got, 32) == (32.0, 64.0, 96.0, 496.0)
    assert struct.unpack_from("<4e", got, 48) == (32.0, 32.0, 32.0, 64.0)
    olds = sorted(struct.unpack_from("<64Q", got, 64)[::2])
    assert olds == sorted([0, *range(31)])


def cancels():
    """Blocks that take over those that have not begun: each number is done once, whoever does it; clusters of two
    hear of it together, and the first block's coordinates are those of a cluster."""
    for cluster in (1, 2):
        body = f"""
    .shared .align 16 .b8 answer[16]; .shared .align 8 .b64 bar;
    .reg .u32 %x, %y, %z, %r, %a, %m, %phase, %own, %w; .reg .b128 %q; .reg .u64 %at; .reg .pred %p, %one;
    mov.u32 %a, answer; mov.u32 %m, bar; mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; mov.u32 %phase, 0;
    mov.u32 %r, %cluster_ctarank; sub.u32 %x, %x, %r;
    mbarrier.init.shared.b64 [%m], 1;
    barrier.cluster.arrive; barrier.cluster.wait;
AGAIN:
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 16;
    barrier.cluster.arrive; barrier.cluster.wait;
    setp.ne.u32 %one, %r, 0;
    @%one bra WORK;
    clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes{'.multicast::cluster::all' if cluster > 1 else ''}.b128 [%a], [%m];
WORK:
    add.u32 %w, %x, %r; mad.lo.u32 %w, %y, 20, %w; mul.wide.u32 %at, %w, 4; add.u64 %at, %at, %o; red.global.add.u32 [%at], 1;
    mov.u32 %w, %ctaid.y; mov.u32 %z, %ctaid.x; mad.lo.u32 %w, %w, 20, %z; mul.wide.u32 %at, %w, 4; add.u64 %at, %at, %o; red.global.add.u32 [%at+800], 1;
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], %phase; @!%p bra WAIT;
    xor.b32 %phase, %phase, 1; ld.shared.b128 %q, [%a];
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %q;
    @!%p bra END;
    clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {{%x, %y, _, _}}, %q;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %w, %q; add.u32 %x, %x, %w; shr.u32 %x, %x, 1;
    fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
    barrier.cluster.arrive.relaxed; barrier.cluster.wait;
    bra AGAIN;
END:
    barrier.cluster.arrive; barrier.cluster.wait;
"""
        got = words(case(body, 1600, [bytes(512)], block="1", grid="20,10", options=("--cc", "10.0", "--workers", "2", *(("--cluster", "2") if cluster > 1 else ()))))
        assert list(got[:200]) == [1] * 200, (cluster, got[:200])
        assert sum(got[200:]) == 200 and max(got[200:]) > 1, "nothing was cancelled"


def hints():
    """Instructions without effect on results, and those that are refused by name."""
    body = """
    .reg .u64 %pol, %pol2; .reg .u32 %v; .reg .pred %p; .reg .f32 %f;
    createpolicy.fractional.L2::evict_last.b64 %pol, 0f3f800000;
    createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %pol2, [%i1], 64, 128;
    prefetch.global.L2 [%i1]; prefetch.global.L1 [%i1]; prefetchu.L1 [%i1]; prefetch.global.L2::evict_last [%i1];
    applypriority.global.L2::evict_normal [%i1], 128; discard.global.L2 [%i1+128], 128;
    griddepcontrol.wait; griddepcontrol.launch_dependents;
    setmaxnreg.inc.sync.aligned.u32 160; setmaxnreg.dec.sync.aligned.u32 40;
    fence.proxy.alias; fence.proxy.async; fence.proxy.async.global; fence.acq_rel.cluster;
    fence.proxy.tensormap::generic.release.gpu;
    elect.sync %v|%p, 0xffffffff;
@!%p bra DONE;
    ld.global.L2::cache_hint.u32 %v, [%i1], %pol; st.global.u32 [%o], %v;
DONE:
"""
    assert words(case(body, 4, [struct.pack("<I", 4711) + bytes(508)])) == [4711]
    for text, why in (
            ("multimem.ld_reduce.global.add.u32 %r, [%o];", "multimem.ld_reduce"),
            ("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r], [%o, {%r}], [%r];",
             "tensor"),
            ("clusterlaunchcontrol.query_cancel.get_first_ctaid.b32.b128 %r, %q;", "gives 4 registers")):
        try:
            case(".reg .u32 %r; .reg .pred %p; .reg .b128 %q; mov.u32 %r, 0;\n" + text, 4)
        except Failed as message:
            assert why in str(message) and "k.ptx:" in str(message), message
        else:
            raise AssertionError(f"{text} was taken")


if __name__ == "__main__":
    sys.exit(check_all([cp_async_sizes, cp_async_uniform, cp_async_zero_fill, cp_async_ignored_source, mbarrier_phases,
                        mbarrier_across_warps, cp_async_arrivals, bulk_copies, bulk_reductions,
                        remote_stores, stack, wide_atomics, cancels, hints]))
