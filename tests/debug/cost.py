# SPDX-License-Identifier: Apache-2.0
"""What a debugger without breakpoints costs: each program's run under `lockstep debug` beside its run without, both
compiled with -G; whole processes, the least wall time of some.

    python3 tests/debug/cost.py [--size 64] [--times 3] [RUNG...]

RUNG: one of `lockstep suite list` (all). Exit status 1: one costs more than 20 times the run.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time

import past

MOST = 20


def seconds(words, times):
    least = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
        least = min(least, time.perf_counter() - begin)
    return least


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--size", default="64")
    a.add_argument("--times", type=int, default=3)
    a.add_argument("rungs", nargs="*")
    o = a.parse_args()
    rungs = o.rungs or sorted({r["rung"] for r in json.loads(subprocess.check_output(
        [past.LOCKSTEP, "suite", "list", "--json"]))})
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for rung in rungs:
            words = past.build([str(past.SOURCE / "suite" / f"{rung}.cu"), "--size", o.size], work)
            run = seconds(words, o.times)
            debug = seconds([past.LOCKSTEP, "debug", "-batch", "-ex", "run", *words], o.times)
            rows.append((debug / run, rung))
            print(f"{rung:36} {run * 1000:8.1f} ms, under debug {debug * 1000:8.1f} ms: {debug / run:5.1f} times", flush=True)
    rows.sort()
    print(f"{len(rows)} programs: median {rows[len(rows) // 2][0]:.1f} times, most {rows[-1][0]:.1f} ({rows[-1][1]})")
    return rows[-1][0] > MOST


if __name__ == "__main__":
    sys.exit(main())
