# SPDX-License-Identifier: Apache-2.0
"""lockstep tune: what cannot be used is explained and stops nothing; results are kept, resumed after a
kill and shared by ranks; odd values and a hostile state folder. One program does what its arguments
say, so that most sweeps compile nothing."""
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LOCKSTEP = os.environ["LOCKSTEP"]
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#ifndef SIDE
#define SIDE 32
#endif
#ifndef TEXT
#define TEXT "none"
#endif
static_assert(SIDE != 5, "five is out of the question");
__global__ void fill(int *out) { __shared__ int s[SIDE]; s[threadIdx.x] = SIDE; __syncthreads();
    out[blockIdx.x * SIDE + threadIdx.x] = s[SIDE - 1 - threadIdx.x]; }
__global__ void other(int *out) { out[threadIdx.x] = 0; }
int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "fine";
    int blocks = argc > 2 ? atoi(argv[2]) : 4, *out, first = 0;
    if (strcmp(mode, "sleep") == 0)
        usleep(700000);
    if (strcmp(mode, "hang") == 0)
        sleep(1000);
    if (strcmp(mode, "idle") == 0)
        return 0;
    if (strcmp(mode, "abort") == 0)
        abort();
    cudaMalloc(&out, sizeof(int) * SIDE * 4096);
    if (strcmp(mode, "words") == 0)
        return strcmp(argv[3], "a,b") && strcmp(argv[3], "\"q r\" $HOME") && argv[3][0];
    fill<<<blocks, SIDE>>>(out);
    other<<<1, 32>>>(out);
    cudaMemcpy(&first, out + 32, sizeof first, cudaMemcpyDeviceToHost);
    if (strcmp(mode, "wrong") == 0)
        return printf("result\n  verified  NO: out[0] is 3, should be 4\n"), 1;
    if (strcmp(mode, "text") == 0)
        fprintf(stderr, "%s\n", TEXT);
    return strcmp(mode, "text") == 0 ? 4 : 0;
}
"""
FOLDER = tempfile.mkdtemp()
CU = os.path.join(FOLDER, "many.cu")
with open(CU, "w") as f:
    f.write(PROGRAM)
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMI_", "SLURM_", "MV2_"))}
failures = []


def run(*words, env=None, status=None):
    p = subprocess.run([LOCKSTEP, "tune", *words], env={**ENV, **(env or {})}, text=True,
                       capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
    if status is not None:
        expect(p.returncode == status, f"status {p.returncode}, not {status}: {words}\n{p.stderr}")
    return p


def rows(*words, env=None, status=0):
    p = run("--json", *words, env=env, status=status)
    return json.loads(p.stdout) if p.stdout else []


def expect(good, what):
    if not good:
        failures.append(what)
        print("NOT", what)


def by_flags(list_):
    return {r["flags"]: r for r in list_}


def invalid_ones():
    r = by_flags(rows("--gpu", "gt200", "--timeout", "2", "-P", "SIDE=32,5,1024", CU, status=0))
    expect(r["-DSIDE=32"]["status"] == "ok" and r["-DSIDE=32"]["place"] == 1, "SIDE=32 is ranked")
    expect(r["-DSIDE=32"]["verified"] is None, "nothing said about being right")
    expect(r["-DSIDE=5"]["status"] == "compile-error" and "five is out of the question" in r["-DSIDE=5"]["why"],
           f"compile error in its line: {r['-DSIDE=5']}")
    expect(r["-DSIDE=1024"]["status"] == "impossible" and
           r["-DSIDE=1024"]["why"] == "1024 threads in x: GeForce GTX 280 allows 512", "too many threads")
    r = by_flags(rows("--by", "time", "--runs", "2", "--timeout", "2", "-A", "m=fine,wrong,hang,idle,abort,text",
                      CU, "{m}", status=1))
    got = {k[2:]: (v["status"], v.get("why", "")) for k, v in r.items()}
    expect(got["fine"][0] == "ok", "fine is fine")
    expect(got["wrong"] == ("wrong", "out[0] is 3, should be 4"), f"wrong: {got['wrong']}")
    expect(got["hang"] == ("timeout", "after 2 s"), f"hang: {got['hang']}")
    expect(got["idle"][0] == "nothing", f"idle: {got['idle']}")
    expect(got["abort"][0] == "failed" and "signal 6" in got["abort"][1], f"abort: {got['abort']}")
    expect(got["text"] == ("failed", "exit status 4: none"), f"text: {got['text']}")
    expect(len(r["m=fine"]["times"]) == 2 and r["m=fine"]["least"] <= r["m=fine"]["milliseconds"] <=
           r["m=fine"]["most"], "times of two runs")
    rows("--by", "model", "-A", "m=idle,abort", CU, "{m}", status=1)
    rows("--by", "model", "-A", "m=idle", CU, "{m}", status=3)


def table_and_csv():
    p = run("--by", "model", "-A", "n=4,400", CU, "--", "fine", "{n}", status=0)
    expect("best: -- fine 4" in p.stdout and "n=400" in p.stdout, f"table: {p.stdout}")
    p = run("--by", "model", "-A", "n=4,5,200000", CU, "--", "fine", "{n}", status=0)
    expect("  or:" in p.stdout and "or: -- fine 200000" not in p.stdout and "not sure: 1 other" in p.stdout,
           f"near ones are offered, a far one is not: {p.stdout}")
    p = run("--by", "model", "-A", "n=4,400", "--kernel", "other", CU, "fine", "{n}", status=0)
    lines = [l for l in p.stdout.splitlines() if l.startswith("  n=")]
    expect(len(lines) == 2 and all(" 1.00 " in l for l in lines), f"other alone is the same: {lines}")
    p = run("--by", "model", "-A", "n=4,400", "--kernel", "nosuch", CU, "fine", "{n}", status=3)
    path = os.path.join(FOLDER, "times.csv")
    with open(path, "w") as f:
        f.write("# by hand\nprogram,macros,size,median_ms,spread_ms\nmany.cu,SIDE=32,7,2.5,0\n"
                "other/many.cu,SIDE=64,7,1,0\nmany.cu,SIDE=64,7,2.0,0\nmany.cu,SIDE=64,8,1.0,0\n")
    p = run("--by", "model", "-P", "SIDE=32,64", "--recorded", path + "@7", "--csv", "-", CU, status=0)
    table = list(csv.DictReader(io.StringIO(p.stdout)))
    expect([sorted(r["recorded_milliseconds"] for r in table)] == [["2", "2.5"]], f"csv: {p.stdout}")
    p = run("--by", "model", "-P", "SIDE=32,64", "--where", "SIDE > 32", "--recorded", path + "@7", CU, status=0)
    expect("loss 0.0 %" in p.stdout and "1 combinations left out" in p.stdout, f"loss: {p.stdout}")
    run("--by", "model", "-P", "SIDE=32", "--recorded", path + "@9", CU, status=2)


def usage():
    for words in (["-P", "SIDE", CU], ["-P", "3=4", CU], ["-P", "SIDE=1..0", CU], ["-P", "SIDE=0..8*2", CU],
                  ["-P", "SIDE=1", "-P", "SIDE=2", CU], ["-A", "n=1", CU, "m"], [CU], ["-P", "SIDE=1"],
                  ["-P", "SIDE=1", "--by", "luck", CU], ["-P", "SIDE=1", "--runs", "0", CU],
                  ["-P", "SIDE=1", "--where", "SIDE +", CU], ["-P", "SIDE=1", "--where", "SIDE > 1", CU],
                  ["-P", "SIDE=1", "--where", "X > 1", CU], ["-P", "SIDE=1", "--profiles", "gt2000", CU],
                  ["-P", "SIDE=1", "/nowhere.cu"], ["-P", "SIDE=1..1000000", CU], ["-P", "SIDE=1", LOCKSTEP]):
        p = run(*words, status=2)
        expect(p.stderr.startswith("lockstep tune: ") and not p.stdout, f"{words}: {p.stderr}")
    p = run("-P", "SIDE=1", CU, env={"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, status=2)
    expect("--state" in p.stderr, "ranks need a folder")


def awkward_values():
    r = by_flags(rows("--by", "model", "-A", 'w=a\\,b,"q r" $HOME,', CU, "words", "4", "{w}", status=3))
    expect(set(r) == {"w=a,b", 'w="q r" $HOME', "w="}, f"values: {list(r)}")
    expect(all(v["status"] == "nothing" for v in r.values()), "they reach the program as they are")
    r = rows("--by", "model", "-A", "n=1..3,2,8..64*2,0..9+4", "--where", "n > 0 && n != 4", CU, "idle", "{n}",
             status=3)
    expect([v["parameters"]["n"] for v in r] == ["1", "2", "3", "8", "16", "32", "64"], f"ranges: {r}")
    r = by_flags(rows("--by", "model", "-P", 'TEXT="a \\, é\\n"', CU, "text", status=1))
    expect("exit status 4: a , é" in list(r.values())[0]["why"], f"quotes in macros: {r}")


def start(words, **env):
    return subprocess.Popen([LOCKSTEP, "tune", *words], env={**ENV, **env}, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def results(state):
    return [f for f in os.listdir(state) if f.endswith(".json")]


def resume():
    state = os.path.join(FOLDER, "resume")
    words = ["--json", "--by", "model", "--jobs", "1", "--state", state, "-A", "n=1..6", CU, "sleep", "{n}"]
    p = start(words)
    deadline = time.time() + 60
    while time.time() < deadline and (not os.path.isdir(state) or len(results(state)) < 2):
        time.sleep(0.02)
    p.send_signal(signal.SIGKILL)
    p.communicate()
    time.sleep(0.2)
    done = set(results(state))
    expect(2 <= len(done) < 6, f"killed in the middle: {len(done)} of 6")
    before = {f: open(os.path.join(state, f)).read() for f in done}
    r = json.loads(run(*words, status=0).stdout)
    begun = sorted(v["begun"] for v in r)
    expect(len(r) == 6 and begun[:5] == [1] * 5 and begun[5] <= 2, f"begun: {begun}")
    expect(sum(v["reused"] for v in r) == len(done), "what was finished is reused")
    expect(all(open(os.path.join(state, f)).read() == t for f, t in before.items()), "and left alone")
    r = json.loads(run(*words, status=0).stdout)
    expect(all(v["reused"] for v in r), "a third run computes nothing")
    p = start(words[:-2] + ["sleep", "0{n}"])  # interrupted politely
    time.sleep(1)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=30)
    expect(p.returncode != 0 and "goes on where it stopped" in err and not out, f"interrupted: {err}")


def ranks():
    state = os.path.join(FOLDER, "ranks")
    words = ["--json", "--by", "model", "--jobs", "1", "--state", state, "-A", "n=1..6", CU, "sleep", "{n}"]
    all_ = [start(words, OMPI_COMM_WORLD_RANK=str(k), OMPI_COMM_WORLD_SIZE="3") for k in range(3)]
    time.sleep(1)
    all_[1].send_signal(signal.SIGKILL)  # rank 0 takes over what it had begun
    out = [p.communicate(timeout=90) for p in all_]
    expect(not out[1][0] and not out[2][0], "ranks but 0 print nothing")
    r = json.loads(out[0][0])
    expect(len(r) == 6 and all(v["status"] == "ok" for v in r), f"all there: {r}")
    expect(sum(v["begun"] for v in r) <= 7, f"at most one computed twice: {[v['begun'] for v in r]}")
    expect(len({v["computed_by"] for v in r}) >= 2, "shared")
    for env in ({"PMI_RANK": "0", "PMI_SIZE": "2"}, {"SLURM_PROCID": "0", "SLURM_NTASKS": "4"},
                {"OMPI_COMM_WORLD_RANK": "9", "OMPI_COMM_WORLD_SIZE": "x"}):
        expect(all(v["reused"] for v in rows(*words[1:], env=env)), f"another launcher: {env}")


def hostile_state():
    words = ["--by", "model", "-A", "n=1,2", CU, "fine", "{n}"]
    path = os.path.join(FOLDER, "file")
    open(path, "w").close()
    for bad in (path, path + "/below", ""):
        p = run("--state", bad, *words, status=2)
        expect("--state" in p.stderr or "file" in p.stderr, f"{bad}: {p.stderr}")
    state = os.path.join(FOLDER, "hostile")
    rows("--state", state, *words)
    first, second = sorted(results(state))
    with open(os.path.join(state, first), "w") as f:
        f.write('{"status": "ok", "milliseconds": 0.0001, "identity": "somebody else\'s"}')
    os.unlink(os.path.join(state, second))
    os.mkfifo(os.path.join(state, second))
    r = rows("--state", state, *words)
    expect(not any(v["reused"] for v in r) and all(v["milliseconds"] != 0.0001 for v in r), f"not believed: {r}")
    with open(os.path.join(state, first), "wb") as f:
        f.write(b'{"status": \xff\x00')
    r = rows("--state", state, *words)
    expect(sum(v["reused"] for v in r) == 1, "broken: computed anew")
    claim = os.path.join(state, first[:-5] + ".claim")
    os.unlink(os.path.join(state, first))
    os.unlink(claim)
    os.symlink("/etc/passwd", claim)
    p = run("--state", state, *words, status=2)
    expect("cannot be claimed" in p.stderr, f"a link for a claim: {p.stderr}")
    os.unlink(claim)
    with open(CU, "a") as f:
        f.write("// changed\n")
    r = rows("--state", state, *words)
    expect(not any(v["reused"] for v in r), "another source: nothing is reused")


try:
    for test in (invalid_ones, table_and_csv, usage, awkward_values, resume, ranks, hostile_state):
        began = time.time()
        test()
        print(f"{test.__name__}: {time.time() - began:.1f} s")
    left = [f for f in os.listdir("/tmp") if f.startswith("lockstep-tune-")]
    print(f"{len(failures)} failures")
finally:
    shutil.rmtree(FOLDER)
sys.exit(bool(failures))
