# SPDX-License-Identifier: Apache-2.0
"""CUDA C in the cells of a notebook (docs/teaching.md):

    %load_ext lockstep
    %%cuda                      compiles the cell and runs it
    %%cuda --check              under all checks; findings are shown
    %%cuda --profile            with counters; the report is shown below
    %lockstep access --stride 32

A cell's lines are counted as the notebook counts them, the magic's own line being the first. Options of the compiler and
of the commands may follow (-DN=5, --gpu a100); behind -- come the program's arguments.
"""

import hashlib
import html
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import HTML, SVG, display

NAME = "cell.cu"


class CellFailed(Exception):
    """The program, or the compiler, ended with a status that is not 0."""

    def _render_traceback_(self):
        return [f"{type(self).__name__}: {self}"]


def command():
    """The lockstep to use: $LOCKSTEP, that of a wheel, of a build beside these sources, or on the PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.environ.get("LOCKSTEP"), os.path.join(here, "_root", "bin", "lockstep"),
                 os.path.join(here, "..", "..", "build", "lockstep")):
        if path and os.access(path, os.X_OK):
            return os.path.abspath(path)
    found = shutil.which("lockstep")
    if not found:
        raise UsageError("there is no lockstep: put it on the PATH, or say where it is: os.environ['LOCKSTEP'] = '/path/to/lockstep'")
    return found


def _split(line):
    """The magic's words: what to do, options, the program's arguments."""
    words, verb = shlex.split(line), "run"
    behind = words.index("--") if "--" in words else len(words)
    options, arguments = words[:behind], words[behind + 1:]
    for name in ("check", "profile"):
        if "--" + name in options:
            if verb != "run":
                raise UsageError("%%cuda: --check or --profile, one of the two")
            options.remove("--" + name)
            verb = name
    if options and not options[-1].startswith("-") and (len(options) < 2 or not options[-2].startswith("-")):
        raise UsageError(f"%%cuda: the program's arguments stand behind --: %%cuda -- {options[-1]}")
    return verb, options, arguments


def _page(path, height):
    """A report in a frame of its own: its style and the notebook's stay apart."""
    with open(path, encoding="utf-8") as f:
        text = html.escape(f.read())
    return HTML(f'<iframe srcdoc="{text}" width="100%" height="{height}" style="border:0"></iframe>')


@magics_class
class Lockstep(Magics):
    def __init__(self, shell):
        super().__init__(shell)
        self._folder = tempfile.TemporaryDirectory(prefix="lockstep-cells-")

    def _source(self, cell):
        """The cell as a file. The same text lies in the same place, so that what was compiled is used again."""
        folder = os.path.join(self._folder.name, hashlib.sha256(cell.encode()).hexdigest()[:16])
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, NAME)
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n" + cell)  # the magic's line
        return path

    def _run(self, words, folder=None):
        """Runs lockstep and shows what it prints; its status."""
        done = subprocess.run([command(), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace")
        for text, to in ((done.stdout, sys.stdout), (done.stderr, sys.stderr)):
            to.write(text.replace(folder + os.sep, "") if folder else text)
            to.flush()
        return done.returncode

    @cell_magic
    def cuda(self, line, cell):
        """%%cuda [--check | --profile] [options] [-- arguments]: compiles the cell's CUDA C and runs it."""
        verb, options, arguments = _split(line)
        source = self._source(cell)
        folder = os.path.dirname(source)
        page = os.path.join(folder, "report.html")
        if os.path.exists(page):
            os.unlink(page)
        report = ["--html", page] if verb != "run" else []
        status = self._run([verb, *report, *options, source, *arguments], folder)
        if os.path.exists(page) and (verb == "profile" or status):
            display(_page(page, 760 if verb == "profile" else 420))
        findings = verb == "check" and os.path.exists(page)
        if status and not findings:
            raise CellFailed(f"lockstep {verb}: exit status {status}")

    @line_magic
    def lockstep(self, line):
        """%lockstep COMMAND ...: any command of lockstep; of access the drawing is shown, too."""
        words = shlex.split(line)
        drawing = os.path.join(self._folder.name, "access.svg")
        drawn = words[:1] == ["access"] and not {"--svg", "--csv", "--help"} & set(words)
        if drawn and os.path.exists(drawing):
            os.unlink(drawing)
        status = self._run(words + ["--svg", drawing] if drawn else words)
        if drawn and os.path.exists(drawing):
            display(SVG(filename=drawing))
        if status:
            raise CellFailed(f"lockstep {' '.join(words[:1])}: exit status {status}")


def register(shell):
    shell.register_magics(Lockstep(shell))
