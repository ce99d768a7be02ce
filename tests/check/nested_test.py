# SPDX-License-Identifier: Apache-2.0
"""nested.cu under `lockstep check`: every bad_ kernel, or its child, is reported with its kind; no
good_ one. A program of two processes has the findings of both."""
import json
import os
import re
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))
failures = []

expected = {
    "bad_barrier": "global-race",
    "bad_other_block": "global-race",
    "bad_reads_child": "global-race",
    "bad_overwrites": "global-race",
    "bad_blocks_launch": "global-race",
    "bad_forgotten": "global-race",
    "bad_cousins": "global-race",
    "bad_child_bounds": "out-of-bounds",
    "bad_child_unset": "uninitialized",
    "bad_stream": "host-device-race",
}


def check(*words, options=()):
    out = os.path.join(work, "out.json")
    done = subprocess.run([lockstep, "check", *options, "--json=" + out, "--", *words], capture_output=True, text=True)
    with open(out) as f:
        result = json.load(f)
    if done.returncode != (1 if result["findings"] else 0):
        failures.append("status")
        print("FAIL", words, "exit status", done.returncode, done.stdout, done.stderr)
    return result


with tempfile.TemporaryDirectory() as work:
    source, program = os.path.join(here, "nested.cu"), os.path.join(work, "nested")
    subprocess.run([lockstep, "cc", "-rdc=true", source, "-o", program], check=True)
    with open(source) as f:
        names = set(re.findall(r"^((?:good|bad)_\w+)\(", f.read(), re.M))
    result = check(program)
    found = {}
    for f in result["findings"]:
        name = max((n for n in names if (f["kernel"] or "").startswith(n)), key=len, default=None)
        name = name if name in expected else next((n for n in expected if (name or "").startswith(n)), name)
        found.setdefault(name, set()).add(f["kind"])
    for name, kind in expected.items():
        if found.get(name, set()) != {kind}:
            failures.append(name)
            print("FAIL", name, sorted(found.get(name, set())), "not", kind)
    for name in found:
        if name not in expected:
            failures.append(name)
            print("FAIL", name, sorted(found[name]), "but is right")

    # the same mistake in two processes is one finding, counted; with one worker, since with several it depends on their
    # order which of a race's pairs are met
    alone = ("--workers", "1")
    once, twice = check(program, options=alone), check("sh", "-c", f"{program}; {program}", options=alone)
    key = lambda f: (f["kind"], f["kernel"], f["message"].split(" of ")[0])
    if twice["summary"]["launches_checked"] != 2 * once["summary"]["launches_checked"] or \
            sorted(map(key, twice["findings"])) != sorted(map(key, once["findings"])) or \
            sum(f["count"] for f in twice["findings"]) != 2 * sum(f["count"] for f in once["findings"]):
        failures.append("two processes")
        print("FAIL two processes", twice["summary"], once["summary"])

sys.exit(1 if failures else 0)
