# SPDX-License-Identifier: Apache-2.0
"""A sweep over four ranks of Open MPI, one killed in the middle. With --enable-recovery the others go on
and rank 0 takes over; without, mpirun ends all of them, and the same command goes on where they stopped.
Each combination is begun once, but for those that were in hand when their rank was killed."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LOCKSTEP = os.environ["LOCKSTEP"]
MPIRUN = shutil.which("mpirun")
if not MPIRUN:
    print("skipped: no mpirun (package openmpi-bin)")
    sys.exit(77)
FOLDER = tempfile.mkdtemp()
CU = os.path.join(FOLDER, "slow.cu")
with open(CU, "w") as f:
    f.write("#include <unistd.h>\n__global__ void nothing(int) {}\n"
            "int main(int, char **) { usleep(400000); nothing<<<1, 32>>>(1); return cudaDeviceSynchronize(); }\n")
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
COMBINATIONS, RANKS = 16, 4


def command(state, *options):
    return [MPIRUN, "--oversubscribe", *options, "-n", str(RANKS), LOCKSTEP, "tune", "--json", "--by", "model",
            "--jobs", "1", "--state", state, "-A", f"n=1..{COMBINATIONS}", CU, "{n}"]


def rank_process(state, rank):
    """The process of that rank: our environment tells them apart."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")
            environment = open(f"/proc/{pid}/environ", "rb").read().split(b"\0")
            parent = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1]
            above = open(f"/proc/{parent}/cmdline", "rb").read()
        except OSError:
            continue
        if (state.encode() in words and b"tune" in words and b"mpirun" not in words[0] and
                f"OMPI_COMM_WORLD_RANK={rank}".encode() in environment and b"mpirun" in above.split(b"\0")[0]):
            return int(pid)
    return None


def count(state, end):
    return len([f for f in os.listdir(state) if f.endswith(end)]) if os.path.isdir(state) else 0


def kill_in_the_middle(state, *options):
    p = subprocess.Popen(command(state, *options), env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, stdin=subprocess.DEVNULL)
    deadline = time.time() + 60
    while count(state, ".json") < 3 and time.time() < deadline and p.poll() is None:
        time.sleep(0.02)
    pid = rank_process(state, 2)
    assert pid, "rank 2 is not there"
    os.kill(pid, signal.SIGKILL)
    out, err = p.communicate(timeout=120)
    return p.returncode, out, err


def begun(rows):
    return sorted((r["begun"] for r in rows), reverse=True)


def survivors():
    state = os.path.join(FOLDER, "recovery")
    _, out, err = kill_in_the_middle(state, "--enable-recovery")
    rows = json.loads(out[out.index("["):])
    print("killed rank, the others go on: begun", begun(rows))
    assert len(rows) == COMBINATIONS and all(r["status"] == "ok" for r in rows), err
    assert sum(begun(rows)) <= COMBINATIONS + 1, "only its own last one twice"


def restart():
    state = os.path.join(FOLDER, "restart")
    code, _, _ = kill_in_the_middle(state)
    done = count(state, ".json")
    assert code != 0 and 3 <= done < COMBINATIONS, f"ended in the middle: {code}, {done}"
    p = subprocess.run(command(state), env=ENV, capture_output=True, text=True, timeout=120,
                       stdin=subprocess.DEVNULL)
    rows = json.loads(p.stdout)
    print(f"all ended at {done} of {COMBINATIONS}; started again: begun", begun(rows))
    assert p.returncode == 0 and len(rows) == COMBINATIONS, p.stderr
    assert sum(begun(rows)) <= COMBINATIONS + RANKS and max(begun(rows)) <= 2


try:
    subprocess.run([LOCKSTEP, "run", CU], check=True)  # compiled once
    survivors()
    restart()
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
