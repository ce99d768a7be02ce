# SPDX-License-Identifier: Apache-2.0
"""A program of this folder under `lockstep check`, and what it must report: no more, no less."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))


def expect(name, wanted, never=None):
    """wanted: pairs of kernel and kind; never: what the program prints where a result is wrong."""
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.json")
        done = subprocess.run([os.environ["LOCKSTEP"], "check", "--workers", "1", "--json=" + out,
                               os.path.join(here, name)], capture_output=True, text=True)
        with open(out) as f:
            findings = json.load(f)["findings"]
    found = {(f["kernel"].split("(")[0], f["kind"]) for f in findings if f["kernel"]}
    if found != wanted or done.returncode != 1 or (never and never in done.stdout):
        sys.exit("too much: %s\nmissing: %s\nexit status %d\n%s%s"
                 % (found - wanted, wanted - found, done.returncode, done.stdout, done.stderr))
