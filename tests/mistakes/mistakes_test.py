# SPDX-License-Identifier: Apache-2.0
"""The table of docs/mistakes.md, row by row: each mistake is told with those words, at a place in its own lines, and its
status is not 0; its twin ends with 0 and nothing is said. No case is without a row."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import checks  # an environment without the settings of who runs this

LOCKSTEP, SOURCE = os.environ["LOCKSTEP"], os.environ["SOURCE_DIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
failures = []


def expect(good, what):
    if not good:
        failures.append(what)


def run(*words):
    p = subprocess.run([LOCKSTEP, *words], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout + p.stderr


def cases(name):
    """{case: (first line, last line)}"""
    with open(os.path.join(HERE, name)) as f:
        marks = [(n, m[1]) for n, line in enumerate(f, 1) if (m := re.match(r"// -- (\w+)$", line))]
    return {case: (n, marks[k + 1][0]) for k, (n, case) in enumerate(marks[:-1])}


def rows(section):
    with open(os.path.join(SOURCE, "docs", "mistakes.md")) as f:
        part = f.read().split("\n## " + section)[1].split("\n## ")[0]
    return {m[1]: m[2].split(" ... ") for m in re.finditer(r"^\| `(\w+)` \|.*?\| (.*) \|$", part, re.M)}


def told(case, status, text, words, name, lines):
    expect(status == 1, "%s: status %d\n%s" % (case, status, text))
    at, here = 0, [int(n) for n in re.findall(re.escape(name) + r":(\d+)", text)]
    for word in words:
        at = text.find(word, at)
        expect(at >= 0, "%s: %r is not said:\n%s" % (case, word, text))
        at = max(at, 0)
    expect(any(lines[0] < n < lines[1] for n in here), "%s: no place in lines %d to %d:\n%s" % (case, *lines, text))


def check(case, words, lines, program):
    status, text = run("check", program, case)
    told(case, status, text, words, "mistakes.cu", lines)
    way_on = "more after cudaFuncSetAttribute" if case == "too_much_dynamic_shared" else "what is missing: "
    expect(way_on in text or case == "failed_assert", "%s: no way on: %s" % (case, text))
    status, text = run("check", program, case, "right")
    expect(status == 0 and "========= ERROR SUMMARY: 0 errors" in text and text.count("=========") == 1,
           "%s, right: status %d\n%s" % (case, status, text))


def compiled(case, words, lines, out):
    status, text = run("cc", "-D" + case, "-c", os.path.join(HERE, "compiling.cu"), "-o", os.path.join(out, case))
    told(case, status, text, words, "compiling.cu", lines)
    expect("lockstep cc: " in text or case in ("arguments_missing", "barrier_on_host"), "%s: no way on: %s" % (case, text))


with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
    program = os.path.join(work, "mistakes")
    jobs = [pool.submit(run, "cc", os.path.join(HERE, "mistakes.cu"), "-o", program),
            pool.submit(run, "cc", os.path.join(HERE, "compiling.cu"), "-o", os.path.join(work, "right"))]
    for job in jobs:
        expect(job.result() == (0, ""), job.result()[1])
    found, wanted = cases("mistakes.cu"), rows("Found by `lockstep check`")
    expect(set(found) == set(wanted), "without a row, or a case: %s" % (set(found) ^ set(wanted)))
    jobs = [pool.submit(check, c, wanted[c], found[c], program) for c in wanted if c in found]
    found, also = cases("compiling.cu"), rows("Found by the compiler")
    expect(set(found) == set(also), "without a row, or a case: %s" % (set(found) ^ set(also)))
    jobs += [pool.submit(compiled, c, also[c], found[c], work) for c in also]
    for job in jobs:
        job.result()
    expect(len(wanted) + len(also) >= 40, "%d mistakes" % (len(wanted) + len(also)))
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures else 0)
