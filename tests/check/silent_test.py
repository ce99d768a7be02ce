# SPDX-License-Identifier: Apache-2.0
"""Programs of other tests that are right under `lockstep check`: textures, surfaces, graphs with
conditions, launches from kernels. Nothing is found but what they do on purpose."""
import json
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
failures = []

programs = { # and what they do on purpose
    "cudart/textures.cu": set(),
    "cudart/surfaces.cu": set(),
    "cudart/conditional.cu": {"api-error"},
    "exec/nested.cu": {"leak"},
}

with tempfile.TemporaryDirectory() as work:
    program, out = os.path.join(work, "program"), os.path.join(work, "out.json")
    for source, meant in programs.items():
        subprocess.run([lockstep, "cc", "-std=c++17", "-rdc=true", os.path.join(tests, source), "-o", program],
                       check=True)
        done = subprocess.run([lockstep, "check", "--json=" + out, "--", program], capture_output=True, text=True)
        with open(out) as f:
            result = json.load(f)
        kinds = {f["kind"] for f in result["findings"]}
        if kinds != meant or not result["summary"]["launches_checked"]:
            failures.append(source)
            print("FAIL", source, kinds, "not", meant, done.stdout, done.stderr)

sys.exit(1 if failures else 0)
