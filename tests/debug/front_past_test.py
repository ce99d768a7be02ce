# SPDX-License-Identifier: Apache-2.0
"""A part of tests/debug/past.py in seconds: steps back, last writes, a race that goes the same way each time."""

import random
import tempfile

import past
from checks import check, finish

rng = random.Random(3)
programs = [past.program_of(r) for r in ("matmul/tiled", "atomics/tree")]
flow = [str(past.SOURCE / "tests/debug/front/flow.cu")]
for words in [*programs, flow]:
    seconds, wrong = past.steps_back(words, 12, rng)
    check(f"steps back: {len(seconds)} {wrong}", len(seconds) >= 8 and not wrong)
with tempfile.TemporaryDirectory() as work:
    for words in programs[1:] + [flow]:
        asked, wrong = past.last_writes(past.build(words, work), 30, 1000, rng)
        check(f"last writes: {asked} {wrong}", asked == 30 and not wrong)
seen = past.race_again(past.RACE, 20)
check(f"a race goes the same way each time: {seen}", len(seen) == 1 and "Catchpoint 1" in next(iter(seen))[0])
finish()
