# SPDX-License-Identifier: Apache-2.0
"""docs/ci.md: the steps of its GitHub and GitLab jobs, the installing ones too, run as written on a transpose: with its
padding they pass; without, the budget's step ends with 1 and names the kernel and the figure. What the page says of the
action's inputs and of the template's variables is what they have (tests/packaging/ci_test.py runs those)."""
import os, re, subprocess, sys, tempfile

from checks import check, finish, source

sys.path.insert(0, os.path.join(source, "tests/packaging"))
from transpose import KERNEL

page = open(os.path.join(source, "docs/ci.md"), encoding="utf-8").read()
os.environ["PATH"] = os.path.dirname(os.environ["LOCKSTEP"]) + ":" + os.environ["PATH"]
PROGRAM = "#include <cstdio>\n#include <cstdlib>\n#include <vector>\n" + KERNEL + """int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    size_t bytes = (size_t)n * n * sizeof(float);
    float *in, *out;
    std::vector<float> a(n * n), b(n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, a.data(), bytes, cudaMemcpyHostToDevice);
    transpose<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(in, out, n);
    cudaMemcpy(b.data(), out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (int i = 0; i < n * n; i++)
        if (b[i] != a[i % n * n + i / n])
            return 1;
    return 0;
}
"""


def steps(job, after, first):
    """The commands of a list in YAML: items `- [run:] command`, `|` blocks, folded lines."""
    found, block = [], None
    for line in job[job.index(after) + len(after):].splitlines():
        item = re.match(r"^( +)- (.*)$", line)
        if item and len(item[1]) == first:
            text = item[2]
            block = None
            if text.startswith("run:"):
                text = text[4:].strip()
            elif re.match(r"\w+:", text):
                continue
            found.append("" if text == "|" else text)
            block = text == "|"
        elif block is not None and found and len(line) - len(line.lstrip()) > first:
            found[-1] += ("\n" if block else " ") + line.strip()
        elif line.strip() and not item:
            block = None
    return found


def job(folder, commands, program):
    """The status of the job, the command that ended it and what was printed."""
    open(os.path.join(folder, "transpose.cu"), "w").write(program)
    for command in commands:
        r = subprocess.run(["bash", "-e", "-c", command], cwd=folder, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
        if r.returncode:
            return r.returncode, command, r.stdout
    return 0, "", ""


jobs = re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S)
check("four jobs", len(jobs) == 4)
by_hand = [j for j in jobs if "lockstep profile" in j]
check("two of them by hand", len(by_hand) == 2)
bare = PROGRAM.replace("[TILE + 1]", "[TILE]")
for name, commands in (("GitHub", steps(by_hand[0], "steps:\n", 6)),
                       ("GitLab", steps(by_hand[1], "before_script:\n", 4))):
    check(f"{name}: {commands}", len(commands) >= 4 and any("--assert" in c for c in commands) and
          any(c.endswith("ci/install.sh") for c in commands))
    for program, right in ((PROGRAM, True), (bare, False)):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(source, os.path.join(folder, ".lockstep"))  # the checkout of the step before
            status, command, out = job(folder, commands, program)
            if right:
                check(f"{name}, padded: {status} {command}\n{out}", status == 0)
                for file in re.findall(r"(?:--html|--sarif|--junit|--json=?) ?(\S+)", " ".join(commands)):
                    check(f"{name}: {file}", os.path.getsize(os.path.join(folder, file)) > 200)
                continue
            check(f"{name}, without: {status} {command}\n{out}", status == 1 and "--assert" in command)
            said = re.search(r"transpose: shared_load_bank_conflicts is \d+, not == 0", out)
            check(f"{name}, without: {out}", said)
            if said:
                print(f"{name}, padding removed: status {status}: {said[0]}")

# the action, the template, the exit statuses
action = open(os.path.join(source, "action.yml"), encoding="utf-8").read()
inputs = set(re.findall(r"^  ([\w-]+):\n    description:", action[: action.index("\noutputs:")], re.M))
table = set()
for row in re.search(r"^\| input \|.*?(?=^$)", page, re.M | re.S)[0].splitlines()[2:]:
    table |= set(re.findall(r"`([\w-]+)`", row.split("|")[1]))
check(f"the table of inputs: {sorted(inputs)} {sorted(table)}", inputs == table)
used = set(re.findall(r"^          ([\w-]+):", next(j for j in jobs if "uses: ./.lockstep" in j), re.M)) - {"repository", "path"}
check(f"inputs in the example: {used}", used and used <= inputs)
template = open(os.path.join(source, "ci/gitlab.yml")).read() + open(os.path.join(source, "ci/check.sh")).read()
for variable in set(re.findall(r"\b(?:CHECK|LOCKSTEP)_[A-Z_]+\b", page)):
    check(f"{variable} is not known to the template", variable in template)
header = open(os.path.join(source, "src/cli/cli.h")).read()
values = set(re.findall(r"^    CLI_\w+ = (\d+)", header, re.M))
check(f"exit statuses: {values}", values == set(re.findall(r"^\| (\d+) \|", page, re.M)))
finish()
