# SPDX-License-Identifier: Apache-2.0
"""A client of `lockstep debug --dap`: every request that is answered, and what editors expect behind them. Each message
is held against the protocol's schema (tests/common/dap_client.py)."""

import base64
import os
from pathlib import Path

from checks import check, finish, source
from dap_client import Client, note, schema

FRONT = Path(source) / "tests/debug/front"
FLOW, VALUES = (str(FRONT / f"{name}.cu") for name in ("flow", "values"))


c = Client()
can, launched, places = c.begin(FLOW, [{"line": 28, "condition": "threadIdx.x == 9"}, {"line": 9999},
                                       {"line": 38, "logMessage": "i is {i}, {sum[0]} {"}])
check("capabilities", can.get("supportsStepBack") and can.get("supportsDataBreakpoints") and can.get("supportsLogPoints"))
check(f"launch compiles: {launched}", "error" not in launched)
b = places["breakpoints"]
check(f"breakpoints say where they are: {b}", b[0]["verified"] and b[0]["line"] == 28 and b[0]["source"]["path"] == FLOW)
check("a line without code is not verified, with a reason", not b[1]["verified"] and "No kernel has code" in b[1]["message"])
check("function breakpoints", c.ask("setFunctionBreakpoints", breakpoints=[{"name": "factorial"}])["breakpoints"][0]["line"] == 8)
check("exception filters", [b["verified"] for b in c.ask("setExceptionBreakpoints", filters=["fault", "trap", "none"])
                            ["breakpoints"]] == [True, True, False])
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
at = frame["instructionPointerReference"]
check("loaded sources", FLOW in [s["path"] for s in c.ask("loadedSources")["sources"]])
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
if os.environ.get("SANITIZE"):  # programs are one with the library then, and host code is not known from it
    frames[2:] = [{"id": frames[2]["id"], "name": "main (host)", "line": 46}]
check(f"a call has two frames, and the launch one: {frames}",
      [(f["name"], f["line"]) for f in frames] == [("larger<int>", 18), ("flow", 31), ("main (host)", 46)])
check("frames by pages", [f["name"] for f in c.ask("stackTrace", threadId=thread_of(), startFrame=1, levels=2)["stackFrames"]] ==
      ["flow", "main (host)"] or os.environ.get("SANITIZE"))
check("host code has no scopes", c.ask("scopes", frameId=frames[2]["id"]) == {"scopes": []})
check("nor values", "the host's own debugger" in c.ask("evaluate", expression="i", frameId=frames[2]["id"])["error"])
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
check("an unknown request is named", "gotoTargets is not supported" in c.demand("gotoTargets", line=3)["error"])
check("no such reference", "no variablesReference 999" in c.ask("variables", variablesReference=999)["error"])
c.ask("setBreakpoints", source={"path": FLOW}, breakpoints=[{"line": 38, "logMessage": "i is {i}, {sum[0]} {"}])
c.ask("continue", threadId=stop["threadId"])
check("exited", c.event("exited")["exitCode"] == 0 and c.event("terminated") == {})
said = c.printed("console")
check(f"log points: {said}", "i is 32, 76 {\n" in said and "i is 64, " in said)
printed = c.printed("stdout")
check(f"what the program prints comes before its end: {printed}", "256 " in printed)
check("disconnect", c.end() == 0)

# memory, expressions, commands, instructions
c = Client()
c.begin(FLOW, [{"line": 38, "condition": "threadIdx.x == 9", "hitCondition": "> 1"}, {"line": 28, "hitCondition": "often"}])
c.ask("configurationDone")
stop = c.event("stopped")
frame = c.top(stop["threadId"])[0]
check(f"'> 1' is the second time: {stop}", stop["reason"] == "breakpoint" and
      c.ask("evaluate", expression="blockIdx.x", frameId=frame["id"])["result"] == "1")
out = c.variables(c.scope(frame, "Arguments"))["out"]["memoryReference"]
check("setExpression", c.ask("setExpression", expression="out[2]", value="1 + 6", frameId=frame["id"])["value"] == "7")
data = c.ask("readMemory", memoryReference=out, offset=8, count=5)["data"]
check(f"readMemory: {data}", base64.b64decode(data)[:4] == b"\x07\0\0\0")
check("writeMemory", c.ask("writeMemory", memoryReference=out, offset=8,
                           data=base64.b64encode(b"\x01\x02").decode())["bytesWritten"] == 2)
check("is there", c.ask("evaluate", expression="out[2]", frameId=frame["id"])["result"] == "513")
check("nonsense is not written", "base 64" in c.ask("writeMemory", memoryReference=out, data="?!")["error"])
check("no address", "error" in c.ask("readMemory", memoryReference="main", count=4))
check("too much", "count" in c.ask("readMemory", memoryReference=out, count=1 << 30)["error"])
said = c.ask("evaluate", expression="lanes threadIdx.x + 1", context="repl", frameId=frame["id"])["result"]
check(f"commands of the debugger in the console: {said}", "block (1,0,0) warp 0" in said and "32" in said.split("\n")[-1])
check("not in a hover", "error" in c.ask("evaluate", expression="masks", context="hover", frameId=frame["id"]))
check("what fails says why", "No symbol" in c.ask("evaluate", expression="print none", context="repl")["error"])
check("what is no command is an expression", "No symbol" in c.ask("evaluate", expression="nonesuch", context="repl",
                                                                  frameId=frame["id"])["error"])
c.ask("evaluate", expression="reverse-next", context="repl")
stop = c.event("stopped")
frame = c.top(stop["threadId"])[0]
check(f"a command that moves is a stop: {stop} {frame}", stop["reason"] == "step" and frame["line"] < 38)
c.ask("setBreakpoints", source={"path": FLOW}, breakpoints=[])
code = c.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=2, instructionCount=1)
at = code["instructions"][0]["address"]
set_ = c.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": at}, {"instructionReference": "none"}])["breakpoints"]
check(f"an instruction's breakpoint: {set_}", [b["verified"] for b in set_] == [True, False])
c.ask("continue", threadId=stop["threadId"])
stop = c.event("stopped")
frame = c.top(stop["threadId"])[0]
check(f"it stops there: {stop} {frame} {at}", stop["reason"] == "instruction breakpoint" and
      int(frame["instructionPointerReference"]) == int(at, 0))
check("a thread that does not exist", c.ask("stackTrace", threadId=999999)["totalFrames"] == 0)
check("the adapter ends", c.end() == 0)

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
c.ask("initialize", adapterID="lockstep")
check("a missing program is an error", "nosuch.cu" in c.ask("launch", program="nosuch.cu")["error"])
check("no program is an error", "no program" in c.demand("launch")["error"])
check("configurationDone before launch", "before launch" in c.ask("configurationDone")["error"])
c.write(b"nonse")
check("nonsense is told", "no request" in c.event("output")["output"])
check("and the next one is answered", c.ask("threads")["threads"][0]["name"] == "host")
c.to.write(b"Content-Length: many\r\n\r\n")
check("a length that is none ends it", c.close() == 0)
finish(note())
