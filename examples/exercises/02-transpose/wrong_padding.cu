// SPDX-License-Identifier: Apache-2.0
// Right, but each column of the tile lies in one bank.
#define TILE 32

__global__ void turn(const float *in, float *out, int rows, int columns)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += blockDim.y)
        if (x < columns && y + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += blockDim.y)
        if (x < rows && y + k < columns)
            out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}

void transpose(const float *in, float *out, int rows, int columns)
{
    dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    turn<<<grid, dim3(TILE, 8)>>>(in, out, rows, columns);
}
