#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--schedule on all commands that take it, LOCKSTEP_SCHEDULE, and check --explore."""
import json
import os
import subprocess
import tempfile
import unittest

HERE = os.path.join(os.environ["SOURCE_DIR"], "tests", "schedule")
TOOL = os.environ["LOCKSTEP"]


def call(words, **environment):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, env={**os.environ, **environment})


class Explore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = []
        for mistake in range(3):
            cls.program.append(os.path.join(cls.folder.name, f"pairs{mistake}"))
            subprocess.run([TOOL, "cc", "-w", "-lineinfo", f"-DMISTAKE={mistake}", os.path.join(HERE, "pairs.cu"), "-o",
                            cls.program[mistake]], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def explore(self, mistake, count):
        out = os.path.join(self.folder.name, "out.json")
        r = call([TOOL, "check", "--explore", str(count), f"--json={out}", self.program[mistake]])
        with open(out, encoding="utf-8") as f:
            return r, json.load(f)

    def test_right_program_is_silent(self):
        r, j = self.explore(0, 10)
        self.assertEqual((r.returncode, j["findings"], j["schedules"]), (0, [], 10), r.stdout + r.stderr)
        self.assertEqual(j["summary"]["launches_checked"], 10)
        self.assertEqual(r.stdout.count("2016\n"), 1) # what the program printed, once

    def test_results_that_differ(self):
        r, j = self.explore(1, 10)
        kinds = [f["kind"] for f in j["findings"]]
        self.assertEqual(r.returncode, 1)
        self.assertEqual(kinds.count("global-race"), 1, j) # once, whatever the number of schedules
        differs = [f for f in j["findings"] if f["kind"] == "schedule-dependent"]
        self.assertEqual([(f["severity"], f["kernel"]) for f in differs], [("warning", "last")], j)
        self.assertIn("allocation 1 (64 bytes) holds something else after launch 1", differs[0]["message"])
        self.assertIn("first seen with --schedule " + differs[0]["schedule"], r.stdout)

    def test_deadlock_and_its_replay(self):
        r, j = self.explore(2, 4)
        found = [f for f in j["findings"] if f["kind"] == "barrier-deadlock"]
        self.assertEqual((r.returncode, len(found)), (1, 1), r.stdout)
        schedule = found[0]["schedule"]
        for _ in range(2):
            again = call([TOOL, "run", "--schedule", schedule, self.program[2]])
            self.assertIn("deadlock in kernel", again.stderr)
        # In the usual order the first warp has both locks before the second one begins.
        self.assertEqual(call([TOOL, "run", self.program[2]]).stdout, "2\n")

    def test_words(self):
        for command in (["run"], ["check"], ["profile"]):
            r = call([TOOL, *command, "--schedule", "fast", self.program[0]])
            self.assertEqual((r.returncode, "adversarial is a schedule" in r.stderr), (2, True), r.stderr)
            for word in ("default", "gpu", "random:3", "adversarial"):
                r = call([TOOL, *command, "--schedule", word, self.program[0]])
                self.assertEqual((r.returncode, "2016" in r.stdout), (0, True), r.stdout + r.stderr)
        r = call([TOOL, "check", "--explore", "3", "--schedule", "gpu", self.program[0]])
        self.assertEqual(r.returncode, 2)
        r = call([self.program[1]], LOCKSTEP_SCHEDULE="random:")
        self.assertIn("0\n", r.stdout) # no device: the program looks at no error
        r = call([self.program[2]], LOCKSTEP_SCHEDULE="gpu")
        self.assertIn("deadlock in kernel", r.stderr)

    def test_launch(self):
        ptx = os.path.join(self.folder.name, "pairs.ptx")
        subprocess.run([TOOL, "cc", "-w", "-DMISTAKE=1", "-ptx", os.path.join(HERE, "pairs.cu"), "-o", ptx], check=True)
        found = set()
        for word in ("default", "gpu", "adversarial"):
            out = os.path.join(self.folder.name, "out.bin")
            r = call([TOOL, "launch", ptx, "--block", "64", "--schedule", word, "-a", "buffer:64", "-a", "buffer:64",
                      "--dump", f"0:{out}"])
            self.assertEqual(r.returncode, 0, r.stderr)
            with open(out, "rb") as f:
                found.add(f.read(4))
        self.assertEqual(found, {b"\x20\0\0\0", b"\0\0\0\0"})
        self.assertEqual(call([TOOL, "launch", ptx, "--block", "64", "--schedule", "x"]).returncode, 2)


if __name__ == "__main__":
    unittest.main()
