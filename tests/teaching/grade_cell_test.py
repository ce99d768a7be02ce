# SPDX-License-Identifier: Apache-2.0
"""A program that means harm, graded: each way it tries ends in a verdict, quickly, and in nothing else."""
import json
import os
import subprocess
import sys
import tempfile

LOCKSTEP, HERE = os.environ["LOCKSTEP"], os.path.dirname(os.path.abspath(__file__))
if os.environ.get("SANITIZE"):
    print("a sanitizer's memory is larger than any limit here")
    sys.exit(77)
failures = []
# way: verdict, and words of the message
ENDS = {
    "loop": "stopped after 1 s",
    "kernel": "stopped after 1 s",
    "memory": "stopped: more than 400 MiB of memory",
    "shared": "stopped: more than 400 MiB of memory",
    "print": "stopped: more than 64 KiB printed",
    "write": "stopped: more than 2048 KiB, or 1000 files, written",
    "many": "stopped: more than 2048 KiB, or 1000 files, written",
    "silent": "stopped after 1 s",
    "crash": "ended by signal 11 (Segmentation fault)",
    "leave": "exit status 7",
}
REFUSED = {
    "files": ["read a file beside the exercise", "read the host's users", "list the root", "make a file elsewhere",
              "shorten a file", "change a mode", "remove a file", "read the grader's environment"],
    "others": ["fork", "system", "signal everybody", "signal the grader", "a socket", "a local socket",
               "limit the grader"],
}


def expect(good, what):
    if not good:
        failures.append(what)


def criterion(way, more="", args=()):
    words = ", ".join('"%s"' % w for w in (way, *args))
    return '[[criterion]]\nname = "%s"\nkind = "output"\nargs = [%s]\nexpect = "nothing of the kind"\nshow = true\n%s\n' % (
        way, words, more)


def grade(folder, *more):
    before = set(os.listdir(folder))
    p = subprocess.run([LOCKSTEP, "grade", "--json", *more, os.path.join(folder, "exercise.toml"),
                        os.path.join(HERE, "nasty.cu")], capture_output=True, text=True, timeout=120,
                       env=dict(os.environ, TEACHERS_SECRET="x", TMPDIR=os.path.join(folder, "tmp")))
    expect(os.listdir(os.path.join(folder, "tmp")) == [], "temporary files are left")
    expect(set(os.listdir(folder)) == before, "the exercise's folder has changed")
    expect(p.returncode in (0, 1), "status %d: %s" % (p.returncode, p.stderr[-500:]))
    return json.loads(p.stdout), p.returncode


with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "tmp"))
    secret = os.path.join(folder, "secret.txt")
    with open(secret, "w") as f:
        f.write("42\n")
    with open(os.path.join(folder, "exercise.toml"), "w") as f:
        f.write('[limits]\nseconds = 1\nmemory = "400 MiB"\noutput = "64 KiB"\nfiles = "2 MiB"\n')
        for way in ENDS:
            f.write(criterion(way))
        f.write(criterion("echo", 'input = "one two\\nthree"').replace("nothing of the kind", "one two three"))
        f.write(criterion("where").replace("nothing of the kind", "nothing 1 home"))
        for way in REFUSED:
            f.write(criterion(way, args=[secret]))
    result, status = grade(folder)
    expect(status == 1, "status %d" % status)
    verdicts = {c["name"]: c for c in result["criteria"]}
    for way, words in ENDS.items():
        c = verdicts[way]
        expect(c["verdict"] == "not met" and c["message"] == words, "%s: %s" % (way, c))
        expect(c["seconds"] < 10, "%s took %s s" % (way, c["seconds"]))
    for way in ("echo", "where"):
        expect(verdicts[way]["verdict"] == "met", "%s: %s" % (way, verdicts[way]))
    with open(secret) as f:
        expect(f.read() == "42\n", "the file beside the exercise was changed")
    # What was printed is compared with what a kernel that protects all of it lets through.
    protection = result["protection"]
    for way, tries in REFUSED.items():
        lines = ["%s: refused" % t for t in tries]
        lines += ["the working folder has 0 entries", "a file of its own: made"] if way == "files" else ["signal itself: allowed"]
        if not all(protection.values()):
            print("this kernel does not keep everything away:", protection)
            continue
        with open(os.path.join(folder, "exercise.toml"), "w") as f:
            f.write(criterion(way, args=[secret]).replace("nothing of the kind", "\\n".join(lines)))
        again, status = grade(folder)
        expect(status == 0, "%s: %s" % (way, again["criteria"][-1]))
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures else 0)
