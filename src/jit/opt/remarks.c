/* SPDX-License-Identifier: Apache-2.0
 *
 * opt/remarks.c: what passes over the warp IR say of what they did. Apart from opt.c, which calls
 * the passes: they call this.
 */
#include "jit/opt/opt.h"

#include <stdarg.h>

void
opt_fired(struct opt *o, uint32_t n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    jit_remark(o->remarks, o->pass, true, o->edit.f->insns[n].place, format, args);
    va_end(args);
}

void
opt_missed(struct opt *o, uint32_t n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    jit_remark(o->remarks, o->pass, false, o->edit.f->insns[n].place, format, args);
    va_end(args);
}
