# SPDX-License-Identifier: Apache-2.0
"""What tests in Python share: the command and the source tree, a folder of their own, an environment without settings of
the person who runs them, checks that are counted, and how a test ends."""
import os, sys, tempfile

lockstep, source, binary = (os.environ[k] for k in ("LOCKSTEP", "SOURCE_DIR", "BINARY_DIR"))
work = os.path.realpath(tempfile.mkdtemp())
KEPT = "LOCKSTEP_CACHE", "LOCKSTEP_JIT", "LOCKSTEP_REMARKS"  # the last two: tools/each-pass-off.sh
for name in [n for n in os.environ if n.startswith("LOCKSTEP_") and n not in KEPT]:
    os.environ.pop(name)
failures = cases = 0


def check(what, condition):
    """Counts a case; `what` is printed where the condition does not hold."""
    global failures, cases
    cases += 1
    if not condition:
        failures += 1
        print("FAILED:", str(what)[:1500])


def finish(note="", skipped=False):
    """Ends the test. note: added to the last line; skipped: a part was, so that it has not passed as a whole."""
    print(f"{cases} cases, {failures} failures{note}")
    sys.exit(1 if failures else 77 if skipped else 0)
