# SPDX-License-Identifier: Apache-2.0
"""The reader of exercises beside Python's tomllib: the same tree of valid documents, and an error with the line of
each invalid one."""
import glob
import json
import math
import os
import subprocess
import sys
import tempfile
import tomllib

SOURCE, CC = os.environ["SOURCE_DIR"], os.environ.get("CC", "cc")
HERE = os.path.dirname(os.path.abspath(__file__))
failures = []

VALID = [
    "", "# only a comment", "a = 1\nb = -17\nc = +0\nd = 1_000_000\n",
    'x = 0xDEAD_beef\ny = 0o755\nz = 0b1101\nlow = -9223372036854775808\nhigh = 9223372036854775807\n',
    "f = 1.5\ng = -0.01\nh = 5e+22\ni = 6.626e-34\nj = 1e06\nk = inf\nl = -inf\nm = nan\nn = 9_224.5_1\n",
    'a = true\nb = false # end\n"quoted key" = 1\n\'other\' = 2\n"" = 3\n3 = 4\n',
    's = "tab\\t quote\\" back\\\\ new\\n u\\u00e9 U\\U0001F600 \\b\\f\\r"\n',
    "s = 'C:\\no\\escape'\nt = '''\nlines\n'one' ''two''\n'''\nu = \"\"\"\\\n   folded \\\n\n   on\"\"\"\n",
    'v = """a""b"""\nw = """ends with two"""""\nx = \'\'\'\'one\'\'\'\n',
    "a = [1, 2, 3,]\nb = [\n  'x', # why\n  'y'\n\n]\nc = [[1, 2], ['a'], []]\nd = [ { x = 1 }, { y = [2] } ]\n",
    "[a]\nb = 1\n[a.c]\nd = 2\n[x.y.z]\nw = 1\n[x]\nq = 2\n",
    "[[p]]\nname = 'a'\n[[p.q]]\nn = 1\n[[p.q]]\nn = 2\n[[p]]\n[p.r]\ns = 3\n",
    "a.b.c = 1\na.b.d = 2\na . e = 3\n[f]\ng.h = 1\n[f.g2]\ni = 1\n",
    "p = { x = 1, y.z = 2, 'q r' = [1] }\ne = {}\n", "a = 1\r\nb = 'x'\r\n# c\r\n", "\ufeffa = 1\n", "k = 'é ü 漢'\n",
]
INVALID = [  # document, line of the error
    ("a = \n", 1), ("a\n", 1), ("= 1\n", 1), ("a = 1 b = 2\n", 1), ("a = 1\na = 2\n", 2), ("[a]\n[a]\n", 2),
    ("a = 'x\n", 1), ('a = "x\ny"\n', 1), ('\na = """x\n\n', 4), ("a = [1, 2\n\n", 3), ("a = [1 2]\n", 1),
    ("a = { x = 1, }\n", 1), ("a = { x = 1\n}\n", 1), ("a = 01\n", 1), ("a = 1__0\n", 1), ("a = _1\n", 1), ("a = 1_\n", 1),
    ("a = 1.\n", 1), ("a = .5\n", 1), ("a = 0x\n", 1), ("a = 1e\n", 1), ("a = yes\n", 1),
    ("x = 1\n[[x]]\n", 2), ("x = [1]\n[[x]]\n", 2), ("[[x]]\n[x]\n", 2), ("a = 1\na.b = 2\n", 2), ("a.b = 1\n[a]\n", 2),
    ("t = { a = 1 }\n[t.b]\n", 2), ("t = { a = 1 }\nt.b = 2\n", 2), ('a = "\\q"\n', 1), ('a = "\\ud800"\n', 1),
    ('a = "\\u12"\n', 1), ("[a\n", 1), ("[[a]\n", 1), ("[a] x\n", 1), ("[]\n", 1), ("a..b = 1\n", 1), ("a = +0x1\n", 1),
    ("a = 'x\ty\x01'\n", 1), ("# \x01\n", 1), ("[a.b]\n[a]\nb = 1\n", 3), ("a = " + "[" * 100 + "]" * 100 + "\n", 1),
    ("a = tru\n", 1), ("a = true1\n", 1), ("[a]\nb.c = 1\n[a.b]\n", 3),
]
# What tomllib reads and this reader refuses by name.
REFUSED = [("d = 1979-05-27T07:32:00Z\n", 1), ("\n\nt = 07:32:00\n", 3), ("d = 1979-05-27\n", 1), ("a = 9223372036854775808\n", 1)]


def plain(v):
    """As the dump has it."""
    if isinstance(v, dict):
        return {k.encode().hex(): plain(x) for k, x in v.items()}
    if isinstance(v, list):
        return ["a", *map(plain, v)]
    if isinstance(v, bool):
        return v
    if isinstance(v, str):
        return v.encode().hex()
    if isinstance(v, float) and not math.isfinite(v):
        return ["f", str(v)]
    return ["i" if isinstance(v, int) else "f", v]


with tempfile.TemporaryDirectory() as work:
    dump, at = os.path.join(work, "dump"), os.path.join(work, "x.toml")
    sources = [os.path.join(HERE, "toml_dump.c"), *glob.glob(os.path.join(SOURCE, "src/cli/text/toml*.c")),
               *glob.glob(os.path.join(SOURCE, "src/base/*.c"))]
    subprocess.run([CC, "-std=gnu17", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I",
                    os.path.join(SOURCE, "src"), *sources, "-lm", "-o", dump], check=True)

    def read(text):
        with open(at, "wb") as f:
            f.write(text.encode())
        return subprocess.run([dump, at], capture_output=True, text=True)

    with open(os.path.join(SOURCE, "examples/exercises/01-vector-add/exercise.toml")) as f:
        VALID.append(f.read())
    for text in VALID:
        p = read(text)
        want = plain(tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n")))
        if p.returncode or json.loads(p.stdout) != want:
            failures.append("%r: %s%s, not %s" % (text, p.stdout, p.stderr, want))
    for text, line in INVALID + REFUSED:
        p = read(text)
        if (text, line) in INVALID and line and "[[[" not in text:
            try:
                tomllib.loads(text)
                failures.append("tomllib reads %r" % text)
            except tomllib.TOMLDecodeError:
                pass
        if p.returncode != 1 or not p.stderr.startswith("%s:%d: " % (at, line)):
            failures.append("%r: status %d: %s%s" % (text, p.returncode, p.stdout, p.stderr))
    # Cut anywhere, a document is read or refused, never more.
    for k in range(0, len(VALID[-1]), 29):
        if read(VALID[-1][:k]).returncode not in (0, 1):
            failures.append("cut at %d" % k)
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures else 0)
