#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Products of warpgroups (wgmma) on a real GPU: one PTX kernel for each form, run on random tiles by
wgmma.c, which makes the inputs and keeps a hash of each tile's registers. The same program runs on
lockstep afterwards (tests/jit/wgmma_test.py).

    wgmma.py emit DIR [EVERY [FIRST]]   NAME.ptx of every form (of each EVERY-th), and DIR/manifest
    wgmma.py list                       the forms, one a line

A block is one warpgroup and computes one tile. It copies 64 KiB that hold A and B to shared memory,
reads its registers of A, the metadata and D, executes the instruction and writes D. What the
descriptors say is random too: layouts that the manual draws, and others.
"""
import random
import sys
import zlib
from pathlib import Path

TILES = 6 # of a form
IMAGE = 65536

FLOAT_N = range(8, 257, 8)
INT_N = [8, 16, 24, *range(32, 257, 16)]

# d, a, b, bits of an element of A, sizes along n, may be transposed, tail
KINDS = ([(d, "f16", "f16", 16, FLOAT_N) for d in ("f16", "f32")] + [("f32", "bf16", "bf16", 16, FLOAT_N)] +
         [("f32", "tf32", "tf32", 32, FLOAT_N)] +
         [(d, a, b, 8, FLOAT_N) for d in ("f16", "f32") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")] +
         [("s32", a, b, 8, INT_N) for a in ("s8", "u8") for b in ("s8", "u8")] +
         [("s32", "b1", "b1", 1, INT_N)])


class Form:
    def __init__(self, d, a, b, bits, n, sparse, in_registers):
        self.d, self.a, self.b, self.bits, self.n = d, a, b, bits, n
        self.sparse, self.in_registers = sparse, in_registers
        self.name = "_".join([d, a, b, f"n{n}", "sp" if sparse else "dense", "r" if in_registers else "m"])
        r = random.Random(zlib.crc32(self.name.encode()))
        self.seed = r.getrandbits(32)
        self.k = 256 // bits * (2 if sparse else 1)
        self.registers = n // 2 if d != "f16" else n // 4
        is_float = d != "s32"
        self.scale_a = r.choice((1, 1, -1)) if is_float else 1
        self.scale_b = r.choice((1, 1, -1)) if is_float else 1
        both = bits == 16
        self.trans_a = r.getrandbits(1) if both and not in_registers else 0
        self.trans_b = r.getrandbits(1) if both else 0
        self.satfinite = bool(r.getrandbits(1)) and d == "s32" and a != "b1"
        self.selector = r.getrandbits(1) if sparse and bits >= 16 else 0

    def text(self):
        shape = f"m64n{self.n}k{self.k}"
        extra = ".satfinite" if self.satfinite else ""
        tail = ".and.popc" if self.a == "b1" else ""
        return (f"wgmma.mma_async{'.sp' if self.sparse else ''}.sync.aligned.{shape}{extra}."
                f"{self.d}.{self.a}.{self.b}{tail}")

    def operands(self):
        d = "{" + ", ".join(f"%d{k}" for k in range(self.registers)) + "}"
        out = [d, "{%a0, %a1, %a2, %a3}" if self.in_registers else "%da", "%db"]
        out += ["%meta", str(self.selector)] if self.sparse else []
        out.append("%p")
        if self.d != "s32":
            out += [str(self.scale_a), str(self.scale_b)]
        if self.bits == 16:
            out += [str(self.trans_b)] if self.in_registers else [str(self.trans_a), str(self.trans_b)]
        return ", ".join(out)

    def line(self):
        """What wgmma.c reads of it."""
        return (f"{self.name} {self.seed} {self.registers} {self.d} {self.a} {self.b} {self.n} {self.bits} "
                f"{int(self.sparse)} {int(self.in_registers)} {self.trans_a} {self.trans_b} {TILES}\n")


def forms():
    return [Form(d, a, b, bits, n, sparse, regs) for d, a, b, bits, sizes in KINDS for n in sizes
            for sparse in ((False,) if bits == 1 else (False, True)) for regs in (True, False)]


def ptx_of(form, version="8.7", target="sm_90a"):
    """in: 64 bytes (descriptors of A and B, scale-d), 4 words a thread of A, 1 of metadata, those of D,
    the image."""
    kind = "f32" if form.d == "f32" else "b32"
    stride = 64 + 512 * (5 + form.registers) + IMAGE
    lines = [f".version {version}", f".target {target}", ".address_size 64", "",
             ".extern .shared .align 1024 .b8 image[];",
             ".visible .entry run(.param .u64 in, .param .u64 out) {",
             f"    .reg .{kind} %d<{form.registers}>; .reg .b32 %a<4>, %meta, %t, %b, %s, %i, %x<4>;",
             "    .reg .b64 %in, %out, %at, %from, %da, %db, %w; .reg .pred %p, %q;",
             "    ld.param.u64 %in, [in]; ld.param.u64 %out, [out];",
             "    mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %s, image;",
             f"    mad.wide.u32 %in, %b, {stride}, %in;",
             f"    mad.wide.u32 %out, %b, {512 * form.registers}, %out;",
             f"    mad.wide.u32 %from, %t, 16, %in; add.u64 %from, %from, {stride - IMAGE};",
             "    mad.lo.u32 %i, %t, 16, %s; mov.u32 %b, 0;",
             "COPY:",
             "    ld.global.v4.b32 {%x0, %x1, %x2, %x3}, [%from];",
             "    st.shared.v4.b32 [%i], {%x0, %x1, %x2, %x3};",
             "    add.u64 %from, %from, 2048; add.u32 %i, %i, 2048; add.u32 %b, %b, 1;",
             f"    setp.lt.u32 %q, %b, {IMAGE // 2048};", "@%q bra COPY;",
             "    fence.proxy.async; bar.sync 0;",
             "    ld.global.b64 %da, [%in]; ld.global.b64 %db, [%in+8]; ld.global.b32 %x0, [%in+16];",
             "    setp.ne.b32 %p, %x0, 0;",
             "    shr.u32 %s, %s, 4; cvt.u64.u32 %w, %s; add.u64 %da, %da, %w; add.u64 %db, %db, %w;",
             "    mad.wide.u32 %at, %t, 4, %in;"]
    lines += [f"    ld.global.b32 %a{k}, [%at+{64 + 512 * k}];" for k in range(4)]
    lines.append("    ld.global.b32 %meta, [%at+2112];")
    lines += [f"    ld.global.{kind} %d{k}, [%at+{2624 + 512 * k}];" for k in range(form.registers)]
    lines += ["    wgmma.fence.sync.aligned;", f"    {form.text()} {form.operands()};",
              "    wgmma.commit_group.sync.aligned;", "    wgmma.wait_group.sync.aligned 0;",
              "    mad.wide.u32 %at, %t, 4, %out;"]
    lines += [f"    st.global.{kind} [%at+{512 * k}], %d{k};" for k in range(form.registers)]
    return "\n".join(lines + ["    ret;", "}", ""])


def main():
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb == "emit" and 3 <= len(sys.argv) <= 5:
        folder = Path(sys.argv[2])
        every, first = (int(x) for x in (sys.argv[3:] + ["1", "0"][len(sys.argv) - 3:]))
        folder.mkdir(parents=True, exist_ok=True)
        wanted = forms()[first::every]
        for f in wanted:
            (folder / f"{f.name}.ptx").write_text(ptx_of(f))
        (folder / "manifest").write_text("".join(f.line() for f in wanted))
    elif verb == "list":
        print("\n".join(f"{f.text()} {f.operands()}" for f in forms()))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
