# SPDX-License-Identifier: Apache-2.0
"""The pages of `check --html` and `suite ... --html`: both sites of a finding in their source, what is
missing, the block that suppresses it; all rungs of a system side by side. Valid, self-contained; in a
real browser (tests/report/browser.py) every part is drawn at desktop and phone width."""
import json, os, re, subprocess
import browser

from checks import check, finish, lockstep, source, work


def run(status, *words):
    r = subprocess.run([lockstep, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=work)
    check(f"{words}: status {r.returncode}: {r.stderr}", r.returncode == status)
    return r.stdout


def page(name):
    return browser.judge(check, name, os.path.join(work, name + ".html"))


RACE = """#include <cstdio>
template <int N>
__global__ void
turn(const int *in, int *out)
{
    __shared__ int s[N];
    s[threadIdx.x] = in[threadIdx.x];
    %s
    out[threadIdx.x] = s[N - 1 - threadIdx.x] < 5 && true;
    if (threadIdx.x == %d)
        out[64] = 1;
}
int
main()
{
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    turn<64><<<1, 64>>>(in, out);
    cudaFree(in);
    cudaFree(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""
open(os.path.join(work, "race.cu"), "w").write(RACE % ("", 63))
open(os.path.join(work, "clean.cu"), "w").write(RACE % ("__syncthreads();", 64))

run(1, "check", "-q", "--html", "race.html", "race.cu")
text, root = page("race")
titles = [s.find("summary").text for s in root.findall(".//details")]
check(f"findings: {titles}", titles == ["Race in shared memory in turn<64>", "Out of bounds in turn<64>"])
race = root.findall(".//details")[0]
hits = [m.text for m in race.iter("mark")]
check(f"both sites: {hits}", len(hits) == 2 and "   7      s[threadIdx.x] = in[threadIdx.x];" in hits and
      "   9      out[threadIdx.x] = s[N - 1 - threadIdx.x] < 5 && true;" in hits)
check("counts", "64 times:" in text)
check("what is missing", "What is missing: a barrier between the two: __syncthreads()" in text)
check("the order", race.find(".//svg").get("aria-label").startswith("Nothing orders the "))
block = [c.text for c in race.iter("code") if (c.text or "").startswith("{")]
check(f"the block: {block}", block and "place: race.cu:" in block[0])
open(os.path.join(work, "blocks"), "w").write("".join(
    c.text for c in root.iter("code") if (c.text or "").startswith("{")))
run(0, "check", "-q", "--suppressions", "blocks", "--html", "quiet.html", "race.cu")
check("suppressed", "0 errors, 0 warnings, 2 suppressed" in page("quiet")[0])
run(0, "check", "-q", "--html", "clean.html", "clean.cu")
check("nothing found", "Nothing was found." in page("clean")[0])
os.rename(os.path.join(work, "race.cu"), os.path.join(work, "gone.cu"))
run(2, "check", "--html", "no/where.html", "gone.cu")

run(0, "suite", "profile", "transpose", "--sizes", "100", "--html", "rungs.html")
text, root = page("rungs")
for rung in ("naive", "coalesced", "padded", "swizzled", "diagonal"):
    check(f"rung {rung}", f">transpose/{rung}</a>" in text)
sections = {s.find("summary").text.split(",")[0]: s for s in root.findall(".//details") if s.get("class") != "ptx"}
parts = [h.text for h in sections["transpose/coalesced"].iter("h3")]
for title in ("What the figures say", "Of each peak", "A warp's time", "Memory", "Source", r"Banks of the hottest shared load, line \d+",
              r"Sectors of the hottest global load, line \d+", "Roofline", "Occupancy", "Blocks over SMs", "Counters"):
    check(f"part {title}: {parts}", any(re.fullmatch(title, p) for p in parts))
roof = [s for s in root.iter("svg") if s.get("aria-label").startswith("Roofline")]
rungs = len(set(re.findall(r"#rung(\d+)", text)))
check(f"all {rungs} rungs on the roofline", rungs >= 6 and len(roof) == rungs + 1 and
      all(len(list(s.iter("circle"))) == rungs for s in roof))
heads = [h.text for s in sections.values() for h in s.iter("p") if h.get("class") == "time"]
bars = {t.text for t in roof[0].iter("text")} | {t.text for s in root.iter("svg") if s not in roof for t in s.iter("text")}
check(f"one time of each rung on the page: {heads}", len(heads) == rungs and all(h.split(" a launch")[0] in bars for h in heads))
check("the others are named", {"naive", "coalesced", "padded", "swizzled", "diagonal"} <=
      {t.text for t in roof[0].iter("text")})

run(0, "suite", "check", "sum3", "--html", "checked.html")
text, root = page("checked")
check("the listing's mistakes", re.search(r"sum3/\w+, size \d+</summary>", text) and root.findall(".//mark"))
check("the verdict stands by the rung", [h.text for h in root.iter("th")][:2] == ["rung", "as it should be"])
told = run(0, "suite", "check", "transpose/lecture_wrong", "--sizes", "64")  # where its missing test for the edge is no mistake
check(f"a mistake that does not show: {told}", " yes  silent  no out-of-bounds, no global-race at this size" in told)
run(0, "suite", "run", "transpose", "--sizes", "17,100x33", "--html", "ran.html")
text, root = page("ran")
check("the verdict stands by the rung", [h.text for h in root.iter("th")][:2] == ["rung", "as it should be"])
check("two sizes", "Side by side: size 17 on" in text and "Side by side: size 100x33 on" in text)
run(2, "suite", "list", "--html", "list.html")

# Long lines, two runs on one page, PTX beside its lines, what words mean, and the file's mode.
LONG = """// %s
__global__ void a_product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n, int unused_here)
{
    __shared__ float s[16][16], t[16][%d];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; // a line of more than one hundred and ten characters
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x], t[threadIdx.x][threadIdx.y] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += s[threadIdx.y][i] * t[threadIdx.x][i]; // and this is another one of more than one hundred and ten characters
        __syncthreads();
    }
    c[y * n + x] = sum;
}
int main()
{
    float *a;
    cudaMalloc(&a, 3 << 16);
    cudaMemset(a, 0, 3 << 16);
    a_product<<<dim3(8, 8), dim3(16, 16)>>>(a, a + 16384, a + 32768, 128, 0);
    return cudaFree(a) != cudaSuccess;
}
"""
deep = "a_folder_whose_name_is_wider_than_the_screen_of_a_phone_and_offers_no_place_to_break_the_line"
os.mkdir(os.path.join(work, deep))
for name, width in (("before", 16), ("after", 17)):
    for folder in (".", deep):
        open(os.path.join(work, folder, name + ".cu"), "w").write(LONG % ("-" * 110, width))
os.umask(0o022)
run(0, "profile", "-q", "--json=before.json", "--html", "long.html", f"{deep}/before.cu")
text, root = page("long")
check("mode", os.stat(os.path.join(work, "long.html")).st_mode & 0o777 == 0o644)
check("PTX beside its line", any("fma.rn.f32" in (p.text or "") for d in root.iter("details") if d.get("class") == "ptx" for p in d.iter("pre")))
check("words are explained", {"occupancy", "latency", "DRAM"} <= {a.text.lower() if a.text != "DRAM" else a.text for a in root.iter("abbr")}
      and all(a.get("title") for a in root.iter("abbr")))
traffic = [s for s in root.iter("svg") if s.get("aria-label").startswith("Traffic")]
labels = {t.text for s in traffic for t in s.iter("text")}
result = json.load(open(os.path.join(work, "before.json")))["kernels"][0]
check(f"traffic on the arrows: {labels}", f"{result['counters']['bytes_dram_read'] / 1000:.3g} KB read" in labels)
check("no JSON without need", "ptx" in json.dumps(result["lines"]))
run(0, "profile", "-q", "--json=plain.json", "before.cu")
check("PTX for pages alone", "ptx" not in json.load(open(os.path.join(work, "plain.json")))["kernels"][0]["lines"][0])
run(0, "profile", "-q", "--compare", "before.json", "--html", "both.html", "after.cu")
text, root = page("both")
check("before and after", "Before and after" in text and re.search(r"[\d.]+ us, now [\d.]+ us: [\d.]+ times as fast", text))
gone = [li for li in root.iter("li") if any(s.text == "gone" for s in li.iter("span"))]
check("what is gone", any("bank conflicts" in "".join(li.itertext()) for li in gone))
rows = {r[0].text: [c.text for c in r] for r in root.iter("tr") if len(r) == 4}
check(f"counters: {rows.get('shared_load_bank_conflicts')}", rows.get("shared_load_bank_conflicts", [])[2:] == ["0", "-100.0 %"])
check("none without another run", "Before and after" not in open(os.path.join(work, "long.html")).read())
run(2, "profile", "--compare", "race.html", "after.cu")

if browser.chromium and not os.environ.get("SANITIZE"):
    for name, views in (("checked", [(400, False)]), ("ran", [(400, True)]), ("race", [(390, True)]), ("rungs", [(1280, False), (390, False)]),
                        ("long", [(1400, False), (400, True)]), ("both", [(1400, True), (400, False)])):
        browser.draw(check, name, open(os.path.join(work, name + ".html"), encoding="utf-8").read(), views)
elif not os.environ.get("SANITIZE"):
    finish("; SKIP: no browser: pages were not drawn", skipped=True)
finish("" if browser.tidy else "; no tidy: HTML not judged")
