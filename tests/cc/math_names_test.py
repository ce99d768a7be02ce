# SPDX-License-Identifier: Apache-2.0
"""The mathematics of <cmath> under each of its names, in kernels: f, ::f, std::f and ff, for float, double and
integers, called, through pointers, chosen by type in templates, as function objects; each result beside that of
the host's library, in the same program. Then integers as arguments, and classification (isnan and kin) with nothing
included, on both sides; and names as arguments of templates that host code writes, alone and beside all others."""
import os
import re
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
ONE = ("acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma log log10 "
       "log1p log2 logb nearbyint rint round sin sinh sqrt tan tanh tgamma trunc").split()
TWO = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder".split()
INTEGER = {"ilogb": "int", "lrint": "long", "lround": "long", "llrint": "long long", "llround": "long long"}
POINT = {"acosh": "1.75", "lgamma": "3.25", "tgamma": "2.5", "logb": "9.5", "ilogb": "9.5"}
ORDER = "isgreater isgreaterequal isless islessequal islessgreater isunordered".split()


def expressions():
    """Texts of expressions of the type T, with what they are for the host."""
    for name in ONE:
        x = "T(%s)" % POINT.get(name, "0.625")
        for q in ("", "::", "std::"):
            yield f"{q}{name}({x})"
            yield f"pointer<T (*)(T)>({q}{name})({x})"
        yield f"std::{name}(0)" if name in ("acos", "asin", "atanh") else f"std::{name}(3)"
    for name in TWO:
        for q in ("", "::", "std::"):
            yield f"{q}{name}(T(2.75), T(1.125))"
            yield f"pointer<T (*)(T, T)>({q}{name})(T(2.75), T(1.125))"
        yield f"std::{name}(T(2.75), 2)"
        yield f"std::{name}(3, 2)"
    for name, result in INTEGER.items():
        x = "T(%s)" % POINT.get(name, "2.75")
        for q in ("", "::", "std::"):
            yield f"{q}{name}({x})"
            yield f"pointer<{result} (*)(T)>({q}{name})({x})"
    for q in ("", "::", "std::"):
        yield f"{q}fma(T(2.5), T(3), T(0.25))"
        yield f"pointer<T (*)(T, T, T)>({q}fma)(T(2.5), T(3), T(0.25))"
        yield f"{q}ldexp(T(1.25), 3)"
        yield f"{q}scalbn(T(1.25), 3)"
        yield f"{q}scalbln(T(1.25), 3L)"
        yield f"pointer<T (*)(T, int)>({q}ldexp)(T(1.25), 3)"
        yield f"pointer<T (*)(T, int)>({q}scalbn)(T(1.25), -3)"
        yield f"pointer<T (*)(T, long)>({q}scalbln)(T(1.25), -3L)"
        yield f"({q}frexp(T(10.5), &n) + n)"
        yield f"({q}modf(T(10.75), &t) + t)"
        yield f"({q}remquo(T(10.75), T(3), &n) + (n & 7))"
        yield f"(pointer<T (*)(T, T, int *)>({q}remquo)(T(10.75), T(3), &n) + (n & 7))"
        yield f"{q}abs(T(-2.5))"
        yield f"pointer<T (*)(T)>({q}abs)(T(-2.5))"
        for name in "isfinite isinf isnan isnormal signbit".split():
            yield f"({q}{name}(T(-2.5)) ? 1 : 0)"
        for name in ORDER:
            yield f"({q}{name}(T(-2.5), T(1)) ? 1 : 0)"
    yield "std::fpclassify(T(0)) == FP_ZERO"
    yield "std::abs(-7)"
    yield "std::abs(-7L)"
    yield "std::abs(-7LL)"
    yield "std::pow(T(1.5), 3)"
    yield "std::fmax(1.5f, 2.5)"
    yield "std::atan2(1, 2.5f)"
    yield "apply(T(0.5), [](auto x) { return std::erf(x); })"
    yield "apply(T(0.5), root())"
    yield "folded<T>()"


def suffixed():
    for q in ("", "::"):
        for name in ONE:
            x = POINT.get(name, "0.625") + "f"
            yield f"{q}{name}f({x})"
            yield f"pointer<float (*)(float)>({q}{name}f)({x})"
        for name in TWO:
            yield f"{q}{name}f(2.75f, 1.125f)"
            yield f"pointer<float (*)(float, float)>({q}{name}f)(2.75f, 1.125f)"
        for name, result in INTEGER.items():
            yield f"pointer<{result} (*)(float)>({q}{name}f)({POINT.get(name, '2.75')}f)"
        yield f"pointer<float (*)(float, float, float)>({q}fmaf)(2.5f, 3.f, 0.25f)"
        yield f"{q}scalbnf(1.25f, 3) + {q}ldexpf(1.25f, 2) + {q}scalblnf(1.25f, 2L)"


PROGRAM = r"""
#include <cmath>
#include <cstdio>
template <class F> struct held { F f; };
template <class F> __host__ __device__ F pointer(F f) { held<F> h = {f}; return h.f; }
template <class T, class F> __host__ __device__ T apply(T x, F f) { return f(x); }
struct root { template <class T> __host__ __device__ T operator()(T x) const { return std::sqrt(x); } };
template <class T> __host__ __device__ T folded() { constexpr T c = __builtin_fabs(T(-2)); return c; }
#define PUT(e) out[k++] = (double)(e)
template <class T> __host__ __device__ void all(double *out)
{
    int k = 0, n = 0;
    T t = 0;
%s
}
__host__ __device__ void more(double *out)
{
    int k = 0;
%s
}
__global__ void kernel(double *f, double *d, double *s) { all<float>(f); all<double>(d); more(s); }
static const char *const text[] = {%s}, *const text2[] = {%s};
static int compare(const char *type, const double *a, const double *b, int n, const char *const *what, double room)
{
    int bad = 0;
    for (int k = 0; k < n; k++)
        if (!(std::fabs(a[k] - b[k]) <= room * std::fabs(b[k]))) {
            printf("FAIL %%s %%s: %%.17g in a kernel, %%.17g on the host\n", type, what[k], a[k], b[k]);
            bad++;
        }
    return bad;
}
int main()
{
    enum { N = sizeof text / sizeof *text, M = sizeof text2 / sizeof *text2 };
    static double f[N], d[N], s[M];
    double *p;
    cudaMallocManaged(&p, 8 * (2 * N + M));
    kernel<<<1, 1>>>(p, p + N, p + 2 * N);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("FAIL %%s\n", cudaGetErrorString(e));
        return 1;
    }
    all<float>(f);
    all<double>(d);
    more(s);
    return !!(compare("float", p, f, N, text, 1e-6) + compare("double", p + N, d, N, text, 1e-14) +
              compare("float", p + 2 * N, s, M, text2, 1e-6));
}
"""
CLASSES = r"""
template <class T> __host__ __device__ int classes(T x, T y)
{
    int m = 0, k = 0;
    bool is[] = {(bool)isfinite(x), (bool)isinf(x), (bool)isnan(x), (bool)signbit(x), (bool)::isfinite(x),
                 (bool)::isinf(x), (bool)::isnan(x), (bool)::signbit(x), (bool)std::isfinite(x), (bool)std::isinf(x),
                 (bool)std::isnan(x), (bool)std::signbit(x), (bool)isnormal(x), (bool)isgreater(x, y),
                 (bool)isless(x, y), (bool)isunordered(x, y), (bool)islessgreater(x, y), fpclassify(x) == FP_NAN};
    for (bool b : is)
        m |= b << k++;
    return m;
}
__global__ void kernel(const float *x, int *o)
{
    o[threadIdx.x] = classes(x[threadIdx.x], x[0]);
    o[8 + threadIdx.x] = classes((double)x[threadIdx.x], (double)x[0]);
}
/* By hand: +1, -0, NaN, +infinity, -infinity, a denormal, -3, 0; isfinite isinf isnan signbit thrice, then
 * isnormal, x > 1, x < 1, unordered, either of both, a NaN. */
#define THRICE(m) ((m) | (m) << 4 | (m) << 8)
static const int wanted[8] = {
    THRICE(1) | 1 << 12, THRICE(1 | 8) | 1 << 14 | 1 << 16, THRICE(4) | 1 << 15 | 1 << 17,
    THRICE(2) | 1 << 13 | 1 << 16, THRICE(2 | 8) | 1 << 14 | 1 << 16, THRICE(1) | 1 << 14 | 1 << 16,
    THRICE(1 | 8) | 1 << 12 | 1 << 14 | 1 << 16, THRICE(1) | 1 << 14 | 1 << 16};
int main()
{
    float *x, v[8] = {1, -0.0f, NAN, INFINITY, -INFINITY, 1e-40f, -3, 0};
    int *o, bad = 0;
    cudaMallocManaged(&x, sizeof v);
    cudaMallocManaged(&o, 64);
    memcpy(x, v, sizeof v);
    kernel<<<1, 8>>>(x, o);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < 8; i++) {
        int d = i == 5 ? wanted[5] | 1 << 12 : wanted[i]; /* 1e-40 is a normal double */
        bad += o[i] != wanted[i] || o[8 + i] != d || classes(v[i], v[0]) != wanted[i] ||
               classes((double)v[i], (double)v[0]) != d || isnan((long double)v[i]) != (i == 2);
        if (bad)
            printf("FAIL %g: %x %x %x, not %x\n", v[i], o[i], o[8 + i], classes(v[i], v[0]), wanted[i]);
    }
    return bad;
}
"""

INTEGERS = r"""
#include <cstdio>
__host__ __device__ double integers(int i, long l, unsigned u, float f)
{
    double s = sqrt(i) + pow(i, 3) + pow(2, f) + exp(1) + floor(i) + ceil(l) + log2(8) + log(u) + fabs(i) + round(i) +
               fmax(i, 2.5) + fmin(f, 1) + fma(i, 2, 3) + atan2(i, f) + hypot(i, 4) + erf(1) + cbrt(8) + tgamma(5) +
               sin(i) + cos(l) + tan(u) + abs(i) + abs(f) + abs(-2.5) + pow(f, 2) + pow(f, 0.5) + fmod(7, 4) +
               ldexp(3, 2) + copysign(1, -2.f) + trunc(3) + rint(4) + nearbyint(i) + lround(5) + log10(100) + log1p(1) +
               expm1(1) + exp2(3) + sinh(1) + asin(1) + acosh(2) + remainder(7, 4) + fdim(5, 3) + logb(8) + ilogb(8) +
               scalbn(1, 4);
    s += max(1.0f, 2.0) + min(1u, 2u) + max(3, 4) + max(1ll, 2ll) + max(1.f, 2.f) + rsqrt(4.f) + max(3u, 4);
    return s + isnan(i) + isinf(l) + isfinite(u);
}
__global__ void kernel(double *o) { *o = integers(3, 4, 5, 1.5f); }
int main()
{
    double *o, h = integers(3, 4, 5, 1.5f);
    cudaMallocManaged(&o, 8);
    kernel<<<1, 1>>>(o);
    cudaDeviceSynchronize();
    printf("%.12g %.12g\n", *o, h);
    return !(fabs(*o - h) < 1e-9 && fabs(h - 189.394137863) < 1e-8);
}
"""

TEMPLATES = r"""
#include <cmath>
#include <cstdio>
typedef float (*fn)(float);
template <fn F> __global__ void single(float *o) { *o = F(*o); }
template <auto F> __global__ void any(float *o) { *o = F(*o); }
template <double (*F)(double)> __global__ void twice(float *o) { *o = F(*o); }
template <fn F> struct op { __host__ __device__ float operator()(float x) const { return F(x); } };
template <class O> __global__ void apply(float *o, O f) { *o = f(*o); }
template <fn F> __device__ float inner(float x) { return F(x); }
__global__ void outer(float *o) { *o = inner<erff>(*o) + inner<std::erf>(*o) + inner<::erff>(*o) + powf(*o, 2); }
constexpr fn chosen = std::tanh;
static int bad;
static void is(const float *o, double wanted)
{
    cudaError_t e = cudaDeviceSynchronize();
    if (!(std::fabs(*o - wanted) < 1e-6)) {
        printf("FAIL %s: %g, not %g\n", cudaGetErrorString(e), *o, wanted);
        bad++;
    }
}
int main()
{
    float *o;
    cudaMallocManaged(&o, 4);
#define TRY(wanted, ...) *o = 0.5f, __VA_ARGS__<<<1, 1>>>(o), is(o, wanted)
    TRY(std::erf(0.5), single<erff>);
    TRY(std::erf(0.5), single<&erff>);
    TRY(std::erf(0.5), single<::erff>);
    TRY(std::erf(0.5), single<std::erf>);
    TRY(std::erf(0.5), single<(float (*)(float))std::erf>);
    TRY(std::sin(0.5), any<static_cast<fn>(std::sin)>);
    TRY(std::sin(0.5), any<sinf>);
    TRY(std::nearbyint(0.5), any<nearbyintf>);
    TRY(std::tanh(0.5), single<chosen>);
    TRY(std::cbrt(0.5), twice<cbrt>);
    TRY(std::cbrt(0.5), twice<std::cbrt>);
    TRY(2 * std::erf(0.5) + std::erf(0.5) + 0.25, outer);
    *o = 0.5f, apply<<<1, 1>>>(o, op<logf>()), is(o, std::log(0.5));
    *o = op<expf>()(0.5f), is(o, std::exp(0.5));
    return bad;
}
"""
REFUSED = r"""
float mine(float x) { return x; }
template <float (*F)(float)> __global__ void single(float *o) { *o = F(*o); }
int main() { single<%s><<<1, 1>>>(nullptr); single<erff><<<1, 1>>>(nullptr); }
"""
AGAIN = "template <float (*F)(float)> __global__ void again(float *o) { *o = F(*o); }\n"


def shared():
    """The compiler driver and the two headers name the same functions: the driver each once, the headers with f as well."""
    source = os.environ["SOURCE_DIR"]
    found = [re.findall(pattern, open(os.path.join(source, path)).read(), re.M) for path, pattern in (
        ("src/cc/cc_mathematics.c", r'"([a-z]\w*)",'), ("include/crt/shared_math_begin.h", r"^#define __builtin_(\w+) ::\1$"),
        ("include/crt/shared_math_end.h", r"^#undef __builtin_(\w+)$"))]
    names = sorted(name + f for name in found[0] for f in ("", "f"))
    if len(names) < 80 or any(sorted(list_) != names for list_ in found[1:]):
        print("FAIL shared_math", [sorted(set(names) ^ set(list_)) for list_ in found[1:]])
        return 1
    return 0


def refused(name):
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "refused.cu")
        with open(path, "w") as f:
            f.write(REFUSED % name)
        done = subprocess.run([lockstep, "cc", "-c", path, "-o", path + ".o"], capture_output=True, text=True)
        if done.returncode == 0 or done.stderr.count(f"reference to __host__ function '{name}'") != 1:
            print("FAIL refused.cu", done.returncode, done.stderr[:2000])
            return 1
        return 0


def run(name, text, *options):
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, name)
        with open(path, "w") as f:
            f.write(text)
        done = subprocess.run([lockstep, "run", *options, path], capture_output=True, text=True, errors="replace")
        if done.returncode:
            print("FAIL", name, *options, done.stdout[-3000:], done.stderr[:3000])
        return done.returncode


def lines(list_):
    return "\n".join("    PUT(%s);" % e for e in list_)


def texts(list_):
    return ", ".join('"%s"' % e for e in list_)


both, single = list(expressions()), list(suffixed())
program = PROGRAM % (lines(both), lines(single), texts(both), texts(single))
bad = run("names.cu", program)
bad |= run("again.cu", program.replace("int main()\n{", AGAIN + "int main()\n{\n    again<erff>;"))
for standard in ("c++17", "c++20"):  # beside headers that <cmath> has a part of
    for header in ("", "#include <iostream>\n", "#include <algorithm>\n#include <functional>\n#include <memory>\n"):
        bad |= run("templates.cu", header + TEMPLATES, "-std=" + standard)
bad |= refused("mine")
bad |= refused("__sinf")
bad |= shared()
bad |= run("classes.cu", CLASSES)
bad |= run("integers.cu", INTEGERS)
sys.exit(bad)
