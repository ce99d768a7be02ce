# SPDX-License-Identifier: Apache-2.0
"""The sessions of docs/debug.md print what the page says. UPDATE=1 writes the page anew."""

import os
import re
import sys
from pathlib import Path

import front_sessions_test as sessions

SOURCE = Path(os.environ["SOURCE_DIR"])
PAGE = SOURCE / "docs/debug.md"
COMMAND = "$ lockstep debug "


def block(match):
    first = match[1].split("\n", 1)[0]
    sessions.HERE = SOURCE
    out = sessions.play(first[len(COMMAND):], sessions.commands_of(match[1]))
    shown = out.split("\n", 1)[1].rsplit("[exit status", 1)[0]
    return f"```console\n{first}\n{shown}```"


text = PAGE.read_text()
found = re.sub(r"```console\n(\$ lockstep debug .*?)```", block, text, flags=re.S)
if os.environ.get("UPDATE"):
    PAGE.write_text(found)
elif found != text:
    for n, (a, b) in enumerate(zip(text.splitlines(), found.splitlines()), 1):
        if a != b:
            print(f"docs/debug.md:{n}\n  is: {a}\n  got: {b}")
            break
    print(found)
    sys.exit(1)
