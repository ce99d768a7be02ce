// SPDX-License-Identifier: Apache-2.0
// A variable of every kind, for print.
#include <cuda_fp16.h>

#include <cstdio>

enum Color { RED, GREEN = 5, BLUE };
enum class Mode : unsigned char { OFF, ON };
union Bits {
    float f;
    unsigned u;
};
struct Base {
    int id;
};
struct Node : Base {
    float weight;
    Node *next;
    int small : 3;
    unsigned wide : 13;
    bool flag;
};
template <class T, int N>
struct Stack {
    T item[N];
    int used;
    __device__ void push(T t)
    {
        item[used] = t;
        used = used + 1;
    }
};
namespace physics {
__device__ double gravity = 9.81;
}
typedef unsigned long long big;

__constant__ float coefficient[4] = {1, 2, 4, 8};
__device__ int counter = 7;
__device__ char greeting[12] = "hello\n";

__global__ void
values(float *data, int n, float4 quad, Stack<short, 3> given)
{
    __shared__ int tile[4][8];
    extern __shared__ float dynamic[];
    Node node;
    node.id = 3;
    node.weight = 2.5f;
    node.next = nullptr;
    node.small = -2;
    node.wide = 4097;
    node.flag = true;
    Stack<double, 2> stack = {{0.5, 0.25}, 1};
    Bits bits;
    bits.f = 1.0f;
    Color color = BLUE;
    Mode mode = Mode::ON;
    __half half = __float2half(1.5f);
    char letter = 'A';
    unsigned char byte = 200;
    big large = 1ull << 40;
    const int &reference = n;
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const char *text = "shown as text";
    long zeros[40] = {};
    tile[threadIdx.x % 4][threadIdx.x / 4 % 8] = threadIdx.x;
    dynamic[threadIdx.x] = threadIdx.x * 0.5f;
    __syncthreads();
    stack.push(grid[1][2] + given.item[0] + quad.x + letter + byte + large + zeros[3]);
    data[threadIdx.x] = stack.item[1] + bits.u + int(color) + int(mode) + __half2float(half) +
                        reference + text[0] + coefficient[1] + physics::gravity + node.weight +
                        counter + greeting[0] + dynamic[0];
}

int
main()
{
    float *data;
    cudaMallocManaged(&data, 32 * sizeof *data);
    Stack<short, 3> given = {{10, 20, 30}, 3};
    values<<<1, 32, 32 * sizeof(float)>>>(data, 32, make_float4(1, 2, 3, 4), given);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
