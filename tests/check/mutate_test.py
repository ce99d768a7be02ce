# SPDX-License-Identifier: Apache-2.0
"""A short part of the mutation study (mutate.py): every mutant of these programs is reported, or cannot
misbehave for the reason that stands there. And the tables of docs/checks.md are those of tests/data/mutants.csv."""
import csv
import os
import sys
import tempfile

import mutate

failures = []
kinds = set()
with tempfile.TemporaryDirectory() as work:
    for name in ("sum3/halo", "atomics/hierarchical"):
        for m in mutate.study(name, work):
            kinds.add(m["kind"])
            why = mutate.reason(m)
            if bool(m["found"]) == bool(why):
                failures.append("%s, %s taken away (%s): %s" % (name, m["gone"], m["line"],
                                                                "reported, yet: " + why if why else "silent"))
if kinds != set(mutate.KINDS) - {"fence", "order"}: # these programs have neither
    failures.append("taken away: %s" % kinds)
with open(os.path.join(mutate.root, "tests/data/mutants.csv"), newline="") as f:
    rows = list(csv.DictReader(f))
with open(os.path.join(mutate.root, "docs/checks.md")) as f:
    page = f.read()
for suite in ("own", "open"):
    for line in mutate.table([r for r in rows if r["suite"] == suite]).split("\n"):
        if line not in page:
            failures.append(f"docs/checks.md, {suite} programs: not there: {line}")
print("\n".join(failures))
sys.exit(1 if failures else 0)
