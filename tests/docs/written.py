# SPDX-License-Identifier: Apache-2.0
"""Pages of the guide, run as written: the blocks `sh` one after the other in one shell, each compared with
the block `text` behind it (lines in that order, `...` for anything). A block `sh clone` is left out,
unless there is a repository to clone."""
import os, re, subprocess, tempfile, time

docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs")
work = tempfile.mkdtemp()
for name in [n for n in os.environ if n.startswith("LOCKSTEP_") and n != "LOCKSTEP_CACHE"]:
    os.environ.pop(name)
failures = 0


def complain(what):
    global failures
    failures += 1
    print("FAILED:", what)


class Shell:
    """One bash, fed block by block; its output up to a mark behind each."""

    def __init__(self):
        self.p = subprocess.Popen(["bash"], cwd=work, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)

    def run(self, text):
        mark = f"--- {time.time_ns()} ---"
        self.p.stdin.write(f"{text}\necho; echo '{mark}'\n")
        self.p.stdin.flush()
        out = []
        for line in self.p.stdout:
            if line.rstrip("\n") == mark:
                return out
            out.append(line.rstrip("\n"))
        complain("the shell ended")
        return out


def matches(shown, line):
    return re.fullmatch(re.sub(r"(\\ )*\\\.\\\.\\\.(\\ )*", ".*", re.escape(shown.strip())), line.strip()) is not None


def compare(shown, out):
    """Every line that is shown was printed, in that order."""
    at = 0
    for line in shown.splitlines():
        found = next((k for k in range(at, len(out)) if matches(line, out[k])), None)
        if found is None:
            complain(f"not printed: {line}\n    by: " + "\n    ".join(out[-40:]))
        else:
            at = found + 1


def run_page(name, least, clone=None):
    """The exit status; least: blocks that the page has at least."""
    page = open(os.path.join(docs, name), encoding="utf-8").read()
    blocks = re.findall(r"^```(sh clone|sh|text)\n(.*?)^```$", page, re.M | re.S)
    shell, out, steps, start = Shell(), [], 0, time.time()
    if clone:
        shell.run(f"export REPOSITORY='{clone}'")
    else:
        shell.run(f'export PATH="{os.path.dirname(os.environ["LOCKSTEP"])}:$PATH"')
    for kind, text in blocks:
        if kind == "text":
            compare(text, out)
            continue
        if kind == "sh clone" and not clone:
            continue
        begin = time.time()
        out = shell.run(text)
        steps += 1
        if clone:
            print(f"{time.time() - begin:7.1f} s  {text.splitlines()[0][:90]}{' ...' if text.count(chr(10)) > 1 else ''}")
    if steps < least:
        complain(f"only {steps} blocks found")
    print(f"{steps} blocks, {failures} failures, {(time.time() - start) / 60:.1f} minutes")
    return failures != 0
