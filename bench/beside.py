# SPDX-License-Identifier: Apache-2.0
"""Measures two builds of lockstep side by side on the rows of bench/run.py: run, check and profile, and
what the first run of a row takes with an empty cache.

    python3 bench/beside.py OTHER/build/lockstep [--parts run,check,profile,cold] [--rows REGEX]
                            [--rounds 7] [--seconds 4] [--warm 0] [--workers 1] [--json FILE]

Both builds serve the rows at once and take turns, sample by sample, so that a disturbance hits both
alike; the least sample of each counts. Of a kernel that takes long to compile quick code runs first, and
better code only once that pays (docs/decisions/0022): --warm says for how many seconds each build runs a row
before it is sampled. A ratio is OTHER's time over this build's: below 1, this build
is slower. Times are processor times, which say something on a machine that others use, too.
"""

import argparse
import json
import math
import re
import tempfile
import time
from pathlib import Path

from peers import BENCH, LOCKSTEP, Missing, Peer
from run import CHECK_SCALE, row_list

SCALES = {"run": 1, "check": CHECK_SCALE, "profile": CHECK_SCALE, "cold": 1000}


def words(build, part, workers):
    command = "run" if part == "cold" else part
    return [build, command, *(["-q"] if command == "run" else []), "--workers", str(workers), str(BENCH / "rows.cu")]


def start(build, part, options, folder):
    name = "other" if build == options.other else "this"
    return Peer(name, words(build, part, options.workers), {"LOCKSTEP_CACHE": str(folder / f"{name}-{part}")},
                folder / f"{name}-{part}.log")


def least_of(row, part, peers, options):
    """[milliseconds of the other build, of this one]; None where a build does not have the row."""
    for peer in peers:
        first = peer.prepare(row, SCALES[part])
        if not first or not first[1]:
            return None
    begun = time.monotonic()
    while time.monotonic() < begun + options.warm * len(peers):  # in turns: who runs last has the host's cache
        for peer in peers:
            peer.run()
    samples = [[], []]
    for _ in range(options.rounds):
        for peer, times in zip(peers, samples):
            times.append(peer.run()[1])
        if sum(map(sum, samples)) > 1e3 * options.seconds and len(samples[0]) > 2:
            break
    for peer in peers:
        peer.release()
    return list(map(min, samples))


def first_of(row, options):
    """The least of the first runs of three processes each, every one with an empty cache."""
    samples = [[], []]
    for _ in range(3):
        for build, times in zip((options.other, LOCKSTEP), samples):
            with tempfile.TemporaryDirectory() as folder:
                peer = start(build, "cold", options, Path(folder))
                first = peer.prepare(row, SCALES["cold"])
                peer.end()
                if not first:
                    return None
                times.append(first[0])
    return list(map(min, samples))


def measure(part, options, folder):
    rows = [row for row, _ in row_list()[0] if re.search(options.rows, row)]
    if part == "cold":
        found = {row: first_of(row, options) for row in rows}
    else:
        peers = [start(build, part, options, folder) for build in (options.other, LOCKSTEP)]
        found = {row: least_of(row, part, peers, options) for row in rows}
        for peer in peers:
            peer.end()
    return {row: times for row, times in found.items() if times}


def print_part(part, rows):
    ratios = {row: other / this for row, (other, this) in rows.items()}
    print(f"\n{part:<20}{'other ms':>12}{'this ms':>12}{'ratio':>8}")
    for row, (other, this) in rows.items():
        print(f"{row:<20}{other:12.3f}{this:12.3f}{ratios[row]:8.3f}")
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios)) if ratios else 0
    print(f"{'geometric mean':<44}{mean:8.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", help="the command of the other build")
    parser.add_argument("--parts", default=",".join(SCALES))
    parser.add_argument("--rows", default="", metavar="REGEX")
    parser.add_argument("--rounds", type=int, default=7, help="samples of each, at most (7)")
    parser.add_argument("--seconds", type=float, default=4, help="a row's limit, three samples at least (4)")
    parser.add_argument("--warm", type=float, default=0, help="seconds before the first sample (0)")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    options.other = str(Path(options.other).resolve())
    if set(options.parts.split(",")) - set(SCALES):
        parser.error(f"--parts knows {', '.join(SCALES)}")
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts.split(","):
            try:
                result[part] = measure(part, options, Path(folder))
            except Missing as why:
                parser.exit(1, f"bench: {why}\n")
            print_part(part, result[part])
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
