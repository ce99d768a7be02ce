/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_check.c: an instruction's operands against its types (PTX ISA 9.4).
 */
#include "ptx/ptx_priv.h"

void
check_insn(struct parser *p, const struct ptx_insn *i)
{
    (void)p;
    (void)i;
}
