# SPDX-License-Identifier: Apache-2.0
"""A client of `lockstep debug --dap`. What it sends and what comes is held against the protocol's JSON schema where
Python's jsonschema is installed: nothing may be there that the schema does not know, either."""
import copy, json, os, signal, socket, subprocess

from checks import check, lockstep, source

try:
    import jsonschema
except ImportError:
    jsonschema = None


def closed(schema, message=False):
    """The schema with no room for what it does not name; a message's own properties stay open: `seq' and others are
    the base's."""
    if isinstance(schema, list):
        return [closed(s, message) for s in schema]
    if not isinstance(schema, dict):
        return schema
    out = {k: {n: closed(p) for n, p in v.items()} if k == "properties" else closed(v, message) if k == "allOf" else
           closed(v) if isinstance(v, (dict, list)) else v for k, v in schema.items()}
    if "properties" in out and not message:
        out.setdefault("additionalProperties", False)
    return out


class Schema:
    OPEN = ("Request", "Response", "Event", "ProtocolMessage", "LaunchRequestArguments", "AttachRequestArguments")

    def __init__(self):
        with open(os.path.join(source, "tests/debug/front/protocol.json")) as f:
            whole = json.load(f)["definitions"]
        # `compileOptions' and `program' are ours: launch's arguments are open in the protocol, too
        self.definitions = {name: closed(copy.deepcopy(s), name.endswith(self.OPEN)) for name, s in whole.items()}
        self.known, self.seen = {}, set()

    def hold(self, name, message):
        if not jsonschema:
            return
        if not check_name(name, self.definitions):
            return
        if name not in self.known:
            self.known[name] = jsonschema.Draft4Validator({"$ref": f"#/definitions/{name}", "definitions": self.definitions})
        self.seen.add(name)
        errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in self.known[name].iter_errors(message)]
        check(f"{name}: {errors}: {json.dumps(message)[:400]}", not errors)


def check_name(name, definitions):
    check(f"{name} is in the protocol", name in definitions)
    return name in definitions


schema = Schema()


def capital(word):
    return word[0].upper() + word[1:]


class Client:
    """port: the adapter listens there; else it is started."""

    def __init__(self, port=None, words=()):
        signal.alarm(60)  # what never answers fails the test
        self.p = self.socket = None
        if port:
            self.socket = socket.create_connection(("127.0.0.1", port))
            self.to, self.out = self.socket.makefile("wb"), self.socket.makefile("rb")
        else:
            self.p = subprocess.Popen([lockstep, "debug", "--dap", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE)
            self.to, self.out = self.p.stdin, self.p.stdout
        self.sequence, self.events = 0, []

    def write(self, data):
        self.to.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.to.flush()

    def send(self, command, **arguments):
        self.sequence += 1
        message = {"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}
        self.write(json.dumps(message).encode())
        return self.sequence

    def read(self):
        length = 0
        while (line := self.out.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            return None
        m = json.loads(self.out.read(length))
        if m["type"] == "event":
            schema.hold(capital(m["event"]) + "Event", m)
        elif m["success"]:
            schema.hold(capital(m["command"]) + "Response", m)
        else:
            schema.hold("Response", m)
        return m

    def answer(self, sequence):
        while (m := self.read()) is not None:
            if m["type"] == "response" and m["request_seq"] == sequence:
                return m
            self.events.append(m)
        return {"success": False, "message": "the adapter has ended", "body": {}}

    def ask(self, command, **arguments):
        schema.hold(capital(command) + "Request",
                    {"seq": 1, "type": "request", "command": command, "arguments": arguments})
        return self.demand(command, **arguments)

    def demand(self, command, **arguments):
        """The same for a request that is wrong."""
        m = self.answer(self.send(command, **arguments))
        if not m["success"]:
            return {"error": m.get("message", "")}
        return m.get("body", {})

    def event(self, name):
        for k, m in enumerate(self.events):
            if m.get("event") == name:
                return self.events.pop(k).get("body", {})
        while (m := self.read()) is not None:
            if m["type"] == "event" and m["event"] == name:
                return m.get("body", {})
            self.events.append(m)
            if m.get("event") == "terminated":
                break
        return {"reason": "", "error": "no event " + name}

    def printed(self, *categories):
        """What has come so far, of those categories."""
        return "".join(m["body"]["output"] for m in self.events
                       if m.get("event") == "output" and m["body"]["category"] in categories)

    def begin(self, program, lines, **more):
        can = self.ask("initialize", adapterID="lockstep", linesStartAt1=True)
        launched = self.ask("launch", program=program, **more)
        if "error" in launched:
            return can, launched, {}
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
        return self.close()

    def close(self):
        """The editor goes without a word; the adapter's exit status."""
        if self.socket:
            self.socket.shutdown(socket.SHUT_RDWR)
            self.socket.close()
            return 0
        self.to.close()
        return self.p.wait(60)


def note():
    return "" if jsonschema else "; no jsonschema: nothing was held against the schema"
