/* SPDX-License-Identifier: Apache-2.0
 *
 * places.c: what is known of a kernel's instructions before it runs: which of them are strong
 * accesses (volatile, atomic; PTX ISA 8.3), fences and transfers, where they stand in the source,
 * and what roots.c finds of their addresses and values.
 */
#include "check/roots.h"
#include "check/warpgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
always(const char *name)
{
    return name != NULL;
}

/* -- one kernel -------------------------------------------------------------------------------- */

/* A scope other than the device. Accesses to a cluster's shared memory are judged by peers.c. */
static uint32_t
scope_of(const struct ptx_insn *i)
{
    return (ptx_has(i, PTX_M_CTA) ? PLACE_SCOPE_CTA : 0) |
           (ptx_has(i, PTX_M_CLUSTER) ? PLACE_SCOPE_CLUSTER : 0) |
           (ptx_has(i, PTX_M_SYS) || ptx_has(i, PTX_M_VOLATILE) ? PLACE_SYSTEM : 0);
}

/* Proxy fences order what a thread does by several ways of access, not threads. */
static bool
is_fence(const struct ptx_insn *i)
{
    return (i->op == PTX_OP_MEMBAR || i->op == PTX_OP_FENCE) && !ptx_has(i, PTX_M_PROXY);
}

static uint32_t
flags_of(const struct ptx_insn *i)
{
    bool atomic = i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;
    bool strong = ptx_has(i, PTX_M_VOLATILE) || ptx_has(i, PTX_M_RELAXED) ||
                  ptx_has(i, PTX_M_ACQUIRE) || ptx_has(i, PTX_M_RELEASE) ||
                  ptx_has(i, PTX_M_ACQ_REL) || ptx_has(i, PTX_M_MMIO);
    uint32_t f = scope_of(i);
    if (atomic || strong)
        f |= PLACE_STRONG;
    if (i->op == PTX_OP_ATOM || (strong && i->op == PTX_OP_LD)) /* the read of a red is no one's */
        f |= PLACE_ACQUIRE;
    if (ptx_has(i, PTX_M_ACQUIRE) || ptx_has(i, PTX_M_ACQ_REL))
        f |= PLACE_AT_ONCE;
    if (ptx_has(i, PTX_M_RELEASE) || ptx_has(i, PTX_M_ACQ_REL))
        f |= PLACE_RELEASE;
    if (ptx_has(i, PTX_M_VOLATILE))
        f |= PLACE_VOLATILE;
    if (atomic)
        f |= PLACE_ATOMIC;
    if (i->op == PTX_OP_ST)
        f |= PLACE_STORE;
    return f;
}

/* The value that a compare-and-swap compares with may come from a plain load: the swap finds out
 * whether it still holds (the loop of CUDA's programming guide, "Atomic Functions"). */
static void
find_seeds(struct walk *w, struct kernel_facts *k, uint32_t reg)
{
    if (!walk_enters(w, reg))
        return;
    struct span writers = wir_writers(w->wir, reg);
    for (uint32_t d = writers.count; d-- > 0;) {
        const struct wir_insn *f = &w->wir->insns[writers.at[d]];
        bool load = f->i.op == PTX_OP_LD && f->i.operand[1].kind == PTX_O_ADDRESS;
        if (load && f->place < k->place_count)
            k->place[f->place].flags |= PLACE_STRONG;
        bool moves = f->i.op == PTX_OP_MOV || f->i.op == PTX_OP_CVT || f->i.op == PTX_OP_LD ||
                     f->i.op == PTX_OP_ST;
        const struct ptx_operand *from = &f->i.operand[1];
        for (uint32_t n = 0; moves && from->kind == PTX_O_VECTOR && n < from->count; n++)
            if (from->elements[n].kind == PTX_O_REG)
                find_seeds(w, k, from->elements[n].reg);
        if (moves && from->kind == PTX_O_REG)
            find_seeds(w, k, from->reg);
    }
}

static void
find_swaps(struct walk *w, struct kernel_facts *k)
{
    for (uint32_t n = 0; n < w->wir->insn_count; n++) {
        const struct ptx_insn *i = &w->wir->insns[n].i;
        if (i->op != PTX_OP_ATOM || !ptx_has(i, PTX_M_CAS) || i->operand[2].kind != PTX_O_REG)
            continue;
        w->round++;
        w->steps = 0;
        find_seeds(w, k, i->operand[2].reg);
    }
}

static bool
in_shared(uint32_t space)
{
    return space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER;
}

/* -- transfers, mbarriers, matrices ------------------------------------------------------------ */

static unsigned
width_of(const struct ptx_insn *i)
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)i->type[i->type_count ? i->type_count - 1 : 0]);
    return bytes * (i->vec ? i->vec : 1u);
}

static void
set_facts(struct walk *w, struct place_facts *p, const struct ptx_operand *address, unsigned align,
          uint32_t flags, bool used)
{
    bool again = p->align != 0;
    p->align = (uint8_t)(align < 1 ? 1 : align > 32 ? 32 : align);
    p->flags = flags;
    p->unit = 4;
    p->device = true;
    p->used |= used ? ~0u : 0;
    roots_find(w, address, p, again);
}

/* What a copy reads: facts of their own. */
static void
set_source(struct walk *w, struct kernel_facts *k, struct place_facts *p,
           const struct ptx_operand *address, unsigned align, uint32_t flags, bool used)
{
    if (!p->source)
        p->source = k->facts_count++;
    set_facts(w, &k->place[p->source], address, align, flags, used);
}

static void
describe_bulk(struct walk *w, struct kernel_facts *k, const struct ptx_insn *i,
              struct place_facts *p)
{
    bool reduces = i->op == PTX_OP_CP_REDUCE_ASYNC_BULK;
    if (ptx_has(i, PTX_M_PREFETCH) || i->operand_count < 3 || i->operand[1].kind != PTX_O_ADDRESS)
        return;
    uint32_t to = reduces               ? PLACE_STRONG | PLACE_ATOMIC
                  : in_shared(i->space) ? PLACE_STORE | PLACE_TRANSFER | PLACE_BULK
                                        : PLACE_STORE;
    uint32_t from = in_shared(i->space2) ? PLACE_BULK_SOURCE | PLACE_BULK : 0;
    set_facts(w, p, &i->operand[0], 16, to, reduces);
    p->any_size = true;
    if (reduces)
        p->root_count = 0; /* its mbarrier is announced alike */
    set_source(w, k, p, &i->operand[1], 16, from, reduces);
}

/* Its rows in global memory and in shared memory are announced alike (exec/tensor.c). */
static void
describe_tensor(struct walk *w, struct kernel_facts *k, const struct ptx_insn *i,
                struct place_facts *p)
{
    bool loads = i->operand_count > 1 && i->operand[1].kind == PTX_O_TEX;
    bool reduces = i->op == PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR;
    static const struct ptx_operand none = {.kind = PTX_O_ADDRESS};
    uint32_t to = reduces ? PLACE_STRONG | PLACE_ATOMIC
                  : loads ? PLACE_STORE | PLACE_TRANSFER | PLACE_BULK
                          : PLACE_STORE;
    uint32_t from = loads ? 0 : PLACE_BULK_SOURCE | PLACE_BULK;
    set_facts(w, p, loads ? &i->operand[0] : &none, 16, to, reduces);
    p->any_size = true;
    set_source(w, k, p, loads ? &none : &i->operand[1], 16, from, reduces);
    p->root_count = 0;
    k->place[p->source].root_count = 0;
}

/* Instructions that read shared memory as descriptors say. */
static uint32_t
matrix_unit_of(enum ptx_op op)
{
    switch (op) {
    case PTX_OP_WGMMA_MMA_ASYNC: return PLACE_WGMMA;
    case PTX_OP_TCGEN05_CP:
    case PTX_OP_TCGEN05_MMA:
    case PTX_OP_TCGEN05_MMA_WS:
    case PTX_OP_TCGEN05_MMA_SP:
    case PTX_OP_TCGEN05_MMA_WS_SP: return PLACE_TCGEN05;
    default: return 0;
    }
}

/* Instructions with addresses that are no ld, st, atom, red. */
static void
describe_other(struct walk *w, struct kernel_facts *k, const struct ptx_insn *i,
               struct place_facts *p)
{
    const struct ptx_operand *o = i->operand;
    if (i->op == PTX_OP_CP_ASYNC_BULK_TENSOR || i->op == PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR) {
        describe_tensor(w, k, i, p);
        return;
    }
    uint32_t unit = matrix_unit_of(i->op);
    if (unit) {
        p->flags |= unit | PLACE_BULK_SOURCE;
        p->align = 16;
        p->unit = 4;
        p->used = ~0u;
    }
    if (i->op == PTX_OP_TEX) /* of plain memory (exec/image.c) */
        *p = (struct place_facts){
            .align = 1, .unit = 4, .device = true, .any_size = true, .used = ~0u};
    uint32_t first = i->operand_count > 0 && o[0].kind == PTX_O_ADDRESS ? 0 : 1;
    if (i->operand_count <= first || o[first].kind != PTX_O_ADDRESS)
        return;
    bool store = i->op == PTX_OP_STMATRIX || ptx_has(i, PTX_M_STORE);
    bool sets = ptx_has(i, PTX_M_INIT) || ptx_has(i, PTX_M_INVAL);
    switch (i->op) {
    case PTX_OP_MBARRIER:
    case PTX_OP_CP_ASYNC_MBARRIER:
        set_facts(w, p, &o[first], 8,
                  PLACE_MBARRIER | (sets ? PLACE_STORE : PLACE_STRONG | PLACE_ATOMIC) |
                      (ptx_has(i, PTX_M_COMPLETE_TX) ? PLACE_BYTES : 0),
                  true);
        break;
    case PTX_OP_CP_ASYNC:
        set_facts(w, p, &o[0], (unsigned)o[2].imm, PLACE_STORE | PLACE_TRANSFER, false);
        set_source(w, k, p, &o[1], (unsigned)o[2].imm, 0, false);
        roots_copy(k, p, (uint32_t)o[2].imm);
        break;
    case PTX_OP_CP_ASYNC_BULK:
    case PTX_OP_CP_REDUCE_ASYNC_BULK: describe_bulk(w, k, i, p); break;
    case PTX_OP_ST_BULK: set_facts(w, p, &o[0], 8, PLACE_STORE, false); break;
    case PTX_OP_ST_ASYNC:
        set_facts(w, p, &o[0], width_of(i), PLACE_STORE | PLACE_TRANSFER | PLACE_BULK, false);
        break;
    case PTX_OP_RED_ASYNC:
        set_facts(w, p, &o[0], width_of(i), PLACE_STRONG | PLACE_ATOMIC, true);
        p->root_count = 0;
        break;
    case PTX_OP_TCGEN05_COMMIT:
        set_facts(w, p, &o[first], 8, PLACE_MBARRIER | PLACE_STRONG | PLACE_ATOMIC, true);
        break;
    case PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL:
        set_facts(w, p, &o[0], 16, PLACE_STORE | PLACE_TRANSFER | PLACE_BULK, false);
        break;
    case PTX_OP_LDMATRIX:
    case PTX_OP_STMATRIX: set_facts(w, p, &o[first], 16, store ? PLACE_STORE : 0, !store); break;
    case PTX_OP_WMMA: set_facts(w, p, &o[first], 1, store ? PLACE_STORE : 0, !store); break;
    default: break;
    }
}

static void
describe_sync(struct place_facts *p, const struct ptx_insn *i)
{
    bool bar = i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER;
    if (bar && i->operand_count > (ptx_has(i, PTX_M_RED) ? 3 : 1))
        p->flags |= PLACE_COUNTED;
    if (i->op == PTX_OP_SURED)
        p->flags |= PLACE_STRONG | PLACE_ATOMIC;
    if (i->op == PTX_OP_SUST)
        p->flags |= PLACE_STORE;
    if (i->op == PTX_OP_BAR_WARP || i->op == PTX_OP_TCGEN05_ALLOC)
        p->flags |= PLACE_WARP_BARRIER;
    if (i->op == PTX_OP_FENCE && ptx_has(i, PTX_M_PROXY) && ptx_has(i, PTX_M_ASYNC))
        p->flags |= PLACE_PROXY;
    if (i->op == PTX_OP_FENCE && ptx_has(i, PTX_M_PROXY) && ptx_has(i, PTX_M_TENSORMAP_GENERIC))
        p->flags |= ptx_has(i, PTX_M_ACQUIRE) ? PLACE_PROXY | PLACE_ACQUIRE : 0;
    if (!is_fence(i))
        return;
    p->flags |= scope_of(i) | (ptx_has(i, PTX_M_ACQUIRE) ? 0 : PLACE_RELEASE) |
                (ptx_has(i, PTX_M_RELEASE) ? 0 : PLACE_ACQUIRE);
}

static void
describe_insn(struct walk *w, struct kernel_facts *k, const struct wir_insn *f)
{
    const struct ptx_insn *i = &f->i;
    bool load = i->op == PTX_OP_LD || i->op == PTX_OP_LDU, store = i->op == PTX_OP_ST;
    bool atom = i->op == PTX_OP_ATOM, red = i->op == PTX_OP_RED;
    if (f->place >= k->place_count)
        return;
    struct place_facts *p = &k->place[f->place];
    describe_sync(p, i);
    k->opaque |= ptx_op_is(i->op, PTX_UNTOLD);
    k->releases |= is_fence(i) || (flags_of(i) & PLACE_RELEASE);
    k->narrow |= scope_of(i) != 0;
    bool strong = flags_of(i) & PLACE_STRONG;
    k->uneven_inside |= flags_of(i) & PLACE_VOLATILE || (strong && store);
    k->uneven |= k->uneven_inside || (strong && scope_of(i));
    k->blocks_meet |= i->op == PTX_OP_MEMBAR || i->op == PTX_OP_FENCE || i->op == PTX_OP_SURED ||
                      i->op == PTX_OP_CP_REDUCE_ASYNC_BULK || (flags_of(i) & PLACE_STRONG);
    if (!(load || store || atom || red)) {
        describe_other(w, k, i, p);
        return;
    }
    const struct ptx_operand *address = &i->operand[load || atom ? 1 : 0];
    if (address->kind != PTX_O_ADDRESS)
        return;
    bool again = p->align != 0;
    unsigned bytes = width_of(i);
    p->align = (uint8_t)(bytes < 1 ? 1 : bytes > 32 ? 32 : bytes);
    p->flags = flags_of(i);
    p->unit = (uint8_t)ptx_type_bytes((enum ptx_type)i->type[i->type_count - 1]);
    p->device = !in_shared(i->space) && i->space != PTX_SPACE_LOCAL && i->space != PTX_SPACE_PARAM;
    roots_find(w, address, p, again);
    if (store)
        roots_sources(w, k, i, p);
    bool exchange = ptx_has(i, PTX_M_EXCH); /* nobody may ask for the old value: then it is a red */
    if (load || (atom && exchange))
        p->used |= roots_used_bytes(w, i, w->constant ? w->surely : w->matters);
    else if (!exchange)
        p->used = ~0u;
}

static void
find_shared(struct kernel_facts *k, const struct wir *f)
{
    k->shared = ARENA_ARRAY(&k->arena, struct shared_var, f->module->var_count + f->var_count + 1);
    for (uint32_t n = 0; n < f->module->var_count; n++) {
        const struct ptx_var *v = f->module->vars[n];
        if (v->space == PTX_SPACE_SHARED && f->shared_used[n])
            k->shared[k->shared_count++] =
                (struct shared_var){ls_readable_name(&k->arena, v->name), v, f->shared_offset[n],
                                    v->unsized ? 0 : v->size};
    }
    for (uint32_t n = 0; n < f->var_count; n++)
        if (f->vars[n].place == WIR_SHARED)
            k->shared[k->shared_count++] =
                (struct shared_var){ls_readable_name(&k->arena, f->vars[n].var->name),
                                    f->vars[n].var, f->vars[n].offset, f->vars[n].var->size};
}

/* -- places in the source ---------------------------------------------------------------------- */

static void
find_lines(struct kernel_facts *k)
{
    const struct ptx_module *m = k->module;
    char **files = ARENA_ARRAY(&k->arena, char *, m->file_count + 1);
    char *path = arena_strdup(&k->arena, m->path ? m->path : "?");
    uint32_t at = 0;
    for (uint32_t n = 0; n < m->func_count; n++) {
        const struct ptx_func *f = m->funcs[n];
        for (uint32_t i = 0; i < f->insn_count; i++, at++) {
            k->file[at] = path;
            k->line[at] = f->insns[i].line;
            k->column[at] = f->insns[i].column;
            if (!k->place[at].align && f->insns[i].op != PTX_OP_BAR &&
                f->insns[i].op != PTX_OP_BARRIER && !f->is_kernel &&
                i) /* a function's first: its stack */
                continue;
            const struct ptx_loc *l = jit_place_loc(f, &f->insns[i]);
            if (!l)
                continue;
            if (!files[l->file])
                files[l->file] = arena_strdup(&k->arena, m->files[l->file].name);
            k->file[at] = files[l->file];
            k->line[at] = l->line;
            k->column[at] = l->column;
        }
    }
}

static void
describe_flow(struct kernel_facts *k, const struct wir *f)
{
    struct walk w = {.wir = f, .kernel = k};
    w.seen = ls_alloc(sizeof *w.seen * (f->reg_count + 1));
    w.matters = ls_alloc(8 * (f->reg_count / 64 + 1));
    w.surely = ls_alloc(8 * (f->reg_count / 64 + 1));
    roots_uses(&w);
    for (uint32_t n = 0; n < f->insn_count; n++)
        describe_insn(&w, k, &f->insns[n]);
    find_swaps(&w, k);
    ls_release(w.seen);
    ls_release(w.matters);
    ls_release(w.surely);
}

/* Functions still to be described: those that are called and not inlined. wanted: by
 * ptx_func.index. */
struct callees {
    bool *wanted, *done;
};

static void
note_calls(const struct ptx_module *m, const struct wir *f, struct callees *c)
{
    for (uint32_t n = 0; n < f->call_count; n++)
        c->wanted[f->calls[n]->index] = true;
    if (f->indirect)
        wir_addresses(m, c->wanted);
}

static void
describe_callees(struct kernel_facts *k, struct callees *c)
{
    const struct ptx_module *m = k->module;
    for (uint32_t n = 0; n < m->func_count;) {
        const struct ptx_func *func = m->funcs[n++];
        if (!c->wanted[func->index] || c->done[func->index] || !func->has_body || func->is_kernel)
            continue;
        c->done[func->index] = true;
        struct ls_error err = {0};
        struct wir *f = wir_new(m, func, always, &err);
        k->opaque |= !f;
        k->releases |= !f;
        if (!f)
            continue;
        describe_flow(k, f);
        note_calls(m, f, c);
        wir_free(f);
        n = 0; /* what it calls may stand before it */
    }
}

static void
describe_kernel(struct kernel_facts *k)
{
    struct ls_error err = {0};
    struct wir *f = wir_new(k->module, k->func, always, &err);
    k->blocks_meet = k->opaque = k->releases = !f;
    for (uint32_t n = 0; n < k->module->func_count; n++) /* children write what they like */
        k->opaque |= !strcmp(k->module->funcs[n]->name, "__lockstep_configure");
    if (!f)
        return;
    struct callees c = {ls_alloc(k->module->func_count + 1), ls_alloc(k->module->func_count + 1)};
    find_shared(k, f);
    describe_flow(k, f);
    in_flight_find(k, f);
    note_calls(k->module, f, &c);
    k->local_bytes = f->local_bytes;
    wir_free(f);
    describe_callees(k, &c);
    ls_release(c.wanted);
    ls_release(c.done);
}

static uint32_t
count_copies(const struct ptx_module *m)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < m->func_count; f++)
        for (uint32_t n = 0; n < m->funcs[f]->insn_count; n++) {
            enum ptx_op op = (enum ptx_op)m->funcs[f]->insns[n].op;
            count += op == PTX_OP_CP_ASYNC || op == PTX_OP_CP_ASYNC_BULK ||
                     op == PTX_OP_CP_REDUCE_ASYNC_BULK || op == PTX_OP_CP_ASYNC_BULK_TENSOR ||
                     op == PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR;
        }
    return count;
}

/* GCC's option -muniform-simt: memory's state is kept as if one thread of each warp ran outside of
 * SIMD regions (GCC's manual, "Nvidia PTX Options"). Its code switches by this variable. */
static bool
is_uniform(const struct ptx_module *m)
{
    for (uint32_t k = 0; k < m->var_count; k++)
        if (m->vars[k]->name && !strcmp(m->vars[k]->name, "__nvptx_uni"))
            return true;
    return false;
}

struct kernel_facts *
facts_of_kernel(struct check *c, const struct jit_tool_launch *l)
{
    pthread_mutex_lock(&c->lock);
    struct kernel_facts *k = c->facts;
    while (k && !(k->module == l->module && k->func == l->kernel &&
                  !memcmp(&k->hash, &l->module->hash, sizeof k->hash)))
        k = k->next;
    if (!k) {
        k = ls_alloc(sizeof *k);
        k->module = l->module;
        k->replicated = l->module->replicated;
        k->uniform = is_uniform(l->module);
        k->lock_step = c->device->cc_major < 7 || l->module->target < 70;
        k->func = l->kernel;
        k->hash = l->module->hash;
        k->name = ls_readable_name(&k->arena, l->kernel->name);
        for (uint32_t n = 0; n < l->module->func_count; n++)
            k->place_count += l->module->funcs[n]->insn_count;
        k->facts_count = k->place_count;
        k->place = ARENA_ARRAY(&k->arena, struct place_facts,
                               k->place_count + count_copies(k->module) + 1);
        k->file = ARENA_ARRAY(&k->arena, char *, k->place_count + 1);
        k->line = ARENA_ARRAY(&k->arena, uint32_t, k->place_count + 1);
        k->column = ARENA_ARRAY(&k->arena, uint32_t, k->place_count + 1);
        describe_kernel(k);
        find_lines(k);
        k->next = c->facts;
        c->facts = k;
    }
    pthread_mutex_unlock(&c->lock);
    return k;
}

void
facts_free_all(struct check *c)
{
    while (c->facts) {
        struct kernel_facts *k = c->facts;
        c->facts = k->next;
        arena_free(&k->arena);
        ls_release(k);
    }
}

const char *
place_op(const struct kernel_facts *k, uint32_t place)
{
    uint32_t f = place < k->place_count ? k->place[place].flags : 0;
    return f & PLACE_ATOMIC ? "atomic" : f & PLACE_STORE ? "store" : "load";
}
