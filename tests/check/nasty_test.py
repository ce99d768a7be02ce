# SPDX-License-Identifier: Apache-2.0
"""nasty.cu under `lockstep check`, case by case: however the program ends, nothing that was found is lost, nothing
hangs, the exit status is right, and what was not looked at is said."""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))

PAST, LEAK, API, FREE, ENDLESS = "out-of-bounds", "leak", "api-error", "invalid-free", "endless-loop"
WHOLE, CUT = True, False  # the program came to its end, so that leaks were looked for; or not


def of(*kinds):
    return collections.Counter(kinds)


# argument: the findings by kind, whether the program came to its end, how it ended (signals are negative)
cases = {
    "return": (of(PAST, LEAK), WHOLE, 0),
    "_exit": (of(PAST), CUT, 0), "_Exit": (of(PAST), CUT, 3), "quick_exit": (of(PAST), CUT, 0),
    "exec": (of(PAST), CUT, 0), "exec-self": (of(PAST, PAST), CUT, 0), "second": (of(PAST), WHOLE, 0),
    "exec-fails": (of(PAST), WHOLE, 0),
    "abort": (of(PAST), CUT, -6), "terminate": (of(PAST), CUT, -6), "kill": (of(PAST), CUT, -9),
    "term": (of(PAST), CUT, -15), "interrupt": (of(PAST), CUT, -2), "segv": (of(PAST), CUT, -11),
    "bus": (of(PAST), CUT, -7), "divide": (of(PAST), CUT, -8), "trap": (of(PAST), CUT, None),
    "double-free": (of(PAST), CUT, -6), "heap-smashed": (of(PAST), CUT, -6),
    "stack-overflow": (of(PAST), CUT, -11),
    "exit-in-thread": (of(PAST, LEAK), WHOLE, 0), "pthread_exit": (of(PAST), WHOLE, 0),
    "exit-in-handler": (of(PAST, LEAK), WHOLE, 7), "_exit-in-handler": (of(PAST), CUT, 7),
    "atexit": (of(PAST, PAST), WHOLE, 0), "atexit-exits": (of(PAST), CUT, 5),
    "at_quick_exit": (of(PAST, PAST), CUT, 0),
    "static-frees": (of(PAST), WHOLE, 0), "static-launches": (of(PAST, PAST), WHOLE, 0),
    "static-launches-first": (of(PAST), WHOLE, 0), "late-static-launches": (of(PAST, PAST), WHOLE, 0),
    "static-double-free": (of(FREE), WHOLE, 0), "static-crashes": (of(PAST), CUT, -11),
    "static-_exits": (of(PAST), CUT, 9), "thread-local": (of(PAST), WHOLE, 0),
    "fork-idle": (of(PAST), WHOLE, 0), "fork-exit": (of(PAST), WHOLE, 0),
    "fork-malloc": (of(API), WHOLE, 0), "fork-launch": (of(API), WHOLE, 0), "fork-sync": (of(API), WHOLE, 0),
    "fork-many": (of(API), WHOLE, 0), "fork-exec": (of(PAST), WHOLE, 0), "system": (of(PAST), WHOLE, 0),
    "orphan": (of(PAST), WHOLE, 0), "vfork": (of(PAST), WHOLE, 0),
    "handler-jumps": (of(PAST), WHOLE, 0), "handler-jumps-often": (of(PAST), WHOLE, 0),
    "alarms": (of(PAST), WHOLE, 0), "calls-in-handler": (of(PAST, PAST), WHOLE, 0),
    "all-blocked": (of(PAST), WHOLE, 0), "all-ignored": (of(PAST), WHOLE, 0),
    "threads": (of(PAST), WHOLE, 0), "thread-left-running": (of(PAST), WHOLE, 0),
    "thread-launches-on": (of(PAST, LEAK), WHOLE, 0), "cancelled": (of(PAST), WHOLE, 0),
    "host-frees": (of(API), WHOLE, 0), "host-launches": (of(API), WHOLE, 0), "callback-waits": (of(API), WHOLE, 0),
    "host-exits": (of(PAST, LEAK), WHOLE, 0), "host-thousands": (of(PAST), WHOLE, 0),
    "capture-waits": (of(API, API), WHOLE, 0), "capture-left-open": (of(PAST), WHOLE, 0),
    "no-descriptors": (of(PAST), WHOLE, 0), "all-closed": (of(PAST, PAST), WHOLE, 0),
    "descriptor-limit": (of(API), WHOLE, 0),  # the launch fails, and says so
    "file-limit": (of(PAST), WHOLE, 0), "other-folder": (of(PAST), WHOLE, 0), "no-environment": (of(PAST), WHOLE, 0),
    "umask": (of(PAST), WHOLE, 0), "priority": (of(PAST), WHOLE, 0),
    "many-frees": (of(*[FREE] * 3000), WHOLE, 0), "many-leaks": (of(PAST, LEAK), WHOLE, 0),
    "many-launches": (of(PAST), WHOLE, 0), "many-streams": (of(PAST), WHOLE, 0), "many-events": (of(PAST), WHOLE, 0),
    "huge-malloc": (of(PAST, API), WHOLE, 0), "huge-grid": (of(PAST, API), WHOLE, 0), "deep-recursion": (of(API), WHOLE, 0),
    "hang": (of(PAST, "barrier-deadlock"), WHOLE, 0), "reset": (of(PAST, PAST), WHOLE, 0),
    "reset-in-static": (of(PAST), WHOLE, 0),
    "hang-in-loop": (of(PAST, ENDLESS), WHOLE, 0), "hang-in-thread": (of(PAST, ENDLESS), WHOLE, 0),
    "hang-in-child": (of(PAST, ENDLESS), WHOLE, 0), "hang-in-graph": (of(PAST, ENDLESS), WHOLE, 0),
    "hang-in-static": (of(PAST, ENDLESS), WHOLE, 0), "hang-of-two": (of(PAST, ENDLESS), WHOLE, 0),
    "urgent-ignored": (of(PAST, ENDLESS), WHOLE, 0), "urgent-used": (of(PAST, ENDLESS), WHOLE, 0),
    "terminated-in-kernel": (of(PAST), CUT, -15), "interrupted-in-kernel": (of(PAST), CUT, -2),
    "killed-in-kernel": (of(PAST), CUT, -9), "exit-in-kernel": (of(PAST), CUT, 4),
    "pthread_exit-of-threads": (of(PAST), WHOLE, 0), "throws-across": (of(PAST), WHOLE, 0),
}
CUT_TEXT = "The program did not come to its end"


def run(program, work, name):
    """What is wrong with the case; '' where nothing is."""
    found, whole, status = cases[name]
    out, log = os.path.join(work, name + ".json"), os.path.join(work, name + ".log")
    try:
        done = subprocess.run([lockstep, "check", "--json=" + out, "--log-file", log, "--", program, name],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                              env=dict(os.environ, LOCKSTEP_ENDLESS="0.2"))
    except subprocess.TimeoutExpired:
        return "hangs"
    try:
        with open(out) as f:
            result = json.load(f)
        with open(log) as f:
            text = f.read()
    except OSError:
        return "no result: %d %s" % (done.returncode, done.stderr)
    kinds = collections.Counter(f["kind"] for f in result["findings"])
    ended = "ended with signal %d" % -status if status and status < 0 else "ended with exit status %s" % status
    wrong = []
    if kinds != found:
        wrong.append("%s, not %s" % (dict(kinds), dict(found)))
    if result["complete"] != whole or (CUT_TEXT in text) == whole:
        wrong.append("complete is %s" % result["complete"])
    if done.returncode != 1 or (status and ended not in done.stderr) or (status == 0 and "ended with" in done.stderr):
        wrong.append("exit status %d, %s" % (done.returncode, done.stderr))
    if result["summary"]["launches_checked"] == 0 and PAST in found:
        wrong.append("nothing was checked")
    return "; ".join(wrong)


failures = 0
with tempfile.TemporaryDirectory() as work:
    program = os.path.join(work, "nasty")
    subprocess.run([lockstep, "cc", "-w", os.path.join(here, "nasty.cu"), "-o", program], check=True)
    listed = set(subprocess.run([program], stdout=subprocess.PIPE, text=True).stdout.split())
    if listed != set(cases):
        sys.exit("in one list only: %s" % sorted(listed ^ set(cases)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, wrong in zip(cases, pool.map(lambda name: run(program, work, name), cases)):
            if wrong:
                failures += 1
                print("FAIL", name, wrong)
sys.exit(1 if failures else 0)
