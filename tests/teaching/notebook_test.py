# SPDX-License-Identifier: Apache-2.0
"""Executes examples/notebook/cuda.ipynb and cells that fail: %%cuda runs, checks, profiles; places are those of the cell;
the report lies in the notebook. Skipped where Jupyter's client or kernel is missing."""
import os
import sys
import tempfile

try:
    import ipykernel  # noqa: F401
    import nbclient
    import nbformat
except ImportError as e:
    print(f"SKIP: no {e.name}: install python3-nbclient and python3-ipykernel, or pip install nbclient ipykernel")
    sys.exit(77)

SOURCE = os.environ["SOURCE_DIR"]
os.environ["PYTHONPATH"] = os.path.join(SOURCE, "python")
os.environ.update(PYDEVD_DISABLE_FILE_VALIDATION="1", IPYTHONDIR=tempfile.mkdtemp(), JUPYTER_RUNTIME_DIR=tempfile.mkdtemp())
for name in ("LOCKSTEP_CC", "LOCKSTEP_GPU", "LOCKSTEP_JSON"):
    os.environ.pop(name, None)
failures = []


def expect(good, what):
    if not good:
        failures.append(str(what)[:1500])


def said(cell, stream=None):
    return "".join(o.get("text", "") for o in cell.outputs if o.output_type == "stream" and stream in (None, o.name))


def data(cell, kind):
    return "".join(o.data[kind] for o in cell.outputs if o.output_type == "display_data" and kind in o.data)


def errors(cell):
    return [o.evalue for o in cell.outputs if o.output_type == "error"]


notebook = nbformat.read(os.path.join(SOURCE, "examples/notebook/cuda.ipynb"), as_version=4)
shown = len(notebook.cells)
FAILING = [  # cell, what it says
    ("%%cuda\nint main() { return 3; }", "lockstep run: exit status 3"),
    ("%%cuda\n\nint main() { retrun 3; }", "exit status"),
    ("%%cuda --check --profile\nint main() { }", "one of the two"),
    ("%%cuda 1000\nint main() { }", "the program's arguments stand behind --"),
    ("%%cuda --check\nint main() { }", "exit status 3"),
    ("%%cuda --profile --gpu nosuch\nint main() { }", "exit status 2"),
    ("%lockstep acess", "exit status 2"),
]
for source, _ in FAILING:
    notebook.cells.append(nbformat.v4.new_code_cell(source))
notebook.cells.append(nbformat.v4.new_code_cell("%%cuda\n#include <cstdio>\nint main() { FILE *f = fopen(\"here.txt\", \"r\"); puts(f ? \"found\" : \"not found\"); }"))
with tempfile.TemporaryDirectory() as folder:
    open(os.path.join(folder, "here.txt"), "w").close()
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True,
                            resources={"metadata": {"path": folder}}).execute()
    expect(os.listdir(folder) == ["here.txt"], os.listdir(folder))
code = [c for c in notebook.cells[:shown] if c.cell_type == "code"]
for c in code:
    expect(not errors(c), c.outputs)
_, hello, race, clean, profile, banks = code
lines = said(hello, "stdout").splitlines()
expect(sorted(lines[:6]) == sorted("hello from thread %d of block %d" % (t, b) for b in range(2) for t in range(3)), lines)
expect(lines[6:] == ["hello, world"], lines)
text = said(race)
barrier = race.source.splitlines().index("        out[i] = s[t - 1] + s[t] + s[t + 1];") + 1
expect('of "s"' in text and f" cell.cu:{barrier} " in text and "/cell.cu" not in text, text)
expect("what is missing: a barrier" in text and "<iframe" in data(race, "text/html"), text)
expect("0 errors" in said(clean) and not data(clean, "text/html"), clean.outputs)
page = data(profile, "text/html")
expect("smooth  grid 4, block 64" in said(profile) and "A100" in said(profile), profile.outputs)
expect(page.startswith("<iframe srcdoc=") and "&lt;!DOCTYPE html" in page and "smooth" in page, page)
expect("<svg" in data(banks, "image/svg+xml") and "32-way" in said(banks), banks.outputs)
for (source, words), cell in zip(FAILING, notebook.cells[shown:]):
    expect(any(words in e for e in errors(cell)) or (words in said(cell) and "UsageError" in said(cell)), (source, words, cell.outputs))
expect("cell.cu:3:" in said(notebook.cells[shown + 1]), notebook.cells[shown + 1].outputs)
expect(said(notebook.cells[-1]) == "found\n", notebook.cells[-1].outputs)
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures else 0)
