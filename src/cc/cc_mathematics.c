/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_mathematics: a name of <math.h> as a template's argument that host code writes, kernel<erff>.
 * clang takes the host's function of that name and refuses its call in the kernel. Such a unit's
 * device pass is run once more with one function for both sides (include/crt/shared_math_begin.h),
 * which clang may not take for the builtins that they are elsewhere: those have no instructions.
 */
#include "cc/cc_step.h"

#include <string.h>

static const char *const names[] = {
    "acos",    "acosh",     "asin",  "asinh",     "atan",   "atan2",  "atanh",   "cbrt",
    "cos",     "cosh",      "erf",   "erfc",      "exp",    "exp2",   "expm1",   "fdim",
    "fma",     "fmod",      "frexp", "hypot",     "ilogb",  "ldexp",  "lgamma",  "llrint",
    "llround", "log",       "log10", "log1p",     "log2",   "logb",   "lrint",   "lround",
    "modf",    "nextafter", "pow",   "remainder", "remquo", "round",  "scalbln", "scalbn",
    "sin",     "sinh",      "sqrt",  "tan",       "tanh",   "tgamma",
};
enum { NAMES = sizeof names / sizeof *names };

/* With or without the f of the functions of float. */
static bool
is_mathematics(const char *name, size_t length)
{
    for (int i = 0; i < NAMES; i++) {
        size_t n = strlen(names[i]);
        bool with_f = length == n + 1 && name[n] == 'f';
        if ((length == n || with_f) && memcmp(name, names[i], n) == 0)
            return true;
    }
    return false;
}

bool
cc_wants_shared_math(const char *messages)
{
    static const char words[] = "reference to __host__ function '";
    bool wants = false;
    for (const char *p = messages; (p = strstr(p, words));) {
        p += sizeof words - 1;
        if (!strncmp(p, "__", 2)) /* an intrinsic: shared or not, host code cannot name it */
            return false;
        wants = wants || is_mathematics(p, strcspn(p, "'"));
    }
    return wants;
}

void
cc_add_shared_math(struct step *s, struct words *w)
{
    cc_words_add(w, "-DLOCKSTEP_SHARED_MATH");
    for (int i = 0; i < NAMES; i++) {
        cc_words_add(w, arena_printf(s->args->arena, "-fno-builtin-%s", names[i]));
        cc_words_add(w, arena_printf(s->args->arena, "-fno-builtin-%sf", names[i]));
    }
}
