#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Addresses made of a base and a 32-bit number a lane, which gathers take as they are: numbers at the ends of
their range, lanes clamped at both ends, what is written between an address and its use, scatters in order."""
import random
import struct
import sys

from ptx_cases import case, check_all

random.seed(5)
WORDS = 2048
TABLE = [random.getrandbits(32) for _ in range(WORDS)]
RAW = struct.pack(f"<{WORDS}I", *TABLE)
REGS = """.reg .u32 %n, %m, %v<5>; .reg .u64 %g, %h, %a, %b, %f; .reg .pred %p, %q; .reg .b16 %s;
    mul.wide.u32 %g, %t, 4; add.u64 %h, %g, %i2; ld.global.u32 %n, [%h]; add.u64 %g, %g, %o;
    mov.u64 %b, %i1; mov.u32 %v1, 0xabcdef; mov.u32 %v2, 0xabcdef; mov.u32 %v3, 0xabcdef; mov.u32 %v4, 0xabcdef;
"""
NONE = 0xABCDEF


def signed(n):
    return n - (1 << 32) if n >> 31 else n


def orders():
    """Numbers of the lanes, all below 1,000 from 64 on, in many orders."""
    for start in (64, 501):
        yield [start + t for t in range(32)]
        yield [start] * 32
        yield [start + max(t - 1, 0) for t in range(32)]
        yield [start + max(t - 9, 0) for t in range(32)]
        yield [start + min(t + 1, 31) for t in range(32)]
        yield [start + min(max(t, 3), 27) for t in range(32)]
        yield [start + t if t < 16 else start + 100 + t for t in range(32)]
        yield [start + 31 - t for t in range(32)]
        yield [start + t + (t == 13) for t in range(32)]
        yield [start + 3 * t for t in range(32)]
        yield [random.randrange(start, 1000) for _ in range(32)]


GUARDS = {"": lambda t: True, "setp.gt.u32 %p, %t, 0;": lambda t: t > 0, "setp.lt.u32 %p, %t, 31;": lambda t: t < 31,
          "add.u32 %m, %t, 31; and.b32 %m, %m, 31; setp.lt.u32 %p, %m, 26;": lambda t: (t + 31) % 32 < 26,
          "setp.gt.u32 %p, %t, 15;": lambda t: t > 15, "setp.gt.u32 %p, %t, 99;": lambda t: False}


def run(body, numbers, words=1, **more):
    data = case(REGS + body, 128 * words, [RAW, struct.pack("<32I", *[n & 0xFFFFFFFF for n in numbers])], **more)
    return list(struct.unpack(f"<{32 * words}I", data))


def where(guard, body):
    """The body for the lanes of %p alone, addresses and all: a block of its own."""
    where.count += 1
    return f"@!%p bra S{where.count}; {body} S{where.count}:\n" if guard else body


where.count = 0


def same(got, want, what):
    bad = [(k % 32, hex(g), hex(w)) for k, (g, w) in enumerate(zip(got, want)) if g != w]
    assert not bad, f"{what}: lane, is, should be: {bad[:5]}"


def loads():
    for numbers in orders():
        for guard, active in GUARDS.items():
            at = "@%p " if guard else ""
            body = guard + where(guard, "mul.wide.s32 %f, %n, 4; add.s64 %a, %b, %f; ld.global.u32 %v1, [%a+8];")
            body += where(guard, "mul.wide.u32 %f, %n, 4; add.s64 %a, %f, %b; ld.global.u32 %v2, [%a];")
            body += f"mul.wide.s32 %f, %n, 4; add.s64 %a, %b, %f; {at}ld.u32 %v3, [%a+-12];"
            body += "st.global.u32 [%g], %v1; st.global.u32 [%g+128], %v2; st.global.u32 [%g+256], %v3;"
            want = [TABLE[n + d] if active(t) else NONE for d in (2, 0, -3) for t, n in enumerate(numbers)]
            same(run(body, numbers, 3), want, (guard, numbers))


def other_sizes():
    for numbers in orders():
        start = "mul.wide.s32 %f, %n, {0}; add.s64 %a, %b, %f;".format
        body = start(8) + " ld.global.u32 %v1, [%a]; ld.global.v2.u32 {%v2, %v3}, [%a+-8]; cvt.u32.u64 %v4, %b;" \
            " ld.global.u64 %h, [%a+8]; cvt.u32.u64 %v4, %h; shr.u64 %h, %h, 32; st.global.u32 [%g], %v1;" \
            " st.global.u32 [%g+128], %v2; st.global.u32 [%g+256], %v3; st.global.u32 [%g+384], %v4; st.global.u32 [%g+512], %h;"
        half = [n % 500 for n in numbers]
        half = [n + 2 for n in half]
        want = [TABLE[2 * n] for n in half] + [TABLE[2 * n - 2] for n in half] + [TABLE[2 * n - 1] for n in half]
        want += [TABLE[2 * n + 2] for n in half] + [TABLE[2 * n + 3] for n in half]
        same(run(body, half, 5), want, ("8", half))
        body = start(2) + " ld.global.u16 %s, [%a]; cvt.u32.u16 %v1, %s; st.global.u32 [%g], %v1;" + start(1) + \
            " ld.global.u8 %s, [%a]; cvt.u32.u16 %v2, %s; st.global.u32 [%g+128], %v2; ld.global.u32 %v3, [%a];" \
            " st.global.u32 [%g+256], %v3;" + start(12) + " ld.global.u32 %v4, [%a]; st.global.u32 [%g+384], %v4;"
        small = [n % 600 for n in numbers]
        want = [struct.unpack_from("<H", RAW, 2 * n)[0] for n in small] + [RAW[n] for n in small]
        want += [struct.unpack_from("<I", RAW, n)[0] for n in small] + [TABLE[3 * n] for n in small]
        same(run(body, small, 4), want, ("2, 1, 12", small))


def ends_of_the_range():
    """The base is so far away that numbers at the ends of their range reach the table."""
    for wide, first in (("u32", 0), ("u32", 0x7FFFFFF0), ("u32", 0x80000000), ("u32", 0xFFFFFFE0), ("s32", -0x80000000),
                        ("s32", -8), ("s32", 0x7FFFFFE0)):
        for lanes in (range(32), range(16, 32), range(0, 9), range(1, 31)):
            numbers = [first + t for t in range(32)]
            shift = (first if wide == "s32" else first) * 4 - 256
            guard = f"add.u32 %m, %t, {-lanes[0] & 0xFFFFFFFF}; setp.lt.u32 %p, %m, {len(lanes)};"
            body = f"{guard} sub.s64 %b, %b, {shift};"
            body += where(guard, f"mul.wide.{wide} %f, %n, 4; add.s64 %a, %b, %f; ld.global.u32 %v1, [%a];") + "st.global.u32 [%g], %v1;"
            same(run(body, numbers), [TABLE[64 + t] if t in lanes else NONE for t in range(32)], (wide, hex(first), lanes))
    # Lanes 16 to 31 begin with the least number; lane 0 would be beyond it, were it counted back in 32 bits.
    numbers = [7] * 16 + [-0x80000000 + t for t in range(16)]
    body = f"setp.gt.u32 %p, %t, 15; add.s64 %b, %b, {0x200000000 + 256};"
    body += where(True, "mul.wide.s32 %f, %n, 4; add.s64 %a, %b, %f; ld.global.u32 %v1, [%a];") + "st.global.u32 [%g], %v1;"
    same(run(body, numbers), [NONE] * 16 + [TABLE[64 + t] for t in range(16)], "the least number")


def written_between():
    numbers = [64 + 5 * t % 97 for t in range(32)]
    start = "mul.wide.s32 %f, %n, 4; add.s64 %a, %b, %f;"
    end = "ld.global.u32 %v1, [%a]; st.global.u32 [%g], %v1;"
    plain = [TABLE[n] for n in numbers]
    changes = {"mov.u32 %n, 3;": plain, "mov.u64 %b, 0;": plain, "mov.u64 %f, 0;": plain, "add.u64 %a, %a, 4;": [TABLE[n + 1] for n in numbers],
               "setp.lt.u32 %q, %t, 7; @%q add.u64 %a, %a, 8;": [TABLE[n + 2 * (t < 7)] for t, n in enumerate(numbers)],
               "setp.lt.u32 %q, %t, 7; @%q mov.u32 %n, 3; st.global.u32 [%o], %n;": plain,
               "setp.lt.u32 %q, %t, 7; @%q mov.u64 %a, %i1;": [TABLE[n if t > 6 else 0] for t, n in enumerate(numbers)]}
    for change, want in changes.items():
        same(run(start + change + end, numbers), want, change)
    body = "mul.wide.s32 %f, %n, 4; mov.u32 %n, 9; add.s64 %a, %b, %f;" + end
    same(run(body, numbers), plain, "the number, before the sum")
    body = "mul.wide.s32 %f, %n, 4; setp.lt.u32 %q, %t, 7; @%q mov.u64 %f, 0; add.s64 %a, %b, %f;" + end
    same(run(body, numbers), [TABLE[n if t > 6 else 0] for t, n in enumerate(numbers)], "a guarded offset")


def stores():
    for numbers in orders():
        for guard, active in list(GUARDS.items())[:3]:
            at = "@%p " if guard else ""
            lines = [n % 61 for n in numbers]
            body = guard + "mul.lo.u32 %v1, %t, 1111;"
            body += where(guard, "mul.wide.s32 %f, %n, 4; add.s64 %a, %o, %f; st.global.u32 [%a+4], %v1;")
            body += f"mul.wide.u32 %f, %n, 8; add.s64 %a, %o, %f; {at}st.global.v2.u32 [%a+1024], {{%v1, %t}};"
            want = [0] * 512
            for t, n in enumerate(lines):
                if active(t):
                    want[n + 1] = t * 1111
                    want[256 + 2 * n : 258 + 2 * n] = t * 1111, t
            same(run(body, lines, 16), want, (guard, lines))


def shared_memory():
    head = ".shared .align 4 .b8 tile[4096];"
    for numbers in orders():
        body = """.reg .u64 %c; mov.u64 %c, tile; cvta.shared.u64 %c, %c; mul.wide.u32 %f, %t, 4; mov.u64 %a, tile; add.u64 %a, %a, %f; add.u64 %h, %b, %f;
            """ + "".join(f"ld.global.u32 %v1, [%h+{128 * k}]; st.shared.u32 [%a+{128 * k}], %v1;" for k in range(32)) + """
            bar.sync 0; mov.u64 %b, tile; mul.wide.s32 %f, %n, 4; add.s64 %a, %b, %f; ld.shared.u32 %v1, [%a]; st.global.u32 [%g], %v1;
            mul.wide.s32 %f, %n, 4; add.s64 %a, %c, %f; ld.u32 %v2, [%a+4]; st.global.u32 [%g+128], %v2;"""
        same(run(body, numbers, 2, head=head), [TABLE[n] for n in numbers] + [TABLE[n + 1] for n in numbers], numbers)


def in_loops():
    """A convolution's turns: one number goes up, the other down, lanes end at different times."""
    numbers = [64 + max(t - 5, 0) for t in range(32)]
    body = """.reg .u32 %j, %k; mov.u32 %j, %n; sub.u32 %k, 900, %t; mov.u32 %v1, 0; and.b32 %m, %t, 7; add.u32 %m, %m, 3;
    LOOP:
        mul.wide.s32 %f, %j, 4; add.s64 %a, %b, %f; ld.global.u32 %v2, [%a]; mul.wide.s32 %f, %k, 4; add.s64 %a, %b, %f;
        ld.global.u32 %v3, [%a+-4]; mad.lo.u32 %v1, %v2, %v3, %v1; add.u32 %j, %j, 1; add.u32 %k, %k, -1; add.u32 %m, %m, -1;
        setp.ne.u32 %p, %m, 0; @%p bra LOOP;
        st.global.u32 [%g], %v1;"""
    want = [sum(TABLE[n + k] * TABLE[900 - t - k - 1] for k in range(t % 8 + 3)) & 0xFFFFFFFF for t, n in enumerate(numbers)]
    same(run(body, numbers), want, "sums")
    same(run(body, numbers, options=["--workers", "1"]), want, "sums")


if __name__ == "__main__":
    sys.exit(check_all([loads, other_sizes, ends_of_the_range, written_between, stores, shared_memory, in_loops]))
