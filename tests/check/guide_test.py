# SPDX-License-Identifier: Apache-2.0
"""The user guide's five reports are what check says today of five.cu. `--update` writes them anew:

    LOCKSTEP=build/lockstep python3 tests/check/guide_test.py --update
"""
import os
import re
import subprocess
import sys

lockstep = os.path.abspath(os.environ["LOCKSTEP"])
here = os.path.dirname(os.path.abspath(__file__))
page = os.path.join(here, "../../docs/checks.md")


def kernels():
    """Name: source of each kernel that the guide shows."""
    with open(os.path.join(here, "five.cu")) as f:
        text = f.read()
    return dict(re.findall(r"/\* guide: (\w+) \*/\n(.*?\n}\n)", text, re.S))


def reports():
    """Name of kernel: check's report of it, as printed."""
    env = dict(os.environ, LOCKSTEP_WORKERS="1")
    done = subprocess.run([lockstep, "check", "five.cu"], cwd=here, env=env, capture_output=True, text=True)
    if done.returncode != 1:
        sys.exit("check five.cu: exit status %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
    out = {}
    text = re.sub(r" at \S*/five\.cu:", " at five.cu:", done.stdout)
    for block in text.split("=========\n"):
        block = "".join(x for x in block.splitlines(True) if x.startswith("========="))
        m = re.search(r" in (\w+) at ", block)
        if m:
            out[m.group(1)] = out.get(m.group(1), "") + block
    return out


source, said = kernels(), reports()
with open(page) as f:
    text = f.read()
wanted = text
for name in re.findall(r"<!-- report (\w+) -->", text):
    block = "<!-- report %s -->\n```\n%s```\n```\n%s```\n<!-- end -->" % (name, source[name], said.get(name, ""))
    wanted = re.sub(r"<!-- report %s -->.*?<!-- end -->" % name, lambda _: block, wanted, flags=re.S)
shown = set(re.findall(r"<!-- report (\w+) -->", text))
if shown != set(source) or shown != set(said):
    sys.exit("the guide shows %s, five.cu has %s, reported are %s" % (shown, set(source), set(said)))
if wanted != text and "--update" in sys.argv:
    with open(page, "w") as f:
        f.write(wanted)
elif wanted != text:
    sys.exit("docs/checks.md is stale: run this with --update\n" + "\n".join(said.values()))
