# SPDX-License-Identifier: Apache-2.0
"""`lockstep debug --record`: steps, lanes, variables, accesses and shared memory of the page beside what the kernel
computes; a block that is not the first; faults; what cannot be recorded. In a browser, where there is one, the page
shows its steps and no error."""
import json, os, re, shutil, subprocess

from checks import check, finish, lockstep, source, work

program = os.path.join(source, "tests/debug/record.cu")
page = os.path.join(work, "page.html")


def lines_of(path):
    return open(path).read().split("\n")


lines = lines_of(program)


def line_of(text):
    return next(k for k, line in enumerate(lines, 1) if text in line and not line.startswith("//"))


def lanes(mask):
    return [k for k in range(32) if mask >> k & 1]


def run(*words, to=page):
    return subprocess.run([lockstep, "debug", "--record", to, *words], capture_output=True, text=True, timeout=300)


def record(*words):
    if os.path.exists(page):
        os.remove(page)
    r = run(*words)
    check(f"{words}: status {r.returncode}: {r.stderr}", r.returncode == 0)
    text = open(page, encoding="utf-8").read()
    return json.loads(re.search(r'id="record">(.*?)</script>', text, re.S)[1]), text


def whole(r, block):
    steps = r["steps"]
    stored, loaded, parted = line_of("// stored"), line_of("// loaded"), line_of("// parted")
    check("two warps, all alive", r["warps"] == 2 and r["alive"] == [0xffffffff] * 2)
    check("its end: " + r["end"], r["end"] == "all threads have exited")
    check("the source", r["lines"][stored - r["first"]] == lines[stored - 1])
    check("every warp waits once", sorted(s["w"] for s in steps if "b" in s) == [0, 1])
    shared = {}
    for k, s in enumerate(steps):
        for a in s.get("x", []):
            if a["space"] == "shared" and a["op"] == "store":
                want = [4 * (32 * s["w"] + l) for l in range(32)]
                check(f"step {k}: stores at {a['at']}", s["l"] == stored and a["at"] == want and a["bytes"] == 4)
        shared.update({word: float(value) for word, value in s.get("s", [])})
    check(f"what shared memory holds: {shared}", shared == {k: k / 2 for k in range(64)})
    check("its name", r["shared"] == {"words": 64, "names": [{"name": "s", "word": 0}]})
    for w in 0, 1:
        reads = [a["at"] for s in steps if s["w"] == w and s["l"] == loaded for a in s.get("x", [])]
        want = [[4 * ((63 - (32 * w + l) + 32 * k) % 64) for l in range(32)] for k in range(2)]
        check(f"warp {w}: loads {reads}", reads == want)
        last = [s for s in steps if s["w"] == w][-1]
        check(f"warp {w} leaves", last.get("k") == 0)
    masks = {s["w"]: lanes(s["m"]) for s in steps if s["l"] == parted}
    check(f"lanes that part: {masks}", masks == {0: list(range(1, 32, 2)), 1: list(range(1, 8, 2))})
    calls = [s for s in steps if r["functions"][s["f"]] == "half_of"]
    check("a function is stepped into", line_of("return x / 2") in {s["l"] for s in calls})
    x = [v for s in calls if s["w"] == 1 for name, v in s.get("v", []) if name == "x"]
    check(f"its argument: {x}", x and x[-1] == [str(32 + l) for l in range(32)])
    sums = [v for s in steps if s["w"] == 0 for name, v in s.get("v", []) if name == "sum"]
    check(f"the sum: {sums}", [float(t) for t in sums[-1]] == [47.0 - l for l in range(32)])
    check(f"of block {block}: global addresses differ by 4", all(
        b - a == 4 for s in steps if s["l"] == stored for x in s.get("x", []) if x["space"] == "global"
        for a, b in zip(x["at"], x["at"][1:])))


r, text = record(program)
whole(r, 0)
check("the script has one end", text.count("</script>") == 2 and "stored \\u003c/script>" in text)
check("the title", "<title>kernel turn&lt;&lt;&lt;(2,1,1),(64,1,1)&gt;&gt;&gt;, block (0,0,0), of record.cu</title>" in text)
again, _ = record(program)
for one in r, again:  # addresses of device memory differ from run to run
    for s in one["steps"]:
        s.pop("v", None), s.pop("x", None)
check("the same again", r == again)
second, text = record("--block", "1", program)
whole(second, 1)
check("the other block", "block (1,0,0)" in text)

launch, text = record("--block", "all", "--registers", program)
check("all blocks", [b["at"] for b in launch["blocks"]] == [[0, 0, 0], [1, 0, 0]] and not launch["missing"])
check("the launch's title", "<title>kernel turn&lt;&lt;&lt;(2,1,1),(64,1,1)&gt;&gt;&gt;, of record.cu</title>" in text)
for n, b in enumerate(launch["blocks"]):
    whole(b, n)
    registers = {}
    for s in b["steps"]:
        for name, row in s.get("r", []):
            registers.setdefault((s["w"], s["f"], name), []).append(row)
    for w in 0, 1:
        rows = [x for (at, _, _), values in registers.items() if at == w for x in values]
        check(f"warp {w}: the thread's number in a register", [str(32 * w + l) for l in range(32)] in rows)
        check(f"warp {w}: one value of all lanes", "64" in rows or str(n) in rows)
        check(f"warp {w}: predicates", any(isinstance(x, list) and set(x) == {"true", "false"} for x in rows))
    check("registers are not told again", all(x != y for v in registers.values() for x, y in zip(v, v[1:])))

blocks = os.path.join(source, "tests/debug/record_blocks.cu")
launch, text = record("--block", "all", "--registers", blocks, "4", "1")
check("behind a fault no block is there: " + launch["missing"],
      [b["at"][0] for b in launch["blocks"]] == [0, 1] and
      launch["missing"] == "the launch failed in block (1,0,0): of 4 blocks 2 are not there")
check("the fault: " + launch["blocks"][1]["end"], launch["blocks"][0]["end"] == "all threads have exited" and
      "illegal address 0x0" in launch["blocks"][1]["end"])
values = {x for b in launch["blocks"] for s in b["steps"] for _, x in s.get("r", []) if isinstance(x, str)}
check("a register of 64 bits has all its digits", "0.10000000000000001" in values)
values = {name: x for s in record("--registers", blocks)[0]["steps"] for name, x in s.get("r", [])}
check(f"a register of 128 bits: {values}", values.get("t") == "0x123456789abcdef1123456789abcdef0")
for block in "100", "30000":  # by instructions, and where blocks before it are passed over
    r, _ = record("--block", block, blocks, "40000", f"-{int(block) + 1}")
    check(f"block {block} of many, before one that never ends: {r['end']}", r["end"] == "all threads have exited" and
          lines_of(blocks)[r["steps"][-1]["l"] - 1].endswith("// left"))

r, _ = record(program, "65")  # a null pointer
check("a fault: " + r["end"], "illegal address 0x0" in r["end"] and
      f"record.cu:{line_of('// stored')}" in r["end"])
r, _ = record("-lineinfo", program)
check("without -G lines and accesses alone", r["steps"] and not any("v" in s for s in r["steps"]) and
      any(a["space"] == "shared" for s in r["steps"] for a in s.get("x", [])))

for words, said in ((("--block", "2", program), "there is no block (2,0,0)"),
                    (("--block", "1,2,3,4", program), "--block takes X[,Y[,Z]] or all, not '1,2,3,4'"),
                    (("--block", "-1", program), "--block takes"),
                    ((program, "99"), "launches no kernel")):
    r = run(*words)
    check(f"{words}: {r.returncode} {r.stderr}", r.returncode not in (0, 70) and said in r.stderr)
r = run(program, to=os.path.join(work, "no", "where.html"))
check(f"no folder: {r.stderr}", r.returncode not in (0, 70) and "where.html" in r.stderr)

chromium = shutil.which("chromium") or shutil.which("chromium-browser")
DRAW = """<pre></pre><iframe width="%d" height="900" src="page.html#%d"></iframe><script>
const frame = document.querySelector('iframe');
frame.onload = () => { const d = frame.contentDocument, w = frame.contentWindow;
  const said = () => d.getElementById('what').textContent, count = () => d.getElementById('count').textContent;
  const key = k => d.dispatchEvent(new w.KeyboardEvent('keydown', {key: k}));
  const out = [said(), count()]; key('ArrowRight'); out.push(count());
  key('ArrowLeft'); key('ArrowLeft'); out.push(count()); key('End'); out.push(said());
  key('Home'); out.push(d.querySelectorAll('#lanes td').length, d.documentElement.scrollWidth <= w.innerWidth);
  document.querySelector('pre').textContent = JSON.stringify(out); }</script>"""


def browse(frame):
    """(what the frame says, what the browser complains of)"""
    r = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                        "--allow-file-access-from-files", f"--user-data-dir={work}/profile",
                        "--virtual-time-budget=10000", "--dump-dom", "file://" + frame],
                       capture_output=True, text=True, timeout=300)
    found = re.search(r"<pre>(\[.*?\])</pre>", r.stdout, re.S)
    return json.loads(found[1]) if found else [r.stdout[:300]], [x for x in r.stderr.splitlines() if "CONSOLE" in x]


def draw(width, step):
    frame = os.path.join(work, "frame.html")
    with open(frame, "w") as f:
        f.write(DRAW % (width, step))
    told, errors = browse(frame)
    where = f"warp 0, 32 of 32 lanes, line {line_of('// loaded')}, phase 2 of 2"
    check(f"{width}: {told}", len(told) == 7 and told[0] == where and
          [t.split(" of")[0] for t in told[1:4]] == [f"step {step + k}" for k in (0, 1, -1)] and
          told[4:] == ["all threads have exited", 64, True])
    check(f"console: {errors}", not errors)


if chromium and not os.environ.get("SANITIZE"):
    r, _ = record(program)
    for width in 1400, 400:
        draw(width, next(k for k, s in enumerate(r["steps"]) if s["l"] == line_of("// loaded")))
    record("--block", "all", "--registers", program)
    frame = os.path.join(work, "frame.html")
    with open(frame, "w") as f:
        f.write("""<pre></pre><iframe width="1400" height="900" src="page.html#20,1"></iframe><script>
document.querySelector('iframe').onload = e => { const d = e.target.contentDocument, pick = d.getElementById('block');
  document.querySelector('pre').textContent = JSON.stringify([pick.hidden, pick.options.length, pick.selectedOptions[0].text,
    d.getElementById('count').textContent, d.querySelector('#registers h2').textContent]); }</script>""")
    told, said = browse(frame)
    check(f"all blocks, registers: {told}", told and told[:3] == [False, 2, "block (1,0,0)"] and
          told[3].startswith("step 20 of") and told[4] == "Registers of turn in warp 0")
    check(f"console: {said}", not said)
finish("" if chromium else "; no browser: the page was not drawn")
