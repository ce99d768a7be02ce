# SPDX-License-Identifier: Apache-2.0
"""Sessions of the debugger: tests/debug/front/*.session hold commands behind "(lockstep) " and what each prints.

The first line says what is debugged: "# [options] PROGRAM.cu [arguments]". Addresses and process numbers are the same
word here and there. UPDATE=1 writes the files anew, and a person reads the difference.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(os.environ["SOURCE_DIR"]) / "tests/debug/front"
PROMPT = "(lockstep) "
MARK = "=-=-= next"


def plain(text):
    if os.environ.get("SANITIZE"):  # programs are one with the library then, and host code is not known from it
        text = re.sub(r"^#.* \(host code\)\n", "", text, flags=re.M)
    text = re.sub(r"0x[0-9a-f]{9,}", "ADDRESS", re.sub(r"\bcc-[0-9a-f]{12}\b", "MODULE", text))
    return re.sub(r"Process \d+", "Process N", text).replace(str(HERE), "FOLDER")


def commands_of(text):
    return [line[len(PROMPT):] for line in text.splitlines() if line.startswith(PROMPT)]


def play(first, commands):
    words = shlex.split(first.lstrip("# "))
    script = "".join(f"{c}\necho {MARK}\\n\n" for c in commands)
    r = subprocess.run([os.environ["LOCKSTEP"], "debug", *words], cwd=HERE, input=script, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    parts = r.stdout.split(f"{MARK}\n")
    shown = [f"{first}\n"]
    for command, out in zip(commands, parts):
        shown.append(f"{PROMPT}{command}\n{out}")
    if len(parts) != len(commands) + (not commands[-1].startswith("quit")) or commands[-1] and \
            not commands[-1].startswith("quit") and parts[-1]:
        shown.append(f"... {len(parts) - 1} of {len(commands)} commands, then: {parts[-1]}")
    shown.append(f"[exit status {r.returncode}]\n")
    return plain("".join(shown))


def main():
    failed = 0
    for path in sorted(HERE.glob("*.session")):
        wanted = path.read_text()
        got = play(wanted.split("\n", 1)[0], commands_of(wanted))
        if os.environ.get("UPDATE"):
            path.write_text(got)
        elif got != plain(wanted):
            failed += 1
            print(f"{path.name}:")
            for n, (a, b) in enumerate(zip(wanted.splitlines() + [""], got.splitlines() + [""]), 1):
                if a != b:
                    print(f"  line {n}\n    wanted: {a}\n    got:    {b}")
                    break
            print(got)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
