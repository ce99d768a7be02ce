# SPDX-License-Identifier: Apache-2.0
"""Editors that do what they should not, and programs that go wrong: the adapter names what it is, goes on or ends, and
leaves no process behind."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from checks import check, finish, lockstep, source, work
from dap_client import Client, note

PROGRAM = os.path.join(work, "Übung 1 – ‘π’.cu")
MARK = f"DAP_TEST_{os.getpid()}"
os.environ[MARK] = "1"
shutil.copy(Path(source) / "tests/debug/front/trouble.cu", PROGRAM)


LAST = 1 + next(k for k, line in enumerate(Path(PROGRAM).read_text().split("\n")) if "huge.all[i] = i" in line)


def started():
    """Processes of this test: all that a session starts have its mark."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int(entry.name) != os.getpid() and f"{MARK}=".encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            pass
    return found


def alone(what):
    for _ in range(50):
        left = started()
        if not left:
            break
        time.sleep(0.1)
    check(f"{what}: processes are left: {left}", not left)


def run(argument, filters=("fault", "trap", "assert"), **more):
    c = Client()
    c.begin(PROGRAM, more.pop("lines", []), args=[argument], **more)
    c.ask("setExceptionBreakpoints", filters=list(filters))
    c.ask("configurationDone")
    return c


# launches that fail
FAILURES = ("1", "fault"), ("2", "trap"), ("3", "assert")
for number, name in FAILURES[bool(os.environ.get("SANITIZE")):]:  # a sanitizer takes the first's signal
    c = run(number)
    stop = c.event("stopped")
    info = c.ask("exceptionInfo", threadId=stop["threadId"])
    check(f"{name}: {stop} {info}", stop["reason"] == "exception" and info["exceptionId"] == name and
          info["description"] == stop["text"] and os.path.basename(PROGRAM) in stop["text"])
    frame = next(f for f in c.top(stop["threadId"]) if f["name"] == "trouble")
    lane = {"fault": 0, "trap": 5, "assert": 7}[name]
    check(f"{name}: the thread that did it", c.ask("evaluate", expression="i", frameId=frame["id"])["result"] == str(lane))
    c.ask("stepBack", threadId=stop["threadId"])
    check(f"{name}: and back from there", c.event("stopped")["reason"] == "step")
    check("the adapter ends", c.end() == 0)
    c = run(number, [f for f in ("fault", "trap", "assert") if f != name])
    check(f"{name}: not asked for, the program goes on", c.event("exited")["exitCode"] == 2)
    check("and what it prints is told before", "cudaError" in c.printed("stdout"))
    check("no exception here", "no launch has failed" in c.ask("exceptionInfo", threadId=1)["error"])
    check("the adapter ends", c.end() == 0)

# what the checks find, as stops
race = str(Path(source) / "suite/atomics/race.cu")
c = Client()
c.begin(race, [], args=["--size", "100"])
set_ = c.ask("setExceptionBreakpoints", filters=["finding"])["breakpoints"]
check(f"findings: {set_}", set_[0]["verified"])
check("what is found is said", "Catchpoint" in c.event("output")["output"])
c.ask("configurationDone")
stop = c.event("stopped")
info = c.ask("exceptionInfo", threadId=stop["threadId"])
frame = c.top(stop["threadId"])[0]
check(f"a race is a stop: {stop} {info} {frame}", stop["reason"] == "exception" and info["exceptionId"] == "shared-race" and
      info["description"] == stop["text"] and frame["source"]["path"] == race)
said = c.ask("evaluate", expression="last", context="repl")
check(f"and leads to the other access: {said}", "result" in said)
check("the adapter ends", c.end() == 0)
c = Client()
c.ask("initialize", adapterID="lockstep")
check("not before a launch", "launched" in c.ask("setExceptionBreakpoints", filters=["finding"])["breakpoints"][0]["message"])
check("the adapter ends", c.end() == 0)

# programs without kernels, with an environment, that read
for argument, status in ("none", 3), ("stdin", 0), ("env", 0):
    c = run(argument, env={"COLOUR": "grün", "HOME": None})
    check(f"{argument}: {status}", c.event("exited")["exitCode"] == status and c.event("terminated") == {})
    check("what has ended cannot go on", all("error" in c.ask(r, threadId=1) for r in ("continue", "next", "stepBack")))
    check("the adapter ends", c.end() == 0)

# much of everything
c = run("0", lines=[{"line": LAST}])
stop = c.event("stopped")
check(f"a file's name that is not plain: {stop}", stop["reason"] == "breakpoint")
frame = c.top(stop["threadId"])[0]
check("its path", frame["source"]["path"] == PROGRAM)
huge = c.ask("evaluate", expression="huge", frameId=frame["id"])
check(f"a large array is short: {len(str(huge))}", len(str(huge)) < 5000)
whole = c.variables(huge["variablesReference"])["all"]
check("its parts come by pages", whole["indexedVariables"] == 1 << 22 and len(c.variables(whole["variablesReference"])) == 1000)
last = c.variables(whole["variablesReference"], start=(1 << 22) - 2, count=10)
check("the last", list(last) == [f"[{(1 << 22) - 2}]", f"[{(1 << 22) - 1}]"])
check("an expression that does not end", "error" in c.ask("evaluate", expression="(" * 20000, frameId=frame["id"]))
c.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=-1000000, instructionCount=100)
check("a launch a second time", "already" in c.ask("launch", program=PROGRAM)["error"])
check("configurationDone a second time", "second time" in c.ask("configurationDone")["error"])
check("the adapter ends", c.end() == 0)

# a kernel that does not end: pause, and what waits
c = run("4")
time.sleep(1)
c.send("threads")
c.ask("pause", threadId=1)
stop = c.event("stopped")
check(f"pause: {stop}", stop["reason"] == "pause" and c.top(stop["threadId"])[0]["name"] == "trouble")
c.ask("continue", threadId=stop["threadId"])
time.sleep(0.3)
check("disconnect while it runs", c.end() == 0)

# host code that takes no notice of signals
c = run("host")
while "a word to stderr" not in c.printed("stderr") or "host code" not in c.printed("stdout"):
    m = c.read()
    c.events.append(m)
check("terminate", "error" not in c.ask("terminate"))
check("is the end, once", c.event("terminated") == {} and c.end() == 0)
c = run("4")
time.sleep(0.5)
check("an editor that goes", c.close() == 0)
c = run("4")
time.sleep(0.5)
c.p.send_signal(signal.SIGKILL)
c.p.wait()
alone("after all of that")

# requests in the wrong order, and what is none
c = Client()
for request in "next", "stackTrace", "scopes", "variables", "evaluate", "setVariable", "disassemble", "readMemory", "continue":
    check(f"{request} before all", "error" in c.demand(request) or request == "stackTrace")
for data in b"[]", b"{}", b'"x"', b"\xff\xfe", b'{"type":"request"}', b'{"type":"event","event":"x"}', b"[" * 5000:
    c.write(data)
    check(f"{data[:20]} is told", "no request" in c.event("output")["output"])
for arguments in {"program": 5}, {"program": PROGRAM, "cwd": "/nosuch"}, {"program": work}, {"program": __file__}, None, []:
    m = {"seq": 1, "type": "request", "command": "launch", "arguments": arguments}
    c.write(json.dumps(m).encode())
    check(f"launch {arguments}", not c.answer(1)["success"])
check("breakpoints of nothing", "error" in c.demand("setBreakpoints", breakpoints=5))
check("after all of that a launch", "error" not in c.ask("launch", program=PROGRAM, args=["none"], compileOptions=["-lineinfo"]))
check("it is run", "error" not in c.ask("configurationDone") and c.event("exited")["exitCode"] == 3)
check("the adapter ends", c.end() == 0)
c = Client()
broken = os.path.join(work, "broken.cu")
Path(broken).write_text("__global__ void k() { nonsense }\n")
said = c.begin(broken, [])[1]
check(f"what does not compile: {said}", "broken.cu" in said["error"] or "compile" in said["error"])
check("the adapter ends", c.end() == 0)

# a port
for words, why in (["--port", "70000"], "65535"), (["--port", "x"], "not 'x'"):
    r = subprocess.run([lockstep, "debug", "--dap", *words], capture_output=True, text=True, timeout=60)
    check(f"{words}: {r.stderr}", r.returncode == 2 and why in r.stderr)
r = subprocess.run([lockstep, "debug", "--port", "0", PROGRAM], capture_output=True, text=True, timeout=60)
check(f"--port alone: {r.stderr}", r.returncode == 2 and "--dap" in r.stderr)
server = subprocess.Popen([lockstep, "debug", "--dap", "--port", "0"], stdout=subprocess.PIPE, text=True)
port = int(server.stdout.readline().rsplit(":", 1)[1])
r = subprocess.run([lockstep, "debug", "--dap", "--port", str(port)], capture_output=True, text=True, timeout=60)
check(f"a port that is taken: {r.stderr}", r.returncode and "in use" in r.stderr)
both = [Client(port), Client(port)]
for c in both:
    c.begin(PROGRAM, [{"line": LAST}], args=["0"])
for c in both:
    c.ask("configurationDone")
stops = [c.event("stopped") for c in both]
check(f"two sessions on one port: {stops}", all(s["reason"] == "breakpoint" for s in stops))
both[0].close()
both[1].ask("continue", threadId=stops[1]["threadId"])
check("one goes, the other goes on", both[1].event("exited")["exitCode"] == 0 and both[1].end() == 0)
c = Client(port)
check("and the next one comes", c.ask("initialize", adapterID="lockstep")["supportsStepBack"])
server.terminate()
server.wait()
c.close()
alone("the port is closed")
finish(note())
