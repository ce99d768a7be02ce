#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mma with .kind::f8f6f4, and with block scaling (.kind::mxf8f6f4, mxf4, mxf4nvf4), dense and sparse, against
tcgen05_model.py's sums, bit for bit; fragments and scales are found by the manual's formulas (PTX ISA 9.7.14.3,
9.7.14.5.10, 9.7.14.6.2). And forms that must be refused."""
import random
import struct
import sys

import tcgen05_model as model
from ptx_cases import Failed, case, check_all

R = random.Random(3)
TYPES = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")
ORDERED = (0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110)


def forms():
    """(kind, scale words, type of scales, how many)"""
    yield "f8f6f4", "", "", 0
    yield "mxf8f6f4", R.choice((".scale_vec::1X", "")), "ue8m0", 1
    yield "mxf4", R.choice((".scale_vec::2X", "")), "ue8m0", 2
    yield "mxf4nvf4", ".scale_vec::2X", "ue8m0", 2
    yield "mxf4nvf4", ".scale_vec::4X", "ue8m0", 4
    yield "mxf4nvf4", ".scale_vec::4X", "ue4m3", 4


def field(registers, number, bits):
    """Number `number` of a lane's registers."""
    per = 32 // bits
    return registers[number // per] >> bits * (number % per) & (1 << bits) - 1


def row_of_a(a, row, count, bits):
    """The stored numbers of a row: a register holds a group of the lane, then of row + 8, then further on."""
    group, out = 32 // bits, [None] * count
    for t in range(4):
        for half in range(count // (4 * group)):
            registers = [a[r][row % 8 * 4 + t] for r in range(len(a))]
            for k in range(group):
                out[half * 4 * group + t * group + k] = field(registers, (2 * half + row // 8) * group + k, bits)
    return out


def column_of_b(b, n, count, bits):
    group, out = 32 // bits, [None] * count
    for t in range(4):
        for r in range(len(b)):
            for k in range(group):
                out[r * 4 * group + t * group + k] = b[r][n * 4 + t] >> bits * k & (1 << bits) - 1
    return out


def inner(kind, word):
    """Of an 8-bit container: the middle four bits, the lower six."""
    return word >> 2 & 15 if kind == "e2m1" else word & 63 if kind in ("e2m3", "e3m2") else word


def expected(c, m, n):
    bits, pairs = (4, 2) if c["four"] else (8, 1)
    stored = row_of_a(c["a"], m, c["k"] // (2 if c["sparse"] else 1), bits)
    b = column_of_b(c["b"], n, c["k"], bits)
    a = dict(enumerate(stored))
    if c["sparse"]: # four lanes have the metadata: of row r, of row r + 8, then the same of the rest
        a = {}
        for s, word in enumerate(stored):
            unit, within = divmod(s, pairs)
            group, which = divmod(unit, 2)
            word_of = c["e"][m % 8 * 4 + group // 8 * 2 + m // 8]
            a[(4 * group + (word_of >> 4 * (group % 8) + 2 * which & 3)) * pairs + within] = word
    half = c["d"] == "f16"
    lane, at = m % 8 * 4 + n // 2, m // 8 * 2 + n % 2
    before = field([c["c"][r][lane] for r in range(len(c["c"]))], at, 16) if half else c["c"][at][lane]
    old = model.number("f16" if half else "f32", before)
    sa = sb = None
    if c["scales"]:
        byte_a, thread_a, byte_b, thread_b = c["ids"]
        sa = c["sa"][m % 8 * 4 + thread_a * 2 + m // 8] >> 8 * byte_a
        sb = c["sb"][n * 4 + thread_b] >> 8 * byte_b
    if not c["four"]:
        terms = [model.product(model.number(c["ta"], inner(c["ta"], w)), model.number(c["tb"], inner(c["tb"], b[k])))
                 for k, w in a.items()]
        if sa is not None:
            scale = (1, (sa & 255) + (sb & 255) - 254, (sa & 255) + (sb & 255) - 254)
            terms = [model.product(t, scale) if t != "nan" else t for t in terms]
        return model.add_up([old, *terms], 25, half)
    # 4 bits: the scales as tensor memory would have them, in lanes of the row and the column
    memory = [[0, 0] for _ in range(128)]
    memory[m][0], memory[n][1] = sa, sb
    d = {"m": 128, "n": 8, "ws": 0, "k": c["k"], "negate": 0, "scales": c["stype"], "per_scale": c["k"] // c["scales"],
         "at_d": 0, "at_scale_a": 0, "at_scale_b": 1, "scale_id_a": 0, "scale_id_b": 0, "memory": memory}
    return model.blocks(d, m, n, a, b, old)


def float_word(kind):
    return (R.randrange(2) << 15 | R.randrange(10, 20) << 10 | R.getrandbits(10)) if kind == "f16" else \
        (R.randrange(2) << 31 | R.randrange(118, 138) << 23 | R.getrandbits(23))


def one(kind, words, stype, scales, sparse):
    four = kind.startswith("mxf4")
    c = {"four": four, "sparse": sparse, "scales": scales, "stype": stype, "k": (64 if four else 32) << sparse,
         "ta": "e2m1" if four else R.choice(TYPES), "tb": "e2m1" if four else R.choice(TYPES),
         "d": "f32" if scales else R.choice(("f16", "f32"))}
    byte = lambda t: R.choice([w for w in range(256) if t not in ("e4m3", "e5m2") or not isinstance(model.number(t, w), str)])
    some = lambda n, make: [[make() for _ in range(32)] for _ in range(n)]
    pack = lambda t: sum(byte(t) << 8 * k for k in range(4)) if not four else R.getrandbits(32)
    c["a"], c["b"] = some(4, lambda: pack(c["ta"])), some(4 if sparse else 2, lambda: pack(c["tb"]))
    half = c["d"] == "f16"
    c["c"] = some(2 if half else 4, lambda: float_word("f16") | float_word("f16") << 16 if half else float_word("f32"))
    c["e"] = [sum(R.choice(ORDERED) << 4 * g for g in range(8)) for _ in range(32)]
    low = (lambda: R.randrange(120, 134)) if stype != "ue4m3" else (lambda: R.randrange(127))
    c["sa"], c["sb"] = ([sum(low() << 8 * k for k in range(4)) for _ in range(32)] for _ in "ab")
    ids = (range(4),) if scales == 1 else ((0, 2),) if scales == 2 else ((0,),)
    c["ids"] = (R.choice(ids[0]), R.randrange(2), R.choice(ids[0]), R.randrange(4))
    regs = lambda letter, n: "{" + ", ".join(f"%{letter}{k}" for k in range(n)) + "}"
    count = {"a": 4, "b": len(c["b"]), "c": len(c["c"])}
    shape = f"m16n8k{c['k']}"
    scaled = f".block_scale{words}" if scales else ""
    tail = f", %sa, {{{c['ids'][0]}, {c['ids'][1]}}}, %sb, {{{c['ids'][2]}, {c['ids'][3]}}}" if scales else ""
    text = f"mma{'.sp::ordered_metadata' if sparse else ''}.sync.aligned.{shape}.row.col.kind::{kind}{scaled}." \
           f"{c['d']}.{c['ta']}.{c['tb']}.{c['d']}{'.' + stype if scales else ''} " \
           f"{regs('d', count['c'])}, {regs('a', 4)}, {regs('b', count['b'])}, {regs('c', count['c'])}{', %e, 0' if sparse else ''}{tail};"
    rows = c["a"] + c["b"] + c["c"] + [c["e"], c["sa"], c["sb"]]
    names = [f"%{x}{k}" for x in "abc" for k in range(count[x])] + ["%e", "%sa", "%sb"]
    body = ".reg .b32 %a<4>, %b<4>, %c<4>, %d<4>, %e, %sa, %sb; mul.wide.u32 %i2, %t, 4; add.u64 %i1, %i1, %i2; add.u64 %o, %o, %i2;\n"
    body += "".join(f"ld.global.b32 {name}, [%i1+{128 * k}];\n" for k, name in enumerate(names)) + text
    body += "".join(f"\nst.global.b32 [%o+{128 * k}], %d{k};" for k in range(count["c"]))
    got = case(body, 512, [struct.pack(f"<{32 * len(rows)}I", *(w for r in rows for w in r)), bytes(4)], options=("--cc", "12.0"))
    out = struct.unpack("<128I", got)
    for m in range(16):
        for n in range(8):
            lane, at = m % 8 * 4 + n // 2, m // 8 * 2 + n % 2
            is_ = field([out[32 * r + lane] for r in range(2)], at, 16) if half else out[32 * at + lane]
            want = expected(c, m, n)
            assert is_ == want, (text, m, n, hex(is_), hex(want))


def dense():
    for form in forms():
        for _ in range(2):
            one(*form, 0)


def sparse():
    for form in forms():
        for _ in range(2):
            one(*form, 1)


def refused():
    for text, why in (
            ("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.s8.f32 {%r,%r,%r,%r}, {%r,%r,%r,%r}, {%r,%r}, {%r,%r,%r,%r};", "no such shape"),
            ("mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e4m3.f32 {%r,%r,%r,%r}, {%r,%r,%r,%r}, {%r,%r,%r,%r}, {%r,%r,%r,%r}, %r, 0;", "ordered_metadata"),
            ("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r,%r,%r,%r}, {%r,%r,%r,%r}, {%r,%r,%r,%r}, {%r,%r,%r,%r}, %r, 2;", "selector, must be 0 to 1"),
            ("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%r,%r,%r,%r}, {%r,%r,%r,%r}, {%r,%r}, {%r,%r,%r,%r}, %r, {0,0}, %r, {0,0};", "scale_vec"),
            ("mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue4m3 {%r,%r,%r,%r}, {%r,%r,%r,%r}, {%r,%r}, {%r,%r,%r,%r}, %r, {0,0}, %r, {0,0};", "type of scales"),
            ("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r,%r,%r,%r}, {%r,%r}, {%r,%r,%r,%r}, {%r,%r,%r,%r}, %r, 1;", "2 registers, not 4")):
        try:
            case(".reg .b32 %r; mov.u32 %r, 0;\n" + text, 4)
        except Failed as message:
            assert why in str(message) and "k.ptx:" in str(message), (text, str(message))
        else:
            raise AssertionError(f"{text} was taken")


if __name__ == "__main__":
    sys.exit(check_all([dense, sparse, refused]))
