# SPDX-License-Identifier: Apache-2.0
"""Exercises that cannot be used: status 2 and a message with file and line of the TOML. A program that does not compile
is the student's fault: status 1. A solution that fails is the teacher's: status 2."""
import json
import os
import subprocess
import sys
import tempfile

LOCKSTEP = os.environ["LOCKSTEP"]
if os.environ.get("SANITIZE"):
    print("a sanitizer's memory is larger than any limit here")
    sys.exit(77)
GOOD = '[[criterion]]\nkind = "output"\nexpect = "1"\n'
BAD = [  # exercise, line, words
    ("", 1, "no criterion"),
    ('title = "x\n', 1, "the string that begins in line 1 does not end"),
    ("titel = 'x'\n" + GOOD, 1, 'an exercise has no "titel"; did you mean title?'),
    ("title = 1\n" + GOOD, 1, "title takes a string, not an integer"),
    ("gpu = 'h2000'\n" + GOOD, 1, 'no GPU is called "h2000"'),
    ("cc = '99.9'\n" + GOOD, 1, 'no device has compute capability "99.9"'),
    ("gpu = 'h200'\ncc = '9.0'\n" + GOOD, 2, "gpu and cc: one of the two"),
    ("[limits]\nseconds = 'a lot'\n" + GOOD, 2, "seconds takes a number, not a string"),
    ("[limits]\nseconds = 0\n" + GOOD, 2, "seconds takes a number from 0.001"),
    ("[limits]\nmemory = '3 parsecs'\n" + GOOD, 2, 'memory takes a size: "512 MiB"'),
    ("[limits]\nmem = 3\n" + GOOD, 2, '[limits] has no "mem"'),
    ("[build]\nharness = 'main.cu'\n" + GOOD, 2, "harness: there is no file"),
    ("[build]\nsolution = 'nothing.cu'\n" + GOOD, 2, "solution: there is no file"),
    ("[build]\noptions = [1]\n" + GOOD, 2, "options takes strings, not an integer"),
    ("[[criterion]]\nkind = 'outptu'\n", 2, "a criterion's kind is one of output, check, counter, time, memory, source, not outptu"),
    ("[[criterion]]\nname = 'x'\n", 1, "a criterion's kind is one of"),
    ("[[criterion]]\nkind = 'output'\nexpct = '1'\n", 3, 'a criterion of the kind output has no "expct"; did you mean expect?'),
    ("[[criterion]]\nkind = 'output'\n", 1, "compares with the solution"),
    ("[[criterion]]\nkind = 'output'\nexpect = '1'\nexpect_file = 'a'\n", 4, "expect and expect_file: one of the two"),
    ("[[criterion]]\nkind = 'counter'\n", 1, 'needs assert = "..."'),
    ("[[criterion]]\nkind = 'counter'\nassert = 'shared_bank == 0'\n", 3, 'there is no counter "shared_bank"'),
    ("[[criterion]]\nkind = 'check'\nonly = 'rase'\n", 3, "only: "),
    ("[[criterion]]\nkind = 'time'\n", 1, "needs microseconds or times_solution"),
    ("[[criterion]]\nkind = 'memory'\n", 1, "needs most"),
    ("[[criterion]]\nkind = 'source'\n", 1, "needs require or forbid"),
    ("[[criterion]]\nkind = 'source'\nargs = ['1']\n", 3, 'has no "args"'),
    ("criterion = 3\n", 1, "criterion takes an array, not an integer"),
    (GOOD + "points = -1\n", 4, "points takes a number from 0"),
    (GOOD + "tolerance = 7\n", 4, "tolerance takes a number from 0 to 1, not 7"),
]
failures = []


def expect(good, what):
    if not good:
        failures.append(what)


with tempfile.TemporaryDirectory() as folder:
    at, student = os.path.join(folder, "exercise.toml"), os.path.join(folder, "student.cu")
    with open(student, "w") as f:
        f.write('#include <cstdio>\n// atomicAdd is only spoken of\nint main() { puts("1"); return 0 }\n')

    def grade(text, *words):
        with open(at, "w") as f:
            f.write(text)
        return subprocess.run([LOCKSTEP, "grade", *(words or ("--json", at, student))], capture_output=True, text=True,
                              timeout=120)

    for text, line, words in BAD:
        p = grade(text)
        where = "%s:%d: " % (at, line)
        good = p.returncode == 2 and p.stderr.replace("\n    ", " ").startswith("lockstep grade: " + where) and words in p.stderr
        expect(good, "%r: status %d\n%s\nnot %s%s" % (text, p.returncode, p.stderr, where, words))
    for words in ((at,), (at, student, student), (at, folder), (at, "none.cu"), ("none.toml", student)):
        p = grade(GOOD, *words)
        expect(p.returncode == 2 and p.stderr.startswith("lockstep grade: "), "%s: %s" % (words, p))
    # The student's mistake: the rest is not met, but what is judged by the source alone.
    p = grade(GOOD + "[[criterion]]\nkind = 'source'\nforbid = 'atomicAdd'\n")
    verdicts = [(c["kind"], c["verdict"], c["message"]) for c in json.loads(p.stdout)["criteria"]]
    expect(p.returncode == 1, p)
    expect(verdicts[0][1] == "not met" and verdicts[0][2].startswith("student.cu:3:") and "expected ';'" in verdicts[0][2], verdicts)
    expect(verdicts[1:] == [("output", "not met", "not tried: it does not compile"), ("source", "met", "")], verdicts)
    # The teacher's: a solution that fails, one that does not compile.
    with open(student, "w") as f:
        f.write('#include <cstdio>\nint main() { puts("1"); }\n')
    for solution, words in (("int main() { return 3; }\n", at + ":3: the solution itself fails: exit status 3"),
                            ("int main() { retrun 3; }\n", "the solution does not compile")):
        with open(os.path.join(folder, "solution.cu"), "w") as f:
            f.write(solution)
        p = grade("[build]\nsolution = 'solution.cu'\n[[criterion]]\nkind = 'output'\n")
        expect(p.returncode == 2 and words in p.stderr.replace("\n    ", " "), "%s: %s" % (words, p))
    # A student cannot take the solution in: the compiler is kept to the files that it needs.
    with open(student, "w") as f:
        f.write('#include "solution.cu"\n')
    with open(os.path.join(folder, "solution.cu"), "w") as f:
        f.write('#include <cstdio>\nint main() { puts("1"); }\n')
    p = grade("[build]\nsolution = 'solution.cu'\n[[criterion]]\nkind = 'output'\n")
    protected = json.loads(p.stdout)["protection"]["files"]
    expect(p.returncode == (1 if protected else 0), p)
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures else 0)
