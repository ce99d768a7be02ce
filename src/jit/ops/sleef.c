/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_sleef: vector mathematics from SLEEF, in the widest form that the host has: a warp's 32
 * floats are two calls with AVX-512, four with AVX2, eight else. A uniform value takes the same
 * function in one lane, so that it has the same result as a varying one.
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"

#include <stdio.h>
#include <string.h>

/* Only their addresses are needed here; generated code knows the types. */
#if defined(__x86_64__)
#define SLEEF(name, accuracy, arguments)                                                           \
    void Sleef_##name##f16_##accuracy##avx512f(void);                                              \
    void Sleef_##name##d8_##accuracy##avx512f(void);                                               \
    void Sleef_##name##f8_##accuracy##avx2(void);                                                  \
    void Sleef_##name##d4_##accuracy##avx2(void);                                                  \
    void Sleef_##name##f4_##accuracy##sse2(void);                                                  \
    void Sleef_##name##d2_##accuracy##sse2(void);
#else
#define SLEEF(name, accuracy, arguments)                                                           \
    void Sleef_##name##f4_##accuracy##advsimd(void);                                               \
    void Sleef_##name##d2_##accuracy##advsimd(void);
#endif
#include "jit/ops/sleef.def"
#undef SLEEF

static const struct sleef_symbol {
    const char *name;
    void (*address)(void);
} symbols[] = {
#define SYMBOL(f) {#f, f},
#if defined(__x86_64__)
#define SLEEF(name, accuracy, arguments)                                                           \
    SYMBOL(Sleef_##name##f16_##accuracy##avx512f)                                                  \
    SYMBOL(Sleef_##name##d8_##accuracy##avx512f)                                                   \
    SYMBOL(Sleef_##name##f8_##accuracy##avx2)                                                      \
    SYMBOL(Sleef_##name##d4_##accuracy##avx2)                                                      \
    SYMBOL(Sleef_##name##f4_##accuracy##sse2)                                                      \
    SYMBOL(Sleef_##name##d2_##accuracy##sse2)
#else
#define SLEEF(name, accuracy, arguments)                                                           \
    SYMBOL(Sleef_##name##f4_##accuracy##advsimd)                                                   \
    SYMBOL(Sleef_##name##d2_##accuracy##advsimd)
#endif
#include "jit/ops/sleef.def"
#undef SLEEF
};

static const struct {
    const char *name, *accuracy;
} functions[] = {
#define SLEEF(name, accuracy, arguments) {#name, #accuracy},
#include "jit/ops/sleef.def"
#undef SLEEF
};

bool
sleef_symbol(size_t i, const char **name, void **address)
{
    if (i >= sizeof symbols / sizeof *symbols)
        return false;
    *name = symbols[i].name;
    *address = (void *)symbols[i].address;
    return true;
}

/* Floats in one of the host's registers, and SLEEF's word for it. */
static unsigned
host_width(struct emit *e, const char **isa)
{
#if defined(__x86_64__)
    if (host_has_avx512(e)) {
        *isa = "avx512f";
        return 16;
    }
    if (!e->plain_host && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        *isa = "avx2";
        return 8;
    }
    *isa = "sse2";
#else
    *isa = "advsimd";
#endif
    return 4;
}

value
math_call(struct emit *e, const char *name, const value *in, unsigned nin)
{
    const char *isa, *accuracy = "";
    bool wide = emit_bits_of(in[0]) == 64;
    unsigned n = host_width(e, &isa) / (wide ? 2 : 1);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (strcmp(functions[k].name, name) == 0)
            accuracy = functions[k].accuracy;
    char symbol[80];
    snprintf(symbol, sizeof symbol, "Sleef_%s%c%u_%s%s", name, wide ? 'd' : 'f', n, accuracy, isa);
    unsigned lanes = v_count(in[0]), count = lanes > n ? lanes / n : 1;
    value part[32], args[2];
    for (unsigned k = 0; k < count; k++) {
        for (unsigned a = 0; a < nin; a++)
            args[a] = v_slice(e, in[a], k * n, n);
        part[k] = v_call_named(e, symbol, LLVMTypeOf(args[0]), args, nin);
    }
    return v_concat(e, part, count, n, in[0]);
}
