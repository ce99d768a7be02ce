#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Accesses of an instruction whose lanes hardly ever lie twice alike are counted in a way of their own: the
counters are those of the same accesses made by many instructions, each of which has few. Launches that find the tables of
others before them count as much as the first ones did."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LOCKSTEP, ROOT = os.environ["LOCKSTEP"], Path(os.environ["SOURCE_DIR"])
# Words of a table within 2 KiB, of some tables, of more than a megabyte.
SPANS, GPUS = (9, 130, 700, 6000, 400000), ("h200", "cc3.5")


def memory_counters(kernel):
    words = ("gl", "sector", "l1", "l2", "dram", "global", "atom", "transaction", "request")
    return {k: v for k, v in kernel["counters"].items()
            if any(w in k for w in words) and not k.startswith("inst")}


def profiled(program, report, gpu, *arguments):
    subprocess.run([LOCKSTEP, "profile", "-q", "--workers", "1", "--gpu", gpu, "--json", str(report), "--", str(program),
                    *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())["kernels"]


def rounds_differ(program, report, gpu):
    """Three rounds of all kernels beside one: what is counted is three times as much, rates are the same."""
    one, three = profiled(program, report, gpu, 700), profiled(program, report, gpu, 700, 3)
    for a, b in zip(one, three):
        for k, x in a["counters"].items():
            if b["counters"][k] not in (x, 3 * x) or (type(x) is int and x and b["counters"][k] != 3 * x):
                yield f"{gpu}: {a['name']}: {k}: {x} in one round, {b['counters'][k]} in three"


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        program, report = Path(folder) / "scattered", Path(folder) / "report.json"
        subprocess.run([LOCKSTEP, "cc", "-o", str(program), str(ROOT / "tests/profile/scattered.cu")], check=True)
        for gpu in GPUS:
            for text in rounds_differ(program, report, gpu):
                bad += 1
                print(text)
            for span in SPANS:
                kernels = profiled(program, report, gpu, span)
                if len(kernels) != 6:
                    sys.exit(f"{len(kernels)} kernels, not 6")
                for often, seldom in zip(kernels[::2], kernels[1::2]):
                    a, b = memory_counters(often), memory_counters(seldom)
                    if not any(a.values()):
                        sys.exit("nothing was counted")
                    for k in sorted(a):
                        if a[k] != b[k]:
                            bad += 1
                            print(f"{gpu}, {span}: {often['name']}: {k}: {a[k]}, dealt out {b[k]}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
