#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`lockstep suite claims`: docs/claims.md is what it prints; every verdict follows from the figures
beside it by the rules of suite_claims.h, judged here once more; figures that can be had in another way
are as that way has them; the command that a claim names gives its figure."""
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

source = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))
LOCKSTEP = os.environ.get("LOCKSTEP", str(source / "build/lockstep"))
failures = 0


def expect(good, what):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what)


def run(*words, status=0):
    p = subprocess.run([LOCKSTEP, "suite", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       text=True, timeout=500)
    expect(p.returncode == status, f"{words}: status {p.returncode}: {p.stderr[:600]}")
    return p.stdout


# -- judging, once more ----------------------------------------------------------------------------------

def agrees(claimed, found):
    number = r"-?\d+(\.\d+)?([eE][+-]?\d+)?"
    try:
        value = float(found)
    except ValueError:
        return claimed == found
    if re.fullmatch(number, claimed):
        digits = len(claimed.split(".")[1]) if "." in claimed else 0
        return abs(value - float(claimed)) < 0.5 * 10 ** -digits
    if re.fullmatch(rf"{number}\.\.{number}", claimed):
        least, most = claimed.split("..")
        return float(least) <= value <= float(most)
    if claimed[0] == ">":
        return value > float(claimed[1:])
    if claimed[0] == "<":
        return value < float(claimed[1:])
    if claimed[0] == "~":
        return abs(value - float(claimed[1:])) <= 0.2 * abs(float(claimed[1:]))
    return claimed == found


def judge(claim):
    """The verdict by the figures; None where only their extremes are printed."""
    found = claim["found"]
    groups = re.findall(r"(?:^|, )([^,()]+) \(([^()]*)\)", found)
    if re.search(r"\) to [^(]+\(", found):
        return None
    figures = [g[0].strip() for g in groups] if groups and found.endswith(")") else [found]
    good = [agrees(claim["claimed"], f) for f in figures]
    return "holds" if all(good) else "partly" if any(good) else "fails"


# -- the same in another way -------------------------------------------------------------------------------

def ways(banks, lanes, words):
    worst = 0
    for first in range(0, 32, lanes):
        for bank in range(banks):
            worst = max(worst, len({w for w in words[first:first + lanes] if w % banks == bank}))
    return worst


def independent():
    """(lecture, words): the figure for 9.0, or the figure where all devices agree."""
    known = {}
    for dim, _ in ((d, 0) for d in range(8, 49, 4)):
        known["002", f"utilisation, DIM {dim}"] = 100 * dim * dim / (dim + 2) ** 2
    inside = outside = 0
    for y in range(-1, 9):
        for x in range(-1, 9):
            readers = sum(0 <= x + u < 8 and 0 <= y + v < 8
                          for u in (-1, 0, 1) for v in (-1, 0, 1) if u or v)
            if 0 <= x < 8 and 0 <= y < 8:
                inside += readers
            else:
                outside += readers
    known["002", "cached reads"] = inside
    known["002", "un-cached reads"] = outside
    known["002", "index of thread 127"] = 127 * 4 % 129
    known["000", "a permutation: ways"] = ways(32, 32, [t * 13 % 32 for t in range(32)])
    known["000", "what that supports with TILE_WIDTH 16"] = 86.4 / 4 * 16
    known["003", "improvement that 57.5 over 36.8 GB/s are"] = 57.5 / 36.8
    known["001", "P[1]"] = 0 * 3 + 1 * 4 + 2 * 5 + 3 * 4 + 4 * 3
    known["001", "blocks in all"] = math.ceil(76 / 16) * math.ceil(62 / 16)
    known["004", "times that an element is loaded with b = 10 blocks: 2b"] = 10
    return known


def currents():
    """The circuit's loop currents by Cramer's rule."""
    z = [[76, -25, -50], [-25, 56, -1], [-50, -1, 106]]
    def det(m):
        return (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
                - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
                + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]))
    first = [[10, -25, -50], [0, 56, -1], [0, -1, 106]]
    return det(first) / det(z)


def what_stays(line):
    """Of a claim that is judged by a limit our figure may move with the model; its verdict may not."""
    cells = line.split(" | ")
    if len(cells) == 5 and re.match(r"[~>]|\\<", cells[2]):
        cells[3] = ""
    return cells


# -- the tests ------------------------------------------------------------------------------------------------

if os.environ.get("SANITIZE"):  # programs take their time: the command itself is what is looked at
    claims = json.loads(run("claims", "2", "--json"))
    expect(len(claims) >= 60, f"claims of lecture 2: {len(claims)}")
    run("figure", "blocks{--threads x}", status=2)
    sys.exit(1 if failures else 0)

page = run("claims", "--page")
recorded = (source / "docs/claims.md").read_text()
same = len(page.splitlines()) == len(recorded.splitlines())
for old, new in zip(recorded.splitlines(), page.splitlines()):
    if what_stays(old) != what_stays(new):
        same = False
        print("  docs/claims.md:", old, "\n  now:           ", new)
expect(same, "docs/claims.md is what `lockstep suite claims --page` prints")

claims = json.loads(run("claims", "--json"))
expect(len(claims) >= 250, f"at least 250 claims: {len(claims)}")
for lecture, least in (("000", 100), ("001", 45), ("002", 60), ("003", 40), ("004", 20)):
    n = sum(c["lecture"] == lecture for c in claims)
    expect(n >= least, f"at least {least} claims of lecture {lecture}: {n}")
judged = 0
for c in claims:
    for member in ("slide", "claim", "claimed", "found", "command"):
        expect(c[member], f"{c['claim']}: {member}")
    verdict = judge(c)
    judged += verdict is not None
    expect(verdict in (None, c["verdict"]), f"{c['claim']}: {c['claimed']}, {c['found']}: {c['verdict']}")
    expect((c["verdict"] == "fails") == (c["generations"] == ""), f"{c['claim']}: {c['generations']}")
expect(judged >= 230, f"verdicts judged again: {judged}")

by_words = {(c["lecture"], c["claim"]): c for c in claims}
known = independent()
known["001", "i = inv(Z) * (-V): i1 is negative"] = currents()
for key, value in known.items():
    found = by_words[key]["found"]
    expect(abs(float(found) - value) <= 1e-3 * abs(value), f"{key}: {found}, should be {value}")

for c in claims[::40]:
    words = re.fullmatch(r"lockstep suite figure (--\w+) (\S+) '(.*)'", c["command"])
    found = run("figure", words[1], words[2], words[3]).strip()
    expect(found in c["found"], f"{c['command']}: {found}, {c['found']}")

expect("fails" not in run("claims", "4", "holds", "--json"), "a filter by verdict")
run("claims", "7", status=2)
for wrong in ("1 +", "nothing", "blocks{--threads x}", "blocks{", "run{no/rung 1: x}", "1 2", "degree{--stride}"):
    run("figure", wrong, status=2)
print(f"{len(claims)} claims, {judged} judged again, {failures} failures")
sys.exit(1 if failures else 0)
