#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every form of mma and wmma of tools/record/matrices.py on lockstep, against the registers that a
real GPU gave (tests/data/*_matrices.xz), bit for bit (f64: any NaN for any NaN). Prints a table by type: forms, numbers, how
many differ, the largest difference in units of the last place. With arguments: only forms whose text
begins with one of them; without, those of mma (wmma_test.py has the others)."""
import os
import struct
import sys
import tempfile
from pathlib import Path

source = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(source / "tools/record"))
sys.path.insert(0, str(source / "tests/common"))
import launching # noqa: E402
import matrices as rec # noqa: E402



def launch(form, folder):
    """Bytes that the kernel writes, or None and the message."""
    return launching.launch(folder, rec.ptx_of(form), rec.input_bytes(form), rec.output_size(form), rec.THREADS)


def numbers(data, t):
    """The bytes as integers of the type's width."""
    code = {"f64": "Q", "f16": "H"}.get(t, "I")
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


def place(bits, t):
    """Floats in order: neighbours differ by one."""
    if t not in ("f64", "f32", "f16"):
        return bits
    sign = 1 << (rec.FLOATS[t][2] - 1)
    return -(bits & (sign - 1)) if bits & sign else bits


def is_nan(bits, t):
    """The manual leaves open which NaN it is."""
    return t == "f64" and bits & (1 << 63) - 1 > 0x7ff << 52


def compare(form, ours, theirs):
    """Numbers, those that differ, the largest difference; for wmma all four fragments count."""
    t = form.types[0]
    a, b = numbers(ours, t), numbers(theirs, t)
    differ = [k for k in range(len(b)) if a[k] != b[k] and not (is_nan(a[k], t) and is_nan(b[k], t))]
    largest = max((abs(place(a[k], t) - place(b[k], t)) for k in differ), default=0)
    first = f"number {differ[0]}: {a[differ[0]]:#x}, GPU: {b[differ[0]]:#x}" if differ else ""
    return len(b), len(differ), largest, first


def main(wanted):
    data = sorted((source / "tests/data").glob("*_matrices.xz"))
    if not data:
        print("no recorded data")
        return 77
    recorded, table, failures = rec.unpack(data[0]), {}, []
    step = 5 if os.environ.get("SANITIZE") else 1 # compiling is slow there
    with tempfile.TemporaryDirectory() as folder:
        for form in rec.forms()[::step]:
            if not form.text.startswith(tuple(wanted)):
                continue
            kind = form.text.split(".")[0] + " " + ".".join(form.types)
            row = table.setdefault(kind, [0, 0, 0, 0])
            row[0] += 1
            ours, why = launch(form, Path(folder))
            if ours is None:
                failures.append(f"{form.text}: {why}")
                continue
            count, differ, largest, first = compare(form, ours, recorded[form.name])
            row[1] += count
            row[2] += differ
            row[3] = max(row[3], largest)
            if differ:
                failures.append(f"{form.text}: {differ} of {count} differ, {first}")
    print(f"{'instruction':28}{'forms':>6}{'numbers':>9}{'differ':>8}{'ulp':>6}")
    for kind, row in table.items():
        print(f"{kind:28}{row[0]:6}{row[1]:9}{row[2]:8}{row[3]:6}")
    print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["mma"]))
