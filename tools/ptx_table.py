#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/ptx.md from the table of instructions (src/ptx/ptx_ops.def) and the tests.

    ptx_table.py          writes docs/ptx.md
    ptx_table.py check    exit status 1 when the page is not up to date (but for which of several tests
                          shows an instruction), or a supported instruction appears in no test

The test that shows an instruction is found by its mnemonic: readings of a GPU first, then the files
under tests/.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/ptx.md"
STATUS = {"PTX_FULL": "yes", "PTX_PARTIAL": "partly", "PTX_LEFT_OUT": "no"}
# Instructions that programs reach by functions of the headers: a word of those programs.
FUNCTIONS = {"tex": "tex2D", "tld4": "tex2Dgather", "suld": "surf2Dread", "sust": "surf2Dwrite"}
HEAD = """# PTX instructions

Made from `src/ptx/ptx_ops.def` and the tests by `tools/ptx_table.py`; a test sees to it that it is up
to date. *Partly*: the note says what is missing, or that the instruction has no effect here. *No*: a
module that holds it is refused with the file, the line and the instruction's name.

*Shown by*: the test that runs it (`ctest -R NAME`). `jit/recorded` compares with a real GPU's results
bit for bit (or within the error that the manual allows), `jit/matrices`, `jit/wmma` and
`jit/wgmma`, and `jit/sparse` for `mma.sp`, likewise. *Documented, not measured*: done by the manual, and
compared with a model of its own; no GPU that has it was there to compare with
([decision 29](decisions/0029-matrix-units-by-the-manual.md) says what is assumed, of pairs of blocks
[31](decisions/0031-pairs-of-blocks.md)).

"""


def rows():
    """(section, mnemonic, status, note) of each instruction, in the manual's order."""
    section = ""
    for line in (ROOT / "src/ptx/ptx_ops.def").read_text().splitlines():
        m = re.match(r"/\* -- (.*?) \*/", line)
        if m:
            section = m[1]
        m = re.match(r'OP\((\w+), "([^"]+)", (\w+), "([^"]*)"\)', line)
        if m:
            yield section, m[2], STATUS[m[3]], m[4]


def recorded():
    """Mnemonics with recorded results: {test: set of first words}."""
    out = {}
    for test, script in (("jit/recorded", "instructions.py"), ("jit/matrices", "matrices.py"),
                         ("jit/sparse", "sparse.py"), ("jit/wgmma", "wgmma.py")):
        text = subprocess.run([sys.executable, ROOT / "tools/record" / script, "list"],
                              capture_output=True, text=True, check=True).stdout
        out[test] = text.splitlines()
    return out


def tests():
    """{name in ctest: text} of the test files that can hold PTX."""
    out = {}
    for path in sorted((ROOT / "tests").glob("*/*_test.*")):
        out[f"{path.parent.name}/{path.stem.removesuffix('_test')}"] = path.read_text()
    for path in sorted((ROOT / "tests").glob("*/*.cu")): # a program belongs to the script that names it
        users = [n for n, text in out.items() if n.startswith(path.parent.name + "/") and path.stem in text]
        if users:
            out[users[0]] += path.read_text()
    return out


def shown_by(mnemonic, records, files, longer):
    """The test's name; longer: other rows that begin with this mnemonic."""
    word = re.compile(r"(?<![\w.])" + re.escape(mnemonic) + r"(?=[\s.;|(\"\\]|$)", re.M)
    not_these = re.compile("|".join(re.escape(x) for x in longer)) if longer else None
    for name, forms in records.items():
        if any(word.match(f) and not (not_these and not_these.match(f)) for f in forms):
            return "jit/wmma" if mnemonic == "wmma" else name
    order = sorted(files, key=lambda n: (not n.startswith("jit/"), not n.startswith("exec/"), n))
    for name in order:
        for m in word.finditer(files[name]):
            if not (not_these and not_these.match(files[name], m.start())):
                return name
    for name in order:
        if mnemonic in FUNCTIONS and FUNCTIONS[mnemonic] in files[name]:
            return name
    return ""


def page():
    """The page, and the instructions that no test shows."""
    records, files, all_rows = recorded(), tests(), list(rows())
    names = [r[1] for r in all_rows]
    out, bare, section = [HEAD], [], None
    count = {s: sum(r[2] == s for r in all_rows) for s in STATUS.values()}
    out.append(f"{len(all_rows)} instructions: {count['yes']} supported, {count['partly']} partly, "
               f"{count['no']} not.\n")
    for where, name, status, note in all_rows:
        if where != section:
            section = where
            out.append(f"\n## {where}\n\n| instruction | supported | shown by | note |\n| --- | --- | --- | --- |\n")
        test = ""
        if status != "no":
            test = shown_by(name, records, files, [n for n in names if n.startswith(name + ".")])
            if not test:
                bare.append(name)
        out.append(f"| `{name}` | {status} | {test} | {note} |\n")
    return "".join(out), bare


def without_tests(text):
    return re.sub(r"(?m)^(\| `[^|]*\|[^|]*\|)[^|]*\|", r"\1|", text)


def main():
    text, bare = page()
    if len(sys.argv) > 1 and sys.argv[1] == "check":
        stale = not PAGE.exists() or without_tests(PAGE.read_text()) != without_tests(text)
        if stale:
            print("docs/ptx.md is not up to date: run tools/ptx_table.py")
        for name in bare:
            print(f"{name} appears in no test")
        return bool(stale or bare)
    PAGE.write_text(text)
    if bare:
        print("in no test:", " ".join(bare))
    return 0


if __name__ == "__main__":
    sys.exit(main())
