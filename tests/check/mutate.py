# SPDX-License-Identifier: Apache-2.0
"""Mutation study: what `lockstep check` says when one line of a right program is taken away.

Of each program of the suite (file and local headers) every single one of these is taken away in turn:
a barrier, a fence, the scope of a fence or of an atomic (a block's is left), the atomicity of an atomic
(a load and a store are left), one comparison of a bounds test, the initialisation of memory (a store to
shared memory before its first barrier, a copy or fill by the host), an order of streams (a wait for an
event, a stream, the device), a cudaFree. All mutants of a program are compiled together, each in a
namespace of its own, and run at the program's sizes for check. Programs that `check` reports as they
are (lectures' mistakes) are left out, and named.

    LOCKSTEP=build/lockstep python3 tests/check/mutate.py            # the study: all of suite/, the table
    LOCKSTEP=build/lockstep python3 tests/check/mutate.py sum3/halo  # one program, each mutant
    ... --json FILE      what was found, for tools
    ... --csv FILE.csv FILE.json ...    results of several runs, counted by program (tests/data/mutants.csv)
    ... --open "FILE.cu ARGUMENT ..." ...   other programs, with the arguments for their run: one file and headers beside
                                            it; results are right where what they print is as without a change

A mutant counts as reported when check names anything. Of those that it stays silent on the ones with a wrong
result are misses, some of which cannot be seen by what check looks for (EQUIVALENT says why); those whose
results are as before show nothing at these sizes (a branch that is not taken, a barrier that stands twice).
"""
import collections
import csv
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Sizes beside those for check: with more than one tile, not a multiple of it.
MORE_SIZES = {"nearest/shared": ["100x300"]}
MOST_ELEMENTS = 20000

KINDS = ["barrier", "fence", "scope", "atomic", "bounds", "initialisation", "order", "free"]

# Allocation without the fill that suite_device makes: memory that nobody set must look like it.
PRELUDE = """
#include "suite/common/suite.h"
#include <algorithm>
template <typename T>
static inline T *
unset_device(size_t count)
{
    T *at = NULL;
    CHECK(cudaMalloc((void **)&at, (count ? count : 1) * sizeof(T)));
    return at;
}
template <typename T>
static inline T *
unset_copy(const T *host, size_t count)
{
    (void)host;
    return unset_device<T>(count);
}
#define suite_device unset_device
"""
TORN = """
template <typename T, typename V>
static __device__ inline T
torn_Add(T *at, V value)
{
    T old = *at;
    *at = old + value;
    return old;
}
"""


def blank_comments(text):
    """The text with the same length and lines, comments and strings blank."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group(0))
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", blank, text, flags=re.S)


def inlined(path, seen):
    """The program with its own folder's headers in place; what is in common/ is included as it is,
    but for the main program of products."""
    out = []
    folder = os.path.dirname(path)
    with open(path) as f:
        for line in f:
            m = re.match(r'#include "([^"]+)"', line)
            if not m:
                out.append(line)
                continue
            inner = os.path.normpath(os.path.join(folder, m.group(1)))
            if os.path.basename(inner) == "suite.h" or inner in seen:
                continue
            seen.add(inner)
            out.append(inlined(inner, seen) if os.path.exists(inner) else line)
    return "".join(out)


def balanced(text, at, opening="(", closing=")"):
    """The index behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i + 1
    return len(text)


def device_bodies(text):
    """(begin, end, head) of the functions of the device that kernels reach."""
    bodies = {}
    for m in re.finditer(r"__global__|__device__", text):
        brace = text.find("{", m.end())
        semicolon = text.find(";", m.end())
        if brace < 0 or (0 <= semicolon < brace):
            continue
        head = text[m.start():brace]
        bodies[re.findall(r"(\w+)\s*\(", head)[-1]] = (brace, balanced(text, brace, "{", "}"), head)
    reached, more = set(), {k for k, b in bodies.items() if "__global__" in b[2]}
    while more:
        reached |= more
        more = {k for k in bodies if k not in reached and any(
            re.search(r"\b%s\s*\(" % k, text[bodies[r][0]:bodies[r][1]]) for r in reached)}
    return [bodies[k] for k in bodies if k in reached]


def conjuncts(text, begin, end):
    """The operands of && and || of a condition, outside brackets: (begin, end)."""
    depth, start = 0, begin
    i = begin
    while i < end:
        depth += (text[i] in "([") - (text[i] in ")]")
        if depth == 0 and text[i:i + 2] in ("&&", "||"):
            yield start, i
            start = i + 2
            i += 1
        i += 1
    yield start, end


def is_bounds(text, sizes):
    """A comparison with a size or with 0: not one that gives threads their roles."""
    m = re.fullmatch(r"(.*?[^<>=!])(<=|>=|<|>)([^<>=].*)", text.strip())
    if not m or "?" in text:
        return False
    sides = [m.group(1).strip(), m.group(3).strip()]
    return any(s in sizes or re.fullmatch(r"\w+(\.|->)(\w+)|_*[A-Z][A-Z_0-9]+", s.strip("()")) for s in sides) or \
        sides[1] == "0"


def conditions(text, begin, end):
    """Conditions in a body: of if, of ?:, of bool variables: (begin, end, taken) where taken says
    what the condition is when the test is gone."""
    for m in re.compile(r"\bif\s*(?=\()").finditer(text, begin, end):
        close = balanced(text, m.end())
        leaves = re.match(r"\s*(\{\s*)?(return|continue)\b", text[close:close + 40])
        yield m.end() + 1, close - 1, not leaves
    for m in re.compile(r"\bbool\s+\w+\s*=\s*([^;]*);").finditer(text, begin, end):
        yield m.start(1), m.end(1), True
    for m in re.compile(r"[=(,]\s*([^=;?(),]*(?:\([^()]*\)[^=;?(),]*)*(?:[<>]=?[^=;?,]*)+)\?").finditer(
            text, begin, end):
        yield m.start(1), m.end(1), True


def find_mutants(text):
    """(kind, begin, end, replacement) of each thing that can be taken away."""
    code = blank_comments(text)
    for begin, end, head in device_bodies(code):
        for m in re.compile(r"__syncthreads\(\)|__syncwarp\([^;]*\)|\b\w+\.sync\(\)").finditer(
                code, begin, end):
            yield "barrier", m.start(), m.end(), ""
        for m in re.compile(r"__threadfence(_system)?\(\)").finditer(code, begin, end):
            yield "fence", m.start(), m.end(), ""
            yield "scope", m.start(), m.end(), "__threadfence_block()"
        for m in re.compile(r"\batomic(Add)\(").finditer(code, begin, end):
            yield "atomic", m.start(), m.end(), "torn_%s(" % m.group(1)
            yield "scope", m.start(), m.end(), "atomic%s_block(" % m.group(1)
        sizes = set(re.findall(r"\b(?:int|size_t|unsigned)\s+(\w+)\s*[,)]", head))
        sizes |= set(re.findall(r"\bcount\b", code[begin:end]))
        taken_places = set()
        for b, e, taken in conditions(code, begin, end):
            for cb, ce in conjuncts(code, b, e):
                if is_bounds(code[cb:ce], sizes) and cb not in taken_places:
                    taken_places.add(cb)
                    joined = code[b:e]
                    value = ("false" if "||" in joined else "true") if taken else (
                        "false" if "&&" not in joined else "true")
                    yield "bounds", cb, ce, " %s " % value
        shared = re.findall(r"__shared__[^;=]*?\b(\w+)\s*(?=\[|;)", code[begin:end])
        first_barrier = re.compile(r"__syncthreads|\.sync\(").search(code, begin, end)
        until = first_barrier.start() if first_barrier else end
        for name in shared:
            for m in re.compile(r"(?<![\w.])%s\b(\s*\[[^;]*?\])*\s*=[^=;][^;]*;" % name).finditer(
                    code, begin, until):
                if "__shared__" not in code[code.rfind("\n", 0, m.start()):m.start()]:
                    yield "initialisation", m.start(), m.end(), ";"
    for m in re.finditer(r"\bsuite_upload\(", code):
        yield "initialisation", m.start(), m.end(), "unset_copy("
    for m in re.finditer(r"(?<=[(, ])suite_to_device\([^;,]*,[^;,]*,[^;,)]*\)", code):
        yield "initialisation", m.start(), m.end(), "(void)0"
    for m in re.finditer(r"\bCHECK\(cuda(Memset|MemcpyToSymbol)\(", code):
        yield "initialisation", m.start(), balanced(code, m.start() + 5), "(void)0"
    for m in re.finditer(r"\bCHECK\(cuda(StreamWaitEvent|StreamSynchronize|EventSynchronize|DeviceSynchronize)\(",
                         code):
        yield "order", m.start(), balanced(code, m.start() + 5), "(void)0"
    # As other programs call them: bare, or in a macro that looks at the result.
    called = r"(?<=[;{}\n])\s*((?:\w+\(\s*)?%s)\("
    for m in re.finditer(called % "cuda(?:Memset|Memcpy)(?:Async)?", code):
        end = balanced(code, m.start(1) + code[m.start(1):].index("("))
        if "Memset" in m.group(1) or "HostToDevice" in code[m.start():end]:
            yield "initialisation", m.start(1), end, "(void)0"
    for m in re.finditer(called % "cuda(?:StreamWaitEvent|StreamSynchronize|EventSynchronize)", code):
        yield "order", m.start(1), balanced(code, m.start(1) + code[m.start(1):].index("(")), "(void)0"
    for m in re.finditer(called % "cudaFree(?:Async)?", code):
        yield "free", m.start(1), balanced(code, m.start(1) + code[m.start(1):].index("(")), "(void)0"
    for m in re.finditer(r"\bCHECK\(cudaFree\(", code):
        yield "free", m.start(), balanced(code, m.start() + 5), "(void)0"
    for m in re.finditer(r"\bsuite_free_device\(([^;]*)\);", code):
        for a in re.finditer(r"[^,\s][^,]*", m.group(1)):
            yield "free", m.start(1) + a.start(), m.start(1) + a.end(), "NULL"


def sizes_of(text):
    """Those for check; behind them, for mutants that these say nothing of, the small ones of its tests."""
    def line(name):
        m = re.search(r"^ \* %s: (.*)$" % name, text, re.M)
        return m.group(1).split() if m else []
    first = line("check") or ["17", "100"]
    numbers = {s: list(map(int, s.split("x"))) for s in first + line("sizes") if re.fullmatch(r"[\dx]+", s)}
    most = max(map(len, numbers.values()), default=1) # one number stands for as many alike
    small = [s for s, n in numbers.items() if 1 < math.prod(n if len(n) > 1 else most * n) <= MOST_ELEMENTS]
    return first + [s for s in small if s not in first]


class Study:
    """One program: its mutants in one executable; MUTANT picks one, 0 is the program itself."""

    def __init__(self, name, work):
        self.name = name
        self.printed = None # an open program's exit status, and what it prints, where that is always the same
        self.known = {} # findings by kind that an open program has as it is
        path = os.path.join(root, "suite", name + ".cu")
        self.open = name.split()[0].endswith(".cu")
        if self.open:
            path, *words = name.split()
            self.runs, self.prelude, self.folder = [words], TORN, os.path.dirname(os.path.abspath(path))
        else:
            with open(path) as f:
                sizes = sizes_of(f.read()) + MORE_SIZES.get(name, [])
            self.runs = [["--size", size, "--repeat", "0", "--quiet"] for size in sizes]
            self.prelude, self.folder = PRELUDE + TORN, os.path.join(root, "suite/common")
        text = inlined(path, set())
        self.mutants = []
        for kind, begin, end, instead in find_mutants(text):
            line = text[text.rfind("\n", 0, begin) + 1:text.find("\n", begin)].strip()
            self.mutants.append({"program": name, "kind": kind, "line": line,
                                 "gone": text[begin:end].strip(),
                                 "text": text[:begin] + instead + text[end:]})
        self.program = os.path.join(work, re.sub(r"\W", "_", name)[-100:])
        self.compile([text] + [m["text"] for m in self.mutants])

    def compile(self, texts):
        # Guards and macros of the inlined headers must not reach the next namespace.
        system = sorted({x for x in re.findall(r"#include <[^>]+>", texts[0])})
        macros = set(re.findall(r"^#\s*define\s+(\w+)", texts[0], re.M))
        source = self.program + ".cu"
        with open(source, "w") as out:
            out.write("\n".join(system) + self.prelude)
            for k, text in enumerate(texts):
                out.write("namespace mutant%d {\n#define main program\n%s\n#undef main\n}\n" % (k, text))
                out.write("".join("#undef %s\n" % x for x in sorted(macros)))
            out.write("static int call(int (*f)(int, char **), int n, char **w) { return f(n, w); }\n"
                      "static int call(int (*f)(), int, char **) { return f(); }\n")
            out.write("int\nmain(int argc, char **argv)\n{\n    switch (atoi(getenv(\"MUTANT\"))) {\n")
            for k in range(len(texts)):
                out.write("    case %d: return call(mutant%d::program, argc, argv);\n" % (k, k))
            out.write("    }\n    return 9;\n}\n")
        done = subprocess.run([lockstep, "cc", "-w", "-I" + root, "-I" + self.folder,
                               "-o", self.program, source], capture_output=True, text=True)
        if done.returncode:
            raise Unfit("%s: the mutants do not compile: %s" % (self.name, done.stderr.split("\n")[0]))

    def results(self, words, env):
        """Exit status, output, and what an open program says and writes; it runs in a folder of its own then."""
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(words, env=env, capture_output=True, timeout=120, cwd=folder if self.open else None)
            files = {}
            for name in os.listdir(folder):
                with open(os.path.join(folder, name), "rb") as f:
                    files[name] = f.read()
        return ended.returncode, ended.stdout, (results_in(ended.stdout + ended.stderr), files)

    def know_output(self):
        env = dict(os.environ, MUTANT="0")
        twice = [self.results([self.program, *self.runs[0]], env) for _ in range(2)]
        self.printed = (twice[0][0], twice[0][2]) if twice[0][2] == twice[1][2] else None

    def new_findings(self, path):
        """Kinds of which there are more findings than the program has as it is."""
        return sorted(k for k, n in findings_in(path).items() if n > self.known.get(k, 0))

    def run(self, k):
        """Kinds of findings at the first size with some, and whether the results were right at those before."""
        kinds, right = [], True
        for words in self.runs:
            path = self.program + ".json"
            env = dict(os.environ, MUTANT=str(k), ASAN_OPTIONS="detect_leaks=0") # the host's are not looked at
            words = [self.program, *words]
            if os.path.exists(path):
                os.remove(path)
            try:
                subprocess.run([lockstep, "check", "--json=" + path, "--", *words], env=env, capture_output=True,
                               timeout=120)
                kinds = self.new_findings(path)
                if kinds: # its results say nothing more
                    break
                status, out, printed = self.results(words, env)
                if self.printed:
                    right &= (status, printed) == self.printed
                else:
                    right &= status == 0 and not re.search(rb"(?i)fail|mismatch|incorrect", out)
            except subprocess.TimeoutExpired:
                right = False # what was found until then is in the file
                kinds = self.new_findings(path)
            right &= os.path.exists(path) # not there: the program came to no call of the API
        return kinds, right


def findings_in(path):
    """How many findings of each kind check wrote."""
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        return collections.Counter(x["kind"] for x in json.load(f)["findings"])


def results_in(text):
    """The lines of a program's output but for those about times and machines, verdicts excepted, and lockstep's own."""
    verdict = rb"(?i)match|miss|pass|fail|correct"
    about = rb"(?i)time|second|sec\b|flop|throughput|bandwidth|\bms\b|b/s|device|gpu|^\s*\d+\.\d+\s*$"
    return [line for line in text.split(b"\n")
            if not line.startswith(b"lockstep:") and (re.search(verdict, line) or not re.search(about, line))]


class Unfit(Exception):
    """A program that the study can say nothing about, with the reason."""


def study(name, work):
    s = Study(name, work)
    if s.open:
        s.know_output()
    kinds, right = s.run(0)
    if s.open and kinds:
        s.known = findings_in(s.program + ".json")
    elif kinds or not right:
        raise Unfit(f"{name}: as it is, {'right' if right else 'not right'}, reported: {', '.join(kinds) or 'nothing'}")
    for k, m in enumerate(s.mutants):
        m["found"], m["right"] = s.run(k + 1)
        del m["text"]
    return s.mutants


COLUMNS = ["suite", "program", "taken", "mutants", "reported", "unchanged", "wrong"]


def counted(mutants):
    """Rows of COLUMNS, sorted: unchanged and wrong are silent, by their results."""
    rows = {}
    for m in mutants:
        words = m["program"].split()[0].split("/")
        key = ("open", words[-1][:-3]) if words[-1].endswith(".cu") else ("own", m["program"])
        row = rows.setdefault((*key, m["kind"]), [0] * 4)
        for k, is_so in enumerate((True, m["found"], not m["found"] and m["right"],
                                   not m["found"] and not m["right"])):
            row[k] += bool(is_so)
    return [dict(zip(COLUMNS, (*key, *row))) for key, row in sorted(rows.items())]


def table(rows):
    lines = ["| taken away | mutants | reported | silent, results as before | silent, result wrong |",
             "| --- | --- | --- | --- | --- |"]
    for kind in KINDS + ["all"]:
        of = [r for r in rows if kind in (r["taken"], "all")]
        sums = [sum(int(r[c]) for r in of) for c in COLUMNS[3:]]
        if sums[0]:
            lines.append("| %s | %d | %d | %d | %d |" % (kind, *sums))
    if sums[1]:
        lines.append("Of %d that change what the program does %.1f %% are reported." % (
            sums[1] + sums[3], 100 * sums[1] / (sums[1] + sums[3])))
    return "\n".join(lines)


def join(out, paths):
    """Results of --json as one table for tests/data."""
    mutants = []
    for path in paths:
        with open(path) as f:
            mutants += json.load(f)
    with open(out, "w", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        w.writeheader()
        w.writerows(counted(mutants))
    return mutants


# Uploads that a program makes for other rungs: the line that makes them.
UNREAD = {"float *device_mask = suite_upload(mask, wide);": ["unset_mask"],
          "m.weights = suite_upload(weights, (2 * radius + 1) * (2 * radius + 1));": ["unset_weights"],
          "m.line = suite_upload(line, 2 * radius + 1);": ["unset_weights"]}

# Mutants that are silent, and why they cannot do what check looks for: (program, what is gone, or its kind and
# line, reason).
EQUIVALENT = [
    ("atomics/hierarchical", "scope: atomicAdd(&partial", "shared memory belongs to one block"),
    ("matmul/.*|sgemm/.*", "cudaFree(sets.more)", "it frees NULL: one set of matrices is enough here"),
    ("atomics/.*", "CHECK(cudaMemset(result", "there are two of these, one is enough"),
    ("average/case05", "i > 0", "the element before the first is taken from what the blocks kept, where "
     "there is a 0: only the first result is wrong"),
    ("average/case09", "i > 0", "shared memory holds a 0 before the first element: only the result is wrong"),
    ("average/.*|devices/filter|convolution/vectors|difference/shuffle", "bounds: ",
     "where the result is wrong, another element inside the array, or the lane's own, is taken"),
    ("cache_config/move_execute_move", "suite_to_device(at", "the array has what the kernel before left there"),
    ("convolution/.*", "unset_mask", "the kernel reads the mask from constant memory, not this copy"),
    ("smooth/shared", "unset_weights", "the kernel reads the weights from constant memory, not this copy"),
]


def reason(m):
    for program, gone, why in EQUIVALENT:
        if re.fullmatch(program, m["program"]) and (
                gone in m["gone"] or gone in UNREAD.get(m["line"], ()) or gone in f'{m["kind"]}: {m["line"]}'):
            return why
    return None


def main():
    words = sys.argv[1:]
    out = None
    if "--json" in words:
        out = words[words.index("--json") + 1]
        words = [w for w in words if w not in ("--json", out)]
    if "--csv" in words:
        print(table(counted(join(words[words.index("--csv") + 1], words[words.index("--csv") + 2:]))))
        return
    words = [w for w in words if w != "--open"]
    mutants, unfit = [], []
    with tempfile.TemporaryDirectory() as work:
        for name in words or sorted(os.path.relpath(p, root)[6:-3] for p in glob.glob(root + "/suite/*/*.cu")):
            try:
                mutants += study(name, work)
            except Unfit as reason_why:
                unfit.append(str(reason_why))
            if out: # what is there is kept when the study is ended early
                with open(out, "w") as f:
                    json.dump(mutants, f, indent=1)
            for m in [m for m in mutants if words and m["program"] == name]:
                print("%-15s %-50s %s%s" % (m["kind"], m["gone"][:50],
                                            ", ".join(sorted(m["found"])) or "silent: " + (reason(m) or "MISSED"),
                                            "" if m["right"] else " (result wrong)"))
    print(table(counted(mutants)))
    print(f"Left out: {len(unfit)}", *unfit, sep="\n    ")
    for m in mutants:
        if not m["found"]:
            print("%s, %s: %s: %s" % (m["program"], m["kind"], m["gone"].split("\n")[0],
                                      reason(m) or ("the results are right" if m["right"] else "MISSED")))


if __name__ == "__main__":
    main()
