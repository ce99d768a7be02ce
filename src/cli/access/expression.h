/* SPDX-License-Identifier: Apache-2.0
 *
 * Small integer expressions, C's operators and precedence: + - * / % & | ^ ~ ! << >> comparisons
 * && || ?: ( ), numbers (0x too) and named variables. 64-bit, wrapping; / and % by zero fail.
 */
#ifndef LOCKSTEP_CLI_EXPRESSION_H
#define LOCKSTEP_CLI_EXPRESSION_H

#include "base/base.h"

struct expression_variable {
    const char *name;
    int64_t value;
};

/* Evaluates text; false with the place ("column 5: ...") in err. */
bool expression_evaluate(const char *text, const struct expression_variable *variables,
                         size_t count, int64_t *out, struct ls_error *err);

#endif
