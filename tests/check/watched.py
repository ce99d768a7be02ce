# SPDX-License-Identifier: Apache-2.0
"""A program of this folder under `lockstep check`: what is reported of its kernels, and what must be: no
more, no less."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))


def run(name, workers="1", *arguments):
    """(the findings of kernels, whose names lose their arguments; the process that ended)"""
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.json")
        done = subprocess.run([os.environ["LOCKSTEP"], "check", "--workers", workers, "--json=" + out,
                               os.path.join(here, name), *arguments], capture_output=True, text=True)
        if "Sanitizer" in done.stderr or "runtime error" in done.stderr:
            sys.exit(done.stderr)
        with open(out) as f:
            findings = [x for x in json.load(f)["findings"] if x["kernel"]]
    return [dict(x, kernel=x["kernel"].split("(")[0]) for x in findings], done


def kinds(name, workers="1", *arguments):
    return {(f["kernel"], f["kind"]) for f in run(name, workers, *arguments)[0]}


def expect(name, wanted, never=None):
    """wanted: pairs of kernel and kind; never: what the program prints where a result is wrong."""
    findings, done = run(name)
    found = {(f["kernel"], f["kind"]) for f in findings}
    if found != wanted or done.returncode != 1 or (never and never in done.stdout):
        sys.exit("too much: %s\nmissing: %s\nexit status %d\n%s%s"
                 % (found - wanted, wanted - found, done.returncode, done.stdout, done.stderr))
