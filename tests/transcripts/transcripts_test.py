#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transcripts: what a user types, and what comes back. Each NN-name.txt has a subject, then either

    $ a command of bash
    its output, both streams, what depends on the machine wiped
    [exit status 0]

or "held by: area/test", where the result is no text; "needs: COMMAND" skips it where the command fails; behind "at COMMIT:" what came back there, for the reader. Programs are
sections of programs.txt. --write [NAME ...] writes the expectations anew; NAME ... without it runs those alone."""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
source = os.environ.get("SOURCE_DIR", os.path.dirname(os.path.dirname(here)))
lockstep = os.environ["LOCKSTEP"]
build = os.path.dirname(os.path.abspath(lockstep))
WIPES = [
    (r"\x1b\[[0-9;]*[A-Za-z]", ""),
    (r"/tmp/lockstep-\S*?/", ""),
    (r"0x[0-9a-f]{8,}", "0xADDRESS"),
    (r"(?<=\+)0x[0-9a-f]+", "0xOFFSET"),
    (r"\b\d+(\.\d+)?(?= (ns|us|ms|s)\b)", "TIME"),
    (r"\d+ of \d+ clocks", "N of N clocks"),
    (r"line \d+: +\d+ (?=Seg)", ""),
    (r"\b\d+(\.\d+)?(?= ?%)", "N"),
    (r"\(\d+ times\)", "(N times)"),
    (r"(?<=  )\d\.\d{6}(?=  )", "TIME"),
    (r"[ \t]+$", ""),
]


def programs(folder):
    with open(os.path.join(here, "programs.txt")) as f:
        parts = re.split(r"^==== (\S+)\n", f.read(), flags=re.M)
    for name, text in zip(parts[1::2], parts[2::2]):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)


def wiped(text, folder):
    text = text.replace(folder + "/", "").replace("\r", "")
    for name, what in (("SOURCE", source), ("BUILD", build)):
        text = text.replace(what, name)
    for pattern, to in WIPES:
        text = re.sub(pattern, to, text, flags=re.M)
    return "\n".join(line for line in text.split("\n") if line) + ("\n" if text.strip() else "")


def run(command):
    with tempfile.TemporaryDirectory(prefix="transcript-") as folder:
        programs(folder)
        env = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP") and k not in ("COLUMNS", "NO_COLOR")}
        env.update(PATH=build + ":" + os.environ["PATH"], BUILD=build, SOURCE=source, LOCKSTEP_WORKERS="2",
                   LC_ALL="C.UTF-8", TERM="xterm", XDG_STATE_HOME=os.path.join(folder, ".state"))
        if "LOCKSTEP_CACHE" in os.environ:
            env["LOCKSTEP_CACHE"] = os.environ["LOCKSTEP_CACHE"]
        done = subprocess.run(["bash", "-c", "umask 022\n" + command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=300)
        return wiped(done.stdout, folder) + "[exit status %d]\n" % done.returncode


def known_tests():
    done = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True)
    return set(re.findall(r"Test +#\d+: (\S+)", done.stdout))


def split(text):
    """Its head, commands with their expectations, and what stood there before."""
    body, mark, before = re.match(r"(.*?)(^at [0-9a-f]{7}:\n|\Z)(.*)", text, re.S | re.M).groups()
    parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", body, flags=re.M)
    return parts[0], list(zip(parts[1::2], parts[2::2])), mark + before


def look(path, tests, write):
    with open(path) as f:
        text = f.read()
    head, steps, before = split(text)
    name = os.path.basename(path)
    held = re.findall(r"^held by: (.*)$", head, re.M)
    wrong = [f"{name}: no test {t}" for line in held for t in line.split(", ") if t not in tests]
    if not steps and not held:
        wrong.append(f"{name}: neither a command nor a test")
    for needed in re.findall(r"^needs: (.*)$", head, re.M):
        if subprocess.run(["bash", "-c", needed], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            print(f"{name}: skipped, it needs {needed}")
            return wrong
    new = [(command, run(command.replace("\\\n", "\n"))) for command, _ in steps]
    for (command, was), (_, now) in zip(steps, new):
        if was.rstrip("\n") != now.rstrip("\n") and not write:
            wrong.append(f"{name}: $ {command}\n-- expected\n{was.rstrip()}\n-- is\n{now.rstrip()}")
    if write:
        body = "\n".join(f"$ {command}\n{now}" for command, now in new)
        with open(path, "w") as f:
            f.write(head + body + ("\n" if before and body else "") + before)
    return wrong


def main():
    if os.environ.get("SANITIZE"):
        print("SKIP: the programs are linked without sanitizers")
        return 77
    for tool in ("cmake", "script"):
        if not shutil.which(tool):
            print("SKIP: no", tool)
            return 77
    words = sys.argv[1:]
    write = "--write" in words
    names = [w for w in words if w != "--write"]
    paths = [p for p in sorted(glob.glob(os.path.join(here, "[0-9]*.txt")))
             if not names or any(n in os.path.basename(p) for n in names)]
    tests = known_tests()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [w for list_ in pool.map(lambda p: look(p, tests, write), paths) for w in list_]
    print("\n".join(wrong))
    print(len(paths), "transcripts,", len(wrong), "wrong")
    return bool(wrong)


sys.exit(main())
