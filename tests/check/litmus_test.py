# SPDX-License-Identifier: Apache-2.0
"""Some hundred litmus programs (litmus.py), the same each time: check says of each what the executable memory
model says. And the model itself, on textbook cases whose answer is known."""
import sys

import litmus
from litmus_model import Event, Run

failures = []


def expect(what, blocks, threads, race, loose=False):
    """threads: (kind, location, sem, scope, what it reads or writes) in program order."""
    events = []
    for n, ops in enumerate(threads):
        events.append([Event(n, kind, loc, sem, scope, **({"read": v} if kind == "R" else
                                                          {"value": v} if kind == "W" else {}))
                       for kind, loc, sem, scope, v in ops])
    found = Run(blocks, events).verdicts()
    got = [(any(v[0] for v in found)), any(v[1] for v in found)]
    if not found or got != [race, loose]:
        failures.append(f"the model, {what}: {got} of {len(found)} executions")


def message(blocks, give, store, load, take, data="weak"):
    return blocks, [[("W", 0, data, "", 1)] + give + [("W", 1, *store, 1)],
                    [("R", 1, *load, 1)] + take + [("R", 0, data, "", 1)]]


apart, together = [0, 1], [0, 0]
gpu, cta = [("F", None, "acq_rel", "gpu", None)], [("F", None, "acq_rel", "cta", None)]
relaxed = ("relaxed", "gpu")
expect("a message with fences", *message(apart, gpu, relaxed, relaxed, gpu), False)
expect("no fence before the flag", *message(apart, [], relaxed, relaxed, gpu), True)
expect("no fence behind it", *message(apart, gpu, relaxed, relaxed, []), True)
expect("narrow fences between blocks", *message(apart, cta, relaxed, relaxed, gpu), True)
expect("narrow fences in a block", *message(together, cta, relaxed, relaxed, cta), False)
expect("a narrow flag between blocks", *message(apart, gpu, ("relaxed", "cta"), relaxed, gpu), True)
expect("release and acquire", *message(apart, [], ("release", "gpu"), ("acquire", "gpu"), []), False)
expect("a plain flag", *message(apart, gpu, ("weak", ""), relaxed, gpu), True)
expect("volatile data", *message(apart, [], relaxed, relaxed, [], "volatile"), False, True)
expect("volatile data behind a flag", *message(apart, gpu, relaxed, relaxed, [], "volatile"), False)
sc = [("F", None, "sc", "gpu", None)]
buffered = [[("W", 0, "relaxed", "gpu", 1)] + sc + [("R", 1, "relaxed", "gpu", 0)],
            [("W", 1, "relaxed", "gpu", 1)] + sc + [("R", 0, "relaxed", "gpu", 0)]]
if any(Run(apart, [[Event(n, k, l, s, c, **({"read": v} if k == "R" else {"value": v} if k == "W" else {}))
                    for k, l, s, c, v in t] for n, t in enumerate(buffered)]).verdicts()):
    failures.append("the model, store buffering: a race of relaxed accesses")

# Programs of which check once said something else than the model (docs/memory-model.md).
for seed, number in ((20261130, 1626), (20261134, 881)):
    for o in litmus.study(0, seed, only=number):
        failures.append("again: " + "\n    ".join([o.program.text(), str(o.registers), *o.wrong]))
for o in litmus.study(300, 7):
    failures.append("\n    ".join([o.program.text(), str(o.registers), *o.wrong]))
for o in litmus.study(40, 8, workers="3"):
    failures.append("3 workers: " + "\n    ".join([o.program.text(), str(o.registers), *o.wrong]))
print("\n".join(failures))
sys.exit(1 if failures else 0)
