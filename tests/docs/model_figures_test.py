#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of docs/model.md are those that tools/record/model prints from tests/data: errors of the estimate beside
kernels that were not seen before, counters beside an H100's, pairs of other generations."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ["SOURCE_DIR"])
page = (ROOT / "docs/model.md").read_text()
rows = [line for line in page.splitlines() if line.startswith("|")]
bad = []


def said(tool, *arguments):
    return subprocess.run([sys.executable, str(ROOT / "tools/record/model" / tool), *arguments], check=True, text=True,
                          capture_output=True, cwd=ROOT / "tests/data").stdout


def expect(good, *what):
    if not good:
        bad.append(" ".join(map(str, what)))


def has_row(*figures):
    return any(all(re.search(rf"(?<![\d.]){re.escape(f)}(?!\d)", row) for f in figures) for row in rows)


def comparisons(file, least):
    found = re.findall(r"^(.*): (\d+) kernels of (\d+) programs.*mean error ([\d.]+) %, median ([\d.]+) %.*rank ([\d.]+);",
                       said("kernels.py", "compare", file, "-q"), re.M)
    expect(len(found) >= least, file, "is compared in", len(found), "ways")
    return {what: (kernels, mean, median, rank) for what, kernels, _, mean, median, rank in found}


def main():
    kernels, mean, median, rank = comparisons("h200_model_unseen.csv", 1)["estimate"]
    expect(has_row(kernels, mean, median), "no row for the H200's", kernels, mean, median)
    h100 = comparisons("h100_model_unseen.csv", 5)
    kernels, mean, median, rank = h100["estimate"]
    frozen, now = h100["frozen before it was compared"], h100["estimate, of these"]
    expect(has_row(kernels, mean, median, rank, frozen[0], frozen[1], now[1]), "no row for the H100's", h100)
    kernels, mean, median, rank = h100["the same, with the others as they came"]
    expect(has_row(mean, median, rank), "no row for further launches", mean, median, rank)
    for name, kernels, equal, one, ten in re.findall(
            r"^(\S.*?) +(\d+) kernels: equal +([\d.]+) %, within 1 % +([\d.]+) %, within 10 % +([\d.]+) %",
            said("kernels.py", "counters", "h100_model_counters.csv"), re.M):
        words, shares = name.split(", "), [f"{float(x):.0f}" for x in (one, ten)]
        expect(any(words[0] in row and kernels in row and all(re.search(rf"\b{s}\b", row) for s in shares) for row in rows),
               "no row for", name, kernels, equal, one, ten)
    for mean in re.findall(r"mean error ([\d.]+) %", said("published.py", "published_times.csv")):
        expect(float(mean) > 100 or f"mean error {mean} %" in page, "published: no mean error of", mean)
    print("\n".join(bad))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
