# SPDX-License-Identifier: Apache-2.0
"""Measures lockstep on this machine beside PoCL, plain and tuned C with OpenMP, OpenBLAS and the
machine's own limits: the lectures' workloads (rows.h), what checking and profiling cost, launches,
barriers, blocks, compiling. What is missing here is skipped and named.

    python3 bench/run.py [--quick] [--rows REGEX] [--parts rows,checked,costs,compiling,products]
                         [--peers NAME,...] [--clock wall|cpu] [--json FILE]

All peers live at once and take turns, sample by sample, so that a disturbance hits all alike; in rows
that stream, a copy of as many bytes takes turns with them: by itself it would copy from cache to cache
where that is large. The least of the samples counts, the spread is (median - least) / least. --clock cpu
counts processor time instead of the wall clock's: on a machine that others use, too, it still says
something.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tables
from peers import LOCKSTEP, ROOT, Missing, peer_list, start_peers

KINDS = ("PRODUCT", "TRANSPOSE", "AVERAGE", "CONV1D", "SPMV", "REDUCE", "HISTOGRAM", "CONV2D", "SUM3",
         "DIFFERENCE", "EMPTY", "BARRIER", "COPY", "FMA")
MI = 1 << 20
WORK = {  # what a run does, at scale 1, in 1e9 of the unit: operations, or bytes moved at least
    "PRODUCT": (2 * 1024**3, "GFLOP/s"), "TRANSPOSE": (8 * 4096**2, "GB/s"),
    "AVERAGE": (50 * 8 * 16 * MI, "GB/s*"), "CONV1D": (8 * 16 * MI, "GB/s"),
    "SPMV": ((16 * 8 + 8) * MI, "GB/s"), "REDUCE": (4 * 64 * MI, "GB/s"),
    "HISTOGRAM": (64 * MI, "GB/s"), "CONV2D": (2 * 25 * 2048**2, "GFLOP/s"),
    "SUM3": (8 * 64 * MI, "GB/s"), "DIFFERENCE": (8 * 64 * MI, "GB/s"),
}
COPIES = {  # what streams: the copy that moves as much
    "TRANSPOSE": "copy64", "CONV1D": "copy64", "SUM3": "copy256", "DIFFERENCE": "copy256",
}
CHECK_SCALE = 8  # rows are this much smaller where checked and profiled runs are measured
PARTS = ("rows", "checked", "costs", "compiling", "products")


def row_list():
    """(name, kind) of each row, from rows.h: workloads, costs, limits."""
    text = (ROOT / "bench/rows.h").read_text()
    lists = {}
    for list_name, body in re.findall(r"#define (ROWS\w*)\(ROW\)(.*?)\n\n", text, re.S):
        lists[list_name] = re.findall(r"ROW\((\w+), ROW_(\w+), \d+\)", body)
    return lists["ROWS"], lists["ROWS_COSTS"], lists["ROWS_LIMITS"]


def figures(samples, clock):
    values = [s[clock == "cpu"] for s in samples]
    least = min(values)
    return {"ms": least, "median_ms": statistics.median(values),
            "spread": (statistics.median(values) - least) / least if least else 0.0,
            "cpu_ms": min(s[1] for s in samples), "samples": len(samples)}


def measure_row(row, kind, peers, options, scale=1):
    """{peer: figures}; a peer that dies is taken out of peers."""
    ready, samples = {}, {}
    for name, peer in list(peers.items()):
        what = COPIES.get(kind) if name == "copy" else row
        try:
            first = peer.prepare(what, scale) if what else None
        except Missing as why:
            print(f"bench: {name}: {why}", file=sys.stderr)
            del peers[name]
            continue
        if first:
            ready[name] = first
            samples[name] = []
    until = time.monotonic() + options.seconds
    for turn in range(options.rounds):
        if turn >= 2 and time.monotonic() > until:
            break
        for name in ready:
            samples[name].append(peers[name].run())
    for name in ready:
        peers[name].release()
    return {name: {**figures(samples[name], options.clock), "first_ms": first, "verified": right}
            for name, (first, right) in ready.items()}


def measure_rows(rows, peers, options, scale=1):
    out = []
    for row, kind in rows:
        if re.search(options.rows, row):
            result = {"row": row, "kind": kind, "scale": scale, "peers": measure_row(row, kind, peers, options, scale)}
            if kind in WORK:
                result["work"], result["unit"] = WORK[kind]
            out.append(result)
            if sys.stderr.isatty():
                print(f"\r{row:<20}", end="", file=sys.stderr)
    return out


# -- compiling ---------------------------------------------------------------------------------------


def timed(words, environment):
    start = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **environment})
    return 1e3 * (time.monotonic() - start), done


def measure_compiling(workers, options):
    """From nothing in the caches, and again: the whole program until its row's first run is over, and
    that run itself less what a later run takes."""
    out = []
    for name in ("1 worker", "PoCL"):
        for row in ("conv1d_basic", "sgemm_tiled16", "sgemm_reg8"):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    words, environment = peer_list(workers, Path(folder))[name]
                    command = [*words(), "--row", row, "--repeat", "1", "--scale", "1000"]
                except Missing:
                    break
                result = {"peer": name, "row": row}
                for which in ("new", "cached"):
                    Path(folder, "pocl").mkdir(exist_ok=True)
                    whole, done = timed(command, environment)
                    found = re.search(r"([\d.]+) ms +[\d.]+ ms of processor time, first +([\d.]+)", done.stdout)
                    if not found:
                        break
                    result[which] = {"whole_ms": whole, "launch_ms": float(found[2]) - float(found[1])}
                else:
                    out.append(result)
    return out


# -- the products of the suite, by number of workers ---------------------------------------------------


def call(*words, **environment):
    done = subprocess.run([LOCKSTEP, *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, **environment})
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, words))} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def measure_products(n, counts, options):
    samples = {}
    for _ in range(options.rounds):
        for rung in ("naive", "tiled", "dynamic", "register"):
            for count in counts:
                answer = json.loads(call("run", "--workers", count, ROOT / f"suite/matmul/{rung}.cu",
                                         "--n", n, "--repeat", 2, "--verify", 0, "--json"))
                samples.setdefault((rung, count), []).append(answer["milliseconds"])
    rows = []
    for (rung, count), values in samples.items():
        ms = min(values)
        rows.append({"rung": rung, "workers": count, "n": n, "milliseconds": ms,
                     "spread": (statistics.median(values) - ms) / ms,
                     "gflops": 2e-6 * n**3 / ms, "million_madds": 1e-3 * n**3 / ms})
    for row in rows:
        alone = next(r for r in rows if r["rung"] == row["rung"] and r["workers"] == counts[0])
        row["scaling"] = alone["milliseconds"] / row["milliseconds"]
    return rows


# -- the whole -----------------------------------------------------------------------------------------


def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two samples each")
    parser.add_argument("--rows", default="", metavar="REGEX", help="only rows whose name it matches")
    parser.add_argument("--parts", default=",".join(PARTS), help="what to measure (all)")
    parser.add_argument("--peers", metavar="NAME,...", help="only these (see the table's heads)")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--rounds", type=int, default=7, help="samples of each, at most (7)")
    parser.add_argument("--seconds", type=float, default=6, help="a row's limit, two samples at least (6)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="threads of all peers (all cores)")
    parser.add_argument("--n", type=int, default=1024, help="size of the suite's products")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    options.rounds = min(options.rounds, 2) if options.quick else options.rounds
    unknown = set(options.parts.split(",")) - set(PARTS)
    if unknown:
        parser.error(f"no part is called {', '.join(unknown)}")
    return options


def measure(options, folder):
    work, costs, limits = row_list()
    parts = options.parts.split(",")
    result = {"version": 2, "cpu": cpu_name(), "cores": os.cpu_count(), "workers": options.workers,
              "load": os.getloadavg()[0], "clock": options.clock}
    names = options.peers.split(",") if options.peers else None
    known = list(peer_list(options.workers, folder))
    if set(names or []) - set(known):
        sys.exit(f"bench: --peers knows: {', '.join(known)}")
    mine = "1 worker" if options.workers == 1 else f"{options.workers} workers"
    tools = ("check", "profile")
    wanted = [n for n in known if (names is None or n in names) and n not in tools]
    (folder / "pocl").mkdir()
    peers, result["missing"] = start_peers(wanted, options.workers, folder)
    everything, options.rows = options.rows, options.rows if "rows" in parts else "^$"
    result["rows"] = measure_rows(work, peers, options)
    options.rows = everything
    if "costs" in parts:
        result["costs"] = measure_rows(costs, peers, options)
    for peer in [p for n, p in peers.items() if n != mine and n != "tuned C"]:
        peer.end()
    options.rows = ""
    if "tuned C" in peers:
        result["limits"] = measure_rows(limits, {"tuned C": peers["tuned C"]}, options)
    options.rows = everything
    if "checked" in parts:
        more, missing = start_peers([t for t in tools if names is None or t in names], options.workers, folder)
        both = {n: p for n, p in {mine: peers.get(mine), **more}.items() if p}
        result["missing"].update(missing)
        result["checked"] = measure_rows(work, both, options, CHECK_SCALE)
    if "compiling" in parts:
        result["compiling"] = measure_compiling(options.workers, options)
    if "products" in parts:
        result["products"] = measure_products(options.n, sorted({1, options.workers}), options)
    result["goals"] = tables.goals(result, mine)
    return result, mine


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        result, mine = measure(options, Path(folder))
    if sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    tables.print_all(result, mine)
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
