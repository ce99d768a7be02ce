#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The engine stays a house that one can walk, read from its objects' symbol tables and its sources.

- In a layer with folders (src/<layer>/LAYERS) a call goes to the same folder or one below.
- Files of a folder, or of a layer without folders, that call each other in a circle are five at most.
- In src/ no file has more than 700 lines, no function more than 80, no struct more than 30 fields; in tests/ no file has
  more than 1,000 lines.
- Lines of C, of CUDA and of tables (.def) have 100 columns at most, but for tables that the formatter leaves alone;
  every file of C is formatted.
- Which tool watches is known to src/jit/tools alone: no other folder of src/jit names events or what it keeps of them.

What is larger today stands below with its number, which may shrink and not grow: lower it when it does.
With --self-test the rules are tried on trees that break them, so that this test can fail.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

MOST_CIRCLE, MOST_LINES, MOST_TEST_LINES, MOST_FUNCTION, MOST_FIELDS = 5, 700, 1000, 80, 30
CIRCLES = {"check": 1}
LINES = {}
FUNCTIONS = {}
# A field for each counter, and for each column of model_devices.def.
TABLES = ("sums", "device_profile")
STRUCTS = {}
MOST_COLUMNS, FORMATTED = 100, ("src", "tests", "bench", "examples", "suite")
MEASURED = (".c", ".h", ".cu", ".cuh", ".cpp", ".def")  # whose columns are counted
# Who may: the interface, and the key of finished kernels, which is made of the whole request.
TOOLS_KNOWN = ("jit/tools/", "jit/jit.h", "jit/tool.h", "jit/engine/kernels.c")


# -- calls ----------------------------------------------------------------------------------------------------------


def calls(objects, base):
    """{file: {file: [symbols]}} between the objects below base."""
    home, needs = {}, {str(path.relative_to(base))[: -len(".c.o")]: set() for path in objects}
    listed = subprocess.run(["nm", "-A", *map(str, objects)], capture_output=True, text=True).stdout if objects else ""
    for line in listed.splitlines():
        path, _, rest = line.partition(":")
        name, words = str(Path(path).relative_to(base))[: -len(".c.o")], rest.split()
        if len(words) == 3 and words[1] in "TDBRVW":
            home[words[2]] = name
        elif len(words) == 2 and words[0] == "U":
            needs[name].add(words[1])
    edges = {name: defaultdict(list) for name in needs}
    for name, symbols in needs.items():
        for symbol in sorted(symbols):
            if home.get(symbol, name) != name:
                edges[name][home[symbol]].append(symbol)
    return edges


def circles(edges):
    """Strongly connected components of more than one node (Tarjan)."""
    number, low, stack, found = {}, {}, [], []

    def visit(v):
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in edges.get(v, ()):
            if w not in number:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], number[w])
        if low[v] == number[v]:
            part = stack[stack.index(v):]
            del stack[stack.index(v):]
            if len(part) > 1:
                found.append(sorted(part))

    for v in edges:
        if v not in number:
            visit(v)
    return found


def read_order(path):
    rows = [line.split() for line in path.read_text().splitlines() if line and line[0] != "#"]
    return {folder: len(rows) - i for i, row in enumerate(rows) for folder in row}


def call_errors(src, layer, edges):
    order_file = src / layer / "LAYERS"
    order = read_order(order_file) if order_file.exists() else {}
    for name, targets in edges.items():
        for other, symbols in targets.items():
            a, b = name.split("/")[0], other.split("/")[0]
            if order and a != b and order.get(a, 0) <= order.get(b, 0):
                yield f"{layer}/{name} calls {layer}/{other}, which is not below it: {', '.join(symbols[:3])}"
    for part in circles(edges):
        most = CIRCLES.get(layer, MOST_CIRCLE)
        if len(part) > most:
            yield f"{layer}: {len(part)} files call each other round, {most} may: {', '.join(part)}"


# -- sizes ----------------------------------------------------------------------------------------------------------


def functions(text):
    """(name, lines) of each function, by the house's style: braces of a function stand at the line's start."""
    lines, start, name = text.split("\n"), None, ""
    for n, line in enumerate(lines):
        match = re.match(r"(\w+)\(", line)
        if match and start is None:
            name = match.group(1)
        if line == "{":
            start = n
        elif line == "}" and start is not None:
            yield name, n - start + 1
            start = None


def fields(text):
    """(struct, number of its fields)."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for match in re.finditer(r"^struct (\w+) \{\n(.*?)^\}", text, re.M | re.S):
        body = re.sub(r"\{[^{}]*\}|\([^()]*\)", "", match.group(2))
        yield match.group(1), sum(len(part.split(",")) for part in body.split(";") if part.strip())


def size_errors(src):
    for path in sorted(src.rglob("*.[ch]")):
        name, text = str(path.relative_to(src)), path.read_text()
        lines = text.count("\n")
        if lines > LINES.get(name, MOST_LINES):
            yield f"{name} has {lines} lines, more than {LINES.get(name, MOST_LINES)}"
        for function, length in functions(text):
            if length > FUNCTIONS.get(function, MOST_FUNCTION):
                yield f"{name}: {function} has {length} lines, more than {FUNCTIONS.get(function, MOST_FUNCTION)}"
        for struct, count in fields(text):
            if count > STRUCTS.get(struct, MOST_FIELDS) and struct not in TABLES:
                yield f"{name}: struct {struct} has {count} fields, more than {STRUCTS.get(struct, MOST_FIELDS)}"


def test_size_errors(tests):
    for path in sorted(p for p in tests.rglob("*") if p.suffix in (".c", ".h", ".cu", ".py", ".sh")):
        lines = path.read_text().count("\n")
        if lines > MOST_TEST_LINES:
            yield f"{path.relative_to(tests.parent)} has {lines} lines, more than {MOST_TEST_LINES}: divide it by topic"


def list_errors(src):
    """A header whose first comment lists files of its folder, a row each, names all of them, or all with its own name in
    front (dap.h: dap*.c)."""
    for header in sorted(src.rglob("*.h")):
        comment = header.read_text().split("*/")[0]
        named = set(re.findall(r"\b(\w+\.c)\b", comment))
        rows = re.findall(r"^ \*   (\w+\.c)\s", comment, re.M)
        if len(rows) < 4:
            continue
        own = all(row.startswith(header.stem) for row in rows)
        files = {f.name for f in header.parent.glob(f"{header.stem}*.c" if own else "*.c")}
        patterns = tuple(re.findall(r"(\w+_)\*\.c", comment)) or ("\0",)
        for name in sorted(f for f in files - named if not f.startswith(patterns)):
            yield f"{header.relative_to(src)} lists files, and not {name}"


def wide_lines(text):
    """Lines of more than 100 columns, but for tables that are left as they were written."""
    kept = False
    for n, line in enumerate(text.split("\n"), 1):
        if re.search(r"clang-format (off|on)", line):
            kept = "clang-format off" in line
        elif len(line) > MOST_COLUMNS and not kept:
            yield n


def column_errors(root):
    for folder in FORMATTED:
        for path in sorted(p for p in (root / folder).rglob("*") if p.suffix in MEASURED):
            for n in wide_lines(path.read_text()):
                yield f"{path.relative_to(root)}:{n} has more than {MOST_COLUMNS} columns"


def format_errors(root):
    """What the formatter would change. Its versions differ in details: only the one that the files were written with is asked."""
    formatter = shutil.which("clang-format-14")
    if not formatter:
        print("clang-format 14 is not installed: the format is not checked")
        return
    files = [str(path) for folder in FORMATTED for path in sorted((root / folder).rglob("*.[ch]"))]
    told = subprocess.run([formatter, "--dry-run", *files], capture_output=True, text=True).stderr
    for place in re.findall(r"^(\S+?:\d+):\d+: warning", told, re.M):
        yield f"{place} is not formatted: make format"


def tool_errors(src):
    for path in sorted((src / "jit").rglob("*.[ch]")):
        name = str(path.relative_to(src))
        if name.startswith(TOOLS_KNOWN):
            continue
        for n, line in enumerate(path.read_text().split("\n"), 1):
            if re.search(r"\bevents\b|\bJIT_EVENT_|->tools->|\btools/plan\.h|\btells\s*[|&]?=[^=]", line):
                yield f"{name}:{n} asks which tool watches: only src/jit/tools knows (wir_insn.tells, passes.def)"


# -- trees that break the rules --------------------------------------------------------------------------------------


def compiled(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        if name.endswith(".c"):
            subprocess.run(["cc", "-c", folder / name, "-o", folder / f"{name}.o"], check=True)
    return calls(sorted(folder.rglob("*.o")), folder / "jit")


def self_test():
    with tempfile.TemporaryDirectory() as name:
        src = Path(name)
        ring = {f"jit/high/f{k}.c": f"void f{(k + 1) % 6}(void); void f{k}(void) {{ f{(k + 1) % 6}(); }}" for k in range(6)}
        edges = compiled(src, {"jit/LAYERS": "high\nlow\n", "jit/low/a.c": "void b(void); void a(void) { b(); }",
                               "jit/high/b.c": "void b(void) {}", **ring})
        found = list(call_errors(src, "jit", edges))
        assert len(found) == 2 and "jit/low/a calls jit/high/b" in found[0] and "6 files" in found[1], found
        (src / "jit/low/a.c").write_text("void\nlong_one(void)\n{\n" + "    ;\n" * 90 + "}\n" + "\n" * 700)
        (src / "jit/low/a.h").write_text("struct wide {\n" + "    int a, b;\n" * 16 + "};\n")
        (src / "tests/base").mkdir(parents=True)
        (src / "tests/base/long_test.c").write_text("\n" * 1001)
        (src / "tests/base/short_test.c").write_text("\n" * 1000)
        found = list(test_size_errors(src / "tests"))
        assert len(found) == 1 and "tests/base/long_test.c has 1001" in found[0], found
        shutil.rmtree(src / "tests")
        found = list(size_errors(src))
        assert len(found) == 3, found
        assert any("long_one has 92 lines" in text for text in found), found
        assert any("wide has 32 fields" in text for text in found), found
        (src / "bench").mkdir()
        (src / "bench/a.c").write_text("x" * 100 + "\n" + "x" * 101 + "\n/* clang-format off */\n" + "x" * 102)
        (src / "bench/b.cu").write_text("x" * 101)
        (src / "bench/c.def").write_text("\n" + "x" * 101)
        (src / "bench/d.py").write_text("x" * 101)
        found = list(column_errors(src))
        assert found == [f"bench/{at} has more than 100 columns" for at in ("a.c:2", "b.cu:1", "c.def:2")], found
        (src / "bench/a.c").write_text("int\na(void)\n{\n  return 1;\n}\n")
        (src / ".clang-format").write_text((Path(os.environ["SOURCE_DIR"]) / ".clang-format").read_text())
        found = list(format_errors(src))
        assert not shutil.which("clang-format-14") or len(found) == 1 and "bench/a.c:3 " in found[0], found
        for name, text in {"jit/low/b.c": "if (c->events & 1)\n", "jit/low/c.c": "JIT_EVENT_SYNC\n",
                           "jit/tools/a.c": "t->events\n", "jit/low/d.c": "if (i->tells & TELL_SYNC)\n",
                           "jit/low/e.c": "i->tells |= TELL_SYNC;\n"}.items():
            (src / name).parent.mkdir(exist_ok=True)
            (src / name).write_text(text)
        (src / "list.h").write_text("/* files\n *\n" + "".join(f" *   {n}.c  text\n" for n in "abcd") + " */\n")
        for n in "abcde":
            (src / f"{n}.c").write_text("")
        found = list(list_errors(src))
        assert found == ["list.h lists files, and not e.c"], found
        found = list(tool_errors(src))
        assert [text.split(":")[0] for text in found] == ["jit/low/b.c", "jit/low/c.c", "jit/low/e.c"], found


def main():
    self_test()
    source, build = Path(os.environ["SOURCE_DIR"]), Path(os.environ["BINARY_DIR"])
    src = source / "src"
    errors = list(column_errors(src.parent)) + list(format_errors(src.parent))
    errors += list(size_errors(src)) + list(test_size_errors(source / "tests"))
    errors += list(tool_errors(src)) + list(list_errors(src))
    if not os.environ.get("SANITIZE"):  # sanitizers add symbols of their own
        for base in sorted([*build.glob("CMakeFiles/layer_*.dir/src/*"), *build.glob("CMakeFiles/lockstep_commands.dir/src/*")]):
            current = [path for path in base.rglob("*.c.o") if (src / path.relative_to(base.parent)).with_suffix("").exists()]
            errors += call_errors(src, base.name, calls(current, base))
    for text in errors:
        print(text, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
