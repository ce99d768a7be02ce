#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels against the same body on the host, each word: conditions of every sort on indices that wrap, images
in blocks of odd shapes, tiles with a halo read from memory, gathers by numbers near where 32 bits end, transposes;
and large launches one after another, which may run together (exec/chain.c), over overlapping parts of arrays."""
import os
import random
import subprocess
import sys
import tempfile

HEAD = r"""#include <cstdio>
#include <cstring>
#include <vector>
#define BOTH static inline __host__ __device__
typedef long long ll;
typedef unsigned long long ull;
struct at { dim3 t, b, d, g; int me; };
static int bad;
template <class T> static T *up(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
template <class T> static void same(const char *name, T *d, const std::vector<T> &want)
{
    std::vector<T> got(want.size());
    cudaError_t e = cudaMemcpy(got.data(), d, got.size() * sizeof(T), cudaMemcpyDeviceToHost);
    size_t k = 0;
    while (k < got.size() && got[k] == want[k])
        k++;
    if (e == cudaSuccess && k == got.size())
        return;
    bad = 1;
    printf("%s: %s, word %zu is %g, not %g\n", name, cudaGetErrorString(e), k, (double)got[k], (double)want[k]);
}
template <class T> static std::vector<T> fill(size_t n, unsigned seed)
{
    std::vector<T> v(n);
    for (auto &x : v)
        x = (T)((seed = seed * 1664525u + 1013904223u) >> 25);
    return v;
}
template <class F> static void threads(dim3 g, dim3 d, F f)
{
    for (unsigned c = 0; c < g.x * g.y; c++)
        for (unsigned t = 0; t < d.x * d.y * d.z; t++)
            f(at{dim3(t % d.x, t / d.x % d.y, t / d.x / d.y), dim3(c % g.x, c / g.x), d, g, (int)(c * d.x * d.y * d.z + t)});
}
#define HERE at{dim3(threadIdx.x, threadIdx.y, threadIdx.z), dim3(blockIdx.x, blockIdx.y), dim3(blockDim.x, blockDim.y, \
    blockDim.z), dim3(gridDim.x, gridDim.y), (int)((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y * \
    blockDim.z + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)}
"""
BLOCKS = [(256, 1, 1), (32, 1, 1), (33, 1, 1), (1, 32, 1), (16, 16, 1), (32, 8, 1), (20, 20, 1), (17, 3, 1), (7, 5, 3),
          (32, 32, 1), (8, 8, 8), (64, 4, 1), (100, 1, 1)]
EDGES = ["0x7fffffff", "0x7fffff00", "(int)0x80000000", "(int)0x80000010", "-1", "0", "1", "-64", "100", "300"]
R = random.Random(20)


def plain(name, kind, body, block, grid, loads, stores, n, m, far):
    """A kernel without barriers; the host runs its threads one by one."""
    sig = f"{kind} *out, const {kind} *in, int n, int m, unsigned far"
    return f"""BOTH void {name}_body(at a, {sig})
{{
    {body}
}}
__global__ void {name}({sig}) {{ {name}_body(HERE, out, in, n, m, far); }}
static void test_{name}()
{{
    auto in = fill<{kind}>({loads}, {R.randrange(1 << 30)}u), out = fill<{kind}>({stores}, 5);
    {kind} *din = up(in), *dout = up(out);
    dim3 g{grid}, d{block};
    {name}<<<g, d>>>(dout, din, {n}, {m}, {far});
    threads(g, d, [&](at a) {{ {name}_body(a, out.data(), in.data(), {n}, {m}, {far}); }});
    same("{name}", dout, out);
    cudaFree(din);
    cudaFree(dout);
}}
"""


def term(names):
    more = R.choice([0, 0, 1, -1, 2, -3, 4, 31, -32, 33, 100])
    return f"(int)((unsigned){R.choice(names)} + (unsigned)({more}))"


def condition(depth=0):
    if depth == 2 or R.random() < 0.35:
        x, y, how = term(["i", "i", "j"]), term(["n", "n", "m", "0", "100"]), R.choice(["<", "<=", ">", ">="])
        return f"(unsigned){x} {how} (unsigned){y}" if R.random() < 0.35 else f"{x} {how} {y}"
    x, y = condition(depth + 1), condition(depth + 1)
    return R.choice([f"({x} && {y})", f"({x} && {y})", f"({x} || {y})", f"!({x})", f"(({x}) & ({y}))"])


def conditions(name):
    kind, block = R.choice(["int", "float", "unsigned"]), R.choice(BLOCKS)
    threads = block[0] * block[1] * block[2]
    count = threads * max(1, min(9, 4000 // threads))
    number = R.choice(["a.me", "(int)((unsigned)a.me + far)", "(int)(far - (unsigned)a.me)", "(int)((unsigned)a.me * 3u + far)"])
    body = f"int i = {number}, j = (int)a.t.y; {'float' if kind == 'float' else 'unsigned'} s = 1;"
    for k in range(R.randint(3, 8)):
        use = f"s += {k + 2} * in[a.me + {R.choice([0, k, 64 + k])}];"
        body += f"\n    if ({condition()}) {use}" + (" else s += in[a.me + 40];" if R.random() < 0.2 else "")
    body += f"\n    out[a.me] = ({kind})s;"
    return plain(name, kind, body, block, (count // threads, 1), count + 256, count, R.choice(EDGES + [count, count - 5]),
                 R.choice(EDGES), R.choice(["0u", "0x7fffff80u", "0x80000000u", "0xffffff00u", "100u"]))


def image(name):
    kind, block = R.choice(["float", "int", "double"]), R.choice([b for b in BLOCKS if b[2] == 1])
    w, h, wide = R.randint(1, 120), R.randint(1, 40), R.choice([0, 0, 1, 7])
    grid, r = ((w + block[0] - 1) // block[0], (h + block[1] - 1) // block[1]), R.choice([1, 1, 2])
    body = f"int x = a.b.x * a.d.x + a.t.x, y = a.b.y * a.d.y + a.t.y, h = (int)far; {kind} s = 1;\n    "
    body += R.choice(["if (x >= n || y >= h) return;", "if (!(x < n && y < h)) return;"])
    form = R.randrange(3)
    for dy in range(-r, r + 1):
        for dx in range(-r, r + 1):
            u, v = f"(x + ({dx}))", f"(y + ({dy}))"
            inside = [f"{u} >= 0 && {u} < n && {v} >= 0 && {v} < h", f"(unsigned){u} < (unsigned)n && (unsigned){v} < (unsigned)h",
                      f"!({u} < 0 || {v} < 0 || {u} >= n || {v} >= h)"][form]
            body += f"\n    if ({inside}) s += {R.randint(1, 9)} * in[{v} * m + {u}];"
    return plain(name, kind, body + "\n    out[y * m + x] = s;", block, grid, (w + wide) * h, (w + wide) * h, w, w + wide, f"{h}u")


def gather(name):
    kind, block = R.choice(["float", "int", "double", "ll"]), R.choice(BLOCKS)
    threads = block[0] * block[1] * block[2]
    count = threads * max(1, 2000 // threads)
    far = R.choice(["0x80000000u", "0xffffffe1u", "0xffffe000u", "0x7fffe000u"])
    body = f"{kind} s = 2;\n    const {kind} *p = (const {kind} *)((ull)in - (ull)(ll)(int)far * sizeof({kind}));"
    for _ in range(R.randint(2, 4)):
        c = R.choice([0, 1, -1, 3, -8, 17, -31])
        q = R.choice([f"a.me + ({c})", f"(a.me ^ {R.choice([1, 31])})", f"(a.me * 7 + {abs(c)}) % n", "n - 1 - a.me",
                      f"a.me + (int)in[a.me] % {R.choice([1, 2, 5])}", f"a.me * 2 + ({c})"])
        body += f"\n    {{ int q = {q}; bool in_range = q >= 0 && q < n; q = q < 0 ? 0 : q >= n ? n - 1 : q;"
        use = R.choice(["in[q]", "in[(unsigned)q]", "p[(int)((unsigned)q + far)]", "p[(int)((unsigned)q + far)]"])
        body += R.choice([f" s += {use}; }}", f" if (in_range) s += 3 * {use}; }}", f" s += in_range ? {use} : 7; }}"])
    body += f"\n    int w = {R.choice(['a.me', 'm - 1 - a.me', '(int)((a.me + 37u) % (unsigned)m)'])}; out[w] = s;"
    return plain(name, kind, body, block, (count // threads, 1), count + 64, count, R.choice([count, count - 7]), count, far)


def transpose(name):
    kind, block = R.choice(["float", "int", "double", "short"]), R.choice([(32, 8, 1), (16, 16, 1), (32, 32, 1), (64, 4, 1), (20, 20, 1)])
    w, h = R.choice([64, 128, R.randint(1, 150)]), R.choice([16, 64, R.randint(1, 90)])
    apart, begin = h + R.choice([0, 0, 1, 16]), R.choice([0, 0, 1, 16])
    y = R.choice(["y", "y", "(m - 1 - y)"])
    body = f"""int x = a.b.x * a.d.x + a.t.x, y = a.b.y * a.d.y + a.t.y;
    if (x < n && y < m) out[{begin} + x * (int)far + {y}] = in[y * n + x];"""
    grid = ((w + block[0] - 1) // block[0], (h + block[1] - 1) // block[1])
    return plain(name, kind, body, block, grid, w * h, w * apart + begin + h, w, h, f"{apart}u")


def tile(name):
    """A tile in shared memory, its halo from memory."""
    side, r = R.choice([16, 16, 16, 8, 20, 32]), R.randint(1, 2)
    w, h, i = R.randint(1, 100), R.randint(1, 70), R.choice(["int", "unsigned"])
    inside = f"lx < {side} && ly < {side}" + (" && lx >= 0 && ly >= 0" if i == "int" else "")
    return f"""BOTH int {name}_body(at a, const int *tile, const int *in, int w, int h)
{{
    int x = a.b.x * {side} + a.t.x, y = a.b.y * {side} + a.t.y, s = 0;
    {R.choice(["#pragma unroll", ""])}
    for (int i = -{r}; i <= {r}; i++)
        for (int j = -{r}; j <= {r}; j++) {{
            {i} lx = a.t.x + j, ly = a.t.y + i;
            if ({inside}) s += tile[ly * {side} + lx] * (i * 7 + j + 40);
            else if (x + j >= 0 && x + j < w && y + i >= 0 && y + i < h) s += in[(y + i) * w + x + j] * (i * 7 + j + 40);
        }}
    return s;
}}
__global__ void {name}(int *out, const int *in, int w, int h)
{{
    __shared__ int tile[{side * side}];
    int x = blockIdx.x * {side} + threadIdx.x, y = blockIdx.y * {side} + threadIdx.y;
    tile[threadIdx.y * {side} + threadIdx.x] = x < w && y < h ? in[y * w + x] : 0;
    __syncthreads();
    if (x < w && y < h) out[y * w + x] = {name}_body(HERE, tile, in, w, h);
}}
static void test_{name}()
{{
    int w = {w}, h = {h};
    auto in = fill<int>(w * h, 7), out = fill<int>(w * h, 5), tile = fill<int>({side * side}, 1);
    int *din = up(in), *dout = up(out);
    dim3 g((w + {side - 1}) / {side}, (h + {side - 1}) / {side}), d({side}, {side});
    {name}<<<g, d>>>(dout, din, w, h);
    threads(g, d, [&](at a) {{
        int x = a.b.x * {side} + a.t.x, y = a.b.y * {side} + a.t.y, x0 = a.b.x * {side}, y0 = a.b.y * {side};
        for (int k = 0; k < {side * side} && !a.t.x && !a.t.y; k++)
            tile[k] = x0 + k % {side} < w && y0 + k / {side} < h ? in[(y0 + k / {side}) * w + x0 + k % {side}] : 0;
        if (x < w && y < h) out[y * w + x] = {name}_body(a, tile.data(), in.data(), w, h);
    }});
    same("{name}", dout, out);
    cudaFree(din);
    cudaFree(dout);
}}
"""


def chain(name):
    """Launches after each other; each thread writes its own word, and reads words around it of what others wrote."""
    reads = "".join(f" if (i + ({o}) >= 0 && i + ({o}) < n) s = s * 3 + {R.choice('xxy')}[i + ({o})];"
                    for o in [R.randint(-300, 300), R.choice([-1, 0, 1]), R.choice([-2, 64])])
    sig, calls = "int *z, const int *x, const int *y, int n", ""
    for _ in range(5):
        z, x, y = R.sample(range(3), 3)
        more = [R.choice([0, 0, 1, 64, 1000]) for _ in range(3)]
        device, host = (", ".join(f"{of}[{k}] + {o}" for k, o in zip((z, x, y), more)) for of in "dp")
        calls += f"    {name}<<<4096, 256>>>({device}, n);\n    for (int i = 0; i < n; i++) {name}_body(i, {host}, n);\n"
        calls += R.choice(["", "", "    cudaGetLastError();\n"])
    return f"""BOTH void {name}_body(int i, {sig})
{{
    unsigned s = 1;
    {reads}
    z[i] = z[i] / 2 + s;
}}
__global__ void {name}({sig})
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {name}_body(i, z, x, y, n);
}}
static void test_{name}()
{{
    const int n = (4096 << 8) - {R.choice([0, 1, 500])};
    std::vector<int> h[3];
    int *d[3], *p[3];
    for (int k = 0; k < 3; k++) h[k] = fill<int>(n + 2000, k), d[k] = up(h[k]), p[k] = h[k].data();
{calls}    for (int k = 0; k < 3; k++) same("{name}", d[k], h[k]), cudaFree(d[k]);
}}
"""


def main():
    kinds = [conditions] * 6 + [image] * 3 + [gather] * 4 + [transpose] * 3 + [tile] * 3 + [chain]
    names = [f"{make.__name__}{k}" for k, make in enumerate(kinds)]
    text = HEAD + "".join(make(name) for make, name in zip(kinds, names))
    text += "int main()\n{\n" + "".join(f"    test_{name}();\n" for name in names) + "    return bad;\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "random.cu")
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        for workers in ("1", "3"):
            done = subprocess.run([os.environ["LOCKSTEP"], "run", "--workers", workers, path], capture_output=True, text=True)
            if done.returncode or done.stdout:
                print(f"workers {workers}, status {done.returncode}\n{done.stdout}{done.stderr}")
                return 1
    return 0


sys.exit(main())
