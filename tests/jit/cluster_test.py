#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clusters of 1 to 16 blocks: special registers, addresses, remote accesses, mbarriers, bulk copies and
multicasts (cluster_programs.py), on one to three workers and in other orders of warps."""
import csv
import sys

from cluster_programs import programs, words
from ptx_cases import case, check_all, source

OPTIONS = ([], ["--workers", "1"], ["--workers", "3"], ["--schedule", "gpu"], ["--schedule", "adversarial"])


def run(p, options):
    shape = lambda s: ",".join(map(str, s))
    cluster = ["--cluster", shape(p.cluster)] if p.cluster else []
    return words(case(None, 4 * len(p.want), p.inputs, block=str(p.block), grid=shape(p.grid), text=p.text,
                      options=[*cluster, *options]))


def test_of(p, options):
    def test():
        got = run(p, options)
        wrong = [k for k in range(len(p.want)) if got[k] != p.want[k]]
        assert not wrong, f"word {wrong[0]}: {got[wrong[0]]:#x}, not {p.want[wrong[0]]:#x}, and {len(wrong) - 1} more"
    test.__name__ = " ".join([p.name, *options])
    return test


def recorded():
    """Each program is one that an H200 has run with the same words as its result."""
    with open(source / "tests/data/h200_cluster_programs.csv") as f:
        rows = {r["program"]: (r["error"], r["words_that_differ"]) for r in csv.DictReader(f)}
    for p in programs():
        assert rows.get(p.name) == ("0", "0"), p.name


if __name__ == "__main__":
    every = list(programs())
    sys.exit(check_all([recorded] + [test_of(p, OPTIONS[k % len(OPTIONS)]) for k, p in enumerate(every)]))
