/* SPDX-License-Identifier: Apache-2.0
 *
 * curand.c: the calls of cuRAND's host side that curand.h has: versions, and tables that are
 * refused.
 */
#include "cudart/cudart.h"
#pragma GCC visibility push(default)
#include "curand.h"
#pragma GCC visibility pop

curandStatus_t
curandGetVersion(int *version)
{
    if (!version)
        return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
    if ((unsigned)type >= sizeof parts / sizeof *parts || !value)
        return CURAND_STATUS_OUT_OF_RANGE;
    *value = parts[type];
    return CURAND_STATUS_SUCCESS;
}

/* Wrong tables would give numbers that look like the right ones. */
static curandStatus_t
no_table(const char *call, const char *table)
{
    (void)device_fail(DEVICE_INVALID_VALUE,
                      "this is not supported: lockstep has no table of %s; a program can give "
                      "curand_init its own",
                      table);
    device_call_failed(call, CURAND_STATUS_OUT_OF_RANGE, "CURAND_STATUS_OUT_OF_RANGE");
    device_forget_reason();
    return CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t
curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set)
{
    (void)vectors, (void)set;
    return no_table(__func__, "direction vectors");
}

curandStatus_t
curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set)
{
    (void)vectors, (void)set;
    return no_table(__func__, "direction vectors");
}

curandStatus_t
curandGetScrambleConstants32(unsigned int **constants)
{
    (void)constants;
    return no_table(__func__, "scramble constants");
}

curandStatus_t
curandGetScrambleConstants64(unsigned long long **constants)
{
    (void)constants;
    return no_table(__func__, "scramble constants");
}
