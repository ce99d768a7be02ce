#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels of kernels.cu in many schedules: those that are free of races give one answer, the others must differ
somewhere, and --schedule gpu gives what an H200 gave (tests/data/h200_schedules.csv) where that gave one answer."""
import csv
import io
import os
import re
import subprocess
import tempfile
import unittest

SOURCE = os.environ["SOURCE_DIR"]
TOOL = os.environ["LOCKSTEP"]
HERE = os.path.join(SOURCE, "tests", "schedule")
SEEDS = 200

# Racy by the rules, but all that lanes of one warp do stays in step in every schedule, and so do a store and what the
# same warp stores next: warps are never taken apart.
ONE_WARP = {"tree_volatile", "scan_volatile", "messages", "last_block"}
# What an H200 gives by its compiler (loads that are moved up, in kernels without volatile) or by how long a store is
# on its way to the second cache, not by the order of warps.
NOT_BY_ORDER = {"tree", "tree_upward", "buffers", "dekker"}


def table():
    text = open(os.path.join(HERE, "kernels.def"), encoding="utf-8").read()
    return {m[1]: m[2] == "1" for m in re.finditer(r"^KERNEL\((\w+), \d+, \d+, ([01])", text, re.M)}


class Schedules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = os.path.join(cls.folder.name, "kernels")
        subprocess.run([TOOL, "cc", "-w", os.path.join(HERE, "kernels.cu"), "-o", cls.program], check=True)
        cls.known = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def answers(self, schedule, **environment):
        key = (schedule, tuple(environment.items()))
        if key not in self.known:
            r = subprocess.run([TOOL, "run", "-q", "--schedule", schedule, self.program], capture_output=True, text=True,
                               env={**os.environ, **environment}, check=True)
            self.known[key] = {row["kernel"]: row["hash"] for row in csv.DictReader(io.StringIO(r.stdout))}
            self.assertEqual(set(self.known[key]), set(table()))
        return self.known[key]

    def all(self):
        names = ["default", "gpu", "adversarial"] + [f"random:{seed}" for seed in range(1, SEEDS + 1)]
        return {name: self.answers(name) for name in names}

    def test_free_of_races_is_the_same_in_all(self):
        for kernel, free in table().items():
            if free:
                found = {name: a[kernel] for name, a in self.all().items()}
                self.assertEqual(set(found.values()), {found["default"]}, f"{kernel}: {found}")

    def test_races_differ_somewhere(self):
        for kernel, free in table().items():
            if not free:
                found = {a[kernel] for a in self.all().values()}
                self.assertEqual(len(found) == 1, kernel in ONE_WARP, f"{kernel}: {found}")

    def test_gpu_as_recorded(self):
        with open(os.path.join(SOURCE, "tests", "data", "h200_schedules.csv"), encoding="utf-8") as f:
            recorded = list(csv.DictReader(f))
        self.assertEqual([r["kernel"] for r in recorded], list(table()))
        answers = self.answers("gpu")
        other = {r["kernel"] for r in recorded if r["answers"] == "1" and r["hash"] != answers[r["kernel"]]}
        self.assertEqual(other, NOT_BY_ORDER)

    def test_the_same_whatever_the_workers(self):
        for schedule in ("gpu", "adversarial", "random:7"):
            one = self.answers(schedule, LOCKSTEP_WORKERS="1")
            for workers in "23":
                self.assertEqual(self.answers(schedule, LOCKSTEP_WORKERS=workers), one)


if __name__ == "__main__":
    unittest.main()
