# SPDX-License-Identifier: Apache-2.0
"""mpi.cu with Debian's Open MPI or MPICH: device memory may be given to MPI, under `run` and `check`; while a kernel of
that memory has not been waited for, check says so. Skipped where no MPI is installed."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

lockstep, here = os.environ["LOCKSTEP"], os.path.dirname(os.path.abspath(__file__))
if not shutil.which("mpicc") or not shutil.which("mpirun"):
    print("skipped: no MPI is installed (libopenmpi-dev and openmpi-bin, or mpich)")
    sys.exit(77)
if os.environ.get("SANITIZE"):
    print("skipped: a sanitizer's library wants to be loaded before every other one")
    sys.exit(77)

# case: the call that races, and its rank; None: no finding
cases = {"send": None, "send-early": ("MPI_Send", 0), "isend": None, "isend-early-write": ("MPI_Isend", 0),
         "irecv": None, "irecv-early-read": ("MPI_Irecv", 1), "in-place": None, "in-place-early": ("MPI_Allreduce", 0)}
failures = 0


def show(*words):
    """What mpicc would add: `-show` of MPICH and Open MPI alike, without the compiler."""
    return subprocess.run(["mpicc", "-show", *words], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[1:]


def ranks(*words):
    open_mpi = "Open MPI" in subprocess.run(["mpirun", "--version"], stdout=subprocess.PIPE, text=True).stdout
    more = ["--oversubscribe", "--allow-run-as-root"] if open_mpi else []
    return subprocess.run(["mpirun", *more, "-np", "2", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=240, env=dict(os.environ, LOCKSTEP_WORKERS="1"))


with tempfile.TemporaryDirectory() as work:
    program = os.path.join(work, "mpi")
    options = [w for w in show() if not w.startswith("-Wl,")]
    subprocess.run([lockstep, "cc", "-w", os.path.join(here, "mpi.cu"), "-o", program, *options], check=True)
    plain = ranks(lockstep, "run", program, "send")
    if plain.returncode != 0 or plain.stdout.count(": 0 bad") != 2:
        failures += 1
        print("FAIL run", plain.returncode, plain.stdout)
    each = os.path.join(work, "each")
    with open(each, "w") as f:  # mpirun ends the other rank where one fails
        f.write('#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n"%s" check --json="%s/$1.$rank" "%s" "$1"\nexit 0\n'
                % (lockstep, work, program))
    os.chmod(each, 0o755)
    for case, expected in cases.items():
        done = ranks(each, case)
        for rank in (0, 1):
            try:
                with open(os.path.join(work, "%s.%d" % (case, rank))) as f:
                    found = json.load(f)["findings"]
            except (OSError, ValueError) as e:
                failures += 1
                print("FAIL", case, rank, e, done.stdout)
                continue
            races = [f for f in found if f["kind"] == "host-device-race"]
            if expected and expected[1] == rank:
                if len(races) != 1 or expected[0] not in json.dumps(races):
                    failures += 1
                    print("FAIL", case, rank, found, done.stdout)
            elif found:
                failures += 1
                print("FAIL", case, rank, "is silent in a right program", found)
sys.exit(1 if failures else 0)
