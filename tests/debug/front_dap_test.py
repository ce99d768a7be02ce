# SPDX-License-Identifier: Apache-2.0
"""A client of `lockstep debug --dap`: every request that is answered, and what editors expect behind them."""

import json
import subprocess
import time
from pathlib import Path

from checks import check, finish, lockstep, source

FRONT = Path(source) / "tests/debug/front"
FLOW, VALUES = str(FRONT / "flow.cu"), str(FRONT / "values.cu")


class Client:
    def __init__(self):
        self.p = subprocess.Popen([lockstep, "debug", "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.sequence, self.events = 0, []

    def send(self, command, **arguments):
        self.sequence += 1
        body = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}).encode()
        self.p.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.p.stdin.flush()
        return self.sequence

    def read(self):
        length = 0
        while (line := self.p.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.p.stdout.read(length)) if length else None

    def answer(self, sequence):
        while (m := self.read()) is not None:
            if m["type"] == "response" and m["request_seq"] == sequence:
                return m
            self.events.append(m)
        return {"success": False, "message": "the adapter has ended", "body": {}}

    def ask(self, command, **arguments):
        m = self.answer(self.send(command, **arguments))
        if not m["success"]:
            return {"error": m.get("message", "")}
        return m.get("body", {})

    def event(self, name):
        for k, m in enumerate(self.events):
            if m["event"] == name:
                return self.events.pop(k).get("body", {})
        while (m := self.read()) is not None:
            if m["type"] == "event" and m["event"] == name:
                return m.get("body", {})
            self.events.append(m)
        return {"error": "no event " + name}

    def begin(self, program, lines, **more):
        can = self.ask("initialize", adapterID="lockstep", linesStartAt1=True)
        launched = self.ask("launch", program=program, **more)
        self.event("initialized")
        set_ = self.ask("setBreakpoints", source={"path": program}, breakpoints=lines)
        return can, launched, set_

    def top(self, thread):
        return self.ask("stackTrace", threadId=thread)["stackFrames"]

    def scope(self, frame, name):
        for s in self.ask("scopes", frameId=frame["id"])["scopes"]:
            if s["name"] == name:
                return s["variablesReference"]

    def variables(self, reference, **more):
        return {v["name"]: v for v in self.ask("variables", variablesReference=reference, **more)["variables"]}

    def end(self):
        self.ask("disconnect")
        self.p.stdin.close()
        return self.p.wait(60)


c = Client()
can, launched, places = c.begin(FLOW, [{"line": 28, "condition": "threadIdx.x == 9"}, {"line": 9999},
                                       {"line": 38, "logMessage": "i is {i}, {sum[0]} {"}])
check("capabilities", can.get("supportsStepBack") and can.get("supportsDataBreakpoints") and can.get("supportsLogPoints"))
check(f"launch compiles: {launched}", "error" not in launched)
b = places["breakpoints"]
check(f"breakpoints say where they are: {b}", b[0]["verified"] and b[0]["line"] == 28 and b[0]["source"]["path"] == FLOW)
check("a line without code is not verified, with a reason", not b[1]["verified"] and "No kernel has code" in b[1]["message"])
check("function breakpoints", c.ask("setFunctionBreakpoints", breakpoints=[{"name": "factorial"}])["breakpoints"][0]["line"] == 8)
check("no exception filters", "error" not in c.ask("setExceptionBreakpoints", filters=[]))
check("no thread before the start but the host's", c.ask("threads")["threads"][0]["name"] == "host")
check("configurationDone", "error" not in c.ask("configurationDone"))
stop = c.event("stopped")
check(f"the condition's thread: {stop}", stop["reason"] == "breakpoint" and stop["hitBreakpointIds"] == [b[0]["id"]])
thread = stop["threadId"]
threads = {t["id"]: t["name"] for t in c.ask("threads")["threads"]}
check(f"lanes are threads: {threads}", len(threads) == 64 and threads[thread] == "block (0,0,0) warp 0 lane 9 thread (9,0,0)")
frame = c.top(thread)[0]
check(f"a frame: {frame}", frame["name"] == "flow" and frame["line"] == 28 and frame["source"]["path"] == FLOW)
names = [s["name"] for s in c.ask("scopes", frameId=frame["id"])["scopes"]]
check(f"scopes: {names}", names == ["Locals", "Arguments", "Shared memory", "Registers", "Thread"])
locals_ = c.variables(c.scope(frame, "Locals"))
check(f"locals: {locals_}", locals_["i"]["value"] == "9" and locals_["i"]["type"] == "int")
check("arguments", c.variables(c.scope(frame, "Arguments"))["n"]["value"] == "128")
shared = c.variables(c.scope(frame, "Shared memory"))["sum"]
check(f"shared memory has elements: {shared}", shared["indexedVariables"] == 64)
parts = c.variables(shared["variablesReference"], start=8, count=4)
check(f"elements by pages: {parts}", list(parts) == ["[8]", "[9]", "[10]", "[11]"] and parts["[9]"]["value"] == "9")
thread_scope = c.variables(c.scope(frame, "Thread"))
check(f"special registers: {thread_scope}", thread_scope["$lane"]["value"] == "9" and
      c.variables(thread_scope["threadIdx"]["variablesReference"])["x"]["value"] == "9")
check("registers", c.variables(c.scope(frame, "Registers")))
check("evaluate", c.ask("evaluate", expression="i * 2", frameId=frame["id"], context="watch")["result"] == "18")
check("hover of what is not there", "No symbol" in c.ask("evaluate", expression="none", frameId=frame["id"])["error"])
check("no assignment in a hover", "not allowed" in c.ask("evaluate", expression="i = 3", frameId=frame["id"], context="hover")["error"])
check("setVariable", c.ask("setVariable", variablesReference=c.scope(frame, "Locals"), name="total", value="5")["value"] == "5")
check("what is set is there", c.ask("evaluate", expression="total", frameId=frame["id"])["result"] == "5")
code = c.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=-1, instructionCount=3)["instructions"]
check(f"PTX: {code}", len(code) == 3 and all(i["instruction"] for i in code) and code[1]["line"] == 28)
check("source", "factorial" in c.ask("source", source={"path": FLOW}, sourceReference=0)["content"])


def step(command, line, reason="step", **more):
    answer = c.ask(command, threadId=thread_of(), **more)
    stopped = c.event("stopped") if "error" not in answer else answer
    now = c.top(stopped["threadId"])[0]["line"] if "threadId" in stopped else stopped
    check(f"{command}: {now}, {stopped}", now == line and stopped["reason"] == reason)
    thread_of.id = stopped.get("threadId", 1)
    return c.top(thread_of.id)


def thread_of():
    return thread_of.id


thread_of.id = thread
c.ask("setFunctionBreakpoints", breakpoints=[])
step("next", 31)
frames = step("stepIn", 18)
check(f"a call has two frames: {frames}", [f["name"] for f in frames] == ["larger<int>", "flow"])
step("stepOut", 31)
step("stepBack", 31)
step("stepBack", 28)
step("next", 31)
step("next", 31, granularity="instruction")
frame = c.top(thread_of.id)[0]
info = c.ask("dataBreakpointInfo", variablesReference=c.scope(frame, "Shared memory"), name="sum")
element = c.ask("dataBreakpointInfo", name="sum[9]", frameId=frame["id"])
check(f"data breakpoints: {info}", info["dataId"] and "write" in info["accessTypes"] and element["dataId"])
check("none of a constant", c.ask("dataBreakpointInfo", name="1 + 1", frameId=frame["id"])["dataId"] is None)
set_ = c.ask("setDataBreakpoints", breakpoints=[{"dataId": element["dataId"], "accessType": "write"}])["breakpoints"]
check(f"a data breakpoint is set: {set_}", set_[0]["verified"])
check("continue", c.ask("continue", threadId=thread_of.id)["allThreadsContinued"])
stop = c.event("stopped")
check(f"it stops: {stop}", stop["reason"] == "data breakpoint" and stop["hitBreakpointIds"] == [set_[0]["id"]])
c.ask("setDataBreakpoints", breakpoints=[])
check("reverseContinue", "error" not in c.ask("reverseContinue", threadId=stop["threadId"]))
stop = c.event("stopped")
check(f"back at the breakpoint: {stop}", stop["reason"] == "breakpoint" and c.top(stop["threadId"])[0]["line"] == 28)
check("an unknown request is named", "gotoTargets is not supported" in c.ask("gotoTargets", line=3)["error"])
check("no such reference", "no variablesReference 999" in c.ask("variables", variablesReference=999)["error"])
c.ask("setBreakpoints", source={"path": FLOW}, breakpoints=[{"line": 38, "logMessage": "i is {i}, {sum[0]} {"}])
c.ask("continue", threadId=stop["threadId"])
check("exited", c.event("exited")["exitCode"] == 0 and c.event("terminated") == {})
said = "".join(m["body"]["output"] for m in c.events if m["event"] == "output" and m["body"]["category"] == "console")
check(f"log points: {said}", "i is 32, 76 {\n" in said and "i is 64, " in said)
check("disconnect", c.end() == 0)
printed = "".join(m["body"]["output"] for m in c.events if m["event"] == "output" and m["body"]["category"] == "stdout")
while (m := c.read()) is not None:
    printed += m["body"]["output"] if m.get("event") == "output" else ""
check(f"what the program prints: {printed}", "256 " in printed)

# stopOnEntry, hit counts, what goes wrong
c = Client()
c.begin(FLOW, [{"line": 35, "hitCondition": "2"}], stopOnEntry=True)
c.ask("configurationDone")
stop = c.event("stopped")
check(f"stopOnEntry: {stop}", stop["reason"] == "entry")
c.ask("continue", threadId=stop["threadId"])
stop = c.event("stopped")
frame = c.top(stop["threadId"])[0]
check("the second hit", c.ask("evaluate", expression="k", frameId=frame["id"])["result"] == "1")
check("terminate", "error" not in c.ask("terminate") and c.event("terminated") == {})
check("no step without a program", "error" in c.ask("next", threadId=1))
check("the adapter ends", c.end() == 0)
# what cannot be taken back stays where it is
c = Client()
c.begin(str(FRONT / "threads.cu"), [{"line": 11}])
c.ask("configurationDone")
stop = c.event("stopped")
c.ask("stepBack", threadId=stop["threadId"])
check("the reason", "cannot go back: the program has 1 more thread" in c.event("output")["output"])
stop = c.event("stopped")
check("it stands there", c.top(stop["threadId"])[0]["line"] == 11)
c.ask("continue", threadId=stop["threadId"])
check("exited", c.event("exited")["exitCode"] == 0)
check("the adapter ends", c.end() == 0)

c = Client()
c.ask("initialize")
check("a missing program is an error", "nosuch.cu" in c.ask("launch", program="nosuch.cu")["error"])
check("no program is an error", "no program" in c.ask("launch")["error"])
check("configurationDone before launch", "before launch" in c.ask("configurationDone")["error"])
c.p.stdin.write(b"Content-Length: 5\r\n\r\nnonse")
c.p.stdin.close()
check("nonsense ends it", c.p.wait(60) == 0)
finish()
