#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is known of a value must not change a result: each integer instruction with operands that are
written down, that are a constant plus the lane's number, and that come from memory gives the same."""
import itertools
import random
import struct
import sys

from ptx_cases import case, check_all

random.seed(3)
LANES = 32
NUMBERS = [0, 1, 5, 0x7FFFFFFF, 0x80000000, 0xC0000000, 0xFFFFFFF0, 0xFFFFFFFF, 0x8000, 0xFFF0]
WIDE = [0, 3, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFF0, 0xFFFFFFFF, 0x80000000]
TWO = ["add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"]


def instructions(bits):
    """(text with %x, %y, bits of the result); the shift counts and divisors are small in %y half the time."""
    for sign in "us":
        t = f"{sign}{bits}"
        yield from ((f"{op}.{t} %v, %x, %y;", bits) for op in TWO)
        yield f"shr.{t} %v, %x, %c;", bits
        yield f"mad.lo.{t} %v, %x, %y, %x;", bits
        yield f"setp.lt.{t} %p, %x, %y; selp.b{bits} %v, %x, %y, %p;", bits
        yield f"selp.b{bits} %v, %x, %y, %q; shr.{t} %v, %v, 3;", bits
        yield f"sad.{t} %v, %x, %y, %y;", bits
        if bits < 64:
            yield f"mul.wide.{t} %w, %x, %y;", 2 * bits
            yield f"mad.wide.{t} %w, %x, %y, {0xFFFFFFF0 & (1 << 2 * bits) - 1};", 2 * bits
            yield f"cvt.{sign}{2 * bits}.{t} %w, %x; shr.{sign}{2 * bits} %w, %w, 4;", 2 * bits
        if bits > 16:
            yield f"bfe.{t} %v, %x, 3, 29;", bits
            yield f"cvt.u{bits}.{sign}16 %v, %x;".replace("%x", "%k"), bits
    for op in ("and", "or", "xor"):
        yield f"{op}.b{bits} %v, %x, %y;", bits
    yield f"shl.b{bits} %v, %x, %c;", bits
    yield f"not.b{bits} %v, %x;", bits
    yield f"neg.s{bits} %v, %x; max.s{bits} %v, %v, %y;", bits
    yield f"or.b{bits} %v, %x, %y; shr.s{bits} %v, %v, 1; and.b{bits} %v, %v, %y;", bits


def body_for(bits, pairs, kind_x, kind_y):
    """Every instruction for every pair of numbers; operands of the kinds given: 'w'ritten down,
    'l'ane's number added, 'm'emory (which holds what the other two would be)."""
    lines = [f".reg .b{bits} %x, %y, %v, %a, %n; .reg .b{2 * bits if bits < 64 else 64} %w; .reg .b16 %k;",
             ".reg .b32 %c; .reg .b64 %g, %h; .reg .pred %p, %q; and.b32 %c, %t, 1; setp.eq.u32 %q, %c, 1;",
             f"cvt.u{bits}.u32 %n, %t;" if bits != 32 else "mov.b32 %n, %t;",
             "mul.wide.u32 %g, %t, 8; add.u64 %h, %g, %i1; add.u64 %g, %g, %o;"]
    at = 0
    for k, (x, y) in enumerate(pairs):
        for name, kind, number, slot in (("%x", kind_x, x, 2 * k), ("%y", kind_y, y, 2 * k + 1)):
            if kind in "wl":
                lines.append(f"mov.b{bits} {name}, {number & (1 << bits) - 1:#x};")
                if kind == "l":
                    lines.append(f"add.u{bits} {name}, {name}, %n;")
            else:
                lines.append(f"ld.global.b{bits} {name}, [%h+{slot * LANES * 8}];")
        lines.append(f"cvt.u32.u{bits} %c, %y; cvt.u16.u{bits} %k, %x;" if bits != 16
                     else "cvt.u32.u16 %c, %y; mov.b16 %k, %x;")
        if bits == 32:
            lines[-1] = "mov.b32 %c, %y; cvt.u16.u32 %k, %x;"
        for text, size in instructions(bits):
            result = "%w" if "%w" in text else "%v"
            lines += [text, f"st.global.b{size} [%g+{at}], {result};"]
            at += LANES * 8
    return "\n".join(lines), at


def memory_for(bits, pairs, kind_x, kind_y):
    data = b""
    for x, y in pairs:
        for kind, number in ((kind_x, x), (kind_y, y)):
            data += struct.pack(f"<{LANES}Q", *(number + (kind == "l") * l & (1 << bits) - 1
                                                 for l in range(LANES)))
    return data


def width(bits):
    """What comes from memory is computed once, by a block for each of the three memories."""
    numbers, last = WIDE if bits == 64 else NUMBERS, (1 << bits) - 1
    pairs = [(x, y) for x, y in itertools.product(numbers, numbers)
             if y & last and (x & last, y & last) != (1 << bits - 1, last)] # nothing undefined divides
    pairs = random.sample(pairs, 2) + [(numbers[4], 5)] # and shifts by little
    kinds = ("ww", "wl", "lw")
    memories = [memory_for(bits, pairs, *k) for k in kinds]
    text, size = body_for(bits, pairs, "m", "m")
    block = f".reg .b64 %b; cvt.u64.u32 %b, %ctaid.x; mad.lo.u64 %o, %b, {size}, %o;"
    text = f"{block} mad.lo.u64 %i1, %b, {len(memories[0])}, %i1;\n{text}"
    all_loaded = case(text, size * len(kinds), [b"".join(memories)], grid=str(len(kinds)))
    names = [t for t, _ in instructions(bits)]
    for run in ("ww", "wl", "lw", "wm"):
        memory = kinds.index(run.replace("m", "w"))
        text, size = body_for(bits, pairs, *run)
        known, loaded = case(text, size, [memories[memory]]), all_loaded[memory * size:]
        for k in range(size // (LANES * 8)):
            name, row = names[k % len(names)], slice(k * LANES * 8, (k + 1) * LANES * 8)
            if name[:3] in ("div", "rem") and run[1] == "l" and bits == 16: # some lane divides by 0
                continue
            pair = tuple(hex(v & last) for v in pairs[k // len(names)])
            assert known[row] == loaded[row], f"operands {run}: {name} of {pair}"


def width_16():
    width(16)


def width_32():
    width(32)


def width_64():
    width(64)


def by_hand():
    """Some results written down here."""
    text = """.reg .b32 %a<9>; .reg .b64 %d;
        mov.u32 %a0, 0xc0000000; shr.s32 %a1, %a0, 4; max.s32 %a2, %a0, 7; cvt.s64.s32 %d, %a0;
        shr.u64 %d, %d, 32; cvt.u32.u64 %a3, %d; mul.wide.s32 %d, %a0, 2; shr.u64 %d, %d, 32;
        cvt.u32.u64 %a4, %d; div.s32 %a5, %a0, 2; rem.s32 %a6, %a0, 0x30000001; shr.u32 %a7, %a0, 30;
        st.global.v4.b32 [%o], {%a1, %a2, %a3, %a4}; st.global.v2.b32 [%o+16], {%a5, %a6};
        st.global.b32 [%o+24], %a7;"""
    got = struct.unpack("<7I", case(text, 28, [], block="1"))
    want = (0xFC000000, 7, 0xFFFFFFFF, 0xFFFFFFFF, 0xE0000000, 0xF0000001, 3)
    assert got == want, [hex(g) for g in got]


def expressions():
    """Constant expressions as operands (PTX ISA 4.5), one that begins with a parenthesis included."""
    text = """.reg .b32 %a<4>; mov.u32 %a0, 0xf0f0f0f0; mov.u32 %a1, 0xcccccccc;
        lop3.b32 %a2, %a0, %a1, 0xaaaaaaaa, (0xF0 | 0xCC) & ~0xAA; mov.u32 %a3, (1 << 4) + 3 * (2 - 1);
        st.global.v2.b32 [%o], {%a2, %a3};"""
    got = struct.unpack("<2I", case(text, 8, [], block="1"))
    assert got == (0x54545454, 19), [hex(g) for g in got]


sys.exit(check_all([by_hand, expressions, width_16, width_32, width_64]))
