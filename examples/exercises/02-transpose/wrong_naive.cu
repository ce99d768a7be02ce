// SPDX-License-Identifier: Apache-2.0
// Right, but straight: neighbouring threads store a whole row apart.
__global__ void turn(const float *in, float *out, int rows, int columns)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < columns && y < rows)
        out[x * rows + y] = in[y * columns + x];
}

void transpose(const float *in, float *out, int rows, int columns)
{
    turn<<<dim3((columns + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, columns);
}
