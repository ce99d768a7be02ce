/* SPDX-License-Identifier: Apache-2.0
 *
 * addresses.c: what memory an instruction accesses for one thread.
 */
#include "cli/debug/session.h"

/* The base register's value, without the instruction's offset. */
static bool
read_base(struct session *s, const struct debug_who *who, const struct source_function *f,
          const struct ptx_operand *o, uint64_t *out, struct ls_error *err)
{
    uint32_t count = f->ptx->reg_count;
    if (o->base_kind != PTX_BASE_REG) {
        *out = 0;
        return true;
    }
    uint64_t(*values)[2] = ls_alloc(sizeof *values * (count + 1));
    uint8_t *known = ls_alloc(count + 1);
    bool fine = target_registers(&s->target, who, count, values, known, err);
    if (fine && !known[o->reg])
        fine =
            ls_fail(err, LS_ERR_INPUT, "register %s is not known here", f->ptx->regs[o->reg].name);
    if (fine)
        *out = values[o->reg][0];
    ls_release(values);
    ls_release(known);
    return fine;
}

bool
address_raw(struct session *s, const struct debug_thread *t, const struct source_function *f,
            const struct ptx_insn *i, uint64_t *out, struct ls_error *err)
{
    const struct ptx_operand *o = ptx_address(i);
    struct debug_who who = {.thread = *t};
    struct debug_symbol at;
    if (o->base_kind == PTX_BASE_VAR) {
        if (!target_symbol(&s->target, &who, o->var->name, &at, err))
            return false;
        *out = at.address;
    } else if (!read_base(s, &who, f, o, out, err)) {
        return false;
    }
    *out += (uint64_t)o->offset;
    return true;
}

bool
address_find(struct session *s, const struct debug_thread *t, const struct source_function *f,
             const struct ptx_insn *i, struct debug_symbol *out, struct ls_error *err)
{
    const struct ptx_operand *o = ptx_address(i);
    struct debug_memory at = {.who = {.thread = *t}, .space = i->space, .bytes = 1};
    if (o->base_kind == PTX_BASE_VAR) {
        if (!target_symbol(&s->target, &at.who, o->var->name, out, err))
            return false;
        out->address += (uint64_t)o->offset;
        return true;
    }
    if (!read_base(s, &at.who, f, o, &at.address, err))
        return false;
    at.address += (uint64_t)o->offset;
    return target_where(&s->target, &at, out, err);
}

uint32_t
address_bytes(const struct ptx_insn *i)
{
    uint32_t bytes = i->type_count ? ptx_type_bytes((enum ptx_type)i->type[i->type_count - 1]) : 4;
    return (bytes ? bytes : 1) * (i->vec ? i->vec : 1);
}
