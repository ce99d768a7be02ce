#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fields of records, one a lane (pass record-fields): elements of every size at every distance,
upwards and downwards, loaded and stored in blocks of one and of several warps, held against the same
done in Python; bytes between two lanes' elements stay as they were."""
import random
import sys

from ptx_cases import case, check_all

THREADS = 96
TYPES = {1: ("u8", "b16", "h"), 2: ("u16", "b16", "h"), 4: ("u32", "b32", "r"), 8: ("u64", "b64", "d")}
PAD = 8192  # downwards, and behind the last


def body(size, step, threads):
    kind, reg, name = TYPES[size]
    return f"""
    .reg .{reg} %{name}; .reg .s32 %a, %b; .reg .s64 %w, %from, %to; .reg .b64 %g;
    mul.lo.s32 %a, %t, {step};
    cvt.s64.s32 %w, %a;
    add.s64 %from, %i1, %w; add.s64 %to, %o, %w;
    ld.global.{kind} %{name}, [%from+{PAD // 2 + 3 * size}];
    st.global.{kind} [%to+{PAD // 2}], %{name};
"""


def expected(data, size, step, threads):
    out = bytearray(PAD * 3)
    for t in range(threads):
        at = PAD // 2 + t * step
        out[at:at + size] = data[at + 3 * size:at + 4 * size]
    return bytes(out)


def moved(size):
    def test():
        rng = random.Random(size)
        data = bytes(rng.randrange(256) for _ in range(PAD * 3))
        steps = [k * size for k in (2, 3, 4, 5, 7, 16, 40, -1, -2, -3, -8) if abs(k * size) < 43]
        for step in steps:
            for block in ("32", str(THREADS)):
                for options in ((), ("--jit=-record-fields",)):
                    got = case(body(size, step, int(block)), PAD * 3, [data], block=block, options=options)
                    assert got == expected(data, size, step, int(block)), f"{size} bytes every {step}, {block} threads"
    test.__name__ = f"moved_{size}"
    return test


def last_page():
    """Nothing beyond the last lane's element is read or written: it ends with its buffer's page."""
    for size, step in ((1, 3), (4, 12), (8, 16)):
        kind, reg, name = TYPES[size]
        length = 31 * step + size
        text = f"""
    .reg .{reg} %{name}; .reg .b64 %w, %from, %to;
    mul.wide.u32 %w, %t, {step}; add.s64 %from, %i1, %w; add.s64 %to, %o, %w;
    ld.global.{kind} %{name}, [%from+{4096 - length}]; st.global.{kind} [%to+{4096 - length}], %{name};
"""
        data = bytes(k * 7 % 251 for k in range(4096))
        got = case(text, 4096, [data])
        for k in range(4096):
            offset = k - (4096 - length)
            want = data[k] if offset >= 0 and offset % step < size else 0
            assert got[k] == want, (size, step, k)


sys.exit(check_all([moved(1), moved(2), moved(4), moved(8), last_page]))
