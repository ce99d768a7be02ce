#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""profile --sample: of grids of many rounds some blocks are counted, the others run all the same. Beside the full
count: what blocks alike count is equal, what unlike ones do lies within the stated error; where blocks cannot be told
apart, or are few, all are counted, and the reason is given."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LOCKSTEP, ROOT = os.environ["LOCKSTEP"], Path(os.environ["SOURCE_DIR"])
ALIKE = ("copy", "turned", "count")
UNLIKE = ("growing", "hashed", "stripes")
# Whose error is whose.
FIGURES = {"instructions": "instructions", "thread_instructions": "instructions", "global_load_requests": "l1_sectors",
           "global_load_sectors": "l1_sectors", "l1_sectors": "l1_sectors", "l2_sectors": "l2_sectors",
           "bytes_dram_read": "dram_bytes_read"}
WHY = {"waiting": "wait for each other", "clusters": "clusters", "child": "few rounds"}
bad = []


def expect(good, *what):
    if not good:
        bad.append(" ".join(map(str, what)))


class Program:
    def __init__(self, folder):
        self.folder, self.path = Path(folder), Path(folder) / "sampled"
        subprocess.run([LOCKSTEP, "cc", "-rdc=true", "-o", str(self.path), str(ROOT / "tests/profile/sampled.cu")],
                       check=True)

    def run(self, *options, arguments=()):
        return subprocess.run([LOCKSTEP, "profile", "--gpu", "h200", *options, "--", str(self.path), *arguments],
                              capture_output=True, text=True)

    def profiled(self, *options):
        report = self.folder / "report.json"
        r = self.run("-q", "--json", str(report), *options)
        expect(r.returncode == 0 and "0 wrong" in r.stdout, *options, r.stdout, r.stderr)
        return {k["name"].split("(")[0]: k for k in json.loads(report.read_text())["kernels"]}


def all_are_counted(kernels):
    for name, why in WHY.items():
        s = kernels[name]["sampled"]
        expect(s["blocks"] == s["of"] and s["error"] == 0 and why in s["why_all"], name, s)


def counters_are_known(full, kernels, n):
    for name in ALIKE + UNLIKE:
        s, of = kernels[name]["sampled"], full[name]["launches"] * full[name]["grid"][0]
        expect(s["of"] == of and 0.9 * of < max(n * s["blocks"], s["of"]) and 2 * s["blocks"] < of, n, name, s)
    for name in ALIKE:
        a, b = full[name], kernels[name]
        expect("bytes_dram_evicted" not in b["counters"], n, name, "what L2 gives up")
        known = {k: v for k, v in a["counters"].items() if k != "bytes_dram_evicted"}
        expect(known == b["counters"], n, name, a["counters"], b["counters"])
        expect(b["sampled"]["error"] < 1e-9 and a["roofline"]["estimate"] == b["roofline"]["estimate"], n, name)
        expect([x["counters"] for x in a["lines"]] == [x["counters"] for x in b["lines"]], n, name, "lines")
    for name in UNLIKE if n < 10 else UNLIKE[:2]:  # stripes: one round in 18 is unlike the others
        for counter, figure in FIGURES.items():
            x, y = full[name]["counters"][counter], kernels[name]["counters"][counter]
            expect(abs(y - x) <= x * kernels[name]["sampled"]["errors"][figure] + 1, n, name, counter, x, y)
    expect(kernels["growing"]["sampled"]["error"] < 0.6 and kernels["hashed"]["sampled"]["error"] < 0.06, n,
           kernels["growing"]["sampled"], kernels["hashed"]["sampled"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = Program(folder)
        full = program.profiled("--sample", "1")
        expect(not any("sampled" in k for k in full.values()), "sampled without being asked")
        for n in (4, 10):
            kernels = program.profiled("--sample", str(n))
            counters_are_known(full, kernels, n)
            all_are_counted(kernels)
        one = program.profiled("--sample", "10", "--workers", "1")
        expect(all(one[k]["counters"] == kernels[k]["counters"] for k in ALIKE + UNLIKE), "by one worker")
        phases = program.profiled("--sample", "10", "--no-caches")
        expect(phases["copy"]["counters"]["instructions"] == full["copy"]["counters"]["instructions"], "no caches")
        page = Path(folder) / "page.html"
        r = program.run("--sample", "10", "--html", str(page), "--kernel", "hashed", arguments=("60000", "fault"))
        expect("6336 of 60000 blocks" in r.stdout and "6336 of 60000 blocks" in page.read_text(), r.stdout)
        expect("faulty: cudaErrorIllegalAddress" in r.stdout and "block (30000,0,0)" in r.stderr, r.stdout, r.stderr)
        r = program.run("--sample", "0")
        expect(r.returncode == 2 and "a sample is one block in" in r.stderr, r.returncode, r.stderr)
        r = subprocess.run([LOCKSTEP, "tune", "--gpu", "h200", "--sample", "10", "--arg", "N=60000", "--kernel", "copy", "--",
                            str(program.path), "{N}"], capture_output=True, text=True)
        expect("sampled: of 1 some blocks alone are counted" in r.stdout, r.stdout, r.stderr)
    print("\n".join(bad))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
