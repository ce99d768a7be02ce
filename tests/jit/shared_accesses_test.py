#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pass shared-accesses: in the quick code of a long kernel, accesses that nothing is known of, accesses in many runs
or at known distances and conversions to short floats are calls; the kernel computes what Python does, with the pass and without. A short
kernel, better code, and a kernel without such accesses have none of it."""

import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

LOCKSTEP = os.environ["LOCKSTEP"]
THREADS, WORDS = 50, 256
HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
.shared .align 16 .b8 kept[2000];
.reg .b64 %rd<9>; .reg .b32 %r<16>; .reg .b16 %h<4>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [in];
ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x;
mov.u32 %r4, %r1;
mov.u32 %r9, 0;
mov.u32 %r7, kept;
mad.lo.u32 %r3, %r1, 40, %r7;
shl.b32 %r2, %r1, 3;
cvt.u64.u32 %rd3, %r2;
add.u64 %rd3, %rd2, %rd3;
"""
# A byte, four words and a float at a place that nothing is known of; the sum of what they hold.
STEP = """mad.lo.u32 %r4, %r4, 1664525, 1013904223;
shr.u32 %r5, %r4, 22;
cvt.u64.u32 %rd4, %r5;
add.u64 %rd5, %rd1, %rd4;
ld.global.u8 %r6, [%rd5];
add.u32 %r9, %r9, %r6;
and.b32 %r5, %r5, 1008;
cvt.u64.u32 %rd4, %r5;
add.u64 %rd5, %rd1, %rd4;
ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd5];
xor.b32 %r10, %r10, %r13;
add.u32 %r9, %r9, %r10;
cvt.rn.f32.u32 %f1, %r11;
cvt.rna.tf32.f32 %r14, %f1;
add.u32 %r9, %r9, %r14;
st.global.u8 [%rd3], %r9;
"""
PLAIN = """mad.lo.u32 %r4, %r4, 1664525, 1013904223;
shr.u32 %r5, %r4, 7;
add.u32 %r9, %r9, %r5;
"""
# The same byte in shared memory, each lane's 40 from the next one's, and from there at the end.
APART = STEP.replace("st.global.u8 [%rd3]", "st.shared.u8 [%r3]")
# Four words at once in shared memory, by the thread's number backwards: more than registers pass.
WIDE = STEP.replace("st.global.u8 [%rd3], %r9;", """brev.b32 %r15, %r1;
shr.u32 %r15, %r15, 26;
shl.b32 %r15, %r15, 4;
add.u32 %r15, %r15, %r7;
st.shared.v4.u32 [%r15], {%r9, %r6, %r10, %r14};""")
FETCH_WIDE = """ld.shared.v4.u32 {%r8, %r11, %r12, %r13}, [%r15];
st.global.u8 [%rd3], %r8;
xor.b32 %r8, %r13, %r14;
add.u32 %r9, %r9, %r8;
xor.b32 %r8, %r12, %r10;
add.u32 %r9, %r9, %r8;
"""
FETCH = "ld.shared.u8 %r8, [%r3];\nst.global.u8 [%rd3], %r8;\n"
TAIL = """st.global.u32 [%rd3+4], %r9;
ret;
}
"""


def tf32(x):
    """Of the sign's side, to 10 bits: nearest, ties away from zero."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    return (bits + 0x1000) & 0xFFFFE000


def expected(data, steps):
    words, out = struct.unpack(f"<{len(data) // 4}I", data), b""
    for t in range(THREADS):
        r, s = t, 0
        for _ in range(steps):
            r = (r * 1664525 + 1013904223) & 0xFFFFFFFF
            at = r >> 22
            s += data[at]
            at = (at & 1008) // 4
            s += (words[at] ^ words[at + 3]) + tf32(struct.unpack("<f", struct.pack("<f", words[at + 1]))[0])
            s &= 0xFFFFFFFF
        out += struct.pack("<II", s & 255, s)
    return out


def launched(folder, step, steps, *options):
    """What the kernel wrote, and what the pass says of it."""
    text, out, remarks = folder / "k.ptx", folder / "out", folder / "remarks"
    text.write_text(HEAD + step * steps + {APART: FETCH, WIDE: FETCH_WIDE}.get(step, "") + TAIL)
    remarks.unlink(missing_ok=True)
    subprocess.run([LOCKSTEP, "launch", str(text), "--kernel", "k", "--block", str(THREADS), "--arg",
                    f"buffer:@{folder / 'in'}", "--arg", f"buffer:{8 * THREADS}", "--dump", f"1:{out}",
                    f"--remarks={remarks}", *options], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, LOCKSTEP_CACHE="off"))
    said = [line for line in remarks.read_text().splitlines() if "shared-accesses" in line and "a call" in line]
    if step is APART or step is WIDE:
        lines = text.read_text().splitlines()
        said = [line for line in said if lines[int(line.split(":")[1]) - 1].startswith("st.shared")]
    return out.read_bytes(), len(said)


def main():
    bad = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = b"".join(struct.pack("<I", (k * 2654435761 + 12345) & 0xFFFFFFF) for k in range(WORDS + 4))
        (folder / "in").write_bytes(data)
        cases = [("a long kernel", STEP, 100, [], True),
                 ("without the pass", STEP, 100, ["--jit=-shared-accesses"], False),
                 ("without quick code", STEP, 100, ["--jit=-quick-first"], False),
                 ("a short kernel", STEP, 5, [], False),
                 ("at known distances", APART, 100, [], True),
                 ("at known distances, without the pass", APART, 100, ["--jit=-shared-accesses"], False),
                 ("four words", WIDE, 100, [], True),
                 ("four words, without the pass", WIDE, 100, ["--jit=-shared-accesses"], False),
                 ("no such access", PLAIN, 1000, [], False)]
        for what, step, steps, options, fires in cases:
            out, calls = launched(folder, step, steps, *options)
            if bool(calls) != fires:
                bad.append(f"{what}: {calls} calls")
            if step is not PLAIN and out != expected(data, steps):
                bad.append(f"{what}: other results than Python's")
    print("\n".join(bad))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
