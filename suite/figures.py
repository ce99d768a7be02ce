#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lectures' figures, from the suite's own kernels: `make figures` writes a page to step through for each into
build/figures (or the folder that is named), and beside it the figure as text, as the README of its system has it."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# page: rung, options of --record, options of the program, kind of figure
FIGURES = {
    "tiled": ("matmul/phases", [], ["--size", "4"], "words"),
    "banks": ("banks/stride", [], ["--size", "1000", "--pattern", "2"], "banks"),
    "tree": ("reduce/tree", [], ["--size", "256"], "words"),
    "halo": ("convolution/tiled", ["--block", "1"], ["--size", "600"], "words"),
}


def ranges(numbers):
    """0-31, or each where they do not follow each other."""
    out = []
    for n in numbers:
        if out and n == out[-1][1] + 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return " ".join(str(a) if a == b else f"{a}-{b}" if b > a + 1 else f"{a} {b}" for a, b in out)


def accesses(record):
    """Of shared memory: (phase, line, time): what -> [(thread, word)], of all warps together. A phase is what lies between
    two barriers."""
    phase, times, out = [1] * record["warps"], {}, {}
    for s in record["steps"]:
        w = s["w"]
        shared = [a for a in s.get("x", []) if a["space"] == "shared"]
        if shared:
            key = (w, phase[w], s["l"])
            times[key] = times.get(key, 0) + 1
            for k, a in enumerate(shared):
                rows = out.setdefault((phase[w], s["l"], times[key], k, a["op"]), [])
                rows += [(32 * w + lane, at // 4) for lane, at in enumerate(a["at"]) if at is not None]
        phase[w] += s.get("b", 0)
    return out


def words_text(record):
    """Which threads touch which words of shared memory, in which phase."""
    lines, said = [f"{'phase':5}  {'line':4}  {'':6} {'threads':15} words of shared memory"], None
    for (phase, line, _, _, op), rows in sorted(accesses(record).items()):
        source = record["lines"][line - record["first"]].strip()
        if (phase, line) != said:
            lines.append(f"{phase:<5}  {line:<4}  {source}")
        said = phase, line
        threads, words = zip(*sorted(rows))
        lines.append(f"{'':5}  {'':4}  {op:6} {ranges(threads):15} {ranges(words)}")
    return lines


def banks_text(record):
    """Of the first warp's loads the lanes that each bank serves."""
    rows = next(sorted(rows)[:32] for (_, _, _, _, op), rows in sorted(accesses(record).items()) if op == "load")
    banks = {}
    for lane, word in rows:
        banks.setdefault(word % 32, []).append((lane, word))
    lines = [f"{'bank':4}  lanes (words)"]
    for bank in range(32):
        lanes = banks.get(bank, [])
        lines.append(f"{bank:4}  " + (", ".join(f"{lane} ({word})" for lane, word in lanes) or "-"))
    passes = max(len({word for _, word in lanes}) for lanes in banks.values())
    return lines + [f"{passes} pass{'es' if passes > 1 else ''}"]


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "build/figures")
    folder.mkdir(parents=True, exist_ok=True)
    command = os.environ.get("LOCKSTEP") or str(HERE.parent / "build/lockstep")
    for name, (rung, record, options, kind) in FIGURES.items():
        page = folder / f"{name}.html"
        r = subprocess.run([command, "debug", "--record", page, *record, HERE / f"{rung}.cu", *options], capture_output=True,
                           text=True)
        if r.returncode:
            sys.exit(f"{rung}: {r.stderr}")
        recorded = json.loads(re.search(r'id="record">(.*?)</script>', page.read_text(), re.S)[1])
        text = (words_text if kind == "words" else banks_text)(recorded)
        (folder / f"{name}.txt").write_text("\n".join(text) + "\n")
        print(page)


if __name__ == "__main__":
    main()
