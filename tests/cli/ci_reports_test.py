# SPDX-License-Identifier: Apache-2.0
"""check --sarif, --junit, --github and the problem matcher beside check --json of the same run: every finding once, at its
place, in files of the right structure. SARIF is held to the rules of the 2.1.0 schema for all that it uses; with
SARIF_SCHEMA=FILE and Python's jsonschema also to the schema itself."""
import json
import os
import re
import shutil
import subprocess
import urllib.parse
import xml.etree.ElementTree as ET

from checks import check, finish, lockstep as LOCKSTEP, source as SOURCE, work as FOLDER

for name in [n for n in os.environ if n.startswith(("LOCKSTEP_", "GITHUB_", "CI_")) and n != "LOCKSTEP_CACHE"]:
    os.environ.pop(name)
WRONG = r"""#include <cstdio>
#include "parts.h"
__global__ void race(float *out, int n)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[(threadIdx.x + 1) % 64];
    if (n == 7)
        outside(out);
}
int main(int argc, char **argv)
{
    float *p;
    cudaMalloc(&p, 256);
    race<<<1, 64>>>(p, argc > 1 ? 7 : 0);
    cudaDeviceSynchronize();
    return argc > 2 ? 5 : 0;
}
"""
RIGHT = "__global__ void k(int *p) { *p = 1; }\nint main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); " \
        "cudaDeviceSynchronize(); cudaFree(p); }\n"


def write(path, text):
    path = os.path.join(FOLDER, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def run(*words, cwd=".", **env):
    return subprocess.run([LOCKSTEP, *words], cwd=os.path.join(FOLDER, cwd), env={**os.environ, **env}, text=True,
                          capture_output=True, timeout=300)


# -- SARIF's structure: what the schema says of the properties that are used, nothing else may be there

LEVELS = {"none", "note", "warning", "error"}


def is_uri(s):
    return isinstance(s, str) and re.fullmatch(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-F]{2})*", s) is not None


SHAPES = {  # properties: (required, type or shape or check)
    "log": {"$schema": (False, is_uri), "version": (True, lambda v: v == "2.1.0"), "runs": (True, ["run"])},
    "run": {"tool": (True, "tool"), "results": (False, ["result"]), "invocations": (False, ["invocation"]),
            "originalUriBaseIds": (False, lambda v: all(set(x) == {"uri"} and x["uri"].endswith("/") and is_uri(x["uri"])
                                                        for x in v.values())), "properties": (False, dict)},
    "tool": {"driver": (True, "driver")},
    "driver": {"name": (True, str), "version": (False, str), "rules": (False, ["rule"])},
    "rule": {"id": (True, str), "shortDescription": (False, "message"), "properties": (False, dict)},
    "message": {"text": (True, lambda v: isinstance(v, str) and v != "")},
    "result": {"ruleId": (False, str), "ruleIndex": (False, int), "level": (False, lambda v: v in LEVELS),
               "message": (True, "message"), "locations": (False, ["location"]), "relatedLocations": (False, ["location"]),
               "occurrenceCount": (False, lambda v: isinstance(v, int) and v >= 1)},
    "location": {"id": (False, lambda v: isinstance(v, int) and v >= 0), "physicalLocation": (False, "physical"),
                 "logicalLocations": (False, ["logical"]), "message": (False, "message")},
    "physical": {"artifactLocation": (True, "artifact"), "region": (False, "region")},
    "artifact": {"uri": (True, is_uri), "uriBaseId": (False, str)},
    "region": {"startLine": (False, lambda v: isinstance(v, int) and v >= 1)},
    "logical": {"fullyQualifiedName": (False, str), "kind": (False, str)},
    "invocation": {"executionSuccessful": (True, bool), "exitCode": (False, int),
                   "toolExecutionNotifications": (False, ["notification"])},
    "notification": {"level": (False, lambda v: v in LEVELS), "message": (True, "message")},
}


def wrong(value, shape, place="log"):
    """What is wrong with it, or None."""
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{place} is no list"
        return next((w for k, v in enumerate(value) if (w := wrong(v, shape[0], f"{place}[{k}]"))), None)
    if isinstance(shape, str):
        if not isinstance(value, dict):
            return f"{place} is no object"
        for key, (required, _) in SHAPES[shape].items():
            if required and key not in value:
                return f"{place} lacks {key}"
        for key, v in value.items():
            if key not in SHAPES[shape]:
                return f"{place}.{key} is not known"
            if w := wrong(v, SHAPES[shape][key][1], f"{place}.{key}"):
                return w
        return None
    good = isinstance(value, shape) if isinstance(shape, type) else shape(value)
    return None if good else f"{place}: {value!r}"


def sarif(path):
    log = json.load(open(os.path.join(FOLDER, path)))
    check(f"{path}: {wrong(log, 'log')}", wrong(log, "log") is None)
    one = log["runs"][0]
    for r in one["results"]:
        check("ruleIndex", one["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] == r["ruleId"])
    schema = os.environ.get("SARIF_SCHEMA")
    if schema:
        import jsonschema
        jsonschema.validate(log, json.load(open(schema)))
    return one


def place(location):
    p = location["physicalLocation"]
    return urllib.parse.unquote(p["artifactLocation"]["uri"]), p["region"]["startLine"]


check("the checker sees a missing message", wrong({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"ruleId": "a"}]}]}, "log"))
check("and a line 0", wrong({"startLine": 0}, "region"))
write(".git/HEAD", "")
write("src/my progr%am.cu", WRONG)
write("src/parts.h", "#pragma once\n__device__ void outside(float *out) { out[threadIdx.x + 100] = 1; }\n")
write("right.cu", RIGHT)
write("idle.cu", "int main() { int *p; cudaMalloc(&p, 4); cudaFree(p); }\n")

# -- findings
p = run("check", "--json", "--sarif", "../r.sarif", "--junit", "../r.xml", "--github", "my progr%am.cu", "1", cwd="src")
check(f"status {p.returncode}", p.returncode == 1)
found = json.loads(p.stdout)["findings"]
check(f"{len(found)} findings", len(found) == 3)
one = sarif("r.sarif")
check("a result each", [(r["ruleId"], r["level"], r["occurrenceCount"]) for r in one["results"]] ==
      [(f["kind"], f["severity"], f["count"]) for f in found])
places = {r["ruleId"]: place(r["locations"][0]) for r in one["results"]}
check(f"places, relative to the checkout: {places}", places["shared-race"] == ("src/my progr%am.cu", 6) and
      places["out-of-bounds"] == ("src/parts.h", 2) and places["leak"][0] == "src/my progr%am.cu")
race = next(r for r in one["results"] if r["ruleId"] == "shared-race")
check("the other place", place(race["relatedLocations"][0]) == ("src/my progr%am.cu", 7))
check("the kernel", race["locations"][0]["logicalLocations"][0]["fullyQualifiedName"].startswith("race"))
check("what is missing", "__syncthreads()" in race["message"]["text"])
check("the invocation", one["invocations"][0] == {"executionSuccessful": True, "exitCode": 1})

suite = ET.parse(os.path.join(FOLDER, "r.xml")).getroot()[0]
tests = suite.findall("testcase")
failed = [t for t in tests if t.find("failure") is not None]
check("JUnit's numbers", (int(suite.get("tests")), int(suite.get("failures"))) == (len(tests), len(failed)) and
      int(suite.get("errors")) == 0 and float(suite.get("time")) > 0)
check("a failed case each", [t.find("failure").get("type") for t in failed] == [f["kind"] for f in found])
check("with its place", "shared-race at src/my progr%am.cu:6" in [t.get("name") for t in failed])
check("and a passed one for each other group", {t.get("name") for t in tests if t.find("failure") is None} ==
      {"init", "sync", "api"})

lines = [l for l in p.stderr.splitlines() if l.startswith("::")]
check(f"annotations beside JSON on stderr: {lines}", len(lines) == 3 and not p.stdout.startswith("::"))
parsed = [re.fullmatch(r"::(error|warning) file=([^,]*)(?:,line=(\d+))?,title=([^:]*)::(.*)", l) for l in lines]
check("their form", all(parsed))
check(f"their places: {lines}", [(m[1], m[2].replace("%25", "%"), m[3]) for m in parsed if m][:2] ==
      [("error", "src/my progr%am.cu", "6"), ("error", "src/parts.h", "2")])
check("several lines in one", parsed[0] and "%0A" in parsed[0][5] and "my progr%25am.cu:7" in parsed[0][5])

# -- the root is the job's checkout
p = run("check", "--github", "src/my progr%am.cu", GITHUB_WORKSPACE=FOLDER + "/src")
check("another job's checkout is not ours", "file=src/my progr%25am.cu,line=6" in p.stdout)
p = run("check", "-q", "--github", "my progr%am.cu", cwd="src", GITHUB_WORKSPACE=FOLDER + "/src")
check(f"GitHub's: {p.stdout}", "file=my progr%25am.cu,line=6" in p.stdout and "=========" not in p.stdout)
p = run("check", "-q", "--github", "my progr%am.cu", cwd="src", CI_PROJECT_DIR=FOLDER)
check("GitLab's", "file=src/my progr%25am.cu,line=6" in p.stdout)
shutil.rmtree(FOLDER + "/.git")
p = run("check", "--sarif", "up.sarif", "../src/my progr%am.cu", cwd="elsewhere") if os.makedirs(FOLDER + "/elsewhere") is None else None
check("outside of the root: whole", place(sarif("elsewhere/up.sarif")["results"][0]["locations"][0]) ==
      ("file://" + FOLDER + "/src/my progr%am.cu", 6))

# -- nothing found, nothing checked, a program that fails
p = run("check", "--only", "race,sync", "--sarif", "n.sarif", "--junit", "n.xml", "--github", "right.cu")
one = sarif("n.sarif")
check("clean", p.returncode == 0 and one["results"] == [] and one["invocations"][0]["executionSuccessful"] and "::" not in p.stdout)
check("the groups that were looked for", [t.get("name") for t in ET.parse(FOLDER + "/n.xml").getroot()[0]] == ["race", "sync"])
for program in ("idle.cu", "true"):
    p = run("check", "--sarif", "i.sarif", "--junit", "i.xml", "--github", program)
    one = sarif("i.sarif")
    check(f"{program}: nothing was checked", p.returncode == 3 and not one["invocations"][0]["executionSuccessful"] and
          one["invocations"][0]["toolExecutionNotifications"] and "::error title=lockstep check::" in p.stdout)
    suite = ET.parse(FOLDER + "/i.xml").getroot()[0]
    check(f"{program}: no passed case", suite.get("failures") == suite.get("tests") == "1")
p = run("check", "--only", "bounds", "--sarif", "f.sarif", "--junit", "f.xml", "src/my progr%am.cu", "1", "2")
names = [t.get("name") for t in ET.parse(FOLDER + "/f.xml").getroot()[0]]
check(f"a program that fails: {names}", "exit status" in names and
      "exit status 5" in sarif("f.sarif")["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"])
check("files have the umask's mode", os.stat(FOLDER + "/f.xml").st_mode & 0o77 == os.stat(FOLDER + "/right.cu").st_mode & 0o77)
for words in (["--sarif", "-"], ["--junit="], ["--sarif", "no/folder/x"]):
    p = run("check", *words, "right.cu")
    check(f"{words}: {p.returncode} {p.stderr}", p.returncode == 2 and (words[0][:7] in p.stderr or "no/folder" in p.stderr))

# -- the problem matcher, line by line as GitHub's runner and editors use it
matchers = {m["owner"]: m for m in json.load(open(SOURCE + "/ci/problem-matcher.json"))["problemMatcher"]}


def matches(matcher, text):
    found, lines = [], text.splitlines()
    patterns = [re.compile(p["regexp"]) for p in matcher["pattern"]]
    for k in range(len(lines) - len(patterns) + 1):
        hits = [p.search(lines[k + i]) for i, p in enumerate(patterns)]
        if all(hits):
            problem = {}
            for p, h in zip(matcher["pattern"], hits):
                problem.update({key: h[n] for key, n in p.items() if key != "regexp"})
            found.append(problem)
    return found


p = run("check", "src/my progr%am.cu", "1")
problems = matches(matchers["lockstep"], p.stdout)
wanted = [(f["access"]["file"], str(f["access"]["line"])) for f in found if f["access"] and f["access"]["file"] and f["access"]["line"]]
check(f"the matcher finds what has a place: {problems}", [(q["file"], q["line"]) for q in problems] == wanted and
      all(q["severity"] is None for q in problems[:2]) and "Race" in problems[0]["message"])
check("and nothing in a clean report", not matches(matchers["lockstep"], run("check", "right.cu").stdout))
write("broken.cu", "int main() { return nothing; }\n")
p = run("check", "broken.cu")
problems = matches(matchers["lockstep-compiler"], p.stderr)
check(f"the compiler's: {p.stderr}", p.returncode == 2 and any(q["line"] == "1" and q["severity"] == "error" for q in problems))
shutil.rmtree(FOLDER)
finish()
