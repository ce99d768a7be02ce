# SPDX-License-Identifier: Apache-2.0
"""Planted mistakes (tests/debug/mistakes/mistakes.cu): from the report, or from a wrong result, to the line that is the
cause in at most three commands.

A *.session begins with the words behind `lockstep`; what is printed behind the last command shows a line with "cause".
UPDATE=1 writes the files anew, and a person reads the difference.
"""

import os
import shlex
import subprocess
from pathlib import Path

import front_sessions_test as sessions
from checks import check, finish, lockstep, source

HERE = Path(source) / "tests/debug/mistakes"
MOST = 3
LEAST = 18


def play(first, commands):
    script = "".join(f"echo {sessions.MARK}\\n\n{c}\n" for c in commands)
    r = subprocess.run([lockstep, *shlex.split(first)], cwd=HERE, input=script, text=True, timeout=120,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "LOCKSTEP_ENDLESS": "0.2"})
    parts = r.stdout.split(f"{sessions.MARK}\n")
    shown = f"$ lockstep {first}\n{parts[0]}" + "".join(f"{sessions.PROMPT}{c}\n{out}"
                                                        for c, out in zip(commands, parts[1:]))
    return sessions.plain(shown.replace(str(HERE) + "/", "")), parts[-1]


found = sorted(HERE.glob("*.session"))
check(f"{LEAST} mistakes or more", len(found) >= LEAST)
for path in found:
    wanted = path.read_text()
    commands = sessions.commands_of(wanted)
    got, last = play(wanted.split("\n", 1)[0][len("$ lockstep "):], commands)
    if os.environ.get("UPDATE"):
        path.write_text(got)
    else:
        check(f"{path.stem}: as written\n{got}", got == wanted)
    check(f"{path.stem}: at most {MOST} commands", len(commands) <= MOST)
    check(f"{path.stem}: the cause is shown last", "/* cause" in last)
finish()
