#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of `lockstep suite profile` in suite/*/README.md: made by the commands that stand above them. A page may
show some of the rungs; of those it shows all rows.
tools/suite_tables.py            compares; prints what differs and exits with 1
tools/suite_tables.py --write    writes them anew"""
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
lockstep = os.environ.get("LOCKSTEP", str(root / "build/lockstep"))
BLOCK = re.compile(r"^    \$ lockstep (suite profile [^\n]*)\n((?:    [^\n]*\n)+)", re.M)


def made(command, shown):
    done = subprocess.run([lockstep, *shlex.split(command)], cwd=root, capture_output=True, text=True)
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    rows = [line for line in lines if re.match(r"rung |[a-z0-9_]+/", line)]
    if len(rows) < 2:  # exit status 1 is that of wrong rungs, some of which launch nothing
        sys.exit(f"lockstep {command}: exit status {done.returncode}\n{done.stderr}")
    return [row for row in rows if row.split()[0] in shown]


def main():
    write, wrong = "--write" in sys.argv[1:], 0
    for page in sorted(root.glob("suite/*/README.md")):
        text = page.read_text()
        for command, table in BLOCK.findall(text):
            now = "".join(f"    {line}\n" for line in made(command, {row.split()[0] for row in table.splitlines()}))
            if now != table:
                wrong += 1
                print(f"{page.relative_to(root)}: lockstep {command} says otherwise:", now, sep="\n")
                text = text.replace(table, now)
        if write:
            page.write_text(text)
    print(f"{wrong} tables differ")
    sys.exit(1 if wrong and not write else 0)


main()
