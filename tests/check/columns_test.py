# SPDX-License-Identifier: Apache-2.0
"""columns.cu under `lockstep check`: who wrote a word is known by name where a line has one record for
several warps, and nothing else is found."""
import sys

import watched

RACE = "global-race"
WANTED = {  # kernel, kind, times; block and thread of both sides
    ("bad_turn", RACE, 2): ((2, 1, 0), (3, 5, 0), (1, 0, 0), (7, 6, 0)),
    ("bad_neighbour", RACE, 2): ((1, 0, 0), (4, 9, 0), (1, 0, 0), (4, 8, 0)),
    ("bad_overlap", RACE, 3): ((1, 0, 0), (0, 0, 0), (0, 0, 0), (63, 0, 0)),
    ("bad_shifted", RACE, 96): ((0, 0, 0), (32, 0, 0), (0, 0, 0), (0, 0, 0)),
    ("bad_past_end", "out-of-bounds", 1): ((625, 0, 0), (0, 0, 0)),
    ("sum_rows", "uninitialized", 32): ((0, 0, 0), (0, 0, 0)),
}
OTHER = {("good_turn", "host-device-race", 80000): ((0, 0, 0), (0, 0, 0))}


def sides(f):
    both = [f["access"]] + ([f["other"]] if f["other"] and f["other"]["block"] else [])
    return tuple(tuple(s[k]) for s in both for k in ("block", "thread"))


def found(part):
    return {(f["kernel"], f["kind"], f["count"]): sides(f) for f in watched.run("columns.cu", "1", part)[0]}


bad = []
for part, wanted in (("0", WANTED), ("1", OTHER)):
    is_so = found(part)
    if is_so != wanted:
        bad.append("part %s: %s, wanted: %s" % (part, is_so, wanted))
if watched.kinds("columns.cu", "2", "0") != {k[:2] for k in WANTED}:
    bad.append("two workers find something else")
# A stream that waits for the sixth of 32 launches, each of which wrote a column: that far it is ordered.
for column, race in ((3, False), (5, False), (6, True), (10, True), (30, True)):
    is_so = {f["kind"] for f in watched.run("columns.cu", "1", "2", str(column))[0]}
    if is_so != ({"host-device-race"} if race else set()):
        bad.append("column %d behind an event: %s" % (column, is_so))
sys.exit("\n".join(bad) or 0)
