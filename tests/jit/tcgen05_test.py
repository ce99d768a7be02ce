#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tcgen05.mma of every kind, sparse, .ws, .cta_group::2, with A in both memories, with all swizzling modes and
descriptors that overlap, against tests/jit/tcgen05_model.py, bit for bit (a sample of D's elements, and all that must
stay as it was). A block, or a pair of them, is one product: it fills shared and tensor memory from a file, multiplies,
writes tensor memory out."""
import os
import random
import struct
import sys

import tcgen05_model as model
from ptx_cases import Failed
from tcgen05_cases import COLUMNS, SHARED, run

R = random.Random(int(os.environ.get("SEED", "5")))
KINDS = {"f16": 16, "tf32": 8, "f8f6f4": 32, "i8": 32, "mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}
SMALL = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")
FIELD = {"f16": 0, "bf16": 1, "tf32": 2, "e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5, "u8": 0, "s8": 1, "pair": 1}


# -- instructions: numbered, chosen by the block's row of the table ------------------------------------------------

def forms(group):
    """(kind, sparse, ws, A inside, scale words, scale_d)"""
    for kind in KINDS:
        scaled = kind.startswith("mx")
        words = [""] if not scaled else [".scale_vec::1X", ".block32", ""] if kind == "mxf8f6f4" else \
            [".scale_vec::2X", ""] if kind == "mxf4" else [".scale_vec::2X", ".scale_vec::4X", ".block16"]
        for sparse in (0, 1):
            for ws in (0,) if scaled or group == 2 else (0, 1):
                for inside in (0, 1):
                    for word in words:
                        yield kind, sparse, ws, inside, word, 0
                    if kind in ("f16", "tf32") and not ws:
                        yield kind, sparse, ws, inside, "", 5


def instruction(form, group):
    kind, sparse, ws, inside, word, scale_d = form
    scaled = ".block_scale" + word if kind.startswith("mx") else ""
    name = (("tcgen05.mma", "tcgen05.mma.sp"), ("tcgen05.mma.ws", "tcgen05.mma.ws.sp"))[ws][sparse]
    hint = ".collector::a::fill" if kind == "tf32" and not ws else ""
    a = "[%ta]" if inside else "%da"
    lanes = ", ".join(f"%m{k}" for k in range(4 * group))
    rest = ", [%sa], [%sb], %en" if scaled else ", %en, %zm" if ws else f", {{{lanes}}}, %en"
    rest += f", {scale_d}" if scale_d else ""
    return f"{name}.cta_group::{group}.kind::{kind}{scaled}{hint} [%td], {a}, %db{', [%me]' if sparse else ''}, %id{rest};"


# -- numbers -------------------------------------------------------------------------------------------------------

def word_of(kind):
    """A number of the type, of mild size; rarely one that is infinite, NaN or denormal."""
    if kind in ("s8", "u8", "pair"):
        return R.randrange(256)
    bits, fraction, bias, _ = model.FORMATS[kind]
    if R.random() < 0.0005 or kind not in ("f16", "bf16", "tf32", "f32", "e4m3", "e5m2"):
        return R.randrange(1 << bits)
    spread = 7 if bits > 8 else 4
    field = R.choice((0, bias + R.randint(-spread, spread), bias + R.randint(-spread, spread), bias + R.randint(-spread, spread)))
    return R.randrange(2) << bits - 1 | max(field, 0) << fraction | R.randrange(1 << fraction)


def image(kind, size, count):
    """`count` bytes of numbers. Few different ones, so that it does not take long."""
    if model.FORMATS.get(kind, (8,))[0] < 8 or kind in ("s8", "u8", "pair"):
        return R.randbytes(count)
    return b"".join(R.choices([word_of(kind).to_bytes(size, "little") for _ in range(1500)], k=count // size))


def descriptor(transposed, kind, rows):
    mode = 1 if transposed and kind == "tf32" else R.choice((0, 2, 4, 6))
    start = R.randrange(0, SHARED // 4, 16)
    lead, stride = R.randrange(16, 2048, 16), R.randrange(16, min(4096, (SHARED // 3) // max(rows // 8, 1)), 16)
    if transposed and mode: # leading: from one pattern of rows to the next
        lead = R.randrange(16, 2048, 16)
    return start >> 4 | lead >> 4 << 16 | stride >> 4 << 32 | 1 << 46 | R.choice((0, 0, R.randrange(8))) << 49 | mode << 61


def shape(c, kind, group, m):
    """M and N (table 39); columns that there is room for."""
    scaled, sparse, ws = kind.startswith("mx"), c["sparse"], c["ws"]
    if group == 2: # half of the lanes have half of the columns each: room for more
        return m, R.choice(range(32, 161, 32) if kind == "i8" else range(16, 161, 16)) if m == 128 and not sparse else \
            R.choice((32, 64) if kind == "i8" else range(16, 81, 16))
    m = 128 if scaled else R.choice((32, 64, 128)) if ws else R.choice((64, 128))
    n = R.choice((64, 128) if sparse else (64, 64, 128, 256)) if ws else R.choice((8, 16, 24, 32)) if kind == "i8" else R.choice(range(8, 81, 8))
    if ws and m == 128:
        n = 64
    return m, min(n, 128) if ws and m == 64 else n


def random_case(form, group=1, m=None):
    kind, sparse, ws, inside, word, scale_d = form
    scaled = kind.startswith("mx")
    c = {"group": group, "sparse": sparse, "ws": ws, "inside": inside, "scale_d": scale_d, "scales": None, "k": KINDS[kind] << sparse}
    if kind == "f16":
        c["d"] = R.choice(("f32", "f32", "f16"))
        c["a"], c["b"] = ("f16", "f16") if c["d"] == "f16" else (R.choice(("f16", "bf16")), R.choice(("f16", "bf16")))
    elif kind in ("f8f6f4", "mxf8f6f4"):
        c["a"], c["b"], c["d"] = R.choice(SMALL), R.choice(SMALL), "f32" if scaled else R.choice(("f32", "f16"))
    elif kind == "i8":
        c["a"], c["b"], c["d"] = R.choice(("s8", "u8")), R.choice(("s8", "u8")), "s32"
    else:
        c["a"] = c["b"] = "tf32" if kind == "tf32" else "pair"
        c["d"] = "f32"
    if scaled:
        four = word in (".scale_vec::4X", ".block16")
        c["scales"] = R.choice(("ue8m0", "ue4m3")) if four else "ue8m0"
        c["per_scale"] = c["k"] // (4 if four else 1 if kind == "mxf8f6f4" else 2)
        for x in "ab":
            c["scale_id_" + x] = 0 if four else R.randrange(4) if kind == "mxf8f6f4" else R.choice((0, 2))
    c["m"], c["n"] = shape(c, kind, group, m)
    small = {x: c[x] in ("e2m3", "e3m2", "e2m1", "pair") for x in "ab"}
    c["trans_a"] = 0 if inside or small["a"] else R.randrange(2)
    c["trans_b"] = 0 if small["b"] or (c["n"] % (16 * group) and kind in ("f8f6f4", "mxf8f6f4", "i8")) else R.randrange(2)
    c["negate_a"], c["negate_b"] = (0, 0) if kind == "i8" else (R.randrange(2), R.randrange(2))
    c["negate"] = c["negate_a"] ^ c["negate_b"]
    c["saturate"] = int(kind == "i8" and R.random() < 0.5)
    c["add"], c["selector"] = R.randrange(4) != 0, R.randrange(2) if sparse and kind in ("f16", "tf32") else 0
    c["zeros"] = 0
    if ws and R.random() < 0.7:
        c["zeros"] = R.getrandbits(36) | R.getrandbits(1) << 39 | R.randrange(12) << 40 | R.randrange(12) << 48 | R.randrange(17) << 56
    place(c)
    c["who"] = R.randrange(2)
    if group == 1:
        c["shared"], c["memory"] = contents(c)
    else:
        c["shareds"], c["memories"] = zip(contents(c), contents(c))
    return c


def place(c):
    """Columns: D, then A, metadata, scales behind it."""
    columns = c["n"] * c["m"] // 128 if c["ws"] else c["n"] if c["group"] == 1 or c["m"] == 256 or c["sparse"] else c["n"] // 2
    scattered = (c["m"] == 64 and not c["ws"]) or (c["group"] == 2 and c["m"] == 128 and c["sparse"])
    half = 16 if scattered and R.randrange(2) else 0
    c["at_d"], c["at_a"], c["at_meta"] = half << 16, half << 16 | 82 + columns % 2 if columns <= 80 else 0, half << 16 | 96
    if c["ws"]:
        c["at_a"] = 82
    c["at_scale_a"], c["at_scale_b"] = 100, 110
    c["disabled"] = [R.getrandbits(32) & R.getrandbits(32) if not (c["ws"] or c["scales"]) and R.randrange(2) else 0
                     for _ in range(4 * c["group"])]
    for x in "ab":
        c["desc_" + x] = descriptor(c["trans_" + x], c[x], (c["m"] if x == "a" else c["n"] + 32) // c["group"])


def contents(c):
    """Shared and tensor memory of a block."""
    size = model.BYTES.get(c["a"], 1)
    # A and B are of one size: all of shared memory is of numbers that both may be.
    shared = image(c["b"] if c["a"] in ("e2m3", "e3m2", "e2m1") else c["a"] if c["b"] != "e5m2" else c["b"], size, SHARED)
    words = [word_of(c["d"]) if c["d"] in ("f16", "f32") else R.getrandbits(32) for _ in range(700)]
    memory = [R.choices(words, k=COLUMNS) for _ in range(128)]
    inside = image(c["a"], size, 128 * 32)
    for lane in range(128):
        at = c["at_a"] & 0xffff
        if c["inside"]:
            memory[lane][at:at + 8] = struct.unpack_from("<8I", inside, 32 * lane)
        nibbles = (0b1110, 0b0100) if c["a"] == "tf32" else (0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110)
        for k in range(2):
            if c["sparse"]:
                memory[lane][96 + k] = sum(R.choice(nibbles) << 4 * g for g in range(8))
        for k in range(4):
            low = (lambda: R.randrange(118, 138)) if c["scales"] == "ue8m0" else (lambda: R.choice((R.randrange(127), R.randrange(30, 80))))
            if c["scales"]:
                for at in (100, 110):
                    memory[lane][at + k] = sum((255 if c["scales"] == "ue8m0" and R.random() < 0.001 else low()) << 8 * g for g in range(4))
    return shared, memory


def idesc(c, kind):
    scaled = kind.startswith("mx")
    word = c["sparse"] << 2 | FIELD[c["a"]] << 7 | FIELD[c["b"]] << 10 | c["negate_a"] << 13 | c["negate_b"] << 14
    word |= c["trans_a"] << 15 | c["trans_b"] << 16 | c["n"] // 8 << 17
    if scaled:
        return word | c["scale_id_b"] << 4 | (c["scales"] == "ue8m0") << 23 | c["m"] // 128 << 27 | c["scale_id_a"] << 29
    word |= c["selector"] | c["saturate"] << 3 | {"f16": 0, "f32": 1, "s32": 2}[c["d"]] << 4 | c["m"] // 16 << 24
    shift = c["zeros"] >> 56 & 63
    return word | (0 if not shift else 1 if shift <= 8 else 2 if shift <= 16 else 3) << 30


def row(c, form, number):
    return struct.pack(f"<IIQQIIIIIIQQ{4 * c['group']}I", number, c["at_d"], c["desc_a"], c["desc_b"], c["at_a"], idesc(c, form[0]),
                       c["at_meta"], c["at_scale_a"], c["at_scale_b"], c["add"], c["zeros"], c["who"], *c["disabled"])


# -- comparison ----------------------------------------------------------------------------------------------------

def differences(c, got):
    """Cells that are wrong: (lane, column, is, should be); lanes of the odd block from 128 on."""
    places, before = {}, c["memory"] if c["group"] == 1 else [lane for memory in c["memories"] for lane in memory]
    for m in range(c["m"]):
        block, r = model.seen(c, m)
        first = m - r and 128 # rows of the odd block
        for n in range(c["n"]):
            lane, column = first + model.lane_of(block, r, n), model.column_of(block, n)
            if not c["disabled"][lane // 32] >> lane % 32 & 1:
                places[lane, column] = m, n
    for lane, cells in enumerate(before):
        for column in range(COLUMNS):
            if (lane, column) not in places and got[lane][column] != cells[column]:
                yield lane, column, got[lane][column], cells[column]
    for lane, column in R.sample(sorted(places), min(len(places), 100 * c["group"])):
        m, n = places[lane, column]
        want = model.element(c, m, n)
        if got[lane][column] != want:
            yield lane, column, got[lane][column], want


def rows_of(form, group):
    """M, where it is not chosen at random: with .cta_group::2 both."""
    scaled, sparse = form[0].startswith("mx"), form[1]
    return (None,) if group == 1 else (256,) if scaled and sparse else (128, 256)


def products(group):
    """How many are wrong."""
    all_forms, cases = list(forms(group)), []
    times = 1 if os.environ.get("SANITIZE") else int(os.environ.get("TIMES", "2"))
    for number, form in enumerate(all_forms):
        rows = rows_of(form, group)
        cases += [(number, form, random_case(form, group, m)) for m in rows for _ in range(max(1, times // len(rows)))]
    blocks = [(shared, memory, row(c, form, number)) for number, form, c in cases for shared, memory in
              zip(c.get("shareds", [c.get("shared")]), c.get("memories", [c.get("memory")]))]
    outs = run([instruction(f, group) for f in all_forms], blocks, group)
    bad = 0
    for at, (_, form, c) in enumerate(cases):
        wrong = list(differences(c, [lane for out in outs[group * at:group * (at + 1)] for lane in out]))
        if wrong:
            bad += 1
            told = {k: v for k, v in c.items() if k not in ("memory", "shared", "memories", "shareds")}
            print(f"{len(wrong)} cells, the first {[hex(x) for x in wrong[0]]}: {instruction(form, group)} {told}")
    print(f".cta_group::{group}: {len(cases)} products of {len(all_forms)} forms, {bad} differ")
    return bad


def main():
    try:
        sys.exit(products(1) + products(2) != 0)
    except Failed as why:
        sys.exit(str(why))


if __name__ == "__main__":
    main()
