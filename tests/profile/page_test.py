# SPDX-License-Identifier: Apache-2.0
"""The HTML report: well-formed, self-contained, every picture drawn, links lead somewhere, text escaped;
in a real browser (where one is installed) the page asks for nothing and its console stays empty."""
import os, shutil, subprocess, sys

from checks import check, finish, lockstep, source, work

sys.path.insert(0, os.path.join(source, "tests/report"))
import browser # noqa: E402


def page(name, path, *arguments, options=(), tool=()):
    program, out = os.path.join(work, name), os.path.join(work, name + ".html")
    subprocess.run([lockstep, "cc", *options, "-o", program, os.path.join(source, path)], check=True)
    subprocess.run([lockstep, "profile", "-q", "--phases", *tool, "--html", out, program, *arguments],
                   check=True, stdout=subprocess.DEVNULL)
    return browser.judge(check, name, out)


text, root = page("transposes", "tests/profile/transposes.cu")
sections = [d for d in root.findall(".//details") if d.get("class") != "ptx"]
check("a section per kernel", [s.find("summary").text for s in sections] ==
      ["naive", "tiled<0, false>", "tiled<1, false>", "tiled<1, true>"])
titles = [h.text for h in sections[1].iter("h3")]
for title in ("What the figures say", "Of each peak", "Memory", "Source", "Banks of the hottest shared load, line 36",
              "Sectors of the hottest global load, line 31", "Occupancy", "Blocks over SMs", "Counters"):
    check(f"part: {title}", title in titles)
bad = [r for r in sections[1].iter("rect") if r.get("class") == "bad" and "conflict" in r.findtext("title", "")]
check("32 lanes in conflict", len(bad) == 32)
check("the padded map beside it", "Rows of 132 bytes: 1 wavefront, 0 in excess." in text)
check("none in the padded kernel", not [r for r in sections[2].iter("rect") if "conflict" in r.findtext("title", "")])
check("names are escaped", "tiled&lt;0, false&gt;" in text)
check("the source is there", "out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j]" in text)
text, root = page("tiled", "suite/matmul/tiled.cu", "--n", "4", "--verify", "0", options=["-DTILE=2"])
check("phases", "Phases: who loads and stores what between barriers" in text and "1: tile_b[1]" in text)
check("roofline", "Roofline: reachable operations" in text)

text, root = page("old", "tests/profile/transposes.cu", tool=["--gpu", "gt200"])
check("transactions", "Transactions of the hottest global store, line 17" in text and "One request: 32 transactions (" in text)

browser = shutil.which("chromium") or shutil.which("chromium-browser")
if browser and not os.environ.get("SANITIZE"):
    for width in (1280, 390):
        shot = os.path.join(work, "shot.png")
        r = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                            f"--user-data-dir={work}/profile", f"--window-size={width},900", "--screenshot=" + shot,
                            "file://" + os.path.join(work, "transposes.html")],
                           stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, timeout=120)
        check(f"drawn at {width}", os.path.exists(shot) and os.path.getsize(shot) > 10000)
        check("console", "CONSOLE" not in r.stderr)
else:
    print("no browser here: not drawn")
finish()
