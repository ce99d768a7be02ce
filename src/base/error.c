/* SPDX-License-Identifier: Apache-2.0
 *
 * error: errors as values, and warnings to the person at the terminal.
 */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

bool
ls_fail(struct ls_error *err, enum ls_status status, const char *format, ...)
{
    if (!err)
        return false;
    /* By way of a copy: the arguments may include err->text itself. */
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0)
        text[0] = 0;
    else if ((size_t)n >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);
    memcpy(err->text, text, sizeof text);
    err->status = status;
    return false;
}

void
ls_warn(const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    columns_say("lockstep: %s\n", text);
}
