# SPDX-License-Identifier: Apache-2.0
"""The lectures' figures of suite/figures.py: as text they are what the systems' READMEs show; as pages they are drawn in
a browser, where there is one, on a screen and at the width of a phone, with no error and nothing to scroll sideways."""
import json
import os
import re
import shutil
import subprocess
import sys

from checks import check, finish, source, work

READMES = {"tiled": "matmul", "banks": "banks", "tree": "reduce", "halo": "convolution"}
r = subprocess.run([sys.executable, os.path.join(source, "suite/figures.py"), work], capture_output=True, text=True,
                   timeout=300)
check(f"they are made: {r.stderr}", r.returncode == 0)
for name, system in READMES.items():
    with open(os.path.join(work, name + ".txt")) as f, open(os.path.join(source, "suite", system, "README.md")) as g:
        text, readme = f.read(), g.read()
    check(f"{system}/README.md shows it:\n{text}", f"```text\n{text}```" in readme)
    check(f"{system}/README.md has the command", f"lockstep debug --record {name}.html " in readme)

chromium = shutil.which("chromium") or shutil.which("chromium-browser")
FRAMES = """<pre></pre>%s<script>
const out = [];
onload = () => { for (const frame of document.querySelectorAll("iframe")) {
  const d = frame.contentDocument, w = frame.contentWindow;
  d.dispatchEvent(new w.KeyboardEvent("keydown", {key: "p"}));
  d.dispatchEvent(new w.KeyboardEvent("keydown", {key: "ArrowRight"}));
  out.push([frame.src.replace(/.*\\//, ""), w.innerWidth, d.documentElement.scrollWidth <= w.innerWidth,
            /, phase 2 of /.test(d.getElementById("what").textContent), d.querySelectorAll("#phases rect").length > 1,
            d.querySelectorAll("td.on").length > 0]); }
document.querySelector("pre").textContent = JSON.stringify(out); }</script>"""
if chromium and not os.environ.get("SANITIZE"):
    frames = "".join(f'<iframe width="{w}" height="900" src="{name}.html"></iframe>' for name in READMES for w in (1400, 400))
    page = os.path.join(work, "frames.html")
    with open(page, "w") as f:
        f.write(FRAMES % frames)
    r = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                        "--allow-file-access-from-files", f"--user-data-dir={work}/profile",
                        "--virtual-time-budget=10000", "--dump-dom", "file://" + page],
                       capture_output=True, text=True, timeout=300)
    found = re.search(r"<pre>(\[.*?\])</pre>", r.stdout, re.S)
    shown = json.loads(found[1]) if found else []
    check(f"all are drawn: {shown}", len(shown) == 8)
    for name, width, fits, phase, strip, lanes in shown:
        check(f"{name} at {width}: {fits, phase, strip, lanes}", fits and phase and strip and lanes)
    errors = [x for x in r.stderr.splitlines() if "CONSOLE" in x]
    check(f"console: {errors}", not errors)
finish("" if chromium else "; no browser: the pages were not drawn")
