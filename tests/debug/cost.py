# SPDX-License-Identifier: Apache-2.0
"""What a debugger without breakpoints costs: each program's run under `lockstep debug` beside its run without, both
compiled with -G. Whole processes with their children: the least
processor time (user and system) of some runs, which other programs on the machine do not change much, and the least wall
time beside it.

    python3 tests/debug/cost.py [--size 64] [--times 3] [--log LOG] [RUNG...]

RUNG: one of `lockstep suite list` (all). LOG keeps the rows, so that another call goes on from there. Exit status 1: one
costs more than 20 times the run, of processor time.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import past

MOST = 20
LONGEST = 600  # seconds of a run


def seconds(words, times):
    """The least (processor, wall) of some runs."""
    cpu, wall = [], []
    for _ in range(times):
        begin = time.perf_counter()
        p = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        too_long = threading.Timer(LONGEST, p.kill)
        too_long.start()
        status, used = os.wait4(p.pid, 0)[1:]
        too_long.cancel()
        if os.WIFSIGNALED(status):
            sys.exit(f"{words}: ended by signal {os.WTERMSIG(status)}, {LONGEST} s at most")
        wall.append(time.perf_counter() - begin)
        cpu.append(used.ru_utime + used.ru_stime)
    return min(cpu), min(wall)


def program_of(rung, size):
    return [str(past.SOURCE / "suite" / f"{rung}.cu"), "--size", size]


def measure(rung, size, times):
    with tempfile.TemporaryDirectory() as work:
        words = past.build(program_of(rung, size), work)
        run = seconds(words, times)
        debug = seconds([past.LOCKSTEP, "debug", "-batch", "-ex", "run", *words], times)
    return {"words": program_of(rung, size), "times": times, "run": run, "debug": debug}


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--size", default="64")
    a.add_argument("--times", type=int, default=3)
    a.add_argument("--log", type=Path)
    a.add_argument("rungs", nargs="*")
    o = a.parse_args()
    rungs = o.rungs or sorted({r["rung"] for r in json.loads(subprocess.check_output(
        [past.LOCKSTEP, "suite", "list", "--json"]))})
    known = past.kept(o.log, times=o.times)
    ratios = []
    for rung in rungs:
        row = known.get(shlex.join(program_of(rung, o.size)))
        if not row:
            row = measure(rung, o.size, o.times)
            past.keep(o.log, row)
        (run, run_wall), (debug, debug_wall) = row["run"], row["debug"]
        ratios.append((debug / run, rung))
        print(f"{rung:36} {run * 1000:7.0f} ms, under debug {debug * 1000:7.0f} ms: {debug / run:5.1f} times "
              f"(wall {run_wall * 1000:.0f}, {debug_wall * 1000:.0f} ms: {debug_wall / run_wall:.1f})", flush=True)
    ratios.sort()
    print(f"{len(ratios)} programs: median {ratios[len(ratios) // 2][0]:.1f} times, most {ratios[-1][0]:.1f} ({ratios[-1][1]})")
    return ratios[-1][0] > MOST


if __name__ == "__main__":
    sys.exit(main())
