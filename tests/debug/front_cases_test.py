# SPDX-License-Identifier: Apache-2.0
"""What is not a session by itself: files that are not there, programs without kernels, scripts and their exit statuses,
what the program reads and prints, Ctrl-C, a terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
from pathlib import Path

from checks import check, finish, lockstep, source

FRONT = Path(source) / "tests/debug/front"


def debug(*words, script=None, cwd=FRONT):
    r = subprocess.run([lockstep, "debug", *map(str, words)], cwd=cwd, input=script, text=True, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=300)
    return r.returncode, r.stdout, r.stderr


status, out, err = debug("-batch", "nosuch.cu")
check("a missing source ends in 2 and is named", status == 2 and "nosuch.cu" in err and not out)
status, out, err = debug("-batch", "./nosuch")
check("a missing program ends in 2 and is named", status == 2 and "nosuch" in err)
status, out, err = debug()
check("no program: usage", status == 2 and "no program given" in err)
status, out, err = debug("--nothing", "flow.cu")
check("an unknown option ends in 2", status == 2 and "--nothing" in err)

# exit statuses
status, out, err = debug("-batch", "-ex", "run", "flow.cu")
check("-batch: the program's status", status == 0 and out == "256 140\n[The program exited normally]\n")
status, out, err = debug("-batch", "-ex", "foo", "-ex", "run", "flow.cu")
check("-batch: 1 where a command failed; others are run",
      status == 1 and "256 140" in out and err == 'Undefined command: "foo".  Try "help".\n')
status, out, err = debug("-batch", "-ex", "run", "-ex", "quit 5", "flow.cu")
check("quit chooses the status", status == 5)
status, out, err = debug("-batch", "-ex", "run", "-ex", "quit +", "flow.cu")
check("quit takes a number", status == 1 and "syntax" in err)

with tempfile.TemporaryDirectory() as work:
    work = Path(work)
    host = work / "host.cu"
    host.write_text('#include <cstdio>\nint main(int argc, char **argv)\n{\n    int n = 0;\n'
                    '    if (scanf("%d", &n) == 1)\n        printf("read %d\\n", n);\n    return argc;\n}\n')
    status, out, err = debug("-batch", "-ex", "break main", "-ex", "run a b", "-ex", "info kernels", host, script="41\n")
    check("a program without kernels runs, reads and returns", status == 3 and "read 41" in out and
          "exited with code 3" in out)
    check("a place in no module waits for one", "Breakpoint 1 (main) pending." in out)

    # a script: stops at the first command that fails, says where
    script = work / "script"
    script.write_text("break flow\nrun\n\n# a comment\nfoo\nprint i\n")
    status, out, err = debug("-batch", "-x", script, "flow.cu")
    check("a script stops where a command fails", status == 1 and
          err == f'{script}:5: Error in sourced command file:\nUndefined command: "foo".  Try "help".\n' and "$1" not in out)
    script.write_text("break 38 if threadIdx.x == 5\ncommands\nprint i\nprint sum[threadIdx.x]\nend\nrun\ncontinue\n")
    status, out, err = debug("-batch", "-x", script, "flow.cu")
    check("commands of a breakpoint run where it stops", status == 0 and re.search(r"\$1 = 5\n\$2 = 81\nContinuing", out) and
          re.search(r"\$3 = 69\n\$4 = 145\n$", out))
    script.write_text("break flow\ncommands\nprint i\n")
    status, out, err = debug("-batch", "-x", script, "flow.cu")
    check("commands without end", status == 1 and "without their `end'" in err)
    script.write_text(f"source {script}\n")
    status, out, err = debug("-batch", "-x", script, "flow.cu")
    check("a script that sources itself ends", status == 1 and "within each other" in err)

    # commands from standard input: an empty line repeats, a failure ends nothing
    status, out, err = debug("flow.cu", script="list 1,2\nfoo\nlist 10,11\n\nprint 1\n\nquit\n")
    check("standard input", status == 0 and "11\t" in out and "12\t" in out and "$2 = 1" in out and "Undefined" in err)

    # several units, linked when the program starts: each has its own variables
    (work / "one.cu").write_text("extern __device__ int twice(int x);\n__global__ void k(int *a)\n{\n"
                                 "    int v = twice(threadIdx.x);\n    a[threadIdx.x] = v;\n}\nint main()\n{\n    int *a;\n"
                                 "    cudaMallocManaged(&a, 128);\n    k<<<1, 32>>>(a);\n    cudaDeviceSynchronize();\n"
                                 "    return a[3];\n}\n")
    (work / "two.cu").write_text("__device__ int twice(int x)\n{\n    int sum = x + x;\n    return sum;\n}\n")
    subprocess.run([lockstep, "cc", "-G", "-rdc=true", "one.cu", "two.cu", "-o", "units"], cwd=work, check=True)
    status, out, err = debug("-batch", "-ex", "break two.cu:4 if x == 3", "-ex", "run", "-ex",
                             "print sum", "-ex", "up", "-ex", "print a[0]", "-ex", "info breakpoints", "-ex", "delete", "-ex",
                             "continue", "./units", cwd=work)
    check(f"units: {out}{err}", "in twice at two.cu:4" in out and "$1 = 6" in out and "#1  k (a=0x" in out and
          out.count("in twice at two.cu:4") == 2 and status == 6)

    # a fault, a deadlock: the launch still stands there
    fault = work / "fault.cu"
    fault.write_text("__global__ void bad(int *a)\n{\n    int *p = a;\n    if (threadIdx.x == 5)\n        p = nullptr;\n"
                     "    *p = 1;\n}\nint main()\n{\n    int *a;\n    cudaMallocManaged(&a, 4);\n    bad<<<1, 32>>>(a);\n"
                     "    return cudaDeviceSynchronize() != 0;\n}\n")
    status, out, err = debug("-batch", "-ex", "run", "-ex", "print p", "-ex", "last p", "-ex", "continue", fault)
    check(f"a fault is a stop: {out}", "illegal address 0x0" in out and "block (0,0,0) thread (5,0,0) at fault.cu:6" in out and
          "$1 = (int *) 0x0" in out and "fault.cu:5: " in out and status == 1 and "exited with code 1" in out)

    # a kernel that does not end, interrupted (where nothing changed it would be known as a deadlock)
    hang = work / "hang.cu"
    hang.write_text("__global__ void hang(volatile int *flag)\n{\n    for (int n = 0; *flag == 0; n++) {\n    }\n}\nint main()\n{\n"
                    "    int *flag;\n    cudaMallocManaged(&flag, 4);\n    hang<<<1, 32>>>(flag);\n"
                    "    return cudaDeviceSynchronize();\n}\n")
    subprocess.run([lockstep, "cc", "-G", hang, "-o", work / "hang"], check=True)
    p = subprocess.Popen([lockstep, "debug", "-batch", "-ex", "break 3", "-ex", "run", "-ex", "delete", "-ex",
                          "echo goes\\n", "-ex", "continue", "-ex", "masks", "-ex", "kill", work / "hang"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    shown = ""
    while "goes" not in shown and p.poll() is None:
        shown += p.stdout.readline()
    time.sleep(1)
    os.killpg(p.pid, signal.SIGINT)
    shown += p.communicate(timeout=120)[0]
    check(f"Ctrl-C stops inside of the kernel: {shown}", "interrupted" in shown and "hang.cu:3" in shown and
          "alive ffffffff" in shown)

# a PTX file without lines of a source: its own are shown
r = subprocess.run([lockstep, "launch", "--debug", "fill.ptx", "--block", "32", "-a", "buffer:128", "-a", "u32:20"], cwd=FRONT,
                   input="break 18\nrun\nprint $r3\nnext\nreverse-next\ncontinue\n", text=True, stdout=subprocess.PIPE,
                   timeout=120)
check(f"launch --debug: {r.stdout}", "at fill.ptx:18\n18\t\tst.global.u32 [%rd3], %r3;\n$1 = 0\n19\t" in r.stdout and
      "exited normally" in r.stdout and r.returncode == 0)

# a terminal: the prompt, completion by libedit where that is there
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb"
    os.chdir(FRONT)
    os.execv(lockstep, [lockstep, "debug", "flow.cu"])
seen = ""


def until(text, seconds=120):
    global seen, shown
    end = time.time() + seconds
    while text not in seen and time.time() < end:
        if select.select([fd], [], [], 1)[0]:
            try:
                seen += os.read(fd, 4096).decode()
            except OSError:
                break
    found, shown, seen = text in seen, seen.rsplit(text, 1)[0], seen.split(text)[-1]
    return found


check("a prompt", until("(lockstep) "))
os.write(fd, b"print 6 * 7\n")
check("an answer on a terminal", until("$1 = 42"))
until("(lockstep) ")
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
os.write(fd, b"help last\n")
check("an answer on a narrow terminal", until("moment\r\n(lockstep) "))
check(f"its lines are no wider: {shown}", all(len(line) <= 60 for line in shown.split("\r\n")))
os.write(fd, b"quit\n")
until("nothing more")
check("quit on a terminal", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0)
finish()
