/* SPDX-License-Identifier: Apache-2.0
 *
 * registers_driver.c: a driver in front of another one ($DRIVER), whose compiler gives each thread
 * 80 registers unless CU_JIT_MAX_REGISTERS says less, and which refuses blocks that have not so
 * many.
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, REGISTERS = 80, BLOCK = 65536 };

static struct {
    CUmodule module;
    int registers;
} modules[MOST];
static struct {
    CUfunction function;
    int registers;
} functions[MOST];
static int module_count, function_count;

/* The other one is the virtual GPU. */
static __attribute__((constructor)) void
begin(void)
{
    unsetenv("LOCKSTEP_DEVICE");
}

#define REAL(name) ((__typeof__(&name))dlsym(dlopen(getenv("DRIVER"), RTLD_NOW), #name))

CUresult
cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned n, CUjit_option *options,
                   void **values)
{
    int registers = REGISTERS;
    CUjit_option left[8];
    void *with[8];
    unsigned count = 0;
    for (unsigned k = 0; k < n; k++)
        if (options[k] == CU_JIT_MAX_REGISTERS)
            registers = (int)(size_t)values[k];
        else
            left[count] = options[k], with[count++] = values[k];
    if (strstr(image, ".pragma \"lockstep")) /* as a driver refuses what it does not know */
        return CUDA_ERROR_INVALID_PTX;
    CUresult r = REAL(cuModuleLoadDataEx)(out, image, count, left, with);
    if (r == CUDA_SUCCESS && module_count < MOST) {
        modules[module_count].module = *out;
        modules[module_count++].registers = registers;
    }
    return r;
}

CUresult
cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name)
{
    CUresult r = REAL(cuModuleGetFunction)(out, m, name);
    for (int k = 0; r == CUDA_SUCCESS && k < module_count && function_count < MOST; k++)
        if (modules[k].module == m) {
            functions[function_count].function = *out;
            functions[function_count++].registers = modules[k].registers;
        }
    return r;
}

static int
registers_of(CUfunction f)
{
    for (int k = function_count; k-- > 0;)
        if (functions[k].function == f)
            return functions[k].registers;
    return REGISTERS;
}

CUresult
cuFuncGetAttribute(int *out, CUfunction_attribute a, CUfunction f)
{
    if (a != CU_FUNC_ATTRIBUTE_NUM_REGS)
        return REAL(cuFuncGetAttribute)(out, a, f);
    *out = registers_of(f);
    return CUDA_SUCCESS;
}

CUresult
cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
               unsigned bz, unsigned shared, CUstream s, void **params, void **extra)
{
    if (registers_of(f) * (int)(bx * by * bz) > BLOCK)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return REAL(cuLaunchKernel)(f, gx, gy, gz, bx, by, bz, shared, s, params, extra);
}
