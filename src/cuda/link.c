/* SPDX-License-Identifier: Apache-2.0
 *
 * link.c: linking of several modules. The output of cuLinkComplete is a container with the linked
 * PTX (device_image_new), which the calls that load data take as they take text.
 */
#include "cuda/module.h"

#include <stdio.h>
#include <string.h>

struct CUlinkState_st {
    struct load_options options;
    struct timespec begin;
    VEC(struct ptx_module *) parts;
    struct text out;
};

CUresult
cuLinkCreate_v2(unsigned int n, CUjit_option *options, void **values, CUlinkState *state)
{
    struct device *d;
    int r = state ? cu_use(&d) : cu_null("stateOut");
    if (r == CUDA_SUCCESS) {
        CUlinkState s = *state = ls_alloc(sizeof *s);
        clock_gettime(CLOCK_MONOTONIC, &s->begin);
        module_options(n, options, values, &s->options);
    }
    CU(r, "numOptions=%u", n);
}

static int
add_text(CUlinkState s, const char *text, size_t size, const char *name)
{
    struct ls_error err = {0};
    struct ptx_module *m = ptx_parse(text, size, name, &err);
    if (!m)
        return cu_fail(CUDA_ERROR_INVALID_PTX, "%s", err.text);
    VEC_PUSH(&s->parts, m);
    return CUDA_SUCCESS;
}

/* Containers: alone, in an object of `lockstep cc`, or in an archive of such objects (one without
 * members, the device runtime's, adds nothing). Anything else is text, or refused by what it is. */
static int
add_part(CUlinkState s, CUjitInputType type, const void *data, size_t known, const char *name)
{
    static const char archive[8] = "!<arch>\n";
    size_t size = 0;
    if (!s || !data)
        return cu_null(s ? "data" : "state");
    if (type > CU_JIT_INPUT_LIBRARY)
        return cu_fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                       "%s: input of type %d: a virtual GPU links PTX text", name, (int)type);
    const char *begin = data, *end = begin + known, *text = begin;
    int r = CUDA_SUCCESS;
    for (; r == CUDA_SUCCESS && (text = ptx_next_container(text, end, &size)); text += size) {
        r = add_text(s, text, size, name);
        begin = NULL;
    }
    if (!begin || (known == sizeof archive && !memcmp(begin, archive, known)))
        return r;
    r = module_data_size(data, known, &size);
    return r == CUDA_SUCCESS ? add_text(s, data, size, name) : r;
}

static int
add_logged(CUlinkState s, CUjitInputType type, const void *data, size_t size, const char *name)
{
    int r = add_part(s, type, data, size, name ? name : "input");
    if (r != CUDA_SUCCESS && s)
        module_options_end(&s->options, r, &s->begin);
    return r;
}

CUresult
cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                 unsigned int n, CUjit_option *options, void **values)
{
    (void)options, (void)values;
    CU(add_logged(state, type, data, size, name), "type=%d size=%zu name=%s numOptions=%u",
       (int)type, size, name ? name : "NULL", n);
}

static int
add_file(CUlinkState s, CUjitInputType type, const char *path)
{
    size_t size;
    char *data;
    int r = cu_read_file(path, "path", &data, &size);
    if (r == CUDA_SUCCESS)
        r = add_logged(s, type, data, size, path);
    ls_release(data);
    return r;
}

CUresult
cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int n,
                 CUjit_option *options, void **values)
{
    (void)options, (void)values;
    CU(add_file(state, type, path), "type=%d path=%s numOptions=%u", (int)type,
       path ? path : "NULL", n);
}

static void
print_limited(const struct ptx_module *m, uint32_t most_registers, struct text *out)
{
    struct text all = {0};
    ptx_print(m, most_registers ? &all : out);
    if (most_registers)
        ptx_limit_registers(all.at, all.count, most_registers, out);
    text_free(&all);
}

static int
complete(CUlinkState s, void **cubin, size_t *size)
{
    struct ls_error err = {0};
    struct ptx_container head = {.magic = PTX_CONTAINER_MAGIC, .version = PTX_CONTAINER_VERSION};
    struct text ptx = {0};
    if (!s || !cubin)
        return cu_null("state or cubinOut");
    struct ptx_module *m = ptx_link(s->parts.at, s->parts.count, "linked PTX", &err);
    int r = m ? (int)CUDA_SUCCESS : cu_fail(CUDA_ERROR_INVALID_PTX, "%s", err.text);
    if (m) {
        print_limited(m, s->options.most_registers, &ptx);
        ptx_free(m);
        text_free(&s->out);
        head.size = ptx.count;
        text_add_bytes(&s->out, (const char *)&head, sizeof head);
        text_add_bytes(&s->out, ptx.at, ptx.count + 1);
        text_free(&ptx);
        *cubin = s->out.at;
        if (size)
            *size = s->out.count;
    }
    module_options_end(&s->options, r, &s->begin);
    return r;
}

CUresult
cuLinkComplete(CUlinkState state, void **cubin, size_t *size)
{
    CU(complete(state, cubin, size), "state=%p", (void *)state);
}

CUresult
cuLinkDestroy(CUlinkState state)
{
    if (!state)
        CU(cu_null("state"), "%s", "");
    for (size_t k = 0; k < state->parts.count; k++)
        ptx_free(state->parts.at[k]);
    VEC_FREE(&state->parts);
    text_free(&state->out);
    ls_release(state);
    CU(CUDA_SUCCESS, "%s", "");
}
