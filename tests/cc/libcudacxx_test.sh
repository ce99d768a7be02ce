# SPDX-License-Identifier: Apache-2.0
# libcu++ where Debian has it: cuda::std::complex against std::complex, in kernels and on the host. And
# cuda::std::span, which is there without it.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
cat >span.cu <<'C'
#include <cuda/std/span>
#include <cstdio>
#include <vector>
template <class T> using span = cuda::std::span<T>;
__host__ __device__ int work(span<int> s)
{
    for (auto &x : s)
        x += 1;
    s[1] = 2;
    s.back() = 9;
    cuda::std::span<int, 2> f = s.template first<2>();
    auto t = s.subspan(1, 2), l = s.last(1);
    static_assert(sizeof f == sizeof(void *) && decltype(f)::extent == 2);
    static_assert(decltype(f.subspan<1>())::extent == 1);
    span<const int> c = s;
    int sum = 0, a[3] = {1, 2, 3};
    for (int x : c)
        sum += x;
    cuda::std::span g(a);
    static_assert(decltype(g)::extent == 3);
    return sum + 100 * (int)(t.size() + l[0] + f.size() + g.front() + (int)as_bytes(g).size()) + s.empty() +
           (int)span<int>().size();
}
__global__ void kernel(span<int> s, int *o) { *o = work(s); }
static_assert(!std::is_convertible_v<span<const int>, span<int>>);
static_assert(!std::is_convertible_v<span<int>, span<unsigned>>);
int main()
{
    int *p, backwards = 0;
    cudaMallocManaged(&p, 64);
    for (int i = 0; i < 16; i++)
        p[i] = i;
    std::vector<int> v(p, p + 8);
    kernel<<<1, 1>>>({p, 8}, p + 10);
    bool fine = cudaDeviceSynchronize() == cudaSuccess;
    int wanted = 1 + 2 + 3 + 4 + 5 + 6 + 7 + 9 + 100 * (2 + 9 + 2 + 1 + 12), host = work(v);
    span<int> w(v);
    for (auto i = w.rbegin(); i != w.rend(); ++i)
        backwards = backwards * 3 + *i;
    printf("%d %d %d, not %d\n", p[10], host, backwards, wanted);
    return !fine || p[10] != wanted || host != wanted || backwards != 26791;
}
C
for standard in c++17 c++20; do
    "$LOCKSTEP" cc -std=$standard span.cu -o span && ./span >out || { echo "FAIL span, $standard"; cat out; bad=1; }
done
[ -e /usr/include/cuda/std/complex ] || exit $bad
cat >complex.cu <<'C'
#include <cuda/std/ccomplex>
#include <complex>
#include <cstdio>
using cuda::std::complex;
enum { N = 14 };
template <class T> __host__ __device__ void all(complex<T> *o, complex<T> a, complex<T> b)
{
    complex<T> c[N] = {a * b, a / b, a + b, a * T(2), cuda::std::sqrt(a), cuda::std::exp(a),
                       complex<T>(cuda::std::abs(a), cuda::std::arg(a)), cuda::std::pow(a, b), cuda::std::conj(a),
                       cuda::std::sin(a), cuda::std::polar(T(2), T(1)), cuda::std::log(a), cuda::std::tanh(a), T(1) / a};
    for (int i = 0; i < N; i++)
        o[i] = c[i];
}
template <class T> __global__ void kernel(complex<T> *o) { all<T>(o, {T(1.5), T(-2)}, {T(0.25), T(3)}); }
template <class T> int test(double room)
{
    complex<T> *o, h[N];
    cudaMallocManaged(&o, sizeof h);
    kernel<T><<<1, 1>>>(o);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    all<T>(h, {T(1.5), T(-2)}, {T(0.25), T(3)});
    std::complex<double> a(1.5, -2), b(.25, 3);
    std::complex<double> w[N] = {a * b, a / b, a + b, a * 2., std::sqrt(a), std::exp(a), {std::abs(a), std::arg(a)},
                                 std::pow(a, b), std::conj(a), std::sin(a), std::polar(2., 1.), std::log(a),
                                 std::tanh(a), 1. / a};
    for (int i = 0; i < N; i++)
        for (complex<T> x : {o[i], h[i]})
            if (!(std::abs(std::complex<double>(x.real(), x.imag()) - w[i]) <= room)) {
                printf("%d: %g %g, not %g %g\n", i, (double)x.real(), (double)x.imag(), w[i].real(), w[i].imag());
                bad++;
            }
    return bad;
}
int main() { return test<float>(1e-5) + test<double>(1e-13); }
C
"$LOCKSTEP" cc -std=c++17 -w complex.cu -o complex && ./complex >out || { echo "FAIL complex"; cat out; bad=1; }
exit $bad
