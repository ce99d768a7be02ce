# SPDX-License-Identifier: Apache-2.0
"""The layers of src/LAYERS hold.

- An #include in src/<layer> names that layer or a lower one, never a higher one, never a neighbour of
  the same row; another layer is entered by its public headers only (never *_priv.h).
- A layer with sub-folders has an order of its own for them, in src/<layer>/LAYERS; the same rules hold there,
  and other layers enter it by the headers beside that file only.
- Only jit includes llvm-c.
- Every header compiles alone.
- Layers below device have no mutable globals: nothing in their objects lies in .data or .bss, apart
  from tables of constant pointers that the loader fills in (.data.rel.ro).

With --self-test the rules are tried on trees that break them, so that this test can fail.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
STATE_LAYERS = {"device", "cudart", "cuda", "report", "cli", "cc"}


def read_layers(path):
    """{layer: level}, the highest row having the highest level."""
    rows = [line.split() for line in path.read_text().splitlines() if line and line[0] != "#"]
    return {layer: len(rows) - i for i, row in enumerate(rows) for layer in row}


def folder_errors(where, name, layer, folder, folders):
    """An include of a layer's sub-folder, or of the layer's own headers from one."""
    other = name.split("/")
    if len(other) < 3 or other[0] not in folders:
        return
    if other[0] != layer:
        yield f"{where}: {name} is inside {other[0]}"
    elif folder and folders[layer].get(other[1], 0) > folders[layer][folder]:
        yield f"{where}: {folder} includes {name}, which is not below it"
    elif folder and other[1] != folder and folders[layer].get(other[1]) == folders[layer][folder]:
        yield f"{where}: {folder} includes {name}, its neighbour"


def include_errors(src, levels):
    folders = {path.parent.name: read_layers(path) for path in src.glob("*/LAYERS")}
    for path in sorted([*src.glob("*/*"), *src.glob("*/*/*")]):
        if path.suffix not in (".c", ".h", ".def"):
            continue
        parts = path.relative_to(src).parts
        layer, folder, text = parts[0], parts[1] if len(parts) == 3 else None, path.read_text()
        if layer not in levels:
            yield f"{path}: folder {layer} has no row in src/LAYERS"
            continue
        if folder and layer in folders and folder not in folders[layer]:
            yield f"{path}: folder {folder} has no row in src/{layer}/LAYERS"
            continue
        for match in INCLUDE.finditer(text):
            name = match.group(2)
            where = f"{path}:{text[:match.start(2)].count(chr(10)) + 1}"
            other = name.split("/")[0]
            if other == "llvm-c" and layer != "jit":
                yield f"{where}: only jit includes llvm-c, not {layer}"
            yield from folder_errors(where, name, layer, folder, folders)
            if (path.parent / name).exists() and "/" not in name:
                continue
            if other in levels and other != layer and (src / name).exists():
                if levels[other] >= levels[layer]:
                    yield f"{where}: {layer} includes {name}, which is not below it"
                if name.endswith("_priv.h"):
                    yield f"{where}: {name} is private to {other}"


def includes(src, levels):
    """{layer: the layers whose files it includes}"""
    found = {layer: set() for layer in levels}
    for path in [*src.glob("*/*"), *src.glob("*/*/*")]:
        layer = path.relative_to(src).parts[0]
        if path.suffix in (".c", ".h", ".def") and layer in levels:
            names = {match.group(2) for match in INCLUDE.finditer(path.read_text())}
            found[layer] |= {name.split("/")[0] for name in names if (src / name).exists()} & set(levels) - {layer}
    return found


def said_includes(text, levels):
    """What rows of the page's table name: {layer: layers}; "all but", "all below it but" some."""
    table = re.search(r"^\| layer \| includes.*?\n\n", text, re.M | re.S)
    for names, cell in re.findall(r"^\| (`.*?) \| (.*) \|$", table[0] if table else "", re.M):
        for layer in re.findall(r"`(\w+)`", names):
            named = set(re.findall(r"`(\w+)`", cell.split(";")[0] if cell.startswith("all") else cell)) & set(levels)
            if cell.startswith("all"):
                below = {other for other in levels if levels[other] < levels[layer] or "below" not in cell.split(";")[0]}
                named = below - named - {layer}
            yield layer, named - {"base"}


def page_errors(src, levels, text):
    """docs/ARCHITECTURE.md draws the house as it is: levels, who includes whom, the folders of jit and cli."""
    drawing = re.search(r"^   cli  .*?^```", text, re.M | re.S)
    rows = [re.findall(r"\b[a-z]+\b", re.split(r" {3,}(?=\S+ \S)", row.strip())[0].replace("|", ""))
            for row in (drawing[0].splitlines()[:-1] if drawing else [])]
    drawn = [{word for word in row if word in levels} for row in rows]
    want = [{layer for layer in levels if levels[layer] == n} for n in sorted(set(levels.values()), reverse=True)]
    joined = {layer: n for n, row in enumerate(drawn) for layer in row}
    for n, row in enumerate(want):
        if len({joined.get(layer) for layer in row}) != 1 or None in {joined.get(layer) for layer in row}:
            yield f"the drawing has not {', '.join(sorted(row))} on one level"
    order = [next(iter({joined.get(layer, -1) for layer in row})) for row in want]
    if order != sorted(order):
        yield "the drawing's levels are in another order than src/LAYERS"
    real, said = includes(src, levels), dict(said_includes(text, levels))
    for layer in levels:
        if layer != "base" and said.get(layer) != real[layer] - {"base"}:
            yield f"of {layer} the table says {sorted(said.get(layer, []))}, it includes {sorted(real[layer] - {'base'})}"
    for layer in ("jit", "cli"):
        for folder in read_layers(src / layer / "LAYERS") if (src / layer / "LAYERS").exists() else ():
            if f"`{folder}/`" not in text and f"`{folder}`" not in text:
                yield f"src/{layer}/{folder} is not there"


def header_errors(src, command_of):
    for path in sorted([*src.glob("*/*.h"), *src.glob("*/*/*.h")]):
        command = command_of(path.relative_to(src).parts[0])
        if command is None:  # a layer that has no source file yet is not compiled at all
            continue
        done = subprocess.run(command + ["-fsyntax-only", "-x", "c", "-include", str(path), "/dev/null"],
                              capture_output=True, text=True)
        if done.returncode:
            yield f"{path} does not compile alone:\n{done.stderr}"


# What a process has once, whoever asks: its signal handlers, and a thread's stack for them.
PROCESS_WIDE = {("fault.c.o", name) for name in ("install_lock", "before", "passing", "stack_once",
                                                 "stack_key", "current", "fault_hook")}
PROCESS_WIDE |= {("interrupt.c.o", name) for name in ("interrupted", "before")}


def global_errors(objects):
    """nm's d, D, b, B, C: writable data. .data.rel.ro and .tdata are told apart by the section."""
    for path in objects:
        out = subprocess.run(["objdump", "-t", str(path)], capture_output=True, text=True).stdout
        for line in out.splitlines():
            match = re.match(r"^[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+) (.*)$", line)
            if not match:
                continue
            flags, section, size, name = match.groups()
            writable = section == "*COM*" or re.match(r"^\.(data|bss|tdata|tbss)(?!\.rel\.ro)", section)
            if (Path(path).name, name) in PROCESS_WIDE:
                continue
            if writable and "O" in flags and int(size, 16) and not name.startswith("__"):
                yield f"{path}: {name} is mutable ({section})"


def compile_commands(build):
    """A function from a layer's name to the compiler and include flags that the build uses for it."""
    entries = json.loads((build / "compile_commands.json").read_text())

    def command_of(layer):
        for entry in entries:
            if f"/src/{layer}/" not in entry["file"]:
                continue
            words = shlex.split(entry["command"])
            keep = [words[0], "-std=gnu17"]
            for i, word in enumerate(words):
                if word.startswith(("-I", "-D")):
                    keep.append(word)
                elif word == "-isystem":
                    keep += [word, words[i + 1]]
            return keep
        return None

    return command_of


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        src = Path(folder) / "src"
        for layer in ("base", "ptx", "jit"):
            (src / layer).mkdir(parents=True)
        (src / "LAYERS").write_text("# order\njit\nptx\nbase\n")
        levels = read_layers(src / "LAYERS")
        (src / "base/base.h").write_text('#include "ptx/ptx.h"\n')
        (src / "ptx/ptx.h").write_text('#include "base/base.h"\n')
        (src / "ptx/ptx_priv.h").write_text("#include <llvm-c/Core.h>\nint f(struct unknown);\n+\n")
        for folder in ("engine", "ops"):
            (src / "jit" / folder).mkdir()
        (src / "jit/jit.c").write_text('#include "ptx/ptx_priv.h"\n#include "base/base.h"\n')
        found = list(include_errors(src, levels))
        assert len(found) == 3, found
        assert "base/base.h:1" in found[0] and "not below" in found[0], found
        assert "private to ptx" in found[1] or "private to ptx" in found[2], found
        assert any("llvm-c" in text for text in found), found
        (src / "jit/LAYERS").write_text("engine\nops\n")
        (src / "jit/ops/ops.h").write_text('#include "jit/engine/engine.h"\n')
        (src / "jit/engine/engine.h").write_text('#include "jit/ops/ops.h"\n')
        (src / "ptx/ptx.c").write_text('#include "jit/ops/ops.h"\n')
        found = [text for text in include_errors(src, levels) if "priv" not in text and "base.h:1" not in text]
        assert any("ops includes jit/engine/engine.h" in text for text in found), found
        assert any("ptx.c" in text and "is inside jit" in text for text in found), found
        assert not any("engine.h:1" in text for text in found), found
        rows = "| layer | includes |\n| --- | --- |\n| `jit` | `ptx` |\n| `ptx` | %s |\n\n"
        page = "   cli  x\n   jit   makes code\n   ptx   reads\n   base  rest\n```\n`engine` `ops`\n" + rows
        (src / "ptx/ptx.c").write_text("")
        (src / "cli").mkdir()
        assert not list(page_errors(src, levels, page % "nothing")), list(page_errors(src, levels, page % "nothing"))
        for wrong, said in ((page % "`jit`", "of ptx the table says"), (page.replace("   ptx ", "   x ") % "-", "on one"),
                            (page.replace("`ops`", "") % "-", "src/jit/ops is not there"),
                            (page.replace("   jit   makes code\n", "").replace("   base", "   jit\n   base") % "-",
                             "another order")):
            assert any(said in text for text in page_errors(src, levels, wrong)), said
        (src / "ptx/ptx_priv.h").write_text("struct a { struct b c; };\n")
        assert any("ptx_priv.h" in text for text in header_errors(src, lambda layer: ["cc", f"-I{src}"]))
        source = src / "jit/jit.c"
        source.write_text("int a = 1; static int b; static const int c = 3; const char *const d[] = {\"x\"};\n"
                          "int *f(void); int *f(void) { return c ? &b : (int *)d; }\n")
        subprocess.run(["cc", "-fPIC", "-c", source, "-o", src / "jit.o"], check=True)
        text = "\n".join(global_errors([src / "jit.o"]))
        assert "a is mutable" in text and "b is mutable" in text, text
        assert "c is" not in text and "d is" not in text, text


def main():
    self_test()
    source, build = Path(os.environ["SOURCE_DIR"]), Path(os.environ["BINARY_DIR"])
    src = source / "src"
    levels = read_layers(src / "LAYERS")
    errors = list(include_errors(src, levels))
    page = (source / "docs/ARCHITECTURE.md").read_text()
    errors += [f"docs/ARCHITECTURE.md: {text}" for text in page_errors(src, levels, page)]
    errors += header_errors(src, compile_commands(build))
    if not os.environ.get("SANITIZE"):  # sanitizers add data of their own
        objects = [path for layer in levels if layer not in STATE_LAYERS
                   for path in build.glob(f"CMakeFiles/layer_{layer}.dir/**/*.o")]
        errors += global_errors(objects)
    for text in errors:
        print(text, file=sys.stderr)
    print(f"{len(levels)} layers, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
