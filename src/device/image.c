/* SPDX-License-Identifier: Apache-2.0
 *
 * image.c: PTX text becomes a module when it is first needed; its variables get a place on a device
 * when that device first needs them. Relocatable images that wait to be parsed are linked together.
 */
#include "check/check.h"
#include "device/backend.h"

#include <string.h>

struct device_image {
    const char *text;
    size_t size;
    char *path;
    bool relocatable;
    struct unit *unit;     /* NULL: not parsed yet */
    struct ls_error error; /* why it did not parse: text[0] is set */
    VEC(struct placed) placed;
    struct device_image *next; /* of the relocatable ones that wait */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards this file's data */
static struct device_image *waiting;
static VEC(struct unit *) units;

static char *
copy_text(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(ls_alloc(n), s, n);
}

/* -- images ------------------------------------------------------------------------------------ */

struct device_image *
device_image_new(const void *data, size_t size, const char *path, struct ls_error *err)
{
    struct ptx_container head = {0};
    struct device_image i = {.text = data};
    size_t known = size ? size : sizeof head;
    if (known >= 8 && !strncmp(data, PTX_CONTAINER_MAGIC, 8)) {
        if (known < sizeof head) {
            ls_fail(err, LS_ERR_INPUT, "%s: the image is cut short", path);
            return NULL;
        }
        memcpy(&head, data, sizeof head);
        if (head.version != PTX_CONTAINER_VERSION) {
            ls_fail(err, LS_ERR_INPUT, "%s: built by another version of lockstep (format %u)", path,
                    head.version);
            return NULL;
        }
        if (size && head.size > size - sizeof head) {
            ls_fail(err, LS_ERR_INPUT, "%s: the image is cut short", path);
            return NULL;
        }
        i.text += sizeof head;
        i.size = head.size;
        i.relocatable = head.flags & PTX_CONTAINER_RELOCATABLE;
    } else {
        i.size = size ? size : strlen(data);
    }
    struct device_image *image = ls_alloc(sizeof *image);
    *image = i;
    image->path = copy_text(path);
    if (image->relocatable) {
        pthread_mutex_lock(&lock);
        image->next = waiting;
        waiting = image;
        pthread_mutex_unlock(&lock);
    }
    return image;
}

static void
unit_free(struct unit *u)
{
    struct process *p = device_process();
    for (size_t k = 0; k < units.count; k++)
        if (units.at[k] == u)
            units.at[k] = units.at[--units.count];
    struct jit_tool *tool = tool_of_process();
    if (tool && tool->forget)
        tool->forget(tool, u->ptx);
    if (p->jit)
        jit_forget(p->jit, u->ptx);
    for (int d = 0; d < DEVICE_MOST; d++) {
        if (u->symbols[d])
            p->device[d]->backend->code->unload(p->device[d], u);
        for (uint32_t k = 0; u->symbols[d] && k < u->ptx->var_count; k++)
            if (u->symbols[d][k])
                memory_release(p->device[d]->memory, u->symbols[d][k]);
        ls_release(u->symbols[d]);
    }
    ptx_free(u->ptx);
    VEC_FREE(&u->placed);
    VEC_FREE(&u->gpu_narrow);
    ls_release(u->name);
    ls_release(u);
}

static void
end_function(void *handle, void *context)
{
    struct device_function *f = handle;
    if (f->unit != context)
        return;
    pageable_forget(f);
    ls_release(f->needs);
    handle_free(f);
}

void
device_image_free(struct device_image *i)
{
    if (!i)
        return;
    device_flush();
    pthread_mutex_lock(&lock);
    for (struct device_image **at = &waiting; *at; at = &(*at)->next)
        if (*at == i) {
            *at = i->next;
            break;
        }
    if (i->unit && --i->unit->users == 0) {
        handle_each(HANDLE_FUNCTION, end_function, i->unit);
        unit_free(i->unit);
    }
    VEC_FREE(&i->placed);
    pthread_mutex_unlock(&lock);
    ls_release(i->path);
    ls_release(i);
}

/* -- parsing and linking ----------------------------------------------------------------------- */

static struct unit *
unit_new(struct ptx_module *ptx, const char *name)
{
    struct unit *u = ls_alloc(sizeof *u);
    u->ptx = ptx;
    u->name = copy_text(name);
    VEC_PUSH(&units, u);
    return u;
}

static void
join_unit(struct device_image *i, struct unit *u)
{
    i->unit = u;
    u->users++;
    for (size_t k = 0; k < i->placed.count; k++)
        VEC_PUSH(&u->placed, i->placed.at[k]);
}

/* A module that no device could run goes; NULL stays. */
static struct ptx_module *
checked(struct ptx_module *m, const char *path, struct ls_error *err)
{
    if (!m || (ptx_fits(m, path, err) && ptx_check_shared(m, err)))
        return m;
    ptx_free(m);
    return NULL;
}

/* Parses all waiting relocatable images and links them. On failure every one keeps the error. */
static void
link_waiting(void)
{
    VEC(struct ptx_module *) parts = {0};
    struct ls_error err = {0};
    struct ptx_module *whole = NULL;
    const char *path = waiting->path;
    for (struct device_image *i = waiting; i; i = i->next) {
        struct ptx_module *part = ptx_parse(i->text, i->size, i->path, &err);
        if (!part)
            break;
        VEC_PUSH(&parts, part);
    }
    if (!err.text[0])
        whole = ptx_link(parts.at, parts.count, path, &err);
    whole = checked(whole, path, &err);
    for (size_t k = 0; k < parts.count; k++)
        ptx_free(parts.at[k]);
    VEC_FREE(&parts);
    struct unit *u = whole ? unit_new(whole, path) : NULL;
    for (struct device_image *i = waiting, *next; i; i = next) {
        next = i->next;
        i->next = NULL;
        if (u)
            join_unit(i, u);
        else
            i->error = err;
    }
    waiting = NULL;
}

/* NULL: device_reason. */
static struct unit *
image_unit(struct device_image *i)
{
    pthread_mutex_lock(&lock);
    if (!i->unit && !i->error.text[0]) {
        int64_t begin = clock_raw();
        if (i->relocatable && (waiting != i || i->next)) {
            link_waiting();
        } else {
            struct ptx_module *m =
                checked(ptx_parse(i->text, i->size, i->path, &i->error), i->path, &i->error);
            if (m) {
                join_unit(i, unit_new(m, i->path));
                i->unit->text = i->text;
                i->unit->text_bytes = i->size;
            }
            if (i->relocatable)
                waiting = NULL;
        }
        clock_leave_out(begin);
    }
    struct unit *u = i->unit;
    if (!u)
        device_fail(DEVICE_INVALID_PTX, "%s", i->error.text);
    pthread_mutex_unlock(&lock);
    return u;
}

enum device_result
device_image_module(struct device_image *i, const struct ptx_module **out)
{
    struct unit *u = image_unit(i);
    *out = u ? u->ptx : NULL;
    return u ? DEVICE_OK : DEVICE_INVALID_PTX;
}

/* -- variables --------------------------------------------------------------------------------- */

void
device_image_place(struct device_image *i, const char *name, void *host)
{
    VEC_PUSH(&i->placed, ((struct placed){name, host}));
}

void
device_image_fill_placed(struct device_image *i)
{
    struct unit *u = i->placed.count && !i->relocatable ? image_unit(i) : NULL;
    for (size_t k = 0; u && k < i->placed.count; k++) {
        const struct ptx_var *v = ptx_find_var(u->ptx, i->placed.at[k].name);
        if (v && v->init)
            memcpy(i->placed.at[k].host, v->init, v->size);
        else if (v)
            memset(i->placed.at[k].host, 0, v->size);
    }
}

/* A texture reference has no size; its variable holds the handle of what is bound to it. */
static uint64_t
storage_of(const struct ptx_var *v)
{
    if (v->space == PTX_SPACE_TEX || ptx_type_kind(v->type) == 'o')
        return 8;
    return v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST ? v->size : 0;
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
        memcpy((uint8_t *)symbols[v->index] + r->at, &value, r->bytes);
    }
}

static uint64_t
place_of(struct device *d, struct unit *u, const struct ptx_var *v)
{
    for (size_t k = 0; k < u->placed.count; k++)
        if (!strcmp(u->placed.at[k].name, v->name)) {
            uint64_t at = (uint64_t)u->placed.at[k].host;
            memory_adopt(d->memory, at, v->size, ALLOCATION_MANAGED, v->name);
            return at;
        }
    return 0;
}

static bool
allocate_variable(struct device *d, struct unit *u, const struct ptx_var *v, uint64_t *symbol)
{
    uint64_t size = storage_of(v);
    if (!size || (*symbol = place_of(d, u, v)))
        return true;
    if (v->linkage == PTX_EXTERN) {
        device_fail(DEVICE_INVALID_PTX, "%s:%u: variable \"%s\" is declared but not defined",
                    u->name, v->line, v->name);
        return false;
    }
    *symbol = memory_alloc(d->memory, size, v->align > 256 ? v->align : 256, ALLOCATION_VARIABLE,
                           v->name);
    if (!*symbol) {
        device_fail(DEVICE_OUT_OF_MEMORY,
                    "%s:%u: no device memory for variable \"%s\" (%llu bytes)", u->name, v->line,
                    v->name, (unsigned long long)size);
        return false;
    }
    if (v->init)
        memcpy((void *)*symbol, v->init, size);
    else
        memset((void *)*symbol, 0, size);
    if (v->space == PTX_SPACE_CONST && !v->init)
        check_constant(tool_check(), *symbol, size);
    if (v->space == PTX_SPACE_CONST)
        memory_set_read_only(d->memory, *symbol);
    return true;
}

uint64_t *
unit_allocate(struct device *d, struct unit *u)
{
    const struct ptx_module *m = u->ptx;
    uint64_t *symbols = ls_alloc(sizeof *symbols * (m->var_count + 1));
    for (uint32_t k = 0; k < m->var_count; k++)
        if (!allocate_variable(d, u, m->vars[k], &symbols[k])) {
            while (k--)
                if (symbols[k])
                    memory_release(d->memory, symbols[k]);
            ls_release(symbols);
            return NULL;
        }
    for (uint32_t k = 0; k < m->var_count; k++)
        if (symbols[k])
            relocate(m->vars[k], symbols);
    return symbols;
}

const uint64_t *
unit_symbols(struct device *d, struct unit *u)
{
    uint64_t *symbols = __atomic_load_n(&u->symbols[d->index], __ATOMIC_ACQUIRE);
    if (symbols)
        return symbols;
    guard_open();
    pthread_mutex_lock(&lock);
    if (!u->symbols[d->index])
        __atomic_store_n(&u->symbols[d->index], d->backend->code->load(d, u), __ATOMIC_RELEASE);
    symbols = u->symbols[d->index];
    pthread_mutex_unlock(&lock);
    guard_close();
    return symbols;
}

void
image_reset_device(struct device *d)
{
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < units.count; k++) {
        ls_release(units.at[k]->symbols[d->index]);
        units.at[k]->symbols[d->index] = NULL;
        units.at[k]->gpu_module[d->index] = NULL;                  /* it ended with its context, */
        for (size_t n = 0; n < units.at[k]->gpu_narrow.count; n++) /* and so did these */
            if (units.at[k]->gpu_narrow.at[n].device == d->index)
                units.at[k]->gpu_narrow.at[n].module = NULL;
    }
    pthread_mutex_unlock(&lock);
}

enum device_result
device_image_load(struct device *d, struct device_image *i)
{
    output_seen();
    struct unit *u = image_unit(i);
    if (!u)
        return DEVICE_INVALID_PTX;
    return unit_symbols(d, u) ? DEVICE_OK : DEVICE_INVALID_IMAGE;
}

enum device_result
device_variable_find(struct device *d, struct device_image *i, const char *name,
                     uint64_t *out_address, uint64_t *out_size)
{
    struct unit *u = image_unit(i);
    const uint64_t *symbols = u ? unit_symbols(d, u) : NULL;
    if (!symbols)
        return u ? DEVICE_INVALID_IMAGE : DEVICE_INVALID_PTX;
    const struct ptx_var *v = ptx_find_var(u->ptx, name);
    if (!v || !symbols[v->index])
        return device_fail(DEVICE_NOT_FOUND, "%s: no variable \"%s\"", u->name, name);
    uint64_t host = d->backend->in_process ? 0 : place_of(d, u, v);
    if (out_address)
        *out_address = host ? host : symbols[v->index];
    if (out_size)
        *out_size = storage_of(v);
    return DEVICE_OK;
}

/* -- functions --------------------------------------------------------------------------------- */

struct wanted {
    struct device *device;
    const struct ptx_func *func;
    struct device_function *found;
};

static void
match_function(void *handle, void *context)
{
    struct device_function *f = handle;
    struct wanted *w = context;
    if (f->func == w->func && f->device == w->device)
        w->found = f;
}

enum device_result
device_function_find(struct device *d, struct device_image *i, const char *name,
                     struct device_function **out)
{
    struct unit *u = image_unit(i);
    if (!u)
        return DEVICE_INVALID_PTX;
    const struct ptx_func *func = ptx_find_func(u->ptx, name);
    if (!func || !func->is_kernel || !func->has_body)
        return device_fail(DEVICE_NOT_FOUND, "%s: no kernel \"%s\"", u->name, name);
    struct wanted w = {d, func, NULL};
    pthread_mutex_lock(&lock);
    handle_each(HANDLE_FUNCTION, match_function, &w);
    if (!w.found) {
        w.found = handle_new(HANDLE_FUNCTION, sizeof *w.found);
        w.found->device = d;
        w.found->unit = u;
        w.found->func = func;
        w.found->settings.carveout = -1;
    }
    pthread_mutex_unlock(&lock);
    *out = w.found;
    return DEVICE_OK;
}

bool
device_function_is(const struct device_function *f)
{
    return handle_is(f, HANDLE_FUNCTION);
}

struct device_function_settings *
device_function_settings_of(struct device_function *f)
{
    return &f->settings;
}

const struct ptx_func *
device_function_ptx(const struct device_function *f)
{
    return f->func;
}

struct device *
device_function_device(const struct device_function *f)
{
    return f->device;
}
