#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Local memory under profile: its values are right, and its counters those that lanes interleaved word by
word give by hand, whether a warp's lanes share an index or have their own."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["SOURCE_DIR"]) / "tests/profile/local.cu"
WARPS, TURNS = 3, 8
# per kernel and counter: what the 3 warps do in 8 turns
EXPECTED = {
    # floats, doubles, bytes: 4 sectors a word, 8 where a lane has two words
    "same": {"local_store_requests": 3 * WARPS * TURNS, "local_store_sectors": (4 + 8 + 4) * WARPS * TURNS,
             "local_load_requests": 3 * WARPS * TURNS, "local_load_sectors": (4 + 8 + 4) * WARPS * TURNS},
    # eight rows of words, of each four lanes, which lie in four sectors; loads: odd lanes alone
    "own": {"local_store_requests": WARPS * TURNS, "local_store_sectors": 32 * WARPS * TURNS,
            "local_load_requests": WARPS * TURNS, "local_load_sectors": 16 * WARPS * TURNS},
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "local.json"
        done = subprocess.run([os.environ["LOCKSTEP"], "profile", "--json", str(report), "--", str(SOURCE)],
                              capture_output=True, text=True)
        if done.returncode or "right" not in done.stdout:
            sys.exit(f"exit {done.returncode}: {done.stdout}{done.stderr}")
        kernels = json.loads(report.read_text())["kernels"]
    bad = 0
    for kernel in kernels:
        name = next(n for n in EXPECTED if n in kernel["name"])
        for counter, value in EXPECTED[name].items():
            found = kernel["counters"].get(counter, 0)
            if found != value:
                print(f"{name}: {counter} {found}, expected {value}")
                bad += 1
    sys.exit(bad or len(kernels) != 2)


if __name__ == "__main__":
    main()
