# SPDX-License-Identifier: Apache-2.0
"""`lockstep help`, manual pages and completions: every command and topic explained, every variable that is
read named, pages that mandoc and man find no fault with, completions that the shells themselves run."""
import os, re, shutil, subprocess

from checks import binary, check, finish, lockstep, source


def run(*words, status=0, **more):
    r = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    check(f"{words}: status {r.returncode}: {r.stderr}", r.returncode == status)
    return r.stdout, r.stderr


table = open(os.path.join(source, "src/cli/cli_commands.def")).read()
commands = re.findall(r"^COMMAND\((\w+),", table, re.M)
topics = re.findall(r'^TOPIC\("([\w-]+)",', open(os.path.join(source, "src/cli/main/help_topics.def")).read(), re.M)
check("tables", len(commands) >= 9 and len(topics) >= 15)

overview = run(lockstep, "help")[0]
check("--help is help", overview == run(lockstep, "--help")[0])
for name in commands + topics:
    check(f"{name} in the overview", re.search(rf"\b{name}\b", overview))
    text = run(lockstep, "help", name)[0]
    check(f"help {name}: {len(text)}", 100 < len(text))
    check(f"help {name}: wide lines", name in commands or all(len(line) <= 115 for line in text.splitlines()))
    if name in commands and name not in topics:
        check(f"help {name} is {name} --help", name == "cc" or text == run(lockstep, name, "--help")[0])
for word, near in (("bnaks", "banks"), ("coalesing", "coalescing"), ("profil", "profile"), ("exit-code", "exit-codes")):
    out, err = run(lockstep, "help", word, status=2)
    check(f"{word}: {err}", not out and f'no topic "{word}"; did you mean "{near}"?' in err)
run(lockstep, "help", "xyzzyxyzzy", status=2)
run(lockstep, "help", "--completion", "csh", status=2)
run(lockstep, "help", "--man", "csh", status=2)
run(lockstep, "check", "--help=csh", status=2)

# kinds of findings
told = run(lockstep, "help", "findings")[0].split()
kinds = re.findall(r'^FINDING\(\w+, "([\w-]+)"', open(os.path.join(source, "src/check/findings.def")).read(), re.M)
for kind in kinds:
    check(f"help findings does not name {kind}", kind in told)
check("kinds", len(kinds) > 15)

# variables
told, read = run(lockstep, "help", "environment")[0], set()
for folder, _, names in os.walk(os.path.join(source, "src")):
    for name in names:
        text = open(os.path.join(folder, name), encoding="utf-8", errors="replace").read()
        read |= set(re.findall(r'getenv\("([A-Z_]+)"\)', text)) | set(re.findall(r'"(LOCKSTEP_[A-Z_]+)"', text))
read -= {"PATH", "HOME", "LD_PRELOAD", "XDG_CACHE_HOME"} | {v for v in read if v.startswith(("OMPI_", "PMI", "SLURM_"))}
for name in read:
    check(f"{name} is read, but `help environment` does not name it", re.search(rf"^  {name} ", told, re.M))
check("variables", len(read) > 12)


def options(name):
    return re.findall(r"^ {2,6}(?:-\w, )?(--?[\w-]+)", run(lockstep, name, "--help")[0], re.M)


# manual pages
share = os.path.join(binary, "share")
pages = {n: os.path.join(share, "man/man1", f"lockstep-{n}.1") for n in commands}
pages[""] = os.path.join(share, "man/man1/lockstep.1")
pages["topics"] = os.path.join(share, "man/man7/lockstep-topics.7")
mandoc, man = shutil.which("mandoc"), shutil.which("man")
for name, path in pages.items():
    text = open(path).read()
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO" if name else "EXIT STATUS"):
        check(f"{path}: no {section}", f".SH {section}\n" in text or (name == "topics" and section != "NAME"))
    for option in options(name) if name in commands else ():
        check(f"{path}: no {option}", "\\fB" + option.replace("-", "\\-") + "\\fR" in text)
    if mandoc:
        complaints = subprocess.run([mandoc, "-T", "lint", "-W", "warning", path], stdout=subprocess.PIPE, text=True).stdout
        check(f"mandoc: {complaints}", not complaints)
    if man:
        r = subprocess.run([man, "--warnings", "-E", "UTF-8", "-l", "-Tutf8", path], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, env=dict(os.environ, MANWIDTH="80", MANROFFOPT=""))
        check(f"man: {r.stderr}", r.returncode == 0 and not r.stderr and "lockstep" in r.stdout)
for topic in topics:
    check(f"lockstep-topics: no {topic}", f'.SH "{topic}: ' in open(pages["topics"]).read())

# completions
script = os.path.join(share, "bash-completion/completions/lockstep")
COMPLETE = """source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lockstep; printf '%s\\n' "${COMPREPLY[@]}" """


def bash(*words):
    return run("bash", "-c", COMPLETE, "bash", script, "lockstep", *words, cwd=source)[0].split()


check("commands", bash("ch") == ["check"] and set(commands + ["help"]) <= set(bash("")))
check("an option", bash("check", "--ht") == ["--html"] and bash("run", "--dev") == ["--device", "--devices"])
check("a GPU", bash("profile", "--gpu", "h2") == ["h200"] and "3.5" in bash("profile", "--cc", ""))
check("verbs", bash("suite", "cl") == ["claims"])
check("topics", bash("help", "ba") == ["banks"] and bash("help", "pro") == ["profile"])
check("files", bash("run", "READ") == ["README.md"])
for name in commands:
    check(f"bash: {name}", set(options(name)) - {"--help"} <= set(bash(name, "-")) | {"--help"})
if shutil.which("zsh"):
    run("zsh", "-n", os.path.join(share, "zsh/vendor-completions/_lockstep"))
if shutil.which("fish"):
    fish = os.path.join(share, "fish/vendor_completions.d/lockstep.fish")
    out = run("fish", "-c", f'source {fish}; complete -C "lockstep check --ht"; complete -C "lockstep su"; complete -C "lockstep help ban"')[0]
    check(f"fish: {out}", "--html\ta report" in out and "suite\t" in out and "banks" in out)
finish(("" if mandoc else "; no mandoc") + ("" if man else "; no man"))
