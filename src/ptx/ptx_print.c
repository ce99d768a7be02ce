/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_print: a module as PTX text that parses to the same module. Start at ptx_print.
 *
 * Scopes are flat in a module, so a name that is met again in a function (an inner scope's %r1, a
 * call's param0) gets its number behind a $. Modifiers come in the order they were written, then
 * state spaces, vector size and types, whatever the order of these in the original text.
 */
#include "ptx/ptx_priv.h"

#include <inttypes.h>
#include <string.h>

/* -- names ------------------------------------------------------------------------------------- */

/* The names under which a function's own things are printed; NULL: as they were written. */
struct names {
    const char **regs, **vars, **labels, **targets;
};

struct printer {
    struct text *out;
    const struct ptx_func *f;
    struct names *names;
    const struct ptx_print_names *as; /* NULL: the function's own */
    struct arena arena;
    struct words global;         /* names of the module */
    VEC(const char *) functions; /* that .loc names: strings of .debug_str */
};

static const char *
unique(struct printer *p, struct words *used, const char *name, const char *kind, uint32_t index)
{
    size_t n = strlen(name);
    if (words_find(used, name, n) || words_find(&p->global, name, n))
        name = arena_printf(&p->arena, "%s$%s%u", name, kind, index);
    words_add(used, &p->arena, name, 0, index);
    return name;
}

/* A parameter is named like anything else, but parameters come first: they keep their names. */
static void
name_parameters(struct printer *p, struct words *used, struct ptx_var *const *vars, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        words_add(used, &p->arena, vars[k]->name, 0, k);
}

static void
make_names(struct printer *p, struct names *names)
{
    const struct ptx_func *f = p->f;
    struct words used = {0};
    struct arena *a = &p->arena;
    uint32_t own = 0; /* registers that are parameters come first, and are named by them */
    name_parameters(p, &used, f->results, f->result_count);
    name_parameters(p, &used, f->params, f->param_count);
    names->regs = ARENA_ARRAY(a, const char *, f->reg_count + 1);
    names->vars = ARENA_ARRAY(a, const char *, f->var_count + 1);
    names->labels = ARENA_ARRAY(a, const char *, f->label_count + 1);
    names->targets = ARENA_ARRAY(a, const char *, f->target_count + 1);
    for (uint32_t k = 0; k < f->result_count; k++)
        own += f->result_regs[k] != PTX_NO_REG;
    for (uint32_t k = 0; k < f->param_count; k++)
        own += f->param_regs[k] != PTX_NO_REG;
    for (uint32_t k = 0; k < f->reg_count; k++)
        names->regs[k] = k < own ? f->regs[k].name : unique(p, &used, f->regs[k].name, "r", k);
    for (uint32_t k = 0; k < f->var_count; k++)
        names->vars[k] = unique(p, &used, f->vars[k]->name, "v", k);
    for (uint32_t k = 0; k < f->label_count; k++)
        names->labels[k] = unique(p, &used, f->labels[k].name, "l", k);
    for (uint32_t k = 0; k < f->target_count; k++)
        names->targets[k] = unique(p, &used, f->targets[k].name, "t", k);
}

static const char *
reg_name(const struct printer *p, uint32_t r)
{
    if (p->as)
        return p->as->reg[r];
    return p->names ? p->names->regs[r] : p->f->regs[r].name;
}

static bool
is_predicate(const struct printer *p, uint32_t r)
{
    return p->as ? p->as->predicate[r] : p->f->regs[r].type == PTX_PRED;
}

static const char *
var_name(const struct printer *p, const struct ptx_var *v)
{
    if (p->as && v->func)
        return p->as->var[v->index];
    bool local = p->names && v->func && v->index < p->f->var_count && p->f->vars[v->index] == v;
    return local ? p->names->vars[v->index] : v->name;
}

/* -- operands ---------------------------------------------------------------------------------- */

static void print_operand(const struct printer *p, const struct ptx_operand *o);

static void
print_elements(const struct printer *p, const struct ptx_operand *o, const char *around)
{
    text_add(p->out, "%c", around[0]);
    for (uint32_t k = 0; k < o->count; k++) {
        text_add(p->out, "%s", k ? ", " : "");
        print_operand(p, &o->elements[k]);
    }
    text_add(p->out, "%c", around[1]);
}

static void
print_offset(const struct printer *p, int64_t offset)
{
    if (offset)
        text_add(p->out, "+%" PRId64, offset);
}

static void
print_address(const struct printer *p, const struct ptx_operand *o)
{
    text_add(p->out, "[");
    if (o->base_kind == PTX_BASE_REG)
        text_add(p->out, "%s", reg_name(p, o->reg));
    else if (o->base_kind == PTX_BASE_VAR)
        text_add(p->out, "%s", var_name(p, o->var));
    else
        text_add(p->out, "%" PRId64, o->offset);
    if (o->base_kind != PTX_BASE_NONE)
        print_offset(p, o->offset);
    text_add(p->out, "]");
}

static void
print_register(const struct printer *p, const struct ptx_operand *o)
{
    static const char *const parts[] = {"",    ".x",  ".y",  ".z",  ".w", ".b0",
                                        ".b1", ".b2", ".b3", ".h0", ".h1"};
    const char *sign = !o->negated ? "" : is_predicate(p, o->reg) ? "!" : "-";
    text_add(p->out, "%s%s%s", sign, reg_name(p, o->reg), o->part < 11 ? parts[o->part] : "");
}

static void
print_operand(const struct printer *p, const struct ptx_operand *o)
{
    struct text *t = p->out;
    switch ((enum ptx_operand_kind)o->kind) {
    case PTX_O_NONE: break;
    case PTX_O_REG: print_register(p, o); break;
    case PTX_O_SREG: text_add(t, "%s", ptx_sreg_name((enum ptx_sreg)o->sreg)); break;
    case PTX_O_INT: text_add(t, "%" PRId64, (int64_t)o->imm); break;
    case PTX_O_FLOAT:
        if (o->imm_is_f32)
            text_add(t, "0f%08" PRIX64, o->imm);
        else
            text_add(t, "0d%016" PRIX64, o->imm);
        break;
    case PTX_O_SYMBOL:
        text_add(t, "%s", o->var ? var_name(p, o->var) : o->func->name);
        print_offset(p, o->offset);
        break;
    case PTX_O_ADDRESS: print_address(p, o); break;
    case PTX_O_LABEL:
        text_add(t, "%s", p->names ? p->names->labels[o->label] : p->f->labels[o->label].name);
        break;
    case PTX_O_VECTOR: print_elements(p, o, "{}"); break;
    case PTX_O_SINK: text_add(t, "_"); break;
    case PTX_O_PAIR:
        print_operand(p, &o->elements[0]);
        text_add(t, "|");
        print_operand(p, &o->elements[1]);
        break;
    case PTX_O_FUNC: text_add(t, "%s", o->func->name); break;
    case PTX_O_LIST: print_elements(p, o, "()"); break;
    case PTX_O_TEX: print_elements(p, o, "[]"); break;
    case PTX_O_TARGETS:
        text_add(t, "%s",
                 p->as      ? p->as->targets
                 : p->names ? p->names->targets[o->target]
                            : p->f->targets[o->target].name);
        break;
    }
}

/* -- instructions ------------------------------------------------------------------------------ */

static void
print_modifiers(struct text *t, const struct ptx_insn *i)
{
    uint64_t left[PTX_MOD_WORDS];
    memcpy(left, i->mods, sizeof left);
    for (unsigned k = 0; k < 8 && i->order[k]; k++) {
        text_add(t, ".%s", ptx_mod_name((enum ptx_mod)i->order[k]));
        left[i->order[k] / 64] &= ~(1ull << (i->order[k] % 64));
    }
    for (unsigned k = 0; k < PTX_MOD_WORDS; k++)
        for (; left[k]; left[k] &= left[k] - 1)
            text_add(t, ".%s",
                     ptx_mod_name((enum ptx_mod)(k * 64 + (unsigned)__builtin_ctzll(left[k]))));
}

static void
print_insn(const struct printer *p, const struct ptx_insn *i)
{
    struct text *t = p->out;
    if (i->guard != PTX_NO_REG)
        text_add(t, "@%s%s ", i->guard_negated ? "!" : "", reg_name(p, i->guard));
    text_add(t, "%s", ptx_op_name((enum ptx_op)i->op));
    print_modifiers(t, i);
    if (i->space)
        text_add(t, ".%s", ptx_space_name((enum ptx_space)i->space));
    if (i->space2)
        text_add(t, ".%s", ptx_space_name((enum ptx_space)i->space2));
    if (i->vec > 1)
        text_add(t, ".v%u", i->vec);
    for (unsigned k = 0; k < i->type_count; k++)
        text_add(t, ".%s", ptx_type_name((enum ptx_type)i->type[k]));
    for (unsigned k = 0; k < i->operand_count; k++) {
        text_add(t, k ? ", " : " ");
        print_operand(p, &i->operand[k]);
    }
    text_add(t, ";");
}

void
ptx_print_insn(const struct ptx_func *f, const struct ptx_insn *i, struct text *out)
{
    struct printer p = {.out = out, .f = f};
    print_insn(&p, i);
}

void
ptx_print_insn_as(const struct ptx_insn *i, const struct ptx_print_names *names, struct text *out)
{
    struct printer p = {.out = out, .as = names};
    print_insn(&p, i);
}

/* -- variables --------------------------------------------------------------------------------- */

static const char *
linkage_text(uint8_t linkage)
{
    static const char *const texts[] = {"", ".extern ", ".visible ", ".weak ", ".common "};
    return linkage < sizeof texts / sizeof *texts ? texts[linkage] : "";
}

static void
print_reloc(const struct printer *p, const struct ptx_reloc *r)
{
    const char *name = r->var ? var_name(p, r->var) : r->func->name;
    if (r->bytes == 1)
        text_add(p->out, "0x%" PRIx64 "(", (uint64_t)0xff << r->shift);
    else if (r->generic)
        text_add(p->out, "generic(");
    text_add(p->out, "%s", name);
    print_offset(p, r->addend);
    if (r->bytes == 1 || r->generic)
        text_add(p->out, ")");
}

static void
print_number(const struct printer *p, const struct ptx_var *v, uint64_t at, unsigned bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, v->init + at, bytes > 8 ? 8 : bytes);
    if (v->type == PTX_F32)
        text_add(p->out, "0f%08" PRIX64, bits);
    else if (v->type == PTX_F64)
        text_add(p->out, "0d%016" PRIX64, bits);
    else
        text_add(p->out, "%" PRIu64, bits);
}

static void
print_initial_value(const struct printer *p, const struct ptx_var *v, bool list)
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)v->type);
    uint64_t end = v->size; /* zeros at the end are not printed */
    const struct ptx_reloc *r = v->relocs, *last = r + v->reloc_count;
    while (end > bytes && !v->init[end - 1] && (!v->reloc_count || end > last[-1].at + bytes))
        end--;
    text_add(p->out, list ? " = {" : " = ");
    for (uint64_t at = 0; at < end && at + bytes <= v->size; at += bytes) {
        text_add(p->out, "%s", at ? ", " : "");
        while (r < last && r->at < at)
            r++;
        if (r < last && r->at == at)
            print_reloc(p, r);
        else
            print_number(p, v, at, bytes);
    }
    text_add(p->out, list ? "}" : "");
}

/* .align 4 .v2 .f32 name[8] */
static void
print_declarator(const struct printer *p, const struct ptx_var *v, const char *name)
{
    uint64_t element = (uint64_t)ptx_type_bytes((enum ptx_type)v->type) * v->vec;
    element = element ? element : 8;
    text_add(p->out, ".%s ", ptx_space_name((enum ptx_space)v->space));
    if (v->managed)
        text_add(p->out, ".attribute(.managed) ");
    if (v->space != PTX_SPACE_REG)
        text_add(p->out, ".align %u ", v->align);
    if (v->vec > 1)
        text_add(p->out, ".v%u ", v->vec);
    text_add(p->out, ".%s %s", ptx_type_name((enum ptx_type)v->type), name);
    if (v->unsized)
        text_add(p->out, "[]");
    else if (v->size != element)
        text_add(p->out, "[%" PRIu64 "]", v->size / element);
}

static void
print_variable(const struct printer *p, const struct ptx_var *v)
{
    text_add(p->out, "%s", linkage_text(v->linkage));
    print_declarator(p, v, var_name(p, v));
    unsigned element = ptx_type_bytes((enum ptx_type)v->type);
    if (v->init && v->size)
        print_initial_value(p, v, v->size != element);
    text_add(p->out, ";\n");
}

/* Variables of a module. What an initial value names stands before it, or is declared there: linked
 * modules may name each other's. */
static void
print_variables(struct printer *p, const struct ptx_module *m, const bool *which)
{
    bool *declared = ARENA_ARRAY(&p->arena, bool, m->var_count + 1);
    for (uint32_t k = 0; k < m->var_count; k++) {
        const struct ptx_var *v = m->vars[k];
        if (which && !which[k])
            continue;
        for (uint32_t r = 0; r < v->reloc_count; r++) {
            const struct ptx_var *named = v->relocs[r].var;
            if (!named || named->index <= k || named->linkage == PTX_LOCAL_LINKAGE ||
                declared[named->index])
                continue;
            struct ptx_var outside = *named;
            outside.linkage = PTX_EXTERN;
            outside.init = NULL;
            print_variable(p, &outside);
            declared[named->index] = true;
        }
        print_variable(p, v);
    }
}

/* -- functions --------------------------------------------------------------------------------- */

static void
print_parameters(const struct printer *p, struct ptx_var *const *vars, uint32_t n)
{
    text_add(p->out, "(");
    for (uint32_t k = 0; k < n; k++) {
        text_add(p->out, k ? ", " : "");
        print_declarator(p, vars[k], vars[k]->name);
    }
    text_add(p->out, ")");
}

static void
print_triple(const struct printer *p, const char *name, const uint32_t d[3])
{
    if (d[0] || d[1] || d[2])
        text_add(p->out, ".%s %u, %u, %u\n", name, d[0], d[1], d[2]);
}

static void
print_count(const struct printer *p, const char *name, uint32_t n)
{
    if (n)
        text_add(p->out, ".%s %u\n", name, n);
}

static void
print_signature(const struct printer *p)
{
    const struct ptx_func *f = p->f;
    text_add(p->out, "%s.%s ", linkage_text(f->linkage), f->is_kernel ? "entry" : "func");
    if (f->result_count)
        print_parameters(p, f->results, f->result_count);
    text_add(p->out, "%s", f->name);
    print_parameters(p, f->params, f->param_count);
    text_add(p->out, "\n");
    if (f->noreturn)
        text_add(p->out, ".noreturn\n");
    print_triple(p, "maxntid", f->limits.maxntid);
    print_triple(p, "reqntid", f->limits.reqntid);
    print_triple(p, "reqnctapercluster", f->limits.reqnctapercluster);
    print_count(p, "minnctapersm", f->limits.minnctapersm);
    print_count(p, "maxnreg", f->limits.maxnreg);
    print_count(p, "maxclusterrank", f->limits.maxclusterrank);
    if (f->limits.explicit_cluster)
        text_add(p->out, ".explicitcluster\n");
    if (f->limits.blocks_are_clusters)
        text_add(p->out, ".blocksareclusters\n");
}

static bool
is_parameter(const struct ptx_func *f, uint32_t reg)
{
    for (uint32_t k = 0; k < f->param_count; k++)
        if (f->param_regs[k] == reg)
            return true;
    for (uint32_t k = 0; k < f->result_count; k++)
        if (f->result_regs[k] == reg)
            return true;
    return false;
}

static void
print_registers(const struct printer *p)
{
    for (uint32_t k = 0; k < p->f->reg_count; k++) {
        const struct ptx_reg *r = &p->f->regs[k];
        if (k < p->f->param_count + p->f->result_count && is_parameter(p->f, k))
            continue;
        text_add(p->out, "\t.reg ");
        text_add(p->out, ".%s %s;\n", ptx_type_name((enum ptx_type)r->type), reg_name(p, k));
    }
}

static void
print_targets(const struct printer *p, uint32_t index, const char *name)
{
    const struct ptx_targets *t = &p->f->targets[index];
    text_add(p->out, "%s: ", name);
    if (t->kind == 'p') {
        text_add(p->out, ".callprototype ");
        print_parameters(p, t->prototype->results, t->prototype->result_count);
        text_add(p->out, " _ ");
        print_parameters(p, t->prototype->params, t->prototype->param_count);
        text_add(p->out, t->prototype->noreturn ? " .noreturn" : "");
    } else {
        text_add(p->out, t->kind == 'b' ? ".branchtargets " : ".calltargets ");
    }
    for (uint32_t k = 0; k < t->count; k++)
        text_add(p->out, "%s%s", k ? ", " : "",
                 t->kind == 'b' ? p->names->labels[t->labels[k]] : t->funcs[k]->name);
    text_add(p->out, ";\n");
}

void
ptx_print_targets(const struct ptx_func *f, uint32_t target, const char *name, struct text *out)
{
    struct printer p = {.out = out, .f = f};
    print_targets(&p, target, name);
}

static void
print_loc(struct printer *p, const struct ptx_loc *l)
{
    text_add(p->out, "\t.loc %u %u %u", l->file, l->line, l->column);
    if (l->inlined_function) {
        text_add(p->out, ", function_name $L__inlined%zu", p->functions.count);
        VEC_PUSH(&p->functions, l->inlined_function);
    }
    const struct ptx_loc *at = &p->f->locs[l->inlined_at];
    if (l->inlined_at)
        text_add(p->out, ", inlined_at %u %u %u", at->file, at->line, at->column);
    text_add(p->out, "\n");
}

static void
print_body(struct printer *p)
{
    const struct ptx_func *f = p->f;
    text_add(p->out, "{\n");
    print_registers(p);
    for (uint32_t k = 0; k < f->var_count; k++) {
        text_add(p->out, "\t");
        print_variable(p, f->vars[k]);
    }
    for (uint32_t k = 0; k < f->target_count; k++)
        print_targets(p, k, p->names->targets[k]);
    uint32_t loc = 1, label = 0;
    for (uint32_t k = 0; k <= f->insn_count; k++) {
        /* Their numbers only grow: in order, each gets the number that it had. */
        uint32_t until = k < f->insn_count ? f->insns[k].loc : f->loc_count - 1;
        for (; loc <= until && loc < f->loc_count; loc++)
            print_loc(p, &f->locs[loc]);
        for (; label < f->label_count && f->labels[label].insn == k; label++)
            text_add(p->out, "%s:\n", p->names->labels[label]);
        if (k == f->insn_count)
            break;
        text_add(p->out, "\t");
        print_insn(p, &f->insns[k]);
        text_add(p->out, "\n");
    }
    text_add(p->out, "}\n");
}

static void
print_function(struct printer *p, const struct ptx_func *f)
{
    struct names names = {0};
    p->f = f;
    print_signature(p);
    if (f->has_body) {
        make_names(p, &names);
        p->names = &names;
        print_body(p);
        p->names = NULL;
    } else {
        text_add(p->out, ";\n");
    }
}

/* -- the module -------------------------------------------------------------------------------- */

/* The names of inlined functions, which .loc refers to by label. */
static void
print_strings(const struct printer *p)
{
    if (!p->functions.count)
        return;
    text_add(p->out, ".section .debug_str\n{\n");
    for (size_t k = 0; k < p->functions.count; k++) {
        text_add(p->out, "$L__inlined%zu:\n.b8 ", k);
        for (const char *s = p->functions.at[k]; *s; s++)
            text_add(p->out, "%u,", (unsigned char)*s);
        text_add(p->out, "0\n");
    }
    text_add(p->out, "}\n");
}

static void
print_file(struct text *out, uint32_t number, const char *name)
{
    text_add(out, ".file %u \"", number);
    for (; *name; name++)
        text_add(out, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    text_add(out, "\"\n");
}

static void
print_head(struct printer *p, const struct ptx_module *m, const char *pragma, bool files)
{
    struct text *out = p->out;
    text_add(out, ".version %u.%u\n", m->version / 10, m->version % 10);
    if (m->target)
        text_add(out, ".target sm_%u%s\n", m->target, m->target_suffix_a ? "a" : "");
    text_add(out, ".address_size %u\n", m->address_size);
    if (m->replicated)
        text_add(out, ".pragma \"lockstep replicated\";\n");
    if (pragma)
        text_add(out, ".pragma \"%s\";\n", pragma);
    for (uint32_t k = 0; files && k < m->file_count; k++)
        if (m->files[k].name)
            print_file(out, k, m->files[k].name);
    for (uint32_t k = 0; k < m->var_count; k++)
        words_add(&p->global, &p->arena, m->vars[k]->name, 0, k);
    for (uint32_t k = 0; k < m->func_count; k++)
        words_add(&p->global, &p->arena, m->funcs[k]->name, 0, k);
}

void
ptx_print(const struct ptx_module *m, struct text *out)
{
    struct printer p = {.out = out};
    print_head(&p, m, m->is_wir ? "lockstep wir" : NULL, true);
    print_variables(&p, m, NULL);
    for (uint32_t k = 0; k < m->func_count; k++)
        print_function(&p, m->funcs[k]);
    print_strings(&p);
    VEC_FREE(&p.functions);
    arena_free(&p.arena);
}

void
ptx_print_around(const struct ptx_module *m, const struct ptx_print_part *part, struct text *out)
{
    struct printer p = {.out = out};
    print_head(&p, m, part->pragma, part->functions);
    print_variables(&p, m, part->vars);
    for (uint32_t k = 0; k < m->func_count; k++)
        if (m->funcs[k] != part->f &&
            (!m->funcs[k]->has_body || (part->functions && !m->funcs[k]->is_kernel)))
            print_function(&p, m->funcs[k]);
    p.f = part->f;
    print_signature(&p);
    text_add(out, "{\n");
    part->body(part->context, out);
    text_add(out, "}\n");
    print_strings(&p);
    VEC_FREE(&p.functions);
    arena_free(&p.arena);
}
