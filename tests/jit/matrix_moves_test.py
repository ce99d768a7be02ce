#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ldmatrix, stmatrix and movmatrix against the manual's figures, element by element (PTX ISA
9.7.14.5.15 - 9.7.14.5.17), with rows scattered over shared memory; mma on fragments made by hand,
against exact integer products; and forms that must be refused."""
import random
import struct
import sys

from ptx_cases import Failed, case, check_all

R = random.Random(7)
SIZE = 4096 # of the shared buffer


def regs(n):
    return "{" + ", ".join(f"%r{k}" for k in range(n)) + "}"


def setup(n):
    """Shared memory filled from %i1 by 32 threads, %a: this lane's row address from %i2."""
    return f"""
    .shared .align 16 .b8 s[{SIZE}]; .reg .b32 %r<{n}>; .reg .u32 %k, %a, %b, %v; .reg .u64 %g; .reg .pred %p;
    mov.u32 %b, s; mov.u32 %k, 0;
FILL:
    mad.lo.u32 %a, %k, 32, %t; shl.b32 %a, %a, 2; cvt.u64.u32 %g, %a; add.u64 %g, %g, %i1;
    ld.global.u32 %v, [%g]; add.u32 %a, %a, %b; st.shared.u32 [%a], %v;
    add.u32 %k, %k, 1; setp.lt.u32 %p, %k, {SIZE // 128}; @%p bra FILL;
    bar.sync 0;
    mul.wide.u32 %g, %t, 4; add.u64 %g, %g, %i2; ld.global.u32 %a, [%g]; add.u32 %a, %a, %b;
"""


def rows():
    """32 row addresses: different, in no order."""
    at = [16 * k for k in range(SIZE // 16)]
    R.shuffle(at)
    return at[:32]


def half(data, at):
    return struct.unpack_from("<H", data, at)[0]


def expected_load(data, at, n, trans):
    out = []
    for r in range(n):
        for lane in range(32):
            if trans: # rows 2q and 2q + 1 of column lane / 4
                q, column = lane % 4, lane // 4
                word = [half(data, at[8 * r + 2 * q + e] + 2 * column) for e in (0, 1)]
            else:
                word = [half(data, at[8 * r + lane // 4] + 4 * (lane % 4) + 2 * e) for e in (0, 1)]
            out.append(word[0] | word[1] << 16)
    return struct.pack(f"<{len(out)}I", *out)


def ldmatrix():
    for n in (1, 2, 4):
        for trans in (False, True):
            data, at = R.randbytes(SIZE), rows()
            if n < 4: # addresses of the other lanes must not be used
                at = at[:8 * n] + [2**30] * (32 - 8 * n)
            body = setup(n) + f"""
    ldmatrix.sync.aligned.m8n8.x{n}{'.trans' if trans else ''}.shared.b16 {regs(n)}, [%a];
    mul.wide.u32 %g, %t, 4; add.u64 %o, %o, %g;
""" + "".join(f"st.global.u32 [%o+{128 * k}], %r{k};\n" for k in range(n))
            got = case(body, 128 * n, [data, struct.pack("<32I", *at)])
            assert got == expected_load(data, at, n, trans), (n, trans)


# after the instruction: shared memory becomes the result
STORED = f"""    bar.sync 0; mov.u32 %k, 0;
OUT:
    mad.lo.u32 %a, %k, 32, %t; shl.b32 %a, %a, 2; cvt.u64.u32 %g, %a; add.u64 %g, %g, %o;
    add.u32 %a, %a, %b; ld.shared.u32 %v, [%a]; st.global.u32 [%g], %v;
    add.u32 %k, %k, 1; setp.lt.u32 %p, %k, {SIZE // 128}; @%p bra OUT;
"""


def stmatrix():
    for n in (1, 2, 4):
        for trans in (False, True):
            data, at, words = R.randbytes(SIZE), rows(), R.randbytes(128 * n)
            body = setup(n) + "mul.wide.u32 %g, %t, 4; add.u64 %i3, %i3, %g;\n" + "".join(
                f"ld.global.u32 %r{k}, [%i3+{128 * k}];\n" for k in range(n)) + f"""
    stmatrix.sync.aligned.m8n8.x{n}{'.trans' if trans else ''}.shared.b16 [%a], {regs(n)};
{STORED}"""
            got = case(body, SIZE, [data, struct.pack("<32I", *at), words])
            want = bytearray(data)
            for r in range(n):
                for lane in range(32):
                    for e in (0, 1):
                        row, column = lane // 4, 2 * (lane % 4) + e
                        if trans:
                            row, column = column, row
                        x = words[128 * r + 4 * lane + 2 * e:][:2]
                        p = at[8 * r + row] + 2 * column
                        want[p:p + 2] = x
            assert got == bytes(want), (n, trans)


def unpacked(row, bits):
    """16 numbers at the start of a row's 16 bytes, as bytes."""
    word = int.from_bytes(row, "little")
    return bytes((word >> bits * k & (1 << bits) - 1) << (2 if bits == 4 else 0) for k in range(16))


def ldmatrix_bytes():
    """.m8n16: lane 4g + q has bytes 4q.. of row g; .m16n16, transposed: bytes g, g + 8 of rows 4q.. 4q + 3."""
    forms = [("m8n16", n, "b8x16", f"b{b}x16_p{p}", b) for n in (1, 2, 4) for b, p in ((6, 32), (4, 64))]
    forms += [("m16n16", n, "b8" if b == 8 else "b8x16", f"b{b}x16_p{p}", b) for n in (1, 2) for b, p in ((8, 0), (6, 32), (4, 64))]
    for shape, n, word, source, bits in forms:
        data, at = R.randbytes(SIZE), rows()
        count, used = (n, 8 * n) if shape == "m8n16" else (2 * n, 16 * n)
        at = at[:used] + [2**30] * (32 - used)
        kind = ".b8" if bits == 8 else f".{word}.{source}"
        body = setup(4) + f"""
    ldmatrix.sync.aligned.{shape}.x{n}{'.trans' if shape == 'm16n16' else ''}.shared{kind} {regs(count)}, [%a];
    mul.wide.u32 %g, %t, 4; add.u64 %o, %o, %g;
""" + "".join(f"st.global.u32 [%o+{128 * k}], %r{k};\n" for k in range(count))
        got = case(body, 128 * count, [data, struct.pack("<32I", *at)])
        mem = [data[a:a + 16] if bits == 8 else unpacked(data[a:a + 16], bits) for a in at[:used]]
        want = b""
        for r in range(count):
            for lane in range(32):
                g, q = lane // 4, lane % 4
                if shape == "m8n16":
                    want += mem[8 * r + g][4 * q:4 * q + 4]
                else:
                    want += bytes(mem[r // 2 * 16 + 4 * q + e][g + r % 2 * 8] for e in range(4))
        assert got == want, (shape, n, kind)


def stmatrix_bytes():
    """.m16n8.trans.b8: lane 4g + q has columns 2q, 2q + 1 of row g, then of row g + 8; a column is 16 bytes."""
    for n in (1, 2, 4):
        data, at, words = R.randbytes(SIZE), rows(), R.randbytes(128 * n)
        body = setup(n) + "mul.wide.u32 %g, %t, 4; add.u64 %i3, %i3, %g;\n" + "".join(
            f"ld.global.u32 %r{k}, [%i3+{128 * k}];\n" for k in range(n)) + f"""
    stmatrix.sync.aligned.m16n8.x{n}.trans.shared.b8 [%a], {regs(n)};
{STORED}"""
        got = case(body, SIZE, [data, struct.pack("<32I", *at), words])
        want = bytearray(data)
        for r in range(n):
            for lane in range(32):
                for e in range(4):
                    want[at[8 * r + 2 * (lane % 4) + e % 2] + lane // 4 + e // 2 * 8] = words[128 * r + 4 * lane + e]
        assert got == bytes(want), n


def movmatrix():
    words = R.randbytes(128)
    body = """
    .reg .b32 %r; .reg .u64 %g;
    mul.wide.u32 %g, %t, 4; add.u64 %i1, %i1, %g; add.u64 %o, %o, %g;
    ld.global.u32 %r, [%i1]; movmatrix.sync.aligned.m8n8.trans.b16 %r, %r; st.global.u32 [%o], %r;
"""
    m = struct.unpack("<64H", words)
    want = struct.pack("<64H", *(m[k % 8 * 8 + k // 8] for k in range(64)))
    assert case(body, 128, [words]) == want


def integer_mma():
    """m16n8k32 of s8 by u8: A, B and C laid out by hand, the product by Python."""
    a = [[R.randint(-128, 127) for _ in range(32)] for _ in range(16)]
    b = [[R.randint(0, 255) for _ in range(8)] for _ in range(32)]
    c = [[R.randint(-2**30, 2**30) for _ in range(8)] for _ in range(16)]
    ra, rb, rc, rd = bytearray(), bytearray(), [], []
    for r in range(4):
        for lane in range(32):
            g, q = lane // 4, lane % 4
            row, column = g + 8 * (r % 2), 4 * q + 16 * (r // 2)
            ra += struct.pack("<4b", *(a[row][column + e] for e in range(4)))
    for r in range(2):
        for lane in range(32):
            g, q = lane // 4, lane % 4
            rb += struct.pack("<4B", *(b[4 * q + e + 16 * r][g] for e in range(4)))
    for r in range(4):
        for lane in range(32):
            row, column = lane // 4 + 8 * (r // 2), 2 * (lane % 4) + r % 2
            rc.append(c[row][column])
            rd.append(c[row][column] + sum(a[row][k] * b[k][column] for k in range(32)))
    body = """
    .reg .b32 %a<4>, %b<2>; .reg .s32 %c<4>; .reg .u64 %g;
    mul.wide.u32 %g, %t, 4; add.u64 %i1, %i1, %g; add.u64 %i2, %i2, %g; add.u64 %i3, %i3, %g; add.u64 %o, %o, %g;
""" + "".join(f"ld.global.b32 %{x}{k}, [%i{i}+{128 * k}];\n" for i, (x, n) in
              enumerate((("a", 4), ("b", 2), ("c", 4)), 1) for k in range(n)) + """
    mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%c0, %c1, %c2, %c3}, {%a0, %a1, %a2, %a3},
        {%b0, %b1}, {%c0, %c1, %c2, %c3};
""" + "".join(f"st.global.s32 [%o+{128 * k}], %c{k};\n" for k in range(4))
    got = case(body, 512, [bytes(ra), bytes(rb), struct.pack("<128i", *rc)])
    assert struct.unpack("<128i", got) == tuple(rd)


def refused():
    """Wrong numbers of registers and shapes of other architectures: an error that names them."""
    for text, why in (
            ("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, [%r1];", "operand 1 has 1 registers, not 2"),
            ("ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r0, %r1}, [%r1];", "no such shape and type"),
            ("ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8 {%r0, %r1}, [%r1];", "no such shape and type"),
            ("stmatrix.sync.aligned.m16n8.x1.shared.b8 [%r1], {%r0};", "no such shape and type"),
            ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0}, {%r0}, "
             "{%f0,%f1,%f2,%f3};", "operand 2 has 1 registers, not 2"),
            ("mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
             "{%r0,%r1}, {%f0,%f1,%f2,%f3};", "takes .row.col"),
            ("mma.sync.aligned.m16n8k16.row.col.f32.s8.s8.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r0}, "
             "{%f0,%f1,%f2,%f3};", "no such shape and types")):
        try:
            case(".reg .b32 %r<4>; .reg .f32 %f<4>; mov.b32 %r0, 0; mov.b32 %r1, 0; mov.b32 %r2, 0; "
                 "mov.b32 %r3, 0; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; "
                 "mov.f32 %f3, %f0;\n" + text, 4)
        except Failed as message:
            assert why in str(message), f"{message} lacks {why!r}"
        else:
            raise AssertionError(f"{text} was taken")


if __name__ == "__main__":
    sys.exit(check_all([ldmatrix, stmatrix, ldmatrix_bytes, stmatrix_bytes, movmatrix, integer_mma, refused]))
