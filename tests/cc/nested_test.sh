# SPDX-License-Identifier: Apache-2.0
# Kernels that launch overloaded kernels, and kernels of another unit.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cat >"$work/a.cu" <<'C'
#include <cstdio>
__global__ void child(int *p, int a);
__global__ void child(int *p, int a, int b) { p[0] = a + b; }
__global__ void child(int *p, int a) { p[1] = 10 * a; }
__global__ void elsewhere(int *p, int a);
template <class T, int n> __global__ void made(T *p) { p[n] = (T)(n * 7); }
__global__ void parent(int *p)
{
    child<<<1, 1>>>(p, 3, /* , */ (4, 4));
    child <<<1, 1>>> (p, ')' - '(');
    elsewhere<<<1, 1>>>(p, 5);
    made<int, 3><<<1, 1>>>(p);
}
int main()
{
    int *p;
    cudaMallocManaged(&p, 16);
    parent<<<1, 1>>>(p);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %d %d %d %d\n", p[0], p[1], p[2], p[3], (int)e);
}
C
echo '__global__ void elsewhere(int *p, int a) { p[2] = a * a; }' >"$work/b.cu"
"$LOCKSTEP" cc -rdc=true "$work/a.cu" "$work/b.cu" -o "$work/a" || exit 1
got=$("$work/a")
[ "$got" = "7 10 25 21 0" ] || { echo "FAIL printed $got"; exit 1; }
