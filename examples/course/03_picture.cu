// SPDX-License-Identifier: Apache-2.0
// 3: two dimensions: a picture becomes grey.
#include "course.h"

__global__ void grey(const uchar3 *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        uchar3 p = in[y * width + x];
        out[y * width + x] = (p.x * 77 + p.y * 150 + p.z * 29) >> 8;
    }
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000), width = 40, height = n / width;
    std::vector<uchar3> picture(width * height);
    std::vector<unsigned char> expected(width * height);
    for (int i = 0; i < width * height; i++) {
        picture[i] = make_uchar3(i, 3 * i, 7 * i);
        expected[i] = ((i & 255) * 77 + (3 * i & 255) * 150 + (7 * i & 255) * 29) >> 8;
    }
    uchar3 *in = to_device(picture);
    unsigned char *out;
    CHECK(cudaMalloc(&out, width * height));
    dim3 block(16, BLOCK / 16),
        grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    grey<<<grid, block>>>(in, out, width, height);
    CHECK(cudaFree(in));
    return verified(from_device(out, width * height), expected);
}
