# SPDX-License-Identifier: Apache-2.0
"""uniform.cu under `lockstep check`, as CUDA C and as GCC's OpenMP code: there one value that all lanes of a warp store
is one store, and warps may wait at several barriers of the same number."""
import json
import os
import subprocess
import sys
import tempfile

import checks  # an environment without the settings of who runs this

HERE = os.path.dirname(os.path.abspath(__file__))
WRONG = {("bad_other_values", "global-race", "error"), ("bad_other_warps", "shared-race", "error")}
CUDA = {("one_value", "global-race", "warning"), ("one_value", "shared-race", "warning"),
        ("bad_barriers", "barrier-divergence", "error")}


def findings(*options):
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.json")
        subprocess.run([os.environ["LOCKSTEP"], "check", "--json=" + out, *options, os.path.join(HERE, "uniform.cu")],
                       capture_output=True)
        with open(out) as f:
            return {(x["kernel"].split("(")[0], x["kind"], x["severity"]) for x in json.load(f)["findings"]}


for options, wanted in (((), WRONG | CUDA), (("-DUNIFORM",), WRONG)):
    found = findings(*options)
    if found != wanted:
        sys.exit(f"{options}: too much: {found - wanted}\nmissing: {wanted - found}")
