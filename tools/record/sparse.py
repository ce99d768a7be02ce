#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mma.sp on a real GPU, as matrices.py has the other matrix instructions: one PTX kernel for each form and
sparsity selector, 16 products each. The same kernels run on lockstep afterwards (tests/jit/sparse_test.py).

    sparse.py emit DIR         NAME.ptx and NAME.in of every form, and DIR/manifest
    sparse.py pack DIR FILE    DIR/NAME.out, NAME.err -> FILE (xz)
    sparse.py list             the forms, one a line

A thread reads its registers of A, B, C and the metadata, which of all threads are random and valid.
"""
import random
import struct
import sys
import zlib
from pathlib import Path

import matrices as rec

ORDERED = (0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110)


class Sparse(rec.Form):
    def __init__(self, shape, d, a, b, selector, word="sp::ordered_metadata", extra=""):
        m, n, k = (int(x) for x in shape.replace("m", " ").replace("n", " ").replace("k", " ").split())
        text = f"mma.{word}.sync.aligned.{shape}.row.col{extra}.{d}.{a}.{b}.{d}"
        counts = (rec.registers(m, n, d), rec.registers(m, k // 2, a), rec.registers(k, n, b), rec.registers(m, n, d))
        super().__init__(text, (d, a, b, d), counts)
        self.name, self.selector, self.rounds = f"{self.name}_{selector}", selector, 1


def forms():
    out = []
    for shape, selectors in (("m16n8k16", range(4)), ("m16n8k32", range(2))):
        for s in selectors:
            out += [Sparse(shape, d, "f16", "f16", s) for d in ("f16", "f32")]
            out.append(Sparse(shape, "f32", "bf16", "bf16", s))
    out.append(Sparse("m16n8k32", "f32", "f16", "f16", 0, "sp"))
    for shape, selectors in (("m16n8k8", range(4)), ("m16n8k16", range(2))):
        out += [Sparse(shape, "f32", "tf32", "tf32", s) for s in selectors]
    out += [Sparse("m16n8k64", "f32", a, b, 0) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
    for types, shapes in ((("s8", "u8"), ("m16n8k32", "m16n8k64")), (("s4", "u4"), ("m16n8k64", "m16n8k128"))):
        for shape, selectors in zip(shapes, (range(2), range(1))):
            out += [Sparse(shape, "s32", a, b, s, extra=".satfinite" if s else "")
                    for a in types for b in types for s in selectors]
    return out


def metadata(form):
    r = random.Random(zlib.crc32(f"{form.name} e".encode()))
    nibbles = (0b1110, 0b0100) if form.types[1] == "tf32" else ORDERED
    return [sum(r.choice(nibbles) << 4 * k for k in range(8)) for _ in range(rec.THREADS)]


def input_bytes(form):
    return rec.input_bytes(form) + struct.pack(f"<{rec.THREADS}I", *metadata(form))


def ptx_of(form, target="sm_90"):
    """The kernel of a dense form with one operand more, which lies behind the others."""
    text = rec.ptx_of(form, "8.7", target).split("\n")
    at = next(k for k, line in enumerate(text) if line.strip().startswith("mma."))
    count = sum(form.counts[1:])
    text[at] = text[at].rstrip(";") + f", %e, {form.selector};"
    text.insert(at, f"    .reg .b32 %e; ld.global.b32 %e, [%at+{count * form.rounds * rec.THREADS * 4}];")
    return "\n".join(text)


def main():
    rec.forms = forms # of which emit() and pack() ask
    if sys.argv[1:2] == ["emit"]:
        rec.emit(Path(sys.argv[2]), ptx_of, input_bytes)
    elif sys.argv[1:2] == ["pack"]:
        rec.pack(Path(sys.argv[2]), Path(sys.argv[3]))
    elif sys.argv[1:2] == ["list"]:
        print("\n".join(f.text for f in forms()))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
