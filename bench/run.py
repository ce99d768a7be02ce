# SPDX-License-Identifier: Apache-2.0
"""Measures lockstep on this machine: the matrix product's rungs by number of workers, what a launch
costs, how long compiling a kernel takes and loading it from the disk cache.

    python3 bench/run.py [--quick] [--json FILE] [--n N] [--workers 1,2]

Everything is measured interleaved, round by round, so that a disturbance hits all rows alike; the
best round counts, the spread is (median - best) / best.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKSTEP = os.environ.get("LOCKSTEP", str(ROOT / "build/lockstep"))
RUNGS = {  # name: (grid, block, dynamic shared bytes) of its launch for n = 1024
    "naive": ("64,64", "16,16", 0),
    "tiled": ("64,64", "16,16", 0),
    "dynamic": ("64,64", "16,16", 2048),
    "register": ("16,16", "32,8", 0),
}


def call(*words, **environment):
    done = subprocess.run([LOCKSTEP, *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, **environment})
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, words))} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def best_and_spread(values):
    best = min(values)
    return best, (statistics.median(values) - best) / best if best else 0.0


def measure_products(n, workers, rounds):
    samples = {}
    for _ in range(rounds):
        for rung in RUNGS:
            for count in workers:
                answer = json.loads(call("run", "--workers", count, ROOT / f"suite/matmul/{rung}.cu",
                                         "--n", n, "--repeat", 2, "--verify", 0, "--json"))
                samples.setdefault((rung, count), []).append(answer["milliseconds"])
    rows = []
    for (rung, count), values in samples.items():
        ms, spread = best_and_spread(values)
        rows.append({"rung": rung, "workers": count, "n": n, "milliseconds": ms, "spread": spread,
                     "gflops": 2e-6 * n**3 / ms, "million_madds": 1e-3 * n**3 / ms})
    for row in rows:
        alone = next(r for r in rows if r["rung"] == row["rung"] and r["workers"] == workers[0])
        row["scaling"] = alone["milliseconds"] / row["milliseconds"]
    return rows


def measure_compiling(rounds):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for rung, (_, block, shared) in RUNGS.items():
            ptx = f"{folder}/{rung}.ptx"
            call("cc", "-ptx", ROOT / f"suite/matmul/{rung}.cu", "-o", ptx)
            compiled, loaded = [], []
            for i in range(rounds):
                words = ("launch", ptx, "--block", block, "--shared", shared, "--json",
                         *["--arg", "buffer:65536"] * 3, *["--arg", "s32:16"] * 3)
                first = json.loads(call(*words, LOCKSTEP_CACHE=f"{folder}/cache{i}"))
                second = json.loads(call(*words, LOCKSTEP_CACHE=f"{folder}/cache{i}"))
                compiled.append(first["compile_milliseconds"])
                loaded.append(second["disk_milliseconds"])
            rows.append({"rung": rung, "compile_ms": min(compiled), "cached_ms": min(loaded)})
    return rows


def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def print_text(result):
    print(f"{result['cpu']}, {result['cores']} cores, load {result['load']:.1f}\n")
    print(f"{'matrix product':<16}{'n':>6}{'workers':>9}{'ms':>10}{'GFLOP/s':>10}{'Mmadd/s':>10}"
          f"{'scaling':>9}{'spread':>8}")
    for r in result["products"]:
        print(f"{r['rung']:<16}{r['n']:>6}{r['workers']:>9}{r['milliseconds']:>10.2f}{r['gflops']:>10.1f}"
              f"{r['million_madds']:>10.0f}{r['scaling']:>9.2f}{100 * r['spread']:>7.0f}%")
    print(f"\n{'kernel':<16}{'compiled in':>14}{'from disk in':>14}")
    for r in result["compiling"]:
        print(f"{r['rung']:<16}{r['compile_ms']:>11.1f} ms{r['cached_ms']:>11.2f} ms")
    print(f"\nempty kernel: {result['launch']['queued_us']:.2f} us a launch, "
          f"{result['launch']['waited_us']:.2f} us when each is waited for")


def main():
    parser = argparse.ArgumentParser(description="measures lockstep on this machine")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--n", type=int, default=1024)
    parser.add_argument("--workers", default=f"1,{os.cpu_count()}" if os.cpu_count() > 1 else "1")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    rounds = 2 if options.quick else 7
    workers = [int(w) for w in options.workers.split(",")]
    result = {"version": 1, "cpu": cpu_name(), "cores": os.cpu_count(), "load": os.getloadavg()[0],
              "products": measure_products(options.n, workers, rounds),
              "compiling": measure_compiling(rounds),
              "launch": json.loads(call("run", "--workers", 1, ROOT / "bench/empty.cu"))}
    print_text(result)
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
