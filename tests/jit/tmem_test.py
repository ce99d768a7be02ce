#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tensor memory: tcgen05.ld and .st in all shapes against CuTe's layouts, .cp in all shapes with decompression,
.shift, allocation that waits for another warp, commits to several blocks, the same of pairs of blocks
(.cta_group::2); and what must end in an error."""
import os
import random
import struct
import sys

import tcgen05_model as model
from ptx_cases import Failed, case, check_all
from tcgen05_cases import COLUMNS, SHARED, run

R = random.Random(11)
CC = ("--cc", "10.0")


# -- loads and stores ----------------------------------------------------------------------------------------------

def spread(shape, stride, index):
    """A layout of CuTe: the first coordinate changes fastest."""
    at = 0
    for size, step in zip(shape, stride):
        at += index % size * step
        index //= size
    return at


# Of N times a shape: bits of a row, then where a lane and where a bit of its registers lie.
LAYOUTS = {
    "32x32b": lambda n: (32 * n, ((32,), (32 * n,)), ((32 * n,), (1,))),
    "16x64b": lambda n: (64 * n, ((2, 2, 8), (512 * n, 32, 64 * n)), ((32, n), (1, 64))),
    "16x128b": lambda n: (128 * n, ((4, 8), (32, 128 * n)), ((32, 2, n), (1, 1024 * n, 128))),
    "16x256b": lambda n: (256 * n, ((4, 8), (64, 256 * n)), ((64, 2, n), (1, 2048 * n, 256))),
    "16x32bx2": lambda n: (64 * n, ((16, 2), (64 * n, 32 * n)), ((32 * n,), (1,))),
}
REGISTERS = {"32x32b": 1, "16x64b": 1, "16x128b": 2, "16x256b": 4, "16x32bx2": 1}


def cells_of(shape, times, halves, apart, lane, r):
    """[(row, column)] of a register: one, or two of which it has 16 bits."""
    width, thread, bit = LAYOUTS[shape](times)
    at = spread(*thread, lane) + spread(*bit, 32 * r)
    row, column = at // width, at % width // 32
    if shape == "16x32bx2": # the second access begins `apart` columns on
        second, column = divmod(column, times)
        column = (2 if halves else 1) * column + second * apart
        return [(row, column + k) for k in range(2 if halves else 1)]
    return [(row, 2 * column), (row, 2 * column + 1)] if halves else [(row, column)]


def transfers():
    """(shape, times, halves, apart)"""
    for shape, each in REGISTERS.items():
        for times in (1, 2, 4, 8, 16, 32, 64, 128):
            for halves in (False, True):
                own = 2 * times if halves else times
                if each * times <= 128:
                    yield shape, times, halves, own + (R.randrange(40) if own < 200 else 0) if shape == "16x32bx2" else 0


COLUMNS_HERE = 512


def first_of(shape, times, halves):
    """The column it begins at: not the first, unless it takes them all."""
    return 0 if LAYOUTS[shape](times)[0] // 32 * (2 if halves else 1) == COLUMNS_HERE else 1


def program(load):
    """Block b does transfer b: 512 columns are filled from p1, or read back."""
    every = list(transfers())
    arms = []
    for k, (shape, times, halves, apart) in enumerate(every):
        regs = "{" + ", ".join(f"%v{n}" for n in range(REGISTERS[shape] * times)) + "}"
        first = first_of(shape, times, halves)
        off = f", {apart}" if shape == "16x32bx2" else ""
        end = "bra DONE;"
        arms.append(f"F{k}: tcgen05.ld.sync.aligned.{shape}.x{times}{'.pack::16b' if halves else ''}.b32 {regs}, [%x+{first}]{off}; {end}" if load
                    else f"F{k}: tcgen05.st.sync.aligned.{shape}.x{times}{'.unpack::16b' if halves else ''}.b32 [%x+{first}]{off}, {regs}; {end}")
    some = ", ".join(f"%v{k}" for k in range(32))
    each = lambda op, text: "\n".join(f"    {op} {text(k)};" for k in range(128))
    fill = f"""
    mov.u32 %k, 0;
IN:
""" + "\n".join(f"    ld.global.u32 %v{k}, [%m+{4 * k}];" for k in range(32)) + f"""
    add.u32 %y, %w, %k; tcgen05.st.sync.aligned.32x32b.x32.b32 [%y], {{{some}}};
    add.u64 %m, %m, 128; add.u32 %k, %k, 32; setp.lt.u32 %p, %k, {COLUMNS_HERE}; @%p bra IN;
    tcgen05.wait::st.sync.aligned;
"""
    drain = f"""
    mov.u32 %k, 0;
OUT:
    add.u32 %y, %w, %k; tcgen05.ld.sync.aligned.32x32b.x32.b32 {{{some}}}, [%y]; tcgen05.wait::ld.sync.aligned;
""" + "\n".join(f"    st.global.u32 [%o+{4 * k}], %v{k};" for k in range(32)) + f"""
    add.u64 %o, %o, 128; add.u32 %k, %k, 32; setp.lt.u32 %p, %k, {COLUMNS_HERE}; @%p bra OUT;
"""
    stride = 128 * 4 if load else COLUMNS_HERE * 4
    return every, f"""
    .shared .b32 slot; .reg .b32 %v<128>, %k, %w, %x, %y, %b; .reg .u64 %m, %g; .reg .pred %p;
    mov.u32 %b, %ctaid.x; mov.u32 %x, slot; shr.u32 %w, %t, 5; shl.b32 %w, %w, 21;
    setp.lt.u32 %p, %t, 32;
    @!%p bra ALLOCATED;
    tcgen05.alloc.cta_group::1.sync.aligned.b32 [%g0], 512;
ALLOCATED:
    bar.sync 0;
    mad.lo.u32 %y, %b, 128, %t; mad.wide.u32 %o, %y, {stride}, %o; mad.wide.u32 %m, %t, {COLUMNS_HERE * 4}, %i1;
{fill}
    mov.u32 %x, %w; mad.wide.u32 %g, %t, 512, %i2;
{each("ld.global.u32", lambda k: f"%v{k}, [%g+{4 * k}]") if not load else each("mov.u32", lambda k: f"%v{k}, 0")}
    mov.u32 %y, %b; mul.wide.u32 %g, %b, 4; add.u64 %g, %g, %i3; ld.global.u32 %k, [%g]; add.u32 %x, %w, %k;
    brx.idx %y, LABELS;
{chr(10).join(arms)}
DONE:
{"tcgen05.wait::ld.sync.aligned;" if load else "tcgen05.wait::st.sync.aligned;"}
{each("st.global.u32", lambda k: f"[%o+{4 * k}], %v{k}") if load else drain}
    bar.sync 0; setp.lt.u32 %p, %t, 32;
    @!%p bra END;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 0, 512;
END:
    ret;
LABELS: .branchtargets {", ".join(f"F{k}" for k in range(len(every)))};
""".replace("[%g0]", "[%sl]").replace(".reg .pred %p;", ".reg .pred %p; .reg .u64 %sl; cvta.shared.u64 %sl, slot;")


def both(load):
    every, body = program(load)
    memory = [[R.getrandbits(32) for _ in range(COLUMNS_HERE)] for _ in range(128)]
    values = [[R.getrandbits(32) for _ in range(128)] for _ in range(128)]
    half = [R.choice((0, 16)) << 16 if not e[0].startswith("32") else 0 for e in every] # lanes 16 and on
    got = case(body, len(every) * 128 * 4 * (128 if load else COLUMNS_HERE),
               [b"".join(struct.pack(f"<{COLUMNS_HERE}I", *m) for m in memory),
                b"".join(struct.pack("<128I", *v) for v in values), struct.pack(f"<{len(every)}I", *half)],
               block="128", grid=str(len(every)), options=CC)
    for b, (shape, times, halves, apart) in enumerate(every):
        want = [[0] * 128 for _ in range(128)] if load else [list(m) for m in memory]
        for t in range(128):
            base = t // 32 * 32 + (half[b] >> 16)
            for r in range(REGISTERS[shape] * times):
                cells = [(base + row, first_of(shape, times, halves) + column) for row, column in cells_of(shape, times, halves, apart, t % 32, r)]
                if load:
                    words = [memory[row][column] for row, column in cells]
                    want[t][r] = words[0] & 0xffff | words[1] << 16 & 0xffff0000 if halves else words[0]
                else:
                    for k, (row, column) in enumerate(cells):
                        want[row][column] = values[t][r] >> 16 * k & 0xffff if halves else values[t][r]
        n = 128 if load else COLUMNS_HERE
        for t in range(128):
            have = struct.unpack_from(f"<{n}I", got, (b * 128 + t) * n * 4)
            assert list(have) == want[t], (shape, times, halves, apart, t)


def loads():
    both(True)


def stores():
    both(False)


# -- copies and shifts ---------------------------------------------------------------------------------------------

def copies_of(group):
    """Of a pair each block's copy is from its own shared memory, at the same place; one block of the two asks."""
    shapes = {"128x256b": 128, "4x256b": 4, "128x128b": 128, "64x128b.warpx2::02_13": 64, "64x128b.warpx2::01_23": 64,
              "32x128b.warpx4": 32}
    formats = ("", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64")
    texts = [f"tcgen05.cp.cta_group::{group}.{s}{f} [%td], %da;" for s in shapes for f in formats]
    texts.append(f"tcgen05.shift.cta_group::{group}.down [%td];")
    cases, told = [], []
    for number in range(len(texts)):
        shape, form = list(shapes)[number // 3 % 6], formats[number % 3]
        mode = R.choice((0, 2, 4, 6))
        d = R.randrange(0, 1024) | R.randrange(1, 100) << 16 | R.randrange(1, 100) << 32 | 1 << 46 | mode << 61
        d |= R.choice((0, R.randrange(8))) << 49
        shift = number == len(texts) - 1
        lane = 31 if shape == "4x256b" else 0
        at = (96 if shift else lane) << 16 | R.randrange(100)
        who = R.randrange(2)
        for _ in range(group):
            shared, memory = R.randbytes(SHARED), [[R.getrandbits(32) for _ in range(COLUMNS)] for _ in range(128)]
            cases.append((shared, memory, struct.pack("<IIQ40xI", number, at, d, who)))
            told.append((shape, form, d, at, shift))
    for (shared, memory, _), (shape, form, d, at, shift), got in zip(cases, told, run(texts, cases, group)):
        want, column, lane = [list(m) for m in memory], at & 0xffff, at >> 16
        for r in range(0 if shift else shapes[shape]):
            row = b""
            for c in range(2 if "256" in shape else 1):
                at_byte = model.shared_at(d, False, 1, r, 16 * c)
                chunk = shared[at_byte:at_byte + 16]
                if form:
                    four = "b4" in form
                    chunk = bytes(n << 2 if four else n for n in model.containers("e2m1" if four else "e2m3", chunk))
                row += chunk
            to = {"128x256b": [r], "128x128b": [r], "4x256b": [32 * r + lane], "32x128b.warpx4": range(r, 128, 32),
                  "64x128b.warpx2::02_13": [r, r + 64],
                  "64x128b.warpx2::01_23": [r % 32 + r // 32 * 64, r % 32 + r // 32 * 64 + 32]}[shape]
            for lanes in to:
                want[lanes][column:column + len(row) // 4] = struct.unpack(f"<{len(row) // 4}I", row)
        for r in range(lane, lane + 31 if shift else lane):
            want[r][column:column + 8] = memory[r + 1][column:column + 8]
        assert [list(g) for g in got] == want, (group, shape, form, hex(d), shift)


def copies():
    copies_of(1)


def copies_of_pairs():
    copies_of(2)


# -- allocation ----------------------------------------------------------------------------------------------------

def waits():
    """Warp 1 asks for columns that warp 0 has, and gets them when warp 0 gives them back."""
    got = case("""
    .shared .b32 slot[2]; .reg .u32 %x, %a, %b; .reg .pred %p; mov.u32 %x, slot; setp.lt.u32 %p, %t, 32;
    @!%p bra SECOND;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%x], 512;
    tcgen05.fence::before_thread_sync; bar.sync 1, 64; tcgen05.fence::after_thread_sync; ld.shared.u32 %a, [%x];
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%a], {%t}; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%b}, [%a];
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, 512;
    bra OUT;
SECOND:
    bar.sync 1, 64;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%x+4], 256;
    ld.shared.u32 %a, [%x+4]; add.u32 %b, %a, 1000;
    tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, 256;
OUT:
    mul.wide.u32 %i1, %t, 4; add.u64 %o, %o, %i1; st.global.u32 [%o], %b;
""", 256, [bytes(4)], block="64", options=CC)
    assert list(struct.unpack("<64I", got)) == [*range(32), *[1000] * 32]


def commits():
    """A commit arrives at the mbarriers of two blocks of a cluster."""
    body = """
    .shared .align 8 .b64 bar; .reg .u32 %x, %r; .reg .u16 %m; .reg .pred %p; mov.u32 %x, bar; mov.u32 %r, %cluster_ctarank;
    mbarrier.init.shared.b64 [%x], 1;
    barrier.cluster.arrive; barrier.cluster.wait;
    setp.ne.u32 %p, %r, 0; mov.u16 %m, 3;
    @%p bra WAIT;
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%x], %m;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [%x], 0; @!%p bra WAIT;
    mul.wide.u32 %i1, %r, 4; add.u64 %o, %o, %i1; add.u32 %r, %r, 7; st.global.u32 [%o], %r;
    barrier.cluster.arrive; barrier.cluster.wait;
"""
    got = case(body, 8, [bytes(4)], block="1", grid="2", options=(*CC, "--cluster", "2"))
    assert struct.unpack("<2I", got) == (7, 8)


# -- pairs of blocks -----------------------------------------------------------------------------------------------

def program_of_pairs(body):
    """Both blocks of a pair: %x is the address of four words; the results are the first %n of them, per block."""
    return """
    .shared .b32 slot[4]; .shared .align 8 .b64 bar; .reg .u32 %x, %y, %z, %a, %b, %n, %r, %q; .reg .pred %p, %odd;
    mov.u32 %x, slot; mov.u32 %y, bar; mov.u32 %r, %cluster_ctarank; and.b32 %q, %r, 1; setp.ne.u32 %odd, %q, 0;
    setp.ne.u32 %p, %t, 0;
    @%p bra BEGUN;
    mbarrier.init.shared.b64 [%y], 1;
BEGUN:
    xor.b32 %q, %r, 1; mapa.shared::cluster.u32 %z, %y, %q; // the peer's mbarrier
    barrier.cluster.arrive; barrier.cluster.wait;
""" + body.replace("ALLOC", "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32") \
          .replace("FREE", "tcgen05.dealloc.cta_group::2.sync.aligned.b32") \
          .replace("TELL", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%z];") + """
    barrier.cluster.arrive; barrier.cluster.wait;
    setp.ge.u32 %p, %t, %n;
    @%p bra END;
    mad.lo.u32 %b, %r, %n, %t; mul.wide.u32 %i1, %b, 4; add.u64 %o, %o, %i1;
    shl.b32 %b, %t, 2; add.u32 %b, %b, %x; ld.shared.u32 %a, [%b]; st.global.u32 [%o], %a;
END:
"""


def pairs(body, words, blocks=2, block="32"):
    """The first words of each block's four."""
    got = case(program_of_pairs(f"mov.u32 %n, {words};\n" + body), 4 * words * blocks, [bytes(4)], block=block,
               grid=str(blocks), options=(*CC, "--cluster", str(blocks)))
    return [struct.unpack_from(f"<{words}I", got, 4 * words * k) for k in range(blocks)]


ORDERED = """
    @{} bra SECOND;
    setp.ne.u32 %p, %t, 0; @%p bra FIRST;
    TELL
FIRST:
    bra ASK;
SECOND:
    mbarrier.try_wait.parity.shared.b64 %p, [%y], 0; @!%p bra SECOND;
ASK:
    ALLOC [%x], 64; ALLOC [%x+4], 32; ALLOC [%x+8], 32;
    ld.shared.u32 %a, [%x+4]; FREE %a, 32;
    ALLOC [%x+12], 32;
    tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
    ld.shared.u32 %a, [%x]; FREE %a, 64; ld.shared.u32 %a, [%x+8]; FREE %a, 32; ld.shared.u32 %a, [%x+12]; FREE %a, 32;
"""


def allocation_of_pairs():
    """The even block's warp comes first, or the odd one's; two pairs of a cluster do not mind each other."""
    for first in ("%odd", "!%odd"):
        for blocks in (2, 4):
            got = pairs(ORDERED.format(first), 4, blocks)
            assert got == [(0, 64, 96, 64)] * blocks, (first, blocks, got)


def pairs_wait():
    """Second warps of both blocks ask for columns that the first ones have, and get them when both gave them back:
    first the even block's, which waits for the odd block to let it go on."""
    got = pairs("""
    setp.ge.u32 %p, %t, 32; @%p bra SECONDS;
    ALLOC [%x], 512;
    tcgen05.fence::before_thread_sync; bar.sync 1, 64; tcgen05.fence::after_thread_sync; ld.shared.u32 %a, [%x];
    @!%odd bra GIVE;
TOLD:
    mbarrier.try_wait.parity.shared.b64 %p, [%y], 0; @!%p bra TOLD;
GIVE:
    FREE %a, 512; setp.ne.u32 %p, %t, 0; @%p bra DONE; @%odd bra DONE;
    TELL
    bra DONE;
SECONDS:
    bar.sync 1, 64;
    ALLOC [%x+4], 256;
    ld.shared.u32 %a, [%x+4]; add.u32 %b, %a, 1000; st.shared.u32 [%x+8], %b;
    FREE %a, 256;
DONE:
""", 3, block="64")
    assert got == [(0, 0, 1000)] * 2, got


PAIR_MISUSE = (
    ("ALLOC [%x], 32;", 1, "block 0 of a cluster of 1 has no peer"),
    ("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%y];", 3, "block 2 of a cluster of 3 has no peer"),
    ("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%x], 32; ALLOC [%x], 32;", 2, "cta_group::2 after an instruction of .cta_group::1 ("),
    ("ALLOC [%x], 32; tcgen05.dealloc.cta_group::1.sync.aligned.b32 0, 32;", 2, "cta_group::1 after an instruction of .cta_group::2 ("),
    ("@%odd bra ODD; tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; bra OUT; ODD: ALLOC [%x], 32; OUT:", 2, "cta_group::2 after an instruction of .cta_group::1"),
    ("mov.u32 %a, 64; @%odd mov.u32 %a, 32; ALLOC [%x], %a;", 2, "columns, and"),
    ("ALLOC [%x], 32; ALLOC [%x], 64;", 2, "64 columns after an allocation of 32"),
    ("@%odd ret; ALLOC [%x], 32;", 2, "block 1 of the cluster, which has exited"),
    ("@!%odd ret; ALLOC [%x], 32;", 2, "block 0 of the cluster, which has exited"),
    ("@%odd bra ODD; ALLOC [%x], 32; bra OUT; ODD: tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned; OUT:", 2, "block 1 of the cluster, which has given up its right"),
    ("@%odd bra OUT; ALLOC [%x], 32; OUT:", 2, "deadlock"),
    ("ALLOC [%x], 32; @%odd bra OUT; FREE 0, 32; OUT:", 2, "columns 0 to 31 of tensor memory, allocated here, are not deallocated"),
    ("ALLOC [%x], 32; @%odd FREE 0, 32; barrier.cluster.arrive; barrier.cluster.wait; @%odd bra OUT; tcgen05.shift.cta_group::2.down [0]; OUT:", 2,
     "columns 0 to 7 of tensor memory of the peer block, block 1 of the cluster, of which column 0 is not allocated"),
    ("ALLOC [%x], 32; @%odd FREE 0, 32; @%odd ret; WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%y], 0; tcgen05.cp.cta_group::2.128x128b [0], 0x400100000000; bra WAIT;", 2,
     "tcgen05.cp.cta_group::2: the peer block, block 1 of the cluster, has exited"),
    ("ALLOC [%x], 64; MMA f16 0x04100010;", 2, "no such product of M = 64, N = 64 of two blocks"),
    ("ALLOC [%x], 64; MMA f16 0x08020010;", 2, "no such product of M = 128, N = 8 of two blocks"),
    ("ALLOC [%x], 64; MMA i8 0x08040020;", 2, "no such product of M = 128, N = 16 of two blocks"),
    ("ALLOC [%x], 64; MMA f8f6f4 0x08050010;", 2, "N is a multiple of 32 where B of bytes is transposed"),
    ("ALLOC [%x], 32; MMA f16 0x10100010;", 2, "column 32 is not allocated"),
    ("ALLOC [%x], 64; MMA f16 0x10100010;", 2, "leads to byte"),
    ("tcgen05.mma.ws.cta_group::2.kind::f16 [0], 0, 0, %a, %p;", 2, "has no .cta_group::2"),
    ("tcgen05.mma.cta_group::2.kind::f16 [0], 0, 0, %a, {%a, %a, %a, %a}, %p;", 2, "has 8 registers"),
)


def misuse_of_pairs():
    for text, blocks, why in PAIR_MISUSE:
        if "MMA" in text:
            head, kind, word = text[:-1].rsplit(" ", 2)
            text = head.replace("MMA", "") + f" setp.eq.u32 %p, %t, 0; @%p tcgen05.mma.cta_group::2.kind::{kind} [0], 0x400100000000, 0x400100000000, {word}, %p;"
        try:
            pairs(text, 1, blocks)
        except Failed as message:
            assert why in str(message) and "k.ptx:" in str(message), (text, str(message))
        else:
            raise AssertionError(f"{text} was taken")


MISUSE = (
    ("ALLOC 48;", "48 columns: a power of two"),
    ("ALLOC 1024;", "1024 columns: a power of two"),
    ("ALLOC 64;", "columns 0 to 63 of tensor memory, allocated here, are not deallocated"),
    ("FREE 0, 32;", "no allocation of tensor memory begins at 0x0"),
    ("ALLOC 64; FREE 0, 32;", "has 64 columns, not 32"),
    ("ALLOC 64; FREE 32, 32;", "no allocation of tensor memory begins at 0x20"),
    ("ALLOC 32; ALLOC 64;", "64 columns after an allocation of 32"),
    ("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; ALLOC 32;", "given up its right"),
    ("ALLOC 512; ALLOC 32;", "deadlock"),
    ("setp.lt.u32 %p, %t, 5; @!%p bra END; ALLOC 32; END:", "executed by all 32 lanes"),
    ("ALLOC 32; tcgen05.ld.sync.aligned.32x32b.x4.b32 {%a, %b, %c, %d}, [30];", "column 32 is not allocated"),
    ("mov.u32 %a, 0x200000; tcgen05.ld.sync.aligned.32x32b.x1.b32 %b, [%a];", "warp 0 has lanes 0 to 31"),
    ("ALLOC 512; tcgen05.ld.sync.aligned.32x32b.x2.b32 {%a, %b}, [511];", "512 columns"),
    ("ALLOC 32; tcgen05.ld.sync.aligned.16x64b.x1.b32 %b, [%t];", "different addresses"),
    ("ALLOC 32; tcgen05.cp.cta_group::1.128x128b [0], 0;", "has not 0b001 in bits 46 to 48"),
    ("ALLOC 32; tcgen05.cp.cta_group::1.128x128b [0], 0x600040000000000f;", "names a swizzling mode"),
    ("ALLOC 32; tcgen05.cp.cta_group::1.128x128b [0], 0x0000400100000000;", "leads to byte"),
    ("ALLOC 32; tcgen05.shift.cta_group::1.down [0x10000];", "no multiple of 32"),
    ("ALLOC 64; MMA f16 0x08100010;", "leads to byte"),
    ("ALLOC 32; MMA f16 0x0a100010;", "no such product of M = 160, N = 64"),
    ("ALLOC 32; MMA f16 0x08100190;", "names a type"),
    ("ALLOC 32; MMA f16 0x08100014;", "sparse A"),
    ("ALLOC 32; MMA f16 0x08200010;", "column 32 is not allocated"),
    ("ALLOC 64; MMA i8 0x08102020;", "not negated"),
    ("ALLOC 64; MMA tf32 0x08118910;", "32-byte atoms"),
)
REFUSED = (
    ("tcgen05.ld.sync.aligned.16x256b.x64.b32 {%a}, [0];", "256 registers"),
    ("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%a}, [0];", "1 registers, not 2"),
    ("tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%a, %b}, %c, [0];", "ld.red"),
    ("tcgen05.cp.cta_group::1.64x128b [0], 0;", "no such shape and multicast"),
    ("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [0], 0, 0, %a, [0], [0], %p;", "scale_vec"),
    ("tcgen05.mma.cta_group::1.kind::i8 [0], 0, 0, %a, %p, 3;", "scale-input-d"),
    ("tcgen05.mma.cta_group::1.kind::f16.ashift [0], 0, 0, %a, %p;", "takes A from tensor memory"),
)


def misuse():
    for text, why in (*MISUSE, *REFUSED):
        text = text.replace("ALLOC", "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%x],")
        text = text.replace("FREE", "tcgen05.dealloc.cta_group::1.sync.aligned.b32")
        if "MMA" in text:
            head, kind, word = text[:-1].rsplit(" ", 2)
            text = head.replace("MMA", "") + f" setp.eq.u32 %p, %t, 0; tcgen05.mma.cta_group::1.kind::{kind} [0], 0x400100000000, 0x400100000000, {word}, %p;"
        try:
            case(".shared .b32 slot; .reg .u32 %x, %a, %b, %c, %d; .reg .pred %p; mov.u32 %x, slot; setp.eq.u32 %p, %t, 0;\n" + text,
                 4, options=CC)
        except Failed as message:
            assert why in str(message) and "k.ptx:" in str(message), (text, str(message))
        else:
            raise AssertionError(f"{text} was taken")


if __name__ == "__main__":
    sys.exit(check_all([loads, stores, copies, copies_of_pairs, waits, commits, allocation_of_pairs, pairs_wait, misuse,
                        misuse_of_pairs]))
