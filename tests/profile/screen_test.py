# SPDX-License-Identifier: Apache-2.0
"""The first screen of `lockstep profile`: at most 15 lines of 80 columns for each kernel, whatever the kernel; on a
terminal of 80 columns everything fits, with colours unless NO_COLOR is set."""
import os, re, subprocess

from checks import check, finish, lockstep, source, work
from terminal import shown

for name in ("COLUMNS", "NO_COLOR"):
    os.environ.pop(name, None)


def screens(text):
    """The lines of each kernel, its first screen alone."""
    return [s.split("\n") for s in re.split(r"\n\n", text.strip("\n")) if re.match(r".*grid ", s)]


def seconds(text):
    number, unit = text.split()
    return float(number) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[unit]


def sums_up(lines):
    """The launch and its work are the time, in the verdict as in the advice."""
    text = re.sub(r"\s+", " ", " ".join(lines))
    whole = seconds(re.search(r"time (\S+ \S+) a launch", text)[1])
    for m in re.finditer(r"The launch itself takes (\S+ \S+) of it, the work (\S+ \S+)\.|a launch costs (\S+ \S+), its work (\S+ \S+),", text):
        parts = [seconds(x) for x in m.groups() if x]
        check(f"{parts} of {whole}: {text}", abs(sum(parts) - whole) <= 0.006 * whole)
        said.add(m[0].split()[0])


said = set()


def on_terminal(columns, *words, **environment):
    out, p = shown([lockstep, *words], 24, columns, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                   env={**os.environ, "LOCKSTEP_PROGRESS": "0", **environment})
    check(f"{words}: status {p.returncode}", p.returncode == 0)
    return out


open(work + "/long.cu", "w").write("""
template <int A, typename T, int B, bool C> struct a_structure_with_quite_a_long_name {};
template <typename T>
__global__ void a_kernel_with_quite_a_long_name_indeed(const float *in, float *out, int n)
{
    __shared__ float s[32][32];
    int i = blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x;
    s[threadIdx.y][threadIdx.x] = in[i * 33 % n];
    __syncthreads();
    float v = s[threadIdx.x][threadIdx.y];
    if (threadIdx.x % 2)
        v = sinf(v * 1.5);
    out[i % 7] = v;
}
int main()
{
    float *a;
    cudaMalloc(&a, 1 << 22);
    cudaMemset(a, 0, 1 << 22);
    for (int k = 0; k < 5; k++)
        a_kernel_with_quite_a_long_name_indeed<a_structure_with_quite_a_long_name<17, double, 99, true>>
            <<<dim3(40, 1, 1), dim3(32, 32)>>>(a, a, 1 << 20);
    return cudaFree(a) != cudaSuccess;
}
""")
subprocess.run([lockstep, "cc", "-O3", "-lineinfo", "-o", work + "/advice", source + "/tests/profile/advice.cu"], check=True)
subprocess.run([lockstep, "cc", "-O3", "-lineinfo", "-o", work + "/long", work + "/long.cu"], check=True)

for words in (["advice"], ["advice", "old"], ["long"]):
    for gpu in ((["--gpu", "gt200"] if "old" in words else []), ["--cc", "8.0"]):
        text = subprocess.run([lockstep, "profile", *gpu, work + "/" + words[0], *words[1:]], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout
        found = screens(text)
        check(f"{words} {gpu}: {len(found)} kernels", len(found) >= 1)
        for lines in found:
            check(f"{gpu}: {len(lines)} lines: {lines}", len(lines) <= 15)
            check(f"{gpu}: {lines}", all(len(line) <= 80 for line in lines))
            check(f"time, peaks, verdict: {lines}", [bool(re.search(r"^  " + w, "\n".join(lines), re.M))
                                                     for w in ("time", "of peak", "verdict", "occupancy")] == [True] * 4)
            check(f"no sentence is cut: {lines}", not any(line.endswith("...") for line in lines[1:]))
            sums_up(lines)
            check(f"at most three: {lines}", sum(line.startswith("  ! ") for line in lines) <= 3)

check(f"both sentences were met: {said}", said == {"The", "a"})
text = on_terminal(80, "profile", "-v", "--source", "--timeline", work + "/long")
check("colours: " + text[:300], "\033[1m" in text)
plain = re.sub(r"\033\[[\d;]*m", "", text)
check("80 columns: " + str([x for x in plain.split("\n") if len(x) > 80][:3]), all(len(x) <= 80 for x in plain.split("\n")))
check("nothing is lost", "a_structure_with_quite_a_long_name<17, double, 99, true>" in re.sub(r"\s+", " ", plain))
check("NO_COLOR", "\033" not in on_terminal(80, "profile", work + "/long", NO_COLOR="1"))
for words in (["access", "--stride", "32"], ["occupancy", "--threads", "256"], ["devices"], ["tune", "--help"], ["help", "banks"]):
    lines = on_terminal(80, *words, NO_COLOR="1").split("\n")
    check(f"{words}: {[x for x in lines if len(x) > 80][:3]}", len(lines) > 3 and all(len(x) <= 80 for x in lines))
cut = [x for x in on_terminal(80, "devices", NO_COLOR="1").split("\n") if re.match(r"    \S+$", x)]
check(f"no row of a table is broken: {cut}", not cut)
wide = on_terminal(200, "profile", work + "/long", NO_COLOR="1")
check("wider terminals are used", any(len(x) > 90 for x in wide.split("\n")))

finish()
