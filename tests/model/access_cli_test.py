# SPDX-License-Identifier: Apache-2.0
# lockstep access, occupancy, devices: answers, JSON, exit statuses, bad input.
import csv
import json
import os
import subprocess
import sys
import tempfile

LOCKSTEP = os.environ.get("LOCKSTEP", "build/lockstep")
DATA = os.path.join(os.environ.get("SOURCE_DIR", "."), "tests", "data")
failures = []


def run(*words, env=None):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP_")}
    clean.update(env or {})
    return subprocess.run([LOCKSTEP, *words], capture_output=True, text=True, env=clean, timeout=60)


def check(what, fine, detail=""):
    if not fine:
        failures.append(f"{what}: {detail}")


def answer(*words, **kw):
    r = run(*words, **kw)
    check(" ".join(words), r.returncode == 0, f"status {r.returncode}: {r.stderr}")
    return json.loads(r.stdout) if r.returncode == 0 else None


def expect_usage(*words, text):
    r = run(*words)
    check(" ".join(words), r.returncode == 2 and text in r.stderr and not r.stdout,
          f"status {r.returncode}, stderr {r.stderr!r}, stdout {r.stdout[:80]!r}")


# the readings through the command
readings = os.path.join(DATA, "h200_access_counters.csv")
with open(readings) as f:
    rows = list(csv.DictReader(f))
got = answer("access", "--csv", readings, "--json")
check("rows", len(got) == len(rows) == 688, len(got))
for row, one in zip(rows, got):
    check("keys", list(one) == ["id", "requests", "sectors", "wavefronts", "bank_conflicts",
                                "transactions"], list(one))
    check("id", one["id"] == int(row["id"]), one)
    for name in ("requests", "sectors", "wavefronts", "bank_conflicts"):
        want = int(row[name]) if row[name] else None
        check(f"row {row['id']} {name}", one[name] == want, f"{one[name]} != {want}")
    check("transactions", one["transactions"] is None, one)
old = answer("access", "--csv", readings, "--json", "--cc", "1.0")
for row, one in zip(rows, old):
    check("1.0", (one["transactions"] is None) == (row["space"] == "shared"), one)
    check("1.0", one["sectors"] is None, one)
plain = run("access", "--csv", readings)
check("csv answer", len(plain.stdout.splitlines()) == 689, plain.stderr)

# columns in another order, further columns, CRLF, text ids, inactive lanes left empty
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "p.csv")
    lanes = [f"a{i}" for i in range(32)]
    with open(path, "w", newline="") as f:
        f.write("note,mask,width,op,space," + ",".join(reversed(lanes)) + ",id\r\n")
        f.write('"x, y",1,4,atom,global,' + "," * 31 + "96,first\r\n")
    one = answer("access", "--csv", path, "--json")
    check("order", one == [{"id": "first", "requests": 1, "sectors": 1, "wavefronts": None,
                            "bank_conflicts": None, "transactions": None}], one)
    out = os.path.join(folder, "o.json")
    r = run("access", "--csv", path, "--json", out)
    check("--json FILE", r.returncode == 0 and r.stdout == "" and json.load(open(out)) == one, r)
    for content, text in [("", "no header line"),
                          ("id,space\n", "lacks the column 'op'"),
                          ("id,space,op,width,mask," + ",".join(lanes) + "\n1,shared,ld,3,1,0\n",
                           "p.csv:2: the width must be"),
                          ("id,space,op,width,mask," + ",".join(lanes) + "\n1,shared,ld,4,-1,0\n",
                           "p.csv:2: the mask must be"),
                          ("id,space,op,width,mask," + ",".join(lanes) + "\n1,heap,ld,4,1,0\n",
                           "unknown space 'heap'"),
                          ("id,space,op,width,mask," + ",".join(lanes) + "\n1,shared,ld,4,3,0\n",
                           "an active lane's address")]:
        with open(path, "w") as f:
            f.write(content)
        expect_usage("access", "--csv", path, "--json", text=text)
expect_usage("access", "--csv", "/nonexistent.csv", "--json", text="/nonexistent.csv")

# one pattern: lecture 002's modulo layout, all four warps
j = answer("access", "--expr", "tid*4%129", "--width", "1", "--block", "128", "--op", "st", "--json")
check("modulo", [w["degree"] for w in j["warps"]] == [1, 2, 1, 1], j)
check("modulo", j["warps"][3]["addresses"][31] == 121, j)
j = answer("access", "--stride", "32", "--json")
check("stride 32", j["warps"][0]["degree"] == 32 and j["remedies"][0]["degree"] == 1, j)
check("remedy", "[i + i / 32]" in j["remedies"][0]["change"], j)
j = answer("access", "--stride", "32", "--pad", "32", "--json")
check("--pad", j["warps"][0]["degree"] == 1 and j["remedies"] == [], j)
j = answer("access", "--expr", "x*32+y", "--block", "32,32", "--json")
check("2-D block", len(j["warps"]) == 32 and all(w["degree"] == 32 for w in j["warps"]), j)
r = run("access", "--stride", "2", "--gpu", "g80")
check("text", "2-way" in r.stdout and "part 1 of 2" in r.stdout, r.stdout)
r = run("access", "--stride", "1", "--base", "132", "--space", "global", "--cc", "1.0")
for line in ("7x 32 B at 128", "8x 32 B at 160", "1x 32 B at 256"):
    check("lecture 003", line in r.stdout, r.stdout)
j = answer("access", "--list", "0,1,2,3", "--op", "red", "--json")
check("list", j["warps"][0]["wavefronts"] == 8, j)

# expressions
for text, want in [("tid ? 3 : 1/tid", [1 if t == 0 else 3 for t in range(2)]), ("7 - 2 - 1", [4]),
                   ("2+3*4<<1", [28]), ("(1,2)", None), ("5 & 6 == 6", [1]), ("~-1 + !0", [1]),
                   ("0x10 % 6", [4]), ("tid > 0 && 1/tid", [0, 1]), ("1 || 1/0", [1]),
                   ("1 ? 2 : 1/0", [2]), ("10 ^ 3 | 4", [13]), ("1", [1])]:
    words = ("access", "--expr", text, "--block", "2", "--json")
    if text.startswith("tid ?"):
        expect_usage(*words, text="division by zero")
        continue
    if want is None:
        expect_usage(*words, text="')' expected")
        continue
    got = [a // 4 for a in answer(*words)["warps"][0]["addresses"]]
    check(text, got[:len(want)] == want, got)
for text, message in [("tid +", "ends too early"), ("foo", "unknown name"), ("1/0", "division"),
                      ("tid tid", "an operator expected"), ("-tid", "before the start"),
                      ("(" * 5000, "too deeply"), ("", "ends too early")]:
    expect_usage("access", "--expr", text, text=message)

expect_usage("access", text="give one of")
expect_usage("access", "--stride", "1", "--list", "1", text="give one of")
expect_usage("access", "--stride", "one", text="--stride takes a number")
expect_usage("access", "--stride", "1", "--width", "3", text="--width takes")
expect_usage("access", "--stride", "1", "--block", "0", text="--block takes")
expect_usage("access", "--stride", "1", "--gpu", "h300", text="did you mean h")
expect_usage("access", "--stride", "1", "--cc", "9.1", text="unknown compute capability")
expect_usage("access", "--stride", "1", "--cc", "9.0", "--gpu", "h200", text="give one")
expect_usage("access", "--strude", "1", text="did you mean --stride")
expect_usage("access", "--stride", "1", "x", text="unexpected argument 'x'")

# occupancy
j = answer("occupancy", "--cc", "7.0", "--threads", "320", "--regs", "37", "--json")
check("occupancy", (j["blocks_per_sm"], j["warps_per_sm"], j["occupancy"], j["limited_by"])
      == (4, 40, 0.625, "registers"), j)
check("limits", j["limits"] == {"blocks": 32, "warps": 6, "registers": 4, "shared": 32}, j)
check("curve", len(j["curve"]) == 32 and j["curve"][3]["blocks_per_sm"] == 12, j)
r = run("occupancy", "--cc", "1.0", "--threads", "1024")
check("too many", r.returncode == 0 and "impossible" in r.stdout, r.stdout)
expect_usage("occupancy", "--threads", "many", text="--threads takes a number")

# devices
j = answer("devices", "--json")
names = {d["key"]: d for d in j}
check("devices", {"g80", "gt200", "c2050", "k40", "v100", "t4", "a100", "h100", "h200", "b200",
                  "cc1.0", "cc12.1"} <= set(names), sorted(names))
r = run("devices", "--device-query", "--gpu", "h200")
for line in ("CUDA Capability Major/Minor version number:    9.0",
             "Max dimension size of a thread block (x,y,z):  (1024, 1024, 64)"):
    check("device query", line in r.stdout, r.stdout)
r = run("devices", "--device-query", env={"LOCKSTEP_GPU": "gt200"})
check("environment", "GeForce GTX 280" in r.stdout, r.stdout + r.stderr)
r = run("devices", "--device-query", "--cc", "2.0", env={"LOCKSTEP_GPU": "gt200"})
check("command line wins", "2.0" in r.stdout, r.stdout + r.stderr)
check("limits", run("devices", "--limits").stdout.count("\n") >= 30)
for command in ("access", "occupancy", "devices"):
    r = run(command, "--help")
    check("help", r.returncode == 0 and "--gpu NAME" in r.stdout, r.stderr)

for f in failures[:20]:
    print(f, file=sys.stderr)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
