# SPDX-License-Identifier: Apache-2.0
"""Advice: of each row of src/report/advice.def a kernel that deserves it is told, with what it would save and the
right line, and its twin that does not is not (advice.cu)."""
import json, os, re, subprocess

from checks import check, finish, lockstep, source, work

here = os.path.join(source, "tests/profile")


def profile(*words):
    # as if nothing of the small arrays lay in L2 before: what rules say of device memory is seen in the times then
    r = subprocess.run([lockstep, "profile", "-q", "--model=-warm", "--json=" + work + "/r.json", *words], stderr=subprocess.PIPE,
                       text=True)
    check(f"{words}: status {r.returncode}: {r.stderr}", r.returncode == 0)
    with open(work + "/r.json") as f:
        return json.load(f)["kernels"]


program = work + "/advice"
subprocess.run([lockstep, "cc", "-O3", "-lineinfo", "-o", program, here + "/advice.cu"], check=True)
text = open(here + "/advice.cu").read().split("\n")
table = open(os.path.join(source, "src/report/advice.def")).read()
kinds = re.findall(r"^ADVICE\((\w+), (\w+),", table, re.M)

kernels = {}
for options in ([program], ["--gpu", "gt200", program, "old"], ["--cc", "1.0", program, "old"],
                ["--gpu", "rtx3090", program], ["--gpu", "gtx1080", program, "panels"]):
    for k in profile(*options):
        kernels.setdefault((k["name"], tuple(options[1:2])), k)


def kinds_of(name, gpu):
    k = kernels[(name, gpu)]
    return {a["kind"]: a for a in k["advice"]}


where = {"camping": ("gt200",), "transactions": ("1.0",), "threads": ("rtx3090",), "order": ("gtx1080",), "doubles": ("rtx3090",),
         "conversions": ("rtx3090",)}
for kind, scope in kinds:
    gpu = where.get(kind, ())
    told = kinds_of(kind + "_yes", gpu)
    silent = kinds_of(kind + "_no", gpu)
    check(f"{kind} is said: {list(told)}", kind in told)
    check(f"{kind} is not said of its twin: {silent.get(kind)}", kind not in silent)
    if kind not in told:
        continue
    a = told[kind]
    check(f"{kind} has a gain: {a}", max(a["gain"], a["gain_full"]) >= 0.02)
    check(f"{kind}: a line or none: {a}", ("line" in a) == (scope == "LINE"))
a = kinds_of("conversions_yes", ())["conversions"]
check(f"conversions take their unit where doubles are fast, too: {a}", max(a["gain"], a["gain_full"]) > 0.1)
check("rows read one after the other are no reuse", "reuse" not in kinds_of("rows_one_after_the_other", ()))
for (name, gpu), k in kernels.items():
    for a in k["advice"]:
        waits = re.search(r"waits (\d+) of (?:its )?(\d+) clocks", a["text"])
        check(f"{name} waits no longer than it runs: {a['text']}", not waits or int(waits[1]) <= int(waits[2]))
        check(f"{name}: one of a thing: {a['text']}", not re.search(r"\b1 (warps|waves|blocks)\b", a["text"]))
check("doubles that are meant", "conversions" not in kinds_of("conversions_no2", ()))
marks = {"bank_conflicts": "tile[threadIdx.x]", "uncoalesced": "in[i % 512", "half_used": "in[i].x", "atomics": "atomicAdd",
         "dependent": "at = next[at]", "conversions": "1.1 + 0.3", "division": "x % width", "shared_loads": "sum += s[",
         "constant": "words[(", "excess_sectors": "sum += in[threadIdx.x + FIRST"}
for kind, mark in marks.items():
    a = kinds_of(kind + "_yes", where.get(kind, ())).get(kind)
    check(f"{kind} at its line: {a}", a and mark in text[a["line"] - 1])

finish()
