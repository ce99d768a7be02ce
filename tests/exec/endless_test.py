# SPDX-License-Identifier: Apache-2.0
"""endless.cu: loops that never end since nothing in them changes are an error under `run` and a finding under `check`,
with their line, threads and values; loops that only take long come to their end. What runs long is said on request,
and a signal that ends the program says first where it was."""
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

lockstep, here = os.environ["LOCKSTEP"], os.path.dirname(os.path.abspath(__file__))
if os.environ.get("SANITIZE"):
    print("SKIP: a sanitizer's own state and its hold on signals keep the watch from seeing one state twice")
    sys.exit(77)
PATIENCE = 240  # seconds after which a program counts as hanging
text = open(os.path.join(here, "endless.cu")).read().splitlines()
failures = 0


def line_of(mark):
    """The number of the first line that holds `mark`."""
    return next(k + 1 for k, l in enumerate(text) if mark in l)


# kernel: its loop's lines, first and last; threads in the loop; what one of them compares
endless = {
    "no_step": (line_of("while (i < n) {"), 5, "threads (0,0,0) to (63,0,0) go round", None),
    "step_of_none": (line_of("i += step") - 1, 1, "threads (0,0,0) to (63,0,0) go round", "finds 0 < 100"),
    "search": (line_of("while (low < high)"), 6, "threads (0,0,0) to (63,0,0) go round", "999 < 1000"),
    "empty": (line_of("for (;;)"), 1, "threads (0,0,0) to (63,0,0) go round", None),
    "plain_flag": (line_of("while (*x == 0)"), 1, "threads (0,0,0) to (63,0,0) go round", None),
    "ring": (line_of("k = next[k]") - 1, 2, "threads (0,0,0) to (63,0,0) go round", "finds 0 < 99"),
    "with_barriers": (line_of("s[threadIdx.x] += 0") - 1, 5, "threads (0,0,0) to (63,0,0) go round", "finds 0 < 10"),
    "one_thread": (line_of("while (i == 5"), 1, "thread (5,0,0) goes round", None),
    "converges": (line_of("while (a * 0.5f"), 1, "threads (0,0,0) to (63,0,0) go round", "finds 0.25 > 0.1"),
    "in_function": (line_of("while (a[k] == 0)"), 1, "threads (0,0,0) to (63,0,0) go round", "finds 0 == 0"),
}
right = ["counts", "counts_in_memory", "after_another", "by_clock", "by_time", "by_host", "by_host_plainly"]


def say(name, wrong):
    global failures
    failures += 1
    print("FAIL", name, wrong)


def tried(name, what, *words):
    try:
        what(*words)
    except Exception as e:
        say(name, repr(e))


def environment(**more):
    return dict(os.environ, LOCKSTEP_ENDLESS="0.1", LOCKSTEP_HEARTBEAT="0", **more)


def run(command, program, *words, **more):
    try:
        return subprocess.run([lockstep, *command, program, *words], env=environment(**more), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        say(words, "hangs")
        return subprocess.CompletedProcess([], 99, "", "")


def check_endless(program, work, pool):
    def one(name, line, more, threads, values):
        done = run(["run"], program, name, "3", LOCKSTEP_WORKERS="2" if line % 2 else "1")
        lines = ["endless.cu:%d)" % k for k in range(line, line + more + 1)]
        if done.returncode != 1 or "cudaErrorLaunchTimeout" not in done.stdout:
            say(name, (done.returncode, done.stdout, done.stderr))
        elif not ("endless loop in kernel" in done.stderr and "block (0,0,0)" in done.stderr and threads in done.stderr
                  and any(l in done.stderr for l in lines) and (values or "") in done.stderr):
            say(name, done.stderr)

    def finding(name):
        out = os.path.join(work, name)
        done = run(["check", "--json=" + out], program, name)
        with open(out) as f:
            found = json.load(f)["findings"]
        one = [f for f in found if f["kind"] == "endless-loop"]
        if done.returncode != 1 or len(one) != 1 or one[0]["severity"] != "error" or not one[0]["missing"] or \
                one[0]["access"]["op"] != "loop" or not endless[name][0] <= one[0]["access"]["line"] <= sum(endless[name][:2]):
            say("check " + name, (done.returncode, found))

    for name, expected in endless.items():
        pool.submit(tried, name, one, name, *expected)
    for name in ("search", "empty", "one_thread", "with_barriers"):
        pool.submit(tried, name, finding, name)


def check_right(program, pool):
    def one(name):
        done = run(["run"], program, name)
        if done.returncode != 0 or "cudaSuccess" not in done.stdout or "endless" in done.stderr:
            say(name, (done.returncode, done.stdout, done.stderr))

    def no_finding(name):
        done = run(["check"], program, name)
        if done.returncode != 0 or "0 errors" not in done.stderr + done.stdout:
            say("check " + name, (done.returncode, done.stdout, done.stderr))

    for name in right:
        pool.submit(tried, name, one, name)
    for name in ("by_host", "after_another", "by_clock"):
        pool.submit(tried, name, no_finding, name)


def ended_by(command, number, program, mark, **more):
    """The program runs until it has said `mark`; then the signal; status and what came on stderr."""
    p = subprocess.Popen([lockstep, *command, program, "runs_on", "3"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, env=dict(environment(), LOCKSTEP_HEARTBEAT="0.3", LOCKSTEP_ENDLESS="0", **more))
    said, until = "", time.time() + PATIENCE
    while mark not in said and time.time() < until:
        said += p.stderr.readline()
    p.send_signal(number)
    shown, rest = p.communicate(timeout=PATIENCE)
    return p.returncode, said, rest + shown


def check_said(program):
    beat = "kernel runs_on: running "
    for number in (signal.SIGINT, signal.SIGTERM):
        status, said, rest = ended_by(["run"], number, program, beat, LOCKSTEP_WORKERS="1")
        if status != -number or "block 0 of 3: warp 0 runs; warp 1 has its turn to come" not in said:
            say("heartbeat", (status, said))
        if "block 0 of 3: warp 0 runs; warp 1 has its turn to come" not in rest:
            say("signal %d" % number, (status, rest))
    status, said, rest = ended_by(["run"], signal.SIGTERM, program, beat, LOCKSTEP_INTERRUPT="0")
    if status != -signal.SIGTERM or beat in rest:
        say("LOCKSTEP_INTERRUPT=0", (status, rest))
    # check hands SIGTERM on, shows what it has, and ends with the status of a program with findings
    status, said, rest = ended_by(["check"], signal.SIGTERM, program, beat, LOCKSTEP_WORKERS="1")
    if status != 1 or "block 0 of 3: warp 0 runs" not in rest or "ended with signal 15" not in rest or "Race" not in rest:
        say("check and signal", (status, rest))
    done = run(["run"], program, "by_time")
    if "running" in done.stderr:
        say("no terminal", done.stderr)


with tempfile.TemporaryDirectory() as work:
    program = os.path.join(work, "endless")
    subprocess.run([lockstep, "cc", "-w", os.path.join(here, "endless.cu"), "-o", program], check=True)
    if "thread" not in os.environ.get("SANITIZE", ""):  # which handles signals in its own time
        with concurrent.futures.ThreadPoolExecutor(3) as pool: # most of the time goes by in waiting
            check_endless(program, work, pool)
            check_right(program, pool)
            pool.submit(tried, "what is said", check_said, program)
sys.exit(1 if failures else 0)
