# SPDX-License-Identifier: Apache-2.0
"""The steps of the GitHub Action and of the GitLab template, run as their runners run them: a root with an installed
copy, an environment with nothing but what a runner sets, a clean checkout. Padded, the transpose passes; without its
padding the budget's step ends with 1, a race with annotations and 1, a program without a kernel with 3."""
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

from transpose import KERNEL

from checks import binary as BINARY, check, finish, source as SOURCE, work as FOLDER

try:
    import yaml
except ImportError:
    print("SKIP: no yaml for Python (python3-yaml)")
    sys.exit(77)
if os.environ["SANITIZE"]:
    print("SKIP: programs of a sanitized build do not run by themselves")
    sys.exit(77)
ROOT = FOLDER + "/clean"
TRANSPOSE = "#include <vector>\n" + KERNEL + """int main(int argc, char **argv)
{
    const int n = N;
    float *in, *out;
    std::vector<float> a(n * n), b(n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i;
    cudaMalloc(&in, n * n * 4);
    cudaMalloc(&out, n * n * 4);
    cudaMemcpy(in, a.data(), n * n * 4, cudaMemcpyHostToDevice);
    transpose<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(in, out, n);
    cudaMemcpy(b.data(), out, n * n * 4, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return argc != 3 || argv[1][0] != 'a' || argv[2] != std::string("b c") || b[1] != a[n];
}
"""
BUDGET = "shared_load_bank_conflicts == 0\n\ntranspose: global_store_sectors / global_store_requests <= 4\n"


def fresh(name, **files):
    """A checkout, and the environment that a runner sets."""
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder + "/home")
    os.makedirs(folder + "/checkout")
    for path, text in files.items():
        with open(os.path.join(folder, "checkout", path.replace("_cu", ".cu")), "w") as f:
            f.write(text)
    return folder, {"PATH": ROOT + "/usr/local/bin:/usr/bin:/bin", "HOME": folder + "/home", "LANG": "C.UTF-8"}


# -- an installed copy: what the action's first step leaves
install = subprocess.run(["cmake", "--install", BINARY, "--prefix", "/usr/local"], env={**os.environ, "DESTDIR": ROOT},
                         capture_output=True, text=True)
check(f"make install DESTDIR=...: {install.stderr}", install.returncode == 0)
for file in ("ci/install.sh", "ci/check.sh", "ci/gitlab.yml", "ci/problem-matcher.json"):
    check(f"{file} is installed", os.path.exists(f"{ROOT}/usr/local/share/lockstep/{file}"))
action = yaml.safe_load(open(SOURCE + "/action.yml"))
steps = action["runs"]["steps"]
check("a composite action with names and shells", action["runs"]["using"] == "composite" and
      all("name" in s and (("run" in s and s["shell"] == "bash") or "@" in s["uses"]) for s in steps))
used = {i for s in steps for v in list(s.get("env", {}).values()) + list(s.get("with", {}).values()) + [s.get("if", "")]
        for i in action["inputs"] if f"inputs.{i}" in str(v)}
check(f"every input is used: {set(action['inputs']) - used}", used == set(action["inputs"]))


def run_action(name, files, **inputs):
    """The action's own steps; (status, what was printed, folder, outputs)."""
    folder, env = fresh(name, **files)
    values = {i: str(a.get("default", "")) for i, a in action["inputs"].items()}
    values.update({k.replace("_", "-"): v for k, v in inputs.items()})
    env.update(GITHUB_ACTIONS="true", GITHUB_ACTION_PATH=SOURCE, GITHUB_WORKSPACE=folder + "/checkout", CI="true",
               GITHUB_OUTPUT=folder + "/output", GITHUB_STEP_SUMMARY=folder + "/summary", GITHUB_PATH=folder + "/path")
    out, status = "", 0
    for step in steps:
        if "run" not in step:
            continue
        own = dict(env)
        for key, value in step.get("env", {}).items():
            for i, v in values.items():
                value = value.replace("${{ inputs.%s }}" % i, v)
            check(f"{key} has an expression that is not known: {value}", "${{" not in value)
            own[key] = value
        r = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]], env=own,
                           cwd=folder + "/checkout", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        out += r.stdout
        status = status or r.returncode
        if status:
            break
    output = open(folder + "/output").read() if os.path.exists(folder + "/output") else ""
    return status, out, folder, output


call = dict(program="transpose.cu", arguments="a 'b c'", options="-DN=64 -include string", budget=BUDGET)
status, out, folder, output = run_action("padded", {"transpose_cu": TRANSPOSE}, **call)
check(f"padded: {status}\n{out}", status == 0 and output == "status=0\n")
check("the copy that was installed ran", "lockstep" in out and ROOT + "/usr/local/bin/lockstep" in out)
check("reports", json.load(open(folder + "/checkout/lockstep.sarif"))["runs"][0]["results"] == [] and
      ET.parse(folder + "/checkout/lockstep.xml").getroot()[0].get("failures") == "0")
check("the summary says both", open(folder + "/summary").read().count("exit status 0: nothing found") == 2)
check("its cache is the home's", os.path.isdir(folder + "/home/.cache/lockstep"))
status, out, folder, output = run_action("bare", {"transpose_cu": TRANSPOSE.replace("[TILE + 1]", "[TILE]")}, **call)
check(f"without padding: {status}\n{out}", status == 1 and "transpose: shared_load_bank_conflicts is" in out and
      output == "status=1\n" and "exit status 1" in open(folder + "/summary").read())
status, out, folder, output = run_action("race", {"transpose_cu": TRANSPOSE.replace("__syncthreads();", "")},
                                         check_options="--only race", **call)
check(f"a race: {status}\n{out}", status == 1 and "::error file=transpose.cu,line=" in out)
results = json.load(open(folder + "/checkout/lockstep.sarif"))["runs"][0]["results"]
check("in its SARIF", results and all(r["ruleId"] == "shared-race" for r in results))
status, out, folder, output = run_action("idle", {"idle_cu": "int main() { return 0; }\n"}, program="idle.cu")
check(f"no kernel: {status}\n{out}", status == 3 and "status=3" in output)
status, out, folder, output = run_action("missing", {}, program="nowhere.cu")
check(f"no program: {status}", status == 2 and "nowhere.cu" in out)

# -- GitLab: one shell for before_script and script, as its runner has it
template = yaml.safe_load(open(SOURCE + "/ci/gitlab.yml"))[".lockstep"]


def run_gitlab(name, files, **variables):
    folder, env = fresh(name, **files)
    env.update(CI="true", CI_PROJECT_DIR=folder + "/checkout")
    for key, value in {**template["variables"], **variables}.items():
        env[key] = str(value).replace("$CI_PROJECT_DIR", folder + "/checkout")
    lines = "\n".join(template["before_script"] + template["script"])
    r = subprocess.run(["sh", "-e", "-c", lines], env=env, cwd=folder + "/checkout", stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, timeout=600)
    return r.returncode, r.stdout, folder + "/checkout"


variables = dict(LOCKSTEP_FOLDER=SOURCE, CHECK_PROGRAM="transpose.cu", CHECK_ARGUMENTS="a 'b c'", CHECK_BUDGET=BUDGET,
                 CHECK_OPTIONS="-DN=64 -include string")
status, out, work = run_gitlab("gitlab", {"transpose_cu": TRANSPOSE}, **variables)
check(f"GitLab: {status}\n{out}", status == 0)
for path in template["artifacts"]["paths"] + [template["artifacts"]["reports"]["junit"]] + template["cache"]["paths"]:
    check(f"GitLab: {path}", os.path.exists(os.path.join(work, path)))
status, out, work = run_gitlab("gitlab-race", {"transpose_cu": TRANSPOSE.replace("__syncthreads();", "")}, **variables)
check(f"GitLab, a race: {status}\n{out}", status == 1 and "::error" not in out and
      int(ET.parse(work + "/lockstep.xml").getroot()[0].get("failures")) > 0)

# -- from a checkout, where nothing is installed
if os.path.realpath(BINARY) == os.path.realpath(SOURCE + "/build"):
    folder, env = fresh("install")
    env.update(PATH="/usr/bin:/bin:/usr/sbin:/sbin", DESTDIR=FOLDER + "/second", PREFIX="/opt/lockstep", GITHUB_PATH=folder + "/path")
    have = shutil.which("lockstep", path=env["PATH"])
    r = subprocess.run([SOURCE + "/ci/install.sh"], env=env, cwd=folder, capture_output=True, text=True, timeout=1200)
    check(f"ci/install.sh: {r.returncode} {r.stdout[-800:]}{r.stderr[-800:]}", r.returncode == 0 and r.stdout.splitlines()[-1].startswith("lockstep "))
    if not have:
        check("on the path of the steps behind", open(folder + "/path").read() == FOLDER + "/second/opt/lockstep/bin\n")
shutil.rmtree(FOLDER)
finish()
