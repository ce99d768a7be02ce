/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_hints.c: behind clang's messages about typical mistakes a line with the way on.
 */
#include "cc/cc_step.h"

#include <string.h>

void
cc_tell_hints(const char *messages)
{
    static const struct {
        const char *words, *beside, *way_on;
    } rows[] = {
#define HINT(words, beside, way_on) {words, beside, way_on},
#include "cc/cc_hints.def"
#undef HINT
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strstr(messages, rows[k].words) && strstr(messages, rows[k].beside))
            columns_say("lockstep cc: note: %s\n", rows[k].way_on);
}
