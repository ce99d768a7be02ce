#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tree as a whole: every source file names its licence, nothing names a path of the machine it was written on,
shell and Python files parse, documents have lines that are read without scrolling, the commands that the README shows
exist, and so do the documents, decisions, sources and tests that documents and comments name; a decision is a screen
long."""
import ast
import bisect
import os
import re
import subprocess
import sys
from pathlib import Path

SOURCES = (".c", ".h", ".cu", ".cuh", ".def", ".py", ".sh", ".cmake", "CMakeLists.txt", "Makefile", ".ci/run")
SHELL = (".sh", ".ci/run")
# Written so that this file does not hold what it looks for.
MACHINE = re.compile(rb"(^|[^A-Za-z0-9_.$}])/(wor[k]|tm[p]/bash_jobs|roo[t])(/|\b)")
COMMANDS = r"\blockstep (run|check|profile|tune|access|occupancy|devices|suite|launch|debug|grade|cc|help)\b"
PATHS = r"\b(?:suite|docs|tools|bench|examples|tests|src)/[A-Za-z0-9_/.-]*[A-Za-z0-9]"


def files(root):
    """In a checkout the tracked and new files; in an unpacked archive all but build folders."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root,
                            capture_output=True, text=True)
    if listed.returncode == 0:
        names = listed.stdout.splitlines()
    else:
        names = [str(p.relative_to(root)) for p in root.rglob("*") if not p.relative_to(root).parts[0].startswith("build")]
    return [name for name in names if (root / name).is_file()]


def parse_error(root, name, text):
    if name.endswith(".py"):
        try:
            ast.parse(text, name)
        except SyntaxError as e:
            return str(e)
    if name.endswith(SHELL):
        return subprocess.run(["bash", "-n", root / name], capture_output=True, text=True).stderr
    return ""


def tree_errors(root, names):
    for name in names:
        text = (root / name).read_bytes()
        if name.endswith(SOURCES) and b"SPDX-License-Identifier: Apache-2.0" not in b"\n".join(text.split(b"\n")[:3]):
            yield f"{name}: no SPDX line at the top"
        found = parse_error(root, name, text)
        if found:
            yield f"{name}: does not parse: {found}"
        if name.endswith(".md"):
            yield from long_lines(name, text.decode())
        for number, line in enumerate(text.split(b"\n"), 1):
            if MACHINE.search(line):
                yield f"{name}:{number}: a path of one machine"


def long_lines(name, text):
    """Prose of documents has lines of 120 characters at most. Tables, what commands print, and pages that a tool writes
    are as they are."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        if len(line) > 120 and not fenced and not line.startswith(("    ", "|")) and "do not edit" not in text:
            yield f"{name}:{number}: more than 120 characters"


def decision_errors(root, most_lines=60, most_words=510):
    """A page of docs/decisions is a screen: what was decided. Measurements stand in docs/performance-log.md."""
    for page in sorted((root / "docs/decisions").glob("*.md")):
        text = page.read_text()
        if text.count("\n") > most_lines or len(text.split()) > most_words:
            yield f"{page.relative_to(root)}: {len(text.split())} words, a page has {most_words} at most"


def readme_errors(root):
    readme, makefile = (root / "README.md").read_text(), (root / "Makefile").read_text()
    for target in sorted(set(re.findall(r"\bmake ([a-z]+)", readme))):
        if not re.search(rf"^([a-z -]* )?{target}( [a-z -]*)?:", makefile, re.M):
            yield f"README: make {target} does not exist"
    for command in sorted(set(re.findall(COMMANDS, readme))):
        if subprocess.run([os.environ["LOCKSTEP"], command, "--help"], capture_output=True).returncode:
            yield f"README: lockstep {command} does not exist"
    for path in sorted(set(re.findall(PATHS, readme))):
        if not (root / path).exists():
            yield f"README: {path} does not exist"


def reference_errors(root, names):
    """Sources name documents and decisions, documents name any file, or how its name begins; words in capitals stand
    for names. Logs have what was there on their day. Decisions are numbered without holes."""
    decisions = {int(Path(n).name[:4]) for n in names if n.startswith("docs/decisions/")}
    for hole in set(range(1, len(decisions) + 1)) - decisions:
        yield f"docs/decisions: there is no {hole:04}"
    known = sorted(n.removeprefix(p) for p in ("", "src/jit/", "tests/") for n in names if n.startswith(p))
    for name in names:
        page = name.endswith(".md") and not name.endswith("-log.md")
        if not page and not name.endswith(SOURCES):
            continue
        text = (root / name).read_text()
        for path in set(re.findall(r"(?<![\w/.-])" + (PATHS if page else r"docs/[A-Za-z0-9_/-]+\.md"), text)):
            at = bisect.bisect_left(known, path)
            begun = at < len(known) and known[at].startswith(path)
            if not begun and not re.search(r"[A-Z]{3}|/name_", path.replace("README", "")):
                yield f"{name}: {path} does not exist"
        for number in set(re.findall(r"(?:\bdecision |docs/decisions/0*)([1-9]\d*)\b", text)):
            if int(number) not in decisions:
                yield f"{name}: there is no decision {number}"


def main():
    root = Path(os.environ["SOURCE_DIR"])
    names = files(root)
    count = sum(name.endswith(SOURCES) for name in names)
    errors = list(tree_errors(root, names)) + list(readme_errors(root)) + list(reference_errors(root, names))
    errors += decision_errors(root)
    if count <= 10:
        errors.append(f"only {count} source files found: the search is broken")
    print(*errors, f"{count} source files, {len(errors)} errors", sep="\n")
    sys.exit(1 if errors else 0)


main()
