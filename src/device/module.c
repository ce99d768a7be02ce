/* SPDX-License-Identifier: Apache-2.0
 *
 * module.c: images to PTX modules, and their variables on a device.
 */
#include "device/device_priv.h"

#include <stdlib.h>
#include <string.h>

struct container {
    char magic[8]; /* "LOCKSTEP" */
    uint32_t version, flags;
    uint64_t size;
};

struct device_module *
device_module_new(const void *image, const char *name)
{
    struct process *p = device_process();
    struct device_module *m = ls_alloc(sizeof *m);
    m->image = image;
    m->name = strdup(name);
    pthread_mutex_lock(&p->lock);
    m->next = p->modules;
    p->modules = m;
    pthread_mutex_unlock(&p->lock);
    return m;
}

void
device_module_free(struct device_module *m)
{
    struct process *p = device_process();
    if (!m)
        return;
    pthread_mutex_lock(&p->lock);
    for (struct device_module **at = &p->modules; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            break;
        }
    pthread_mutex_unlock(&p->lock);
    if (m->ptx && p->jit)
        jit_forget(p->jit, m->ptx);
    ptx_free(m->ptx);
    for (int d = 0; d < DEVICE_MOST; d++)
        ls_release(m->symbols[d]);
    VEC_FREE(&m->bound);
    free((char *)m->name);
    ls_release(m);
}

static void
parse(struct device_module *m)
{
    struct container head;
    const char *text = m->image;
    size_t size;
    m->parsed = true;
    memcpy(&head, m->image, 8);
    if (!memcmp(head.magic, "LOCKSTEP", 8)) {
        memcpy(&head, m->image, sizeof head);
        if (head.version != 1) {
            ls_fail(&m->error, LS_ERR_INPUT, "%s: built by another version of lockstep (format %u)",
                    m->name, head.version);
            return;
        }
        text += sizeof head;
        size = head.size;
    } else {
        size = strlen(text);
    }
    m->ptx = ptx_parse(text, size, m->name, &m->error);
}

const struct ptx_module *
device_module_ptx(struct device_module *m, struct ls_error *err)
{
    struct process *p = device_process();
    pthread_mutex_lock(&p->lock);
    if (!m->parsed)
        parse(m);
    pthread_mutex_unlock(&p->lock);
    if (!m->ptx && err)
        *err = m->error;
    return m->ptx;
}

/* -- variables ---------------------------------------------------------------------------------------- */

void
device_module_bind(struct device_module *m, const char *name, uint64_t address)
{
    VEC_PUSH(&m->bound, ((struct bound){name, address}));
}

static uint64_t
bound_address(const struct device_module *m, const char *name)
{
    for (size_t k = 0; k < m->bound.count; k++)
        if (!strcmp(m->bound.at[k].name, name))
            return m->bound.at[k].address;
    return 0;
}

void
device_module_fill_bound(struct device_module *m)
{
    struct ls_error ignored;
    const struct ptx_module *p = m->bound.count ? device_module_ptx(m, &ignored) : NULL;
    for (size_t k = 0; p && k < m->bound.count; k++) {
        const struct ptx_var *v = ptx_find_var(p, m->bound.at[k].name);
        void *at = (void *)(uintptr_t)m->bound.at[k].address;
        if (v && v->init)
            memcpy(at, v->init, v->size);
        else if (v)
            memset(at, 0, v->size);
    }
}

/* Functions' variables of these spaces are not module variables; they would need a place of their
 * own. clang puts them at module scope. */
static bool
has_storage(const struct ptx_var *v)
{
    return (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) && v->size;
}

static void
relocate(const struct ptx_var *v, const uint64_t *symbols)
{
    for (uint32_t k = 0; k < v->reloc_count; k++) {
        const struct ptx_reloc *r = &v->relocs[k];
        uint64_t value = r->var    ? symbols[r->var->index]
                         : r->func ? JIT_FUNCTION_TAG | (uint64_t)(r->func->index + 1) << 4
                                   : 0;
        value = (value + (uint64_t)r->addend) >> r->shift;
        memcpy((uint8_t *)(uintptr_t)symbols[v->index] + r->at, &value, r->bytes);
    }
}

static uint64_t *
allocate(struct device *d, struct device_module *m, struct ls_error *err)
{
    const struct ptx_module *p = m->ptx;
    uint64_t *symbols = ls_alloc(sizeof *symbols * (p->var_count + 1));
    for (uint32_t k = 0; k < p->var_count; k++) {
        const struct ptx_var *v = p->vars[k];
        if (!has_storage(v))
            continue;
        symbols[k] = bound_address(m, v->name);
        if (symbols[k])
            continue;
        symbols[k] = memory_alloc(d->memory, v->size, v->align > 256 ? v->align : 256,
                                  ALLOCATION_VARIABLE, v->name);
        if (!symbols[k]) {
            ls_fail(err, LS_ERR_MEMORY, "%s: out of device memory for variable \"%s\" (%llu bytes)",
                    m->name, v->name, (unsigned long long)v->size);
            ls_release(symbols);
            return NULL;
        }
        if (v->init)
            memcpy((void *)(uintptr_t)symbols[k], v->init, v->size);
        else
            memset((void *)(uintptr_t)symbols[k], 0, v->size);
    }
    for (uint32_t k = 0; k < p->var_count; k++)
        if (has_storage(p->vars[k]) && p->vars[k]->reloc_count)
            relocate(p->vars[k], symbols);
    return symbols;
}

const uint64_t *
device_module_symbols(struct device *d, struct device_module *m, struct ls_error *err)
{
    struct process *p = device_process();
    if (!device_module_ptx(m, err))
        return NULL;
    pthread_mutex_lock(&p->lock);
    if (!m->symbols[d->ordinal])
        m->symbols[d->ordinal] = allocate(d, m, err);
    pthread_mutex_unlock(&p->lock);
    return m->symbols[d->ordinal];
}

uint64_t
device_module_variable(struct device *d, struct device_module *m, const char *name, uint64_t *size,
                       struct ls_error *err)
{
    const uint64_t *symbols = device_module_symbols(d, m, err);
    const struct ptx_var *v = symbols ? ptx_find_var(m->ptx, name) : NULL;
    if (!v)
        return 0;
    if (size)
        *size = v->size;
    return symbols[v->index];
}
