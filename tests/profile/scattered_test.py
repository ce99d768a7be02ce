#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Accesses of an instruction whose lanes hardly ever lie twice alike are counted in a way of their own: the
counters are those of the same accesses made by many instructions, each of which has few."""

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


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        program, report = Path(folder) / "scattered", Path(folder) / "report.json"
        subprocess.run([LOCKSTEP, "cc", "-o", str(program), str(ROOT / "tests/profile/scattered.cu")], check=True)
        for gpu in GPUS:
            for span in SPANS:
                subprocess.run([LOCKSTEP, "profile", "-q", "--workers", "1", "--gpu", gpu, "--json", str(report), "--",
                                str(program), str(span)], check=True, stdout=subprocess.DEVNULL)
                kernels = json.loads(report.read_text())["kernels"]
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
