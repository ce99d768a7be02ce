#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bits of two registers by a mask, in lanes of which some are off and keep an operand: LLVM 19 exchanges
the operands there (src/jit/post/defects.c). And every table of lop3 with operands that are constants,
loaded, or the destination itself."""
import itertools
import random
import struct
import sys

from ptx_cases import case, check_all

random.seed(5)
X = [random.getrandbits(64) for _ in range(32)]
Y = [random.getrandbits(64) for _ in range(32)]
ON = [random.getrandbits(1) for _ in range(32)]


def bit_select(bits):
    """Every order of the operands, either one kept, masks of all lanes and of each lane."""
    full = (1 << bits) - 1
    masks = [4095, 0xF0F0F0F0F0F0F0F0 & full, 1 << (bits - 1), 0x00FFFF0000FFFF00 & full]
    body = [f".reg .u32 %on; .reg .u64 %g, %h; .reg .pred %p; .reg .b{bits} %x, %y, %a, %b, %k, %n, %m;",
            "mul.wide.u32 %g, %t, 4; add.u64 %g, %g, %i2; ld.global.u32 %on, [%g];",
            "setp.eq.u32 %p, %on, 1; mul.wide.u32 %g, %t, 16; add.u64 %h, %g, %i1; mul.wide.u32 %g, %t, 8;",
            "add.u64 %g, %g, %o;"]
    want, at = [], 0
    for mask, swapped, kept, first in itertools.product(masks + [None], (0, 1), "xy", (0, 1)):
        body += [f"ld.global.b{bits} %x, [%h]; ld.global.b{bits} %y, [%h+8]; add.u{bits} %y, %y, 1;"]
        if mask is None:
            factor = 0x01234567 + 2 * at # each constant is used once: operands in memory
            body += [f"mul.lo.u32 %on, %t, {factor};",
                     f"cvt.u{bits}.u32 %m, %on; not.b{bits} %n, %m;"]
        else:
            body += [f"mov.b{bits} %m, {mask}; mov.b{bits} %n, {~mask & full};"]
        x, y = ("%n", "%m") if swapped else ("%m", "%n")
        parts = ("%a, %b", "%b, %a")[first]
        body += [f"and.b{bits} %a, %x, {x}; and.b{bits} %b, %y, {y};",
                 f"@%p or.b{bits} %{kept}, {parts}; st.global.b{bits} [%g+{at}], %{kept};"]
        at += 32 * 8
        for t in range(32):
            m = t * factor & 0xFFFFFFFF if mask is None else mask
            m = m ^ full if swapped else m
            y = Y[t] + 1
            chosen = X[t] & m | y & ~m
            want.append((chosen if ON[t] else {"x": X[t], "y": y}[kept]) & full)
    inputs = [b"".join(struct.pack("<2Q", *p) for p in zip(X, Y)), struct.pack("<32I", *ON)]
    got = struct.unpack(f"<{len(want)}Q", case("\n".join(body), 8 * len(want), inputs))
    wrong = [k for k in range(len(want)) if got[k] & full != want[k]]
    assert not wrong, f"{len(wrong)} of {len(want)}; the first: case {wrong[0] // 32}, lane {wrong[0] % 32}"


def bit_select_32():
    bit_select(32)


def bit_select_64():
    bit_select(64)


def lop3_tables():
    """d is one of a, b, c; one is %tid.x, one loaded, one a sum."""
    def table(rows, a, b, c):
        return sum((rows >> (a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1) & 1) << k for k in range(32))

    orders = list(itertools.permutations(("%x", "%s", "%z")))
    body = [".reg .u32 %on, %x, %s, %z, %l; .reg .u64 %g, %h; .reg .pred %p;",
            "mul.wide.u32 %g, %t, 4; add.u64 %h, %g, %i2; ld.global.u32 %on, [%h]; setp.eq.u32 %p, %on, 1;",
            "add.u64 %h, %g, %i1; add.u64 %g, %g, %o;"]
    want = []
    for rows in range(256):
        a, b, c = orders[rows % 6]
        d = (a, b, c)[rows // 6 % 3]
        body += ["ld.global.u32 %l, [%h]; mad.lo.u32 %x, %l, 3, %t; ld.global.u32 %s, [%h+128]; mov.u32 %z, %t;",
                 f"@%p lop3.b32 {d}, {a}, {b}, {c}, {rows}; st.global.u32 [%g+{128 * rows}], {d};"]
        for t in range(32):
            of = {"%x": X[t] * 3 + t & 0xFFFFFFFF, "%s": Y[t] & 0xFFFFFFFF, "%z": t}
            want.append(table(rows, of[a], of[b], of[c]) if ON[t] else of[d])
    low = [v & 0xFFFFFFFF for v in X + Y] # side by side: a load that an instruction can take as its operand
    inputs = [struct.pack("<64I", *low), struct.pack("<32I", *ON)]
    got = struct.unpack(f"<{len(want)}I", case("\n".join(body), 4 * len(want), inputs))
    wrong = [k for k in range(len(want)) if got[k] != want[k]]
    assert not wrong, f"{len(wrong)} of {len(want)}; the first: table {wrong[0] // 32}, lane {wrong[0] % 32}"


sys.exit(check_all([bit_select_32, bit_select_64, lop3_tables]))
