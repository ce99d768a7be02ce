#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Accesses that generated code counts by itself, like those before them, count as those that are told one
by one: with --phases every access is told, and all counters, lines and caches must be the same."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = {"tests/profile/seen.cu": ["h200", "g80", "cc1.3", "cc3.5", "cc7.0"], "tests/profile/local.cu": ["h200"],
           "tests/profile/transposes.cu": ["h200"], "tests/profile/batches.cu": ["h200", "cc3.5"]}
LOCKSTEP, ROOT = os.environ["LOCKSTEP"], Path(os.environ["SOURCE_DIR"])


def profiled(source, gpu, folder, *options):
    report = Path(folder) / "report.json"
    done = subprocess.run([LOCKSTEP, "profile", "-q", "--workers", "1", "--gpu", gpu, "--json", str(report), *options,
                           "--", str(ROOT / source)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{source} on {gpu}: exit {done.returncode}: {done.stdout}{done.stderr}")
    kernels = json.loads(report.read_text())["kernels"]
    return [{k: v for k, v in kernel.items() if k != "phases"} for kernel in kernels]


def differences(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for k in sorted({*a, *b}):
            yield from differences(a.get(k), b.get(k), f"{path}/{k}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for k, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{path}[{k}]")
    elif a != b:
        yield f"{path}: {a} where every access is told, {b} by generated code"


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for source, gpus in SOURCES.items():
            for gpu in gpus:
                told, seen = profiled(source, gpu, folder, "--phases"), profiled(source, gpu, folder)
                for n, text in enumerate(differences(told, seen)):
                    bad += 1
                    if n < 5:
                        print(f"{source} on {gpu}{text}")
                if not any(k["counters"] for k in seen):
                    sys.exit(f"{source} on {gpu}: nothing was counted")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
