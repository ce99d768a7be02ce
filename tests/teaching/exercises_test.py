# SPDX-License-Identifier: Apache-2.0
"""The six exercises: each solution meets every criterion, each typical wrong answer misses those it should, with the
words that say why, and no other. JSON and text, exit statuses, lines of at most 80 columns."""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

LOCKSTEP, SOURCE = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"]
FOLDER = os.path.join(SOURCE, "examples", "exercises")
if os.environ.get("SANITIZE"):
    print("a sanitizer's memory is larger than the exercises' limits")
    sys.exit(77)

RACE, BARRIER = "nothing orders them", "a barrier between the two: __syncthreads()"
# Of each program: the criteria that it misses (from 1; 0 is "compiles") with words of the message. None: the program
# has a race there, and may print the right thing.
EXPECTED = {
    "01-vector-add/solution": {},
    "01-vector-add/wrong_bounds": {4: "wrong_bounds.cu:6: load of 4 bytes: right past the end of allocation 1 (4000 bytes"},
    "01-vector-add/wrong_grid": {1: "9 of 9 words printed are wrong: word 1 (line 1) is 0, expected 158.625",
                                 2: "232 of 1001 words printed are wrong, the first in line 769",
                                 4: "takes 928 along that nothing has written"},
    "01-vector-add/wrong_chunks": {5: "sum: global_load_sectors / global_load_requests is 32, not <= 4"},
    "02-transpose/solution": {},
    "02-transpose/wrong_naive": {4: "the source does not have __shared__",
                                 5: "turn: global_store_sectors / global_store_requests is 32, not <= 4"},
    "02-transpose/wrong_padding": {6: "turn: shared_load_bank_conflicts is 3968, not == 0"},
    "02-transpose/wrong_barrier": {1: None, 2: None, 3: BARRIER},
    "02-transpose/wrong_sides": {2: "of 2146 words printed are wrong", 3: "past the end of allocation 2"},
    "03-tiled-product/solution": {},
    "03-tiled-product/wrong_second_barrier": {2: None, 3: RACE},
    "03-tiled-product/wrong_edges": {2: "of 1651 words printed are wrong", 3: "past the end of allocation 2"},
    "03-tiled-product/wrong_early_return": {2: "of 1651 words printed are wrong",
                                            3: "never reach the barrier: they have left the kernel"},
    "03-tiled-product/wrong_global": {4: "product: global_load_requests is 16384, not <= 1024",
                                     5: "us estimated, "},
    "04-reduction/solution": {},
    "04-reduction/wrong_barrier": {1: None, 2: None, 3: BARRIER},
    "04-reduction/wrong_start": {2: None, 3: "of allocation 2 (4 bytes) at byte 0, which nothing has written"},
    "04-reduction/wrong_blocks": {2: None, 3: "by different blocks, nothing orders them"},
    "04-reduction/wrong_atomics": {4: "add: global_atomic_requests is 256, not <= 32"},
    "04-reduction/wrong_strides": {5: "tree: shared_load_bank_conflicts is 2240, not == 0\n"
                                      "tree: shared_store_bank_conflicts is 1120, not == 0"},
    "05-histogram/solution": {},
    "05-histogram/wrong_increment": {1: None, 2: None, 3: RACE},
    "05-histogram/wrong_start": {1: None, 2: None, 3: '"own" at byte'},
    "05-histogram/wrong_barrier": {1: None, 2: None, 3: BARRIER},
    "05-histogram/wrong_global": {4: "count: global_atomic_requests is 625, not <= 320"},
    "06-convolution/solution": {},
    "06-convolution/wrong_barrier": {2: None, 3: BARRIER},
    "06-convolution/wrong_halo": {1: None, 2: None, 3: '"s" at byte 1024 that no thread of the block has written'},
    "06-convolution/wrong_ghosts": {1: None, 2: None, 3: "12 bytes before the start of allocation 1"},
    "06-convolution/wrong_global": {4: "the source does not have __constant__",
                                    5: "filter: global_load_requests is 1792, not <= 192"},
}
failures = []


def expect(good, what):
    if not good:
        failures.append(what)


def grade(name):
    folder = os.path.join(FOLDER, os.path.dirname(name))
    return name, subprocess.run([LOCKSTEP, "grade", "--json", "--workers", "2", os.path.join(folder, "exercise.toml"),
                                 os.path.join(FOLDER, name + ".cu")], capture_output=True, text=True, timeout=300)


def compare(name, p):
    missed = EXPECTED[name]
    expect(p.returncode == (1 if missed else 0), "%s: status %d: %s" % (name, p.returncode, p.stderr[-800:]))
    if p.returncode > 1:
        return
    result = json.loads(p.stdout)
    points = 0
    for k, c in enumerate(result["criteria"]):
        where = "%s, %s: %s" % (name, c["name"], c)
        met = c["verdict"] == "met"
        points += c["points"]
        expect(c["points"] == (c["of"] if met else 0), where)
        if k not in missed:
            expect(met, where)
        elif missed[k]:
            expect(not met and missed[k] in c["message"], where)
        expect(bool(c["message"]) or met, where)
    expect(result["points"] == points and result["of"] == sum(c["of"] for c in result["criteria"]), name)
    expect(result["verdict"] == ("not met" if missed else "met"), name)


there = {os.path.relpath(p, FOLDER)[:-3] for p in glob.glob(os.path.join(FOLDER, "*", "*.cu"))}
expect(there == set(EXPECTED), "not in this test, or not there: %s" % sorted(there ^ set(EXPECTED)))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for name, p in pool.map(grade, EXPECTED):
        compare(name, p)

# The text: verdicts, hints, widths; the teacher's view says more.
exercise, wrong = (os.path.join(FOLDER, "01-vector-add", n) for n in ("exercise.toml", "wrong_grid.cu"))
text = subprocess.run([LOCKSTEP, "grade", exercise, wrong], capture_output=True, text=True).stdout
for words in ("1: the sum of two vectors: wrong_grid.cu\n", "  met               compiles\n",
              "  not met      0/1  eight elements\n", "hint: the last block has threads that have no element",
              "2 of 7 points; 3 of 6 criteria not met\n"):
    expect(words in text, "%r is not in\n%s" % (words, text))
expect("1000" not in text.replace("4000", ""), "a hidden argument is shown:\n" + text)
told = subprocess.run([LOCKSTEP, "grade", "-v", exercise, wrong], capture_output=True, text=True).stdout
expect("arguments: 1000 7;" in told and "is 0, expected" in told, told)
for line in (text + told).splitlines():
    expect(len(line) <= 80 or exercise in line, "wide: " + line)
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures else 0)
