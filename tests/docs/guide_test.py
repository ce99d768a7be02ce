# SPDX-License-Identifier: Apache-2.0
"""The guide: every link and anchor of README, docs and the suite's pages leads somewhere; every page is
reached from docs/README.md; docs/commands.md has every command and option of --help; every counter and
kind of finding is explained."""
import os, re, subprocess

from checks import check, finish, lockstep, source


def read(path):
    return open(path, encoding="utf-8").read()



def anchors(path):
    """As GitHub and GitLab make them of headings."""
    text = re.sub(r"^```.*?^```$", "", read(path), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)}


pages = [os.path.join(source, p) for p in ("README.md", "CONTRIBUTING.md")]
for folder in ("docs", "suite"):
    for top, _, names in os.walk(os.path.join(source, folder)):
        pages += [os.path.join(top, n) for n in names if n.endswith(".md")]
links = {}
for page in pages:
    links[page] = set()
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", read(page), flags=re.M | re.S)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        where = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        name = os.path.relpath(page, source)
        check(f"{name}: {target} is not there", os.path.exists(where))
        if anchor and where.endswith(".md") and os.path.exists(where):
            check(f"{name}: {target}: no such heading", anchor in anchors(where))
        links[page].add(where)
guide = os.path.join(source, "docs/README.md")
for page in pages:
    if os.path.dirname(page) == os.path.join(source, "docs") and page != guide:
        check(f"docs/README.md does not link {os.path.basename(page)}", page in links[guide])
check("README.md links the guide", guide in links[os.path.join(source, "README.md")])


def run(*words):
    return subprocess.run([lockstep, *words], stdout=subprocess.PIPE, check=True, text=True).stdout


reference = read(os.path.join(source, "docs/commands.md"))
commands = re.findall(r"^COMMAND\((\w+),", read(os.path.join(source, "src/cli/cli_commands.def")), re.M)
for name in commands:
    part = re.search(rf"^## lockstep {name}$(.*?)(?=^## |\Z)", reference, re.M | re.S)
    check(f"docs/commands.md has no {name}: lockstep help --markdown makes it", part)
    common = re.search(r"^## Common options$(.*?)(?=^## )", reference, re.M | re.S)[1]
    for option in re.findall(r"^ {2,6}(?:-\w, )?(--?[\w-]+)", run(name, "--help"), re.M):
        check(f"docs/commands.md, {name}: no {option}: lockstep help --markdown makes it",
              part and re.search(rf"`{re.escape(option)}[ `\[]", part[1] + common))
    check(f"docs/README.md has no lockstep {name}", f"lockstep {name}" in read(guide))
checks = read(os.path.join(source, "docs/checks.md"))
for kind in re.findall(r'^FINDING\(\w+, "([\w-]+)"', read(os.path.join(source, "src/check/findings.def")), re.M):
    check(f"docs/checks.md has no {kind}", f"`{kind}`" in checks)
pictures = read(os.path.join(source, "docs/pictures.md"))
for what in ("wavefronts", "wavefronts_ideal", "bank_conflicts", "sectors", "sectors_ideal", "transactions", "requests",
             "l1_hit_rate", "l2_hit_rate", "bytes_dram_read", "branches_divergent", "barriers", "flops_f32", "cgma"):
    check(f"docs/pictures.md has no {what}", re.search(rf"`(\w+_)?{what}`", pictures))
# The guide to a real GPU is short; its log has the figures, and what the guide says of profile's times agrees with it.
text, log = read(os.path.join(source, "docs/gpu.md")), read(os.path.join(source, "docs/gpu-log.md"))
check("docs/gpu.md is a guide, not a log", len(text.splitlines()) < 100 and "TFLOP/s" not in text and "cuBLAS 50" in log)
help_text = "".join(run("help", topic) for topic in ("limits", "roofline", "devices"))
for name, said in (("docs/README.md", read(guide)), ("lockstep help", help_text)):
    check(f"{name} calls profile's times bounds alone", not re.search(r"bounds, not predictions|latency is not modelled|only bounds", said))
estimate = re.search(r"^\| estimate \| \*\*([\d.]+) %\*\* .* \| ([\d.]+), ([\d.]+) \|$", log, re.M)
check("the estimate's row in docs/gpu-log.md", estimate)
if estimate:
    check("docs/README.md says what docs/gpu-log.md found", re.search(rf"(?:factor of|within) {estimate[3]}\b", read(guide)))
beside = re.search(r"^## Beside other tools$(.*?)(?=^## |\Z)", read(guide), re.M | re.S)[1]
for tool in ("compute-sanitizer", "Nsight Compute", "Accel-Sim 2.0", "FlashGPU-Sim", "rocjitsu", "Mirage", "LeetGPU", "Oclgrind"):
    check(f"docs/README.md, Beside other tools: no {tool}", re.search(rf"^\| [^|]*{tool}", beside, re.M))
finish(f", {len(pages)} pages")
