/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of cuda.h that bindings enumerate and nothing here computes with: their values are those of
 * the driver API's documentation.
 */
#include "common/unit.h"

#include "cuda.h"

static void
test_values(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int value, documented;
    } rows[] = {
#define ROW(name, documented) {#name, name, documented}
        ROW(CU_CTX_SCHED_MASK, 0x07),
        ROW(CU_CTX_FLAGS_MASK, 0xff),
        ROW(CUDA_ARRAY3D_2DARRAY, 0x01),
        ROW(CUDA_ARRAY3D_TEXTURE_GATHER, 0x08),
        ROW(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH, 27),
        ROW(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT, 28),
        ROW(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES, 29),
        ROW(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH, 52),
        ROW(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, 53),
        ROW(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, 54),
        ROW(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH, 66),
        ROW(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, 67),
        ROW(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, 68),
        ROW(CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 113),
        ROW(CU_TARGET_COMPUTE_90A, 0x1005a),
        ROW(CU_GRAPHICS_REGISTER_FLAGS_NONE, 0),
        ROW(CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY, 1),
        ROW(CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD, 2),
        ROW(CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST, 4),
        ROW(CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER, 8),
#undef ROW
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].value != rows[k].documented)
            fail_msg("%s is %d, documented %d", rows[k].name, rows[k].value, rows[k].documented);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
