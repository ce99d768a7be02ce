#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions on a real GPU: one PTX kernel for each form of mma and wmma, the inputs, and
the results in one compact file. The same kernels run on lockstep afterwards
(tests/jit/matrices_test.py).

    matrices.py emit DIR [ROUNDS]   NAME.ptx and NAME.in of every form, and DIR/manifest
    matrices.py pack DIR FILE       DIR/NAME.out, NAME.err -> FILE (xz)
    matrices.py list                the forms, one a line

512 threads, 16 warps, run ROUNDS times, so 16 * ROUNDS products a form. A thread reads its
registers of A, B and C, executes the instruction and writes its registers of D: word w of round r
and thread t lies at (w * ROUNDS + r) * 512 + t. Each warp of each round has one kind of values:
moderate ones, wide exponents, all bit patterns, mostly zeros, denormals, products that cancel, ...
"""
import lzma
import random
import struct
import sys
import zlib
from pathlib import Path

THREADS = 512
ROUNDS = 2

# exponent bits, fraction bits, total bits as kept
FLOATS = {"f16": (5, 10, 16), "bf16": (8, 7, 16), "tf32": (8, 10, 32), "f32": (8, 23, 32),
          "f64": (11, 52, 64), "e4m3": (4, 3, 8), "e5m2": (5, 2, 8)}
INTS = {"s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "s32": 32}


def bits_of(t):
    return FLOATS[t][2] if t in FLOATS else INTS[t]


class Form:
    """text: the instruction without operands; types and counts of registers of d, a, b, c."""

    def __init__(self, text, types, counts):
        self.text, self.types, self.counts = text, types, counts
        self.name = "".join(c if c.isalnum() else "_" for c in text)
        self.wide = types[0] == "f64"
        self.rounds = ROUNDS if types[0] in FLOATS else 1


def registers(rows, columns, t):
    """Registers of a thread that hold a matrix, spread over the warp."""
    return max(1, rows * columns * bits_of(t) // 32 // (64 if t == "f64" else 32))


def mma(shape, d, a, b, c, extra="", layout="row.col", tail=""):
    m, n, k = (int(x) for x in shape.replace("m", " ").replace("n", " ").replace("k", " ").split())
    text = f"mma.sync.aligned.{shape}.{layout}{extra}.{d}.{a}.{b}.{c}{tail}"
    if shape == "m8n8k4" and a == "f16": # four products at once
        m, n, k = 16, 16, 8
        counts = (8 if d == "f32" else 4, 2, 2, 8 if c == "f32" else 4)
    else:
        counts = (registers(m, n, d), registers(m, k, a), registers(k, n, b), registers(m, n, c))
    return Form(text, (d, a, b, c), counts)


class Wmma(Form):
    """Matrices in memory, one product a warp; what comes back are the registers of a, b, c and d."""

    def __init__(self, shape, d, a, b, c, layout=("row", "col"), op="", tail=""):
        self.shape, self.layout, self.op, self.tail = shape, layout, op, tail
        m, n, k = (int(x) for x in shape.replace("m", " ").replace("n", " ").replace("k", " ").split())
        self.size = {"d": m * n, "a": m * k, "b": k * n, "c": m * n}
        self.leading = {"d": n, "c": n, "a": k if layout[0] == "row" else m,
                        "b": n if layout[1] == "row" else k}
        types = f"{d}.{c}" if a == "f16" else f"{d}.{a}.{b}.{c}"
        text = f"wmma.mma{op}.sync.aligned.{layout[0]}.{layout[1]}.{shape}.{types}{tail}"
        count = dict(d=registers(m, n, d), a=registers(m, k, a), b=registers(k, n, b), c=registers(m, n, c))
        if a == "f16":
            count["a"] = count["b"] = 8
        super().__init__(text, (d, a, b, c), tuple(count[w] for w in "dabc"))
        self.rounds = 1

    def words(self, which):
        """32- or 64-bit words of a matrix in memory."""
        t = self.types["dabc".index(which)]
        return self.size[which] * bits_of(t) // (64 if t == "f64" else 32)


def wmma_forms():
    out = []
    for shape in ("m16n16k16", "m32n8k16", "m8n32k16"):
        for layout in (("row", "row"), ("row", "col"), ("col", "row"), ("col", "col")):
            out.append(Wmma(shape, "f32", "f16", "f16", "f32", layout))
        out += [Wmma(shape, "f16", "f16", "f16", "f16"), Wmma(shape, "f32", "f16", "f16", "f16"),
                Wmma(shape, "f16", "f16", "f16", "f32")]
        out += [Wmma(shape, "f32", "bf16", "bf16", "f32", layout)
                for layout in (("row", "col"), ("col", "row"))]
        out += [Wmma(shape, "s32", t, t, "s32", layout, tail=sat) for t in ("s8", "u8")
                for layout in (("row", "col"), ("col", "row")) for sat in ("", ".satfinite")]
    out += [Wmma("m16n16k8", "f32", "tf32", "tf32", "f32", layout)
            for layout in (("row", "col"), ("col", "row"))]
    out += [Wmma("m8n8k4", "f64", "f64", "f64", "f64", layout)
            for layout in (("row", "col"), ("col", "row"))]
    out += [Wmma("m8n8k32", "s32", t, t, "s32", tail=sat) for t in ("s4", "u4")
            for sat in ("", ".satfinite")]
    out += [Wmma("m8n8k128", "s32", "b1", "b1", "s32", op=op) for op in (".xor.popc", ".and.popc")]
    return out


def forms():
    out = []
    for layout in ("row.col", "row.row", "col.row", "col.col"):
        for d, c in (("f16", "f16"), ("f32", "f16"), ("f32", "f32")):
            out.append(mma("m8n8k4", d, "f16", "f16", c, layout=layout))
    for shape in ("m16n8k8", "m16n8k16"):
        out += [mma(shape, t, "f16", "f16", t) for t in ("f16", "f32")]
        out.append(mma(shape, "f32", "bf16", "bf16", "f32"))
    for shape in ("m16n8k4", "m16n8k8"):
        out.append(mma(shape, "f32", "tf32", "tf32", "f32"))
    for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"):
        out.append(mma(shape, "f64", "f64", "f64", "f64"))
    for shape in ("m16n8k16", "m16n8k32"):
        for d in ("f32", "f16"):
            out += [mma(shape, d, a, b, d) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
    for shapes, types in ((("m8n8k16", "m16n8k16", "m16n8k32"), ("s8", "u8")),
                          (("m8n8k32", "m16n8k32", "m16n8k64"), ("s4", "u4"))):
        for shape in shapes:
            out += [mma(shape, "s32", a, b, "s32", extra=sat)
                    for a in types for b in types for sat in ("", ".satfinite")]
    for shape in ("m8n8k128", "m16n8k128", "m16n8k256"):
        out += [mma(shape, "s32", "b1", "b1", "s32", tail=op) for op in (".xor.popc", ".and.popc")]
    return out + wmma_forms()


# -- inputs --------------------------------------------------------------------------------------------

def pack_float(sign, exponent, fraction, t):
    e, f, total = FLOATS[t]
    exponent = min(max(exponent, 0), (1 << e) - 1)
    word = sign << (e + f) | exponent << f | fraction
    return word << 13 if t == "tf32" else word


def random_float(r, t, kind, scale):
    """One number; kind: how it is made (see the top); scale: middle exponent of the warp."""
    e, f, _ = FLOATS[t]
    bias, top, sign = (1 << (e - 1)) - 1, (1 << e) - 1, r.getrandbits(1)
    fraction = r.getrandbits(f)
    if kind == "small":
        return pack_float(sign, bias + r.randint(-2, 2), fraction, t)
    if kind == "wide":
        w = max(2, top // 3)
        return pack_float(sign, bias + scale + r.randint(-w // 2, w // 2), fraction, t)
    if kind == "bits":
        return r.getrandbits(32 if t == "tf32" else 1 + e + f) # tf32: low bits that do not count, too
    if kind == "zeros" and r.random() < 0.6:
        return pack_float(sign, 0, 0, t)
    if kind == "denormal":
        return pack_float(sign, r.choice((0, 0, 1, bias)), fraction, t)
    if kind == "huge":
        return pack_float(sign, r.choice((top - 1, top - 2, top - 1, bias)), fraction, t)
    if kind == "whole":
        return pack_float(sign, bias + r.randint(0, min(3, f)), fraction & ~((1 << max(f - 2, 0)) - 1), t)
    low = 1 if f > 2 else 0
    return pack_float(sign, r.randint(low, top - 1 - (e == 4)), fraction, t)


KINDS = ("small", "wide", "bits", "zeros", "denormal", "huge", "whole", "any", "cancel", "near",
         "special", "small", "wide", "any", "cancel", "near")


def special(r, t):
    e, f, _ = FLOATS[t]
    return pack_float(r.getrandbits(1), (1 << e) - 1, r.choice((0, 0, 1, (1 << f) - 1)), t)


def float_register(r, t, kind, scale, which, held):
    """One 32- or 64-bit register of numbers of type t."""
    width = FLOATS[t][2]
    count = max(1, 32 // width)
    sub = {"cancel": "small", "near": "small", "special": "whole"}.get(kind, kind)
    values = []
    for k in range(count):
        v = random_float(r, t, sub, scale if which != "c" else 2 * scale)
        if kind == "special" and r.random() < 0.02:
            v = special(r, t)
        if kind == "near" and which == "c": # larger than the products by about the accumulator's width
            e, f, _ = FLOATS[t]
            v = pack_float(r.getrandbits(1), (1 << (e - 1)) - 1 + r.choice((0, 5, 10, 20, 22, 23, 24, 25, 26, 28)),
                           r.getrandbits(f), t)
        values.append(v)
    if kind == "cancel" and which in "ab": # pairs along k: a, a and b, -b up to the last bit
        for k in range(1, count, 2):
            values[k] = values[k - 1]
            if which == "b":
                values[k] ^= 1 << (width - 1) | (r.random() < 0.2)
    word = 0
    for k, v in enumerate(values):
        word |= v << (k * width)
    return word


def column(form, which, index):
    """Register `index` of operand `which` (a, b, c) for all rounds and threads."""
    t = form.types["dabc".index(which)]
    r = random.Random(zlib.crc32(f"{form.name} {which} {index}".encode()))
    out = []
    memory = isinstance(form, Wmma)
    each = form.words(which) if memory else 32
    for round_ in range(form.rounds):
        for thread in range(THREADS // 32 * each):
            warp = thread // each
            if t in INTS:
                x = r.getrandbits(32)
                if warp % 4 == 3 and t == "s32":
                    x = r.choice((0x7fffff00, 0x80000010, 0x7fffffff, 0))
                if warp % 4 == 2 and t == "s32":
                    x = r.getrandbits(8)
                if warp % 8 == 3 and t != "s32":
                    x = r.choice((0x7f7f7f7f, 0xffffffff, 0x80808080, 0x77777777, 0x88888888))
                out.append(x)
                continue
            scale = (warp * 7 + round_ * 3) % 5 - 2
            out.append(float_register(r, t, KINDS[warp % 16], scale, which, None))
    return out


def inputs(form):
    """Columns of values in the order a, b, c."""
    if isinstance(form, Wmma):
        return [column(form, w, 0) for w in "abc"]
    return [column(form, w, k) for w, n in zip("abc", form.counts[1:]) for k in range(n)]


def input_bytes(form):
    code = "Q" if form.wide else "I"
    return b"".join(struct.pack(f"<{len(c)}{code}", *c) for c in inputs(form))


def output_size(form):
    return (sum(form.counts) if isinstance(form, Wmma) else form.counts[0]) * form.rounds * THREADS * (8 if form.wide else 4)


# -- kernels -------------------------------------------------------------------------------------------

def ptx_of_wmma(form, version, target):
    code = 8 if form.wide else 4
    n = dict(zip("dabc", form.counts))
    decl, kind = {}, dict(zip("dabc", form.types))
    for w, t in kind.items():
        decl[w] = "f64" if t == "f64" else "f32" if t == "f32" else "b32"
    lines = [f".version {version}", f".target {target}", ".address_size 64", "",
             ".visible .entry run(.param .u64 in, .param .u64 out) {",
             "    .reg .u64 %in, %out, %at; .reg .u32 %t, %w, %b;"]
    lines += [f"    .reg .{decl[w]} %{w}<{n[w]}>;" for w in "dabc"]
    lines += ["    ld.param.u64 %in, [in]; ld.param.u64 %out, [out];",
              "    mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %t, %b, 128, %t;",
              "    shr.u32 %w, %t, 5;"]
    vec = {w: "{" + ", ".join(f"%{w}{i}" for i in range(n[w])) + "}" for w in "dabc"}
    base = 0
    for w in "abc":
        words, layout = form.words(w), {"a": form.layout[0], "b": form.layout[1], "c": "row"}[w]
        lines += [f"    mad.wide.u32 %at, %w, {words * code}, %in;", f"    add.u64 %at, %at, {base};",
                  f"    wmma.load.{w}.sync.aligned.{layout}.{form.shape}.global.{kind[w]} {vec[w]}, [%at], "
                  f"{form.leading[w]};"]
        base += words * code * THREADS // 32
    lines.append(f"    {form.text} {vec['d']}, {vec['a']}, {vec['b']}, {vec['c']};")
    lines.append(f"    mad.wide.u32 %at, %t, {code}, %out;")
    k = 0
    for w in "abcd":
        for i in range(n[w]):
            lines.append(f"    st.global.{decl[w]} [%at+{k * THREADS * code}], %{w}{i};")
            k += 1
    return "\n".join(lines + ["    ret;", "}", ""])


def ptx_of(form, version="8.7", target="sm_90"):
    if isinstance(form, Wmma):
        return ptx_of_wmma(form, version, target)
    size = 8 if form.wide else 4
    n = dict(zip("dabc", form.counts))
    decl = {}
    for w, t in zip("dabc", form.types):
        decl[w] = "f64" if t == "f64" else "f32" if t == "f32" else "b32"
    lines = [f".version {version}", f".target {target}", ".address_size 64", "",
             ".visible .entry run(.param .u64 in, .param .u64 out) {",
             "    .reg .u64 %in, %out, %at; .reg .u32 %t, %r, %b; .reg .pred %p;"]
    lines += [f"    .reg .{decl[w]} %{w}<{n[w]}>;" for w in "dabc"]
    lines += ["    ld.param.u64 %in, [in]; ld.param.u64 %out, [out];",
              "    mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %t, %b, 128, %t;",
              "    mov.u32 %r, 0;", "LOOP:",
              f"    mad.lo.u32 %b, %r, {THREADS}, %t;"]
    row = form.rounds * THREADS * size
    lines.append(f"    mad.wide.u32 %at, %b, {size}, %in;")
    k = 0
    for w in "abc":
        for i in range(n[w]):
            lines.append(f"    ld.global.{decl[w]} %{w}{i}, [%at+{k * row}];")
            k += 1
    vec = {w: "{" + ", ".join(f"%{w}{i}" for i in range(n[w])) + "}" for w in "dabc"}
    lines.append(f"    {form.text} {vec['d']}, {vec['a']}, {vec['b']}, {vec['c']};")
    lines.append(f"    mad.wide.u32 %at, %b, {size}, %out;")
    lines += [f"    st.global.{decl['d']} [%at+{i * row}], %d{i};" for i in range(n["d"])]
    lines += ["    add.u32 %r, %r, 1;", f"    setp.lt.u32 %p, %r, {form.rounds};", "@%p bra LOOP;",
              "    ret;", "}", ""]
    return "\n".join(lines)


# -- files ---------------------------------------------------------------------------------------------

def emit(folder, ptx=ptx_of, data_of=input_bytes):
    folder.mkdir(parents=True, exist_ok=True)
    manifest = []
    for f in forms():
        data = data_of(f)
        (folder / f"{f.name}.ptx").write_text(ptx(f))
        (folder / f"{f.name}.in").write_bytes(data)
        manifest.append(f"{f.name} {len(data)} {output_size(f)}\n")
    (folder / "manifest").write_text("".join(manifest))


def pack(folder, path):
    """Name, size, bytes of every form that the GPU ran."""
    body = b""
    for f in forms():
        out = folder / f"{f.name}.out"
        if out.exists():
            data = out.read_bytes()
            body += struct.pack("<HI", len(f.name), len(data)) + f.name.encode() + data
    path.write_bytes(lzma.compress(body, preset=9 | lzma.PRESET_EXTREME))


def unpack(path):
    body, at, out = lzma.decompress(Path(path).read_bytes()), 0, {}
    while at < len(body):
        n, size = struct.unpack_from("<HI", body, at)
        name = body[at + 6:at + 6 + n].decode()
        out[name] = body[at + 6 + n:at + 6 + n + size]
        at += 6 + n + size
    return out


def main():
    global ROUNDS
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb == "emit" and len(sys.argv) in (3, 4):
        ROUNDS = int(sys.argv[3]) if len(sys.argv) == 4 else ROUNDS
        emit(Path(sys.argv[2]))
    elif verb == "pack" and len(sys.argv) == 4:
        pack(Path(sys.argv[2]), Path(sys.argv[3]))
    elif verb == "list":
        print("\n".join(f.text for f in forms()))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
