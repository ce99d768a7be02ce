/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies by random tensor maps (tensor_cases.h), from PTX through the driver API. Prints of each
 * case the results of encoding the map and of the launch, whether the mbarrier's phase was over
 * with the bytes that the case expects, and a hash of shared memory (loads) or of global memory
 * (stores, reductions).
 *
 *     tensor_maps SEED COUNT [FIRST]
 */
#include "driver.h"
#include "tensor_cases.h"

/* -- the kernels ------------------------------------------------------------------------------- */

static const char *const reductions[T_REDUCTIONS] = {"add", "min", "max", "inc",
                                                     "dec", "and", "or",  "xor"};

struct text {
    char *at;
    size_t size, room;
};

#define ADD(t, ...)                                                                                \
    do {                                                                                           \
        if ((t)->room - (t)->size < 4096)                                                          \
            (t)->at = realloc((t)->at, (t)->room += 65536);                                        \
        (t)->size += (size_t)snprintf((t)->at + (t)->size, (t)->room - (t)->size, __VA_ARGS__);    \
    } while (0)

static const char head[] =
    "(.param .align 64 .b8 map[128], .param .u64 data, .param .u64 out, .param .u32 words,\n"
    "  .param .u32 tile, .param .u32 bytes, .param .s32 c0, .param .s32 c1, .param .s32 c2,\n"
    "  .param .s32 c3, .param .s32 c4, .param .u16 o0, .param .u16 o1, .param .u16 o2)\n"
    "{\n"
    "  .reg .pred %p, %q; .reg .b16 %o<3>; .reg .b32 %r<16>; .reg .b64 %a<8>; .reg .b32 %c<5>;\n"
    "  .shared .align 8 .b64 bar;\n"
    "  mov.b64 %a0, map; cvta.param.u64 %a0, %a0;\n"
    "  ld.param.u64 %a1, [data]; ld.param.u64 %a2, [out]; ld.param.u32 %r0, [words];\n"
    "  ld.param.u32 %r1, [tile]; ld.param.u32 %r2, [bytes]; ld.param.s32 %c0, [c0];\n"
    "  ld.param.s32 %c1, [c1]; ld.param.s32 %c2, [c2]; ld.param.s32 %c3, [c3];\n"
    "  ld.param.s32 %c4, [c4]; ld.param.u16 %o0, [o0]; ld.param.u16 %o1, [o1];\n"
    "  ld.param.u16 %o2, [o2];\n"
    "  mov.u32 %r3, %tid.x; mov.u32 %r4, shared; mov.u32 %r5, bar; add.u32 %r6, %r4, %r1;\n"
    "  mov.u32 %r7, %r3;\n"
    "fill:\n"
    "  setp.ge.u32 %p, %r7, %r0; @%p bra filled;\n"
    "  mul.wide.u32 %a3, %r7, 4; add.u64 %a3, %a1, %a3; ld.global.u32 %r8, [%a3];\n"
    "  shl.b32 %r9, %r7, 2; add.u32 %r9, %r9, %r4; st.shared.u32 [%r9], %r8;\n"
    "  add.u32 %r7, %r7, 128; bra fill;\n"
    "filled:\n"
    "  setp.ne.u32 %q, %r3, 0;\n"
    "  @%q bra started;\n"
    "  mbarrier.init.shared.b64 [%r5], 1;\n"
    "started:\n"
    "  fence.proxy.async;\n"
    "  bar.sync 0;\n"
    "  @%q bra wait;\n";

static const char load_end[] =
    "wait:\n"
    "  mov.u32 %r10, 0;\n"
    "again:\n"
    "  mbarrier.test_wait.parity.shared.b64 %p, [%r5], 0;\n"
    "  add.u32 %r10, %r10, 1; setp.gt.u32 %q, %r10, 200000; selp.u32 %r11, 1, 0, %p;\n"
    "  or.pred %p, %p, %q; @!%p bra again;\n"
    "  mov.u32 %r7, %r3;\n"
    "copy:\n"
    "  setp.ge.u32 %p, %r7, %r0; @%p bra copied;\n"
    "  shl.b32 %r9, %r7, 2; add.u32 %r9, %r9, %r4; ld.shared.u32 %r8, [%r9];\n"
    "  mul.wide.u32 %a3, %r7, 4; add.u64 %a3, %a2, %a3; st.global.u32 [%a3], %r8;\n"
    "  add.u32 %r7, %r7, 128; bra copy;\n"
    "copied:\n"
    "  mul.wide.u32 %a3, %r0, 4; add.u64 %a3, %a2, %a3; st.global.u32 [%a3], %r11;\n"
    "  ret;\n}\n";

static const char store_end[] =
    "  cp.async.bulk.commit_group;\n"
    "  cp.async.bulk.wait_group 0;\n"
    "wait:\n"
    "  ret;\n}\n";

static const char *
coordinates(unsigned rank)
{
    static const char *const text[] = {"", "{%c0}", "{%c0, %c1}", "{%c0, %c1, %c2}",
                                       "{%c0, %c1, %c2, %c3}", "{%c0, %c1, %c2, %c3, %c4}"};
    return text[rank];
}

/* Only the kernel of this name, where it is not NULL. */
static const char *only;

static void
kernel(struct text *t, const char *name, unsigned im2col, unsigned rank, const char *copy,
       const char *end)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s_%u_%u", name, im2col, rank);
    if (only && strcmp(only, whole))
        return;
    ADD(t, ".visible .entry %s", whole);
    ADD(t, "%s", head);
    ADD(t, "  %s;\n", copy);
    ADD(t, "%s", end);
}

static void
kernels_of_rank(struct text *t, unsigned rank, unsigned im2col)
{
    static const char *const offsets[] = {"", "", "", "{%o0}", "{%o0, %o1}", "{%o0, %o1, %o2}"};
    const char *c = coordinates(rank), *mode = im2col ? "im2col_no_offs" : "tile";
    char copy[512];
    snprintf(copy, sizeof copy,
             "mbarrier.arrive.expect_tx.shared.b64 _, [%%r5], %%r2;\n"
             "  cp.async.bulk.tensor.%ud.shared::cluster.global.%s.mbarrier::complete_tx::bytes "
             "[%%r6], [%%a0, %s], [%%r5]%s%s",
             rank, im2col ? "im2col" : "tile", c, im2col ? ", " : "", im2col ? offsets[rank] : "");
    kernel(t, "load", im2col, rank, copy, load_end);
    snprintf(copy, sizeof copy,
             "cp.async.bulk.tensor.%ud.global.shared::cta.%s.bulk_group [%%a0, %s], [%%r6]", rank,
             mode, c);
    kernel(t, "store", im2col, rank, copy, store_end);
    for (unsigned k = 0; k < T_REDUCTIONS; k++) {
        snprintf(copy, sizeof copy,
                 "cp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s.%s.bulk_group [%%a0, %s], "
                 "[%%r6]",
                 rank, reductions[k], mode, c);
        kernel(t, reductions[k], im2col, rank, copy, store_end);
    }
}

static char *
ptx(void)
{
    struct text t = {0};
    ADD(&t, ".version 8.0\n.target sm_90\n.address_size 64\n"
            ".extern .shared .align 1024 .b8 shared[];\n");
    for (unsigned rank = 1; rank <= 5; rank++) {
        kernels_of_rank(&t, rank, 0);
        if (rank > 2)
            kernels_of_rank(&t, rank, 1);
    }
    return t.at;
}

/* -- a case ------------------------------------------------------------------------------------ */

struct machine {
    CUmodule module;
    CUdeviceptr tensor, data, out;
    uint8_t *host, *fill;
};

static void
machine_init(struct machine *m)
{
    char *text = ptx(), log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    begin_device();
    CUresult r = cuModuleLoadDataEx(&m->module, text, 2, options, values);
    if (r)
        fprintf(stderr, "%s\n", log);
    check(r, "module");
    check(cuMemAlloc(&m->tensor, TENSOR_BUFFER), "memory");
    check(cuMemAlloc(&m->data, TENSOR_TILE), "memory");
    check(cuMemAlloc(&m->out, TENSOR_TILE + 8), "memory");
    m->host = malloc(TENSOR_BUFFER + 8);
    m->fill = malloc(TENSOR_BUFFER);
    free(text);
}

static CUresult
encode(const struct tensor_case *c, CUdeviceptr tensor, CUtensorMap *map)
{
    void *at = (void *)(uintptr_t)(tensor + c->offset);
    cuuint64_t dim[5], stride[5];
    cuuint32_t box[5], step[5];
    for (int k = 0; k < 5; k++)
        dim[k] = c->dim[k], stride[k] = c->stride[k], box[k] = c->box[k], step[k] = c->step[k];
    if (c->im2col)
        return cuTensorMapEncodeIm2col(map, (CUtensorMapDataType)c->type, c->rank, at, dim, stride,
                                       c->lower, c->upper, c->channels, c->pixels, step,
                                       (CUtensorMapInterleave)c->interleave,
                                       (CUtensorMapSwizzle)c->swizzle,
                                       CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                       (CUtensorMapFloatOOBfill)c->fill);
    return cuTensorMapEncodeTiled(map, (CUtensorMapDataType)c->type, c->rank, at, dim, stride, box,
                                  step, (CUtensorMapInterleave)c->interleave,
                                  (CUtensorMapSwizzle)c->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  (CUtensorMapFloatOOBfill)c->fill);
}

static CUresult
launch(struct machine *m, const struct tensor_case *c, CUtensorMap *map)
{
    char name[64];
    CUfunction f;
    uint32_t words = TENSOR_TILE / 4, tile = c->tile, bytes = c->bytes;
    int32_t at[5];
    uint16_t shift[3] = {(uint16_t)c->shift[0], (uint16_t)c->shift[1], (uint16_t)c->shift[2]};
    memcpy(at, c->at, sizeof at);
    snprintf(name, sizeof name, "%s_%u_%u",
             c->what == TENSOR_LOAD    ? "load"
             : c->what == TENSOR_STORE ? "store"
                                       : reductions[c->reduction],
             c->im2col, c->rank);
    check(cuModuleGetFunction(&f, m->module, name), name);
    check(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, TENSOR_TILE),
          "shared memory");
    void *arguments[] = {map,    &m->data, &m->out, &words, &tile,     &bytes,    &at[0],
                         &at[1], &at[2],   &at[3],  &at[4], &shift[0], &shift[1], &shift[2]};
    CUresult r = cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, TENSOR_TILE, NULL, arguments, NULL);
    return r ? r : cuCtxSynchronize();
}

struct outcome {
    int encoded, launched; /* the results of both */
    uint32_t over;         /* whether the mbarrier's phase ended with the expected bytes */
    uint64_t hash;
};

static struct outcome
run(struct machine *m, const struct tensor_case *c)
{
    CUtensorMap map;
    size_t size = TENSOR_BUFFER;
    struct outcome o = {.over = 1};
    o.encoded = (int)encode(c, m->tensor, &map);
    if (o.encoded)
        return o;
    tensor_fill(c->seed, c->type, m->fill, TENSOR_BUFFER);
    check(cuMemcpyHtoD(m->tensor, m->fill, TENSOR_BUFFER), "copy");
    tensor_fill(c->seed + 1, c->type, m->fill, TENSOR_TILE);
    check(cuMemcpyHtoD(m->data, m->fill, TENSOR_TILE), "copy");
    o.launched = (int)launch(m, c, &map);
    if (o.launched)
        return o;
    if (c->what == TENSOR_LOAD) {
        size = TENSOR_TILE;
        check(cuMemcpyDtoH(m->host, m->out, TENSOR_TILE + 4), "copy");
        memcpy(&o.over, m->host + TENSOR_TILE, 4);
    } else {
        check(cuMemcpyDtoH(m->host, m->tensor, TENSOR_BUFFER), "copy");
    }
    o.hash = tensor_hash(m->host, size);
    return o;
}

/* A kernel has ended with an error: the device begins anew. */
static void
machine_renew(struct machine *m)
{
    CUdevice d;
    check(cuDeviceGet(&d, 0), "cuDeviceGet");
    cuDevicePrimaryCtxReset(d);
    free(m->host);
    free(m->fill);
    machine_init(m);
}

#ifndef NO_MAIN
int
main(int argc, char **argv)
{
    struct machine m;
    struct tensor_case c;
    if (argc < 3)
        return 2;
    uint64_t seed = strtoull(argv[1], NULL, 0);
    uint32_t count = (uint32_t)atoi(argv[2]), first = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
    machine_init(&m);
    printf("case,encoded,launched,over,hash\n");
    for (uint32_t k = first; k < first + count; k++) {
        tensor_case_make(seed, k, &c);
        struct outcome o = run(&m, &c);
        printf("%u,%d,%d,%u,%016llx\n", k, o.encoded, o.launched, o.over,
               (unsigned long long)o.hash);
        if (o.launched)
            machine_renew(&m);
    }
    return 0;
}
#endif
