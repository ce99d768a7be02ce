# SPDX-License-Identifier: Apache-2.0
"""What check finds is the same with one, two and three workers, and each time: kind, severity, kernel and lines. What may
vary is named in docs/checks.md: which threads and blocks of a race between blocks are shown, in which order, and counts."""
import json
import os
import subprocess
import sys
import tempfile

lockstep, here = os.environ["LOCKSTEP"], os.path.dirname(os.path.abspath(__file__))


def findings(program, workers, out):
    ended = subprocess.run([lockstep, "check", "--workers", str(workers), "--json=" + out, program], text=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=240)
    if ended.returncode != 1 or "Sanitizer" in ended.stderr:
        sys.exit(f"{program}: exit status {ended.returncode}: {ended.stderr}")
    with open(out) as f:
        found = json.load(f)["findings"]
    sides = [[(s["op"], s.get("file"), s.get("line")) for s in (f["access"], f["other"]) if s] for f in found]
    return sorted((f["kind"], f["severity"], str(f["kernel"]), sorted(map(str, s))) for f, s in zip(found, sides))


def compare(source, workers, least, work):
    """The program's findings in these runs; says which ones differ from the first run's."""
    name = os.path.basename(source)[:-3]
    program, out = os.path.join(work, name), os.path.join(work, "out")
    subprocess.run([lockstep, "cc", "-w", "-arch=sm_90", source, "-o", program], check=True)
    first, differ = findings(program, 1, out), 0
    if len(first) < least:
        print("FAIL", name, "finds next to nothing", first)
        return False
    for k in workers:
        found = findings(program, k, out)
        if found != first:
            differ += 1
            print("FAIL", name, k, [f for f in found if f not in first], [f for f in first if f not in found])
    print("%s: %d findings, %d runs with 1 to 3 workers, %d differ" % (name, len(first), len(workers) + 1, differ))
    return not differ


# Without programs: a short form. The study, ten runs with each number of workers, also of other programs that race:
#   LOCKSTEP=build/lockstep python3 tests/check/workers_test.py tests/check/{mistakes,lectures,scopes,five}.cu ...
given = sys.argv[1:]
with tempfile.TemporaryDirectory() as work:
    if given:
        right = [compare(source, 9 * [1] + 10 * [2] + 10 * [3], 1, work) for source in given]
    else:
        right = [compare(os.path.join(here, name + ".cu"), (1, 2, 3, 3), least, work)
                 for name, least in (("mistakes", 5), ("lectures", 5), ("five", 5), ("colours", 1))]
sys.exit(0 if all(right) else 1)
