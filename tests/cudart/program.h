/* SPDX-License-Identifier: Apache-2.0
 *
 * A program as the compiler would register it: an image in lockstep's container, host addresses for
 * its kernels and variables.
 */
#ifndef TESTS_CUDART_PROGRAM_H
#define TESTS_CUDART_PROGRAM_H

#include "common/unit.h"

#include <stdlib.h>
#include <string.h>

#include "cuda_runtime_api.h"
#include "texture_types.h"

static const char program_text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".visible .const .align 4 .b8 table[64];\n"
    ".visible .global .texref image;\n"
    ".visible .global .samplerref how;\n"
    /* from_image(float *p): p[tid] = image at (tid, 0), p[32 + tid]: the
     * same, read as `how` says */
    ".visible .entry from_image(.param .u64 p)\n{\n"
    "  .reg .f32 %f<6>; .reg .b32 %r<3>; .reg .b64 %d<5>;\n"
    "  ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.s64 %d2, %d0, "
    "%d1;\n"
    "  cvt.rn.f32.u32 %f0, %r0;\n"
    "  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f0, 0f00000000}];\n"
    "  st.global.f32 [%d2], %f1;\n"
    "  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, how, {%f0, 0f00000000}];\n"
    "  st.global.f32 [%d2+128], %f1; ret;\n}\n"
    /* add(int *p, int n, int v): p[i] += v for i < n */
    ".visible .entry add(.param .u64 p, .param .u32 n, .param .u32 v)\n{\n"
    "  .reg .pred %q; .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d0, [p]; ld.param.u32 %r0, [n]; ld.param.u32 %r1, [v];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.s32 %q, %r5, %r0;\n"
    "  @%q bra DONE;\n"
    "  mul.wide.s32 %d1, %r5, 4; add.s64 %d2, %d0, %d1;\n"
    "  ld.global.u32 %r6, [%d2]; add.s32 %r6, %r6, %r1; st.global.u32 [%d2], %r6;\n"
    "DONE:\n  ret;\n}\n"
    /* from_table(int *p): p[tid] = table[tid] + counter */
    ".visible .entry from_table(.param .u64 p)\n{\n"
    "  .reg .b32 %r<5>; .reg .b64 %d<6>;\n"
    "  ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;\n"
    "  mov.u64 %d2, table; add.s64 %d3, %d2, %d1; ld.const.u32 %r1, [%d3];\n"
    "  ld.global.u32 %r2, [counter]; add.s32 %r3, %r1, %r2;\n"
    "  add.s64 %d4, %d0, %d1; st.global.u32 [%d4], %r3; ret;\n}\n"
    ".visible .entry nothing()\n{\n  ret;\n}\n"
    ".visible .entry stop()\n{\n  trap;\n  ret;\n}\n"
    ".visible .entry few() .maxntid 64, 1, 1\n{\n  ret;\n}\n"
    ".visible .entry shared(.param .u64 p)\n{\n"
    "  .shared .align 4 .b8 s[1024]; .reg .b32 %r<3>; .reg .b64 %d<2>;\n"
    "  mov.u32 %r0, %tid.x; st.shared.u32 [s], %r0; ld.shared.u32 %r1, [s];\n"
    "  ld.param.u64 %d0, [p]; st.global.u32 [%d0], %r1; ret;\n}\n";

/* Host twins: only their addresses matter. */
static char add_stub, from_table_stub, nothing_stub, stop_stub, few_stub, shared_stub, unknown_stub,
    missing_stub, from_image_stub;
static uint32_t counter_shadow;
static char table_shadow[64];
static struct textureReference image_shadow, how_shadow;

static void
register_program(void)
{
    static struct {
        int magic, version;
        const void *image;
        void *unused;
    } wrapper = {0x466243b1, 1, NULL, NULL};
    size_t n = sizeof program_text - 1;
    char *image = calloc(1, 24 + n + 1);
    uint32_t head[2] = {1, 0};
    uint64_t size = n;
    memcpy(image, "LOCKSTEP", 8);
    memcpy(image + 8, head, 8);
    memcpy(image + 16, &size, 8);
    memcpy(image + 24, program_text, n);
    wrapper.image = image;
    void **h = __cudaRegisterFatBinary(&wrapper);
    struct {
        char *stub, *name;
    } kernels[] = {{&add_stub, "add"},         {&from_table_stub, "from_table"},
                   {&nothing_stub, "nothing"}, {&stop_stub, "stop"},
                   {&few_stub, "few"},         {&shared_stub, "shared"},
                   {&missing_stub, "missing"}, {&from_image_stub, "from_image"}};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        __cudaRegisterFunction(h, kernels[k].stub, kernels[k].name, kernels[k].name, -1, NULL, NULL,
                               NULL, NULL, NULL);
    __cudaRegisterVar(h, (char *)&counter_shadow, "counter", "counter", 0, 4, 0, 0);
    __cudaRegisterVar(h, table_shadow, "table", "table", 0, 64, 1, 0);
    __cudaRegisterTexture(h, &image_shadow, NULL, "image", 2, 0, 0);
    __cudaRegisterTexture(h, &how_shadow, NULL, "how", 2, 0, 0);
    __cudaRegisterFatBinaryEnd(h);
}

static inline dim3
dims(unsigned x, unsigned y, unsigned z)
{
    return (dim3){x, y, z};
}

#define OK(call) assert_int_equal((call), cudaSuccess)
#define FAILS(call, error) assert_int_equal((call), (error))

#endif
