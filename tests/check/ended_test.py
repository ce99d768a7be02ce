# SPDX-License-Identifier: Apache-2.0
"""`lockstep check` of a program that never ends: what ends the command ends the program, and what was
found until then is shown; a command that is killed outright leaves no program behind."""
import os
import signal
import subprocess
import sys
import tempfile
import time

lockstep = os.environ["LOCKSTEP"]
SOURCE = """
#include <stdio.h>
#include <unistd.h>
__global__ void
past(int *x)
{
    x[threadIdx.x] = 1;
}
int
main(void)
{
    int *x;
    cudaMalloc(&x, 4 * 31);
    past<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    printf("%d\\n", (int)getpid());
    fflush(stdout);
    for (;;)
        pause();
}
"""


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for_end(pid):
    for _ in range(100):
        if not alive(pid):
            return True
        time.sleep(0.1)
    return False


with tempfile.TemporaryDirectory() as work:
    source, program = os.path.join(work, "endless.cu"), os.path.join(work, "endless")
    with open(source, "w") as f:
        f.write(SOURCE)
    subprocess.run([lockstep, "cc", "-o", program, source], check=True)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        run = subprocess.Popen([lockstep, "check", "--", program], stdout=subprocess.PIPE, text=True,
                               start_new_session=True)
        pid = int(run.stdout.readline())
        run.send_signal(number)
        text = run.communicate(timeout=60)[0]
        if not wait_for_end(pid):
            os.kill(pid, signal.SIGKILL)
            sys.exit("signal %d: the program goes on" % number)
        if number != signal.SIGKILL and (run.returncode != 1 or "Out of bounds" not in text):
            sys.exit("signal %d: exit status %d\n%s" % (number, run.returncode, text))
