# SPDX-License-Identifier: Apache-2.0
"""`access --html` and `--svg`: a page and a drawing whose squares are the banks and sectors that the rules give, worked
out here once more; drawn at desktop and phone width where there is a browser."""
import os
import subprocess
import xml.etree.ElementTree as tree

import browser

from checks import check, finish, lockstep, work

SVG = "{http://www.w3.org/2000/svg}"


def access(*words, status=0):
    r = subprocess.run([lockstep, "access", *words], capture_output=True, text=True, cwd=work)
    check((words, r.returncode, r.stderr), r.returncode == status)
    return r


def squares(name):
    """The shapes that are good or bad, with what they say."""
    root = tree.parse(os.path.join(work, name)).getroot()
    check("no style", root.find(SVG + "style") is not None)
    check("variables", "var(" not in open(os.path.join(work, name)).read())
    return [(r.get("class"), r.find(SVG + "title").text) for r in root.iter(SVG + "rect") if r.get("class") in ("good", "bad")]


for stride, cc, banks in ((1, "9.0", 32), (2, "9.0", 32), (32, "9.0", 32), (33, "7.0", 32), (3, "1.3", 16)):
    access("--stride", str(stride), "--cc", cc, "--svg", "s.svg", "--html", "s.html")
    found = squares("s.svg")
    lanes = {l: stride * l % banks for l in range(32)}
    part = 16 if cc == "1.3" else 32
    for lane, (colour, tip) in enumerate(found):
        meet = sum(lanes[k] == lanes[lane] for k in range(32) if k // part == lane // part) > 1
        said = "lane %d: byte %d, bank %d%s" % (lane, 4 * stride * lane, lanes[lane], ", conflict" if meet else "")
        check((stride, lane, colour, tip, said), colour == ("bad" if meet else "good") and tip == said)
    check((stride, len(found)), len(found) == 32)
for cc, op, width, stride, red in (("9.0", "ld", 8, 1, 0), ("9.0", "ld", 8, 2, 64), ("9.0", "ld", 16, 3, 0),
                                   ("9.0", "ld", 16, 2, 128), ("9.0", "st", 2, 32, 32), ("9.0", "ld", 4, 0, 0),
                                   ("9.0", "atom", 4, 0, 32), ("3.5", "ld", 4, 2, 0), ("3.5", "ld", 8, 1, 0),
                                   ("3.5", "ld", 8, 16, 64), ("1.3", "ld", 8, 1, 64)):
    access("--stride", str(stride), "--cc", cc, "--op", op, "--width", str(width), "--svg", "s.svg")
    found = squares("s.svg")
    check((cc, op, width, stride, red, found), [colour for colour, _ in found].count("bad") == red)
for stride in (1, 2, 8):
    access("--space", "global", "--stride", str(stride), "--svg", "g.svg")
    used = {}
    for lane in range(32):
        used[4 * stride * lane // 32] = used.get(4 * stride * lane // 32, 0) + 4
    said = [("good" if n == 32 else "bad", "sector at byte %d: %d of 32 bytes asked for" % (32 * s, n)) for s, n in used.items()]
    check((stride, said), squares("g.svg") == said)
access("--expr", "tid*32", "--block", "64", "--html", "page.html")
text = browser.judge(check, "page", os.path.join(work, "page.html"))
page = open(os.path.join(work, "page.html"), encoding="utf-8").read()
for words in ("shared load of 4 bytes, element tid*32, 64 threads", "Warp 0", "Warp 1", "31 bank conflicts, 32-way",
              "What removes the conflict: one element of padding behind every 32", "Rows of 132 bytes: 1 wavefront, 0 in excess"):
    check(words, words in page)
access("--stride", "1", "--html", "clean.html")
check("a remedy for nothing", "What removes" not in open(os.path.join(work, "clean.html")).read())
for words, said in ((("--csv", "x", "--svg", "y"), "one pattern"), (("--stride", "1", "--svg", "no/where.svg"), "no/where.svg"),
                    (("--stride", "1", "--space", "constant", "--svg", "c.svg"), "not constant ones")):
    check(words, said in access(*words, status=2).stderr)
check("a drawing of nothing", not os.path.exists(os.path.join(work, "c.svg")))
if browser.chromium and not os.environ.get("SANITIZE"):
    browser.draw(check, "page", page, [(1400, False), (400, True)])
finish()
