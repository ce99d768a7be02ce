# SPDX-License-Identifier: Apache-2.0
"""What check finds is the same with one, two and three workers, and each time: kind, severity, kernel and lines. What may
vary is named in docs/checks.md: which threads and blocks of a race between blocks are shown, in which order, and counts."""
import json
import os
import subprocess
import sys
import tempfile

lockstep, here = os.environ["LOCKSTEP"], os.path.dirname(os.path.abspath(__file__))
failures = 0


def findings(program, workers, out):
    ended = subprocess.run([lockstep, "check", "--workers", str(workers), "--json=" + out, program], text=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=240)
    if ended.returncode != 1 or "Sanitizer" in ended.stderr:
        sys.exit(f"{program}: exit status {ended.returncode}: {ended.stderr}")
    with open(out) as f:
        found = json.load(f)["findings"]
    sides = [[(s["op"], s.get("file"), s.get("line")) for s in (f["access"], f["other"]) if s] for f in found]
    return sorted((f["kind"], f["severity"], str(f["kernel"]), sorted(map(str, s))) for f, s in zip(found, sides))


with tempfile.TemporaryDirectory() as work:
    for name in ("mistakes", "lectures", "five"):
        program = os.path.join(work, name)
        subprocess.run([lockstep, "cc", "-w", os.path.join(here, name + ".cu"), "-o", program], check=True)
        first = findings(program, 1, os.path.join(work, "out"))
        if len(first) < 5:
            failures += 1
            print("FAIL", name, "finds next to nothing", first)
        for workers in (1, 2, 3, 3):
            found = findings(program, workers, os.path.join(work, "out"))
            if found != first:
                failures += 1
                print("FAIL", name, workers, [f for f in found if f not in first], [f for f in first if f not in found])
sys.exit(1 if failures else 0)
