#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/clients.md: the lines of each client that is installed, with what they must print.

A word of the client's that begins with $ is a program on the PATH, the others are modules of Python. The interpreters
are those that LOCKSTEP_CLIENTS names (paths with ':' between), and python3; a client is run by the
first that has all of its modules. Skipped where none has any. That the page's files are there is always looked at."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BINARY = os.environ["SOURCE_DIR"], os.environ["BINARY_DIR"]
CLIENT = re.compile(r"<!-- client (\w+): (.*?) -->\n## .*?\n\n((?:    .*\n)+)")


def interpreter(words):
    if not all(shutil.which(w[1:]) for w in words if w[0] == "$"):
        return None
    modules = [w for w in words if w[0] != "$"]
    for python in [p for p in os.environ.get("LOCKSTEP_CLIENTS", "").split(":") if p] + ["python3"]:
        line = "import importlib.util as u, sys; sys.exit(any(u.find_spec(m) is None for m in sys.argv[1:]))"
        if subprocess.run([python, "-c", line, *modules]).returncode == 0:
            return python
    return None


def run(name, lines, python):
    """The block as one shell script, each command's output beside what the page says of it."""
    assert lines[0].startswith("export "), name
    with tempfile.TemporaryDirectory() as work:
        own = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP_")}
        own.update(BUILD=BINARY, WORK=work, TRITON_CACHE_DIR=work + "/triton", TRITON_DEFAULT_FP_FUSION="1",
                   LOCKSTEP_CACHE=os.environ.get("LOCKSTEP_CACHE", work), XDG_CACHE_HOME=work)
        for line in lines[1:]:
            command, _, want = line.partition("#")
            command = re.sub(r"\bpython3\b", python, command)
            r = subprocess.run(["bash", "-c", f"{lines[0]}; {command}"], cwd=os.path.join(SOURCE, "tests/docs/clients"), env=own,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            assert r.returncode == 0 and want.strip() and want.strip() in r.stdout, (name, line, r.returncode, r.stdout)


def main():
    page = open(os.path.join(SOURCE, "docs/clients.md")).read()
    clients = CLIENT.findall(page)
    assert len(clients) == page.count("<!-- client") >= 3, len(clients)
    tried = 0
    for name, modules, block in clients:
        lines = [line[4:] for line in block.splitlines()]
        assert len(lines) == 3, (name, lines)
        for file in re.findall(r"\w+\.(?:py|c)\b", block):
            assert os.path.exists(os.path.join(SOURCE, "tests/docs/clients", file)), file
        python = None if os.environ.get("SANITIZE") else interpreter(modules.split())
        if python:
            run(name, lines, python)
            tried += 1
        print(f"{name}: {'right' if python else 'not installed'}")
    return 0 if tried else 77


if __name__ == "__main__":
    sys.exit(main())
