/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep launch: one kernel of a PTX file, without a program around it. Also the way to look at
 * what the compiler made of a kernel (--dump-stage) and to time it (--time).
 *
 *     lockstep launch k.ptx --kernel twice --block 32 --arg buffer:@in.bin --dump 0:out.bin
 */
#include "cli/cli.h"
#include "cli/text/console.h"
#include "cli/launch/launch_args.h"
#include "cli/run/program.h"
#include "debug/debug.h"
#include "exec/exec.h"
#include "model/model.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>

enum {
    L_KERNEL,
    L_GRID,
    L_BLOCK,
    L_CLUSTER,
    L_SHARED,
    L_ARG,
    L_DUMP,
    L_STAGE,
    L_JIT,
    L_REMARKS,
    L_SCHEDULE,
    L_TIME,
    L_DEBUG,
    L_COUNT
};

static const struct option_row rows[L_COUNT] = {
    [L_KERNEL] = {"--kernel", 'k', NULL, "NAME", "which one (may be left out when there is one)"},
    [L_GRID] = {"--grid", 0, NULL, "X,Y,Z", "blocks (1)"},
    [L_BLOCK] = {"--block", 0, NULL, "X,Y,Z", "threads a block (1)"},
    [L_CLUSTER] = {"--cluster", 0, NULL, "X,Y,Z", "blocks a cluster (what the kernel requires)"},
    [L_SHARED] = {"--shared", 0, NULL, "BYTES", "dynamic shared memory a block (0)"},
    [L_ARG] = {"--arg", 'a', NULL, "TYPE:VALUE",
               "the next argument: u32:7, s64:-1, f32:1.5, hex:00ff, buffer:4096, buffer:@FILE"},
    [L_DUMP] = {"--dump", 0, NULL, "N:FILE", "write argument N's buffer to FILE afterwards"},
    [L_STAGE] = {"--dump-stage", 0, NULL, "STAGE",
                 "print a stage of the kernel instead of running it: classes, wir, plans, "
                 "after:PASS, llvm, asm, remarks"},
    [L_JIT] = {"--jit", 0, "LOCKSTEP_JIT", "-PASS",
               "switch a pass of the compiler off (several: -a,-b)"},
    [L_REMARKS] =
        {"--remarks", 0, "LOCKSTEP_REMARKS", "[FILE]",
         "say on standard error, or in FILE, what each pass did, where it did nothing and why"},
    [L_SCHEDULE] = PROGRAM_SCHEDULE,
    [L_TIME] = {"--time", 0, NULL, "[N]", "launch N times more (10) and say how long it took"},
    [L_DEBUG] = {"--debug", 0, NULL, NULL,
                 "under the debugger; its own options (--batch, --ex) are those of `lockstep "
                 "debug FILE.ptx [these options]`"},
};

static const struct cli_usage usage = {
    .name = "launch",
    .synopsis = "FILE.ptx --kernel NAME [options]",
    .text =
        "Runs one kernel of a PTX file. Arguments are given in order; a buffer is device memory\n"
        "of that size, zeroed, or with that file's bytes.\n",
    .rows = rows,
    .row_count = L_COUNT,
    .words_anywhere = true,
};

/* Everything one launch owns. */
struct launch {
    const struct cli_line *line;
    const struct device_profile *device;
    struct ptx_module *module;
    struct ptx_func *kernel;
    struct memory *memory;
    struct jit_engine *jit;
    struct exec_pool *pool;
    struct jit_tool *tool; /* of `lockstep debug`; NULL: none */
    struct exec_schedule schedule;
    struct launch_arg *args;
    size_t arg_count;
    uint64_t *symbols;
    uint8_t *params;
    uint32_t grid[3], block[3], cluster[3], shared; /* cluster[0] == 0: none */
    double first_ms, best_ms;
};

static double
now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* -- what to launch ---------------------------------------------------------------------------- */

static bool
load(struct launch *l, const char *path, struct ls_error *err)
{
    size_t size;
    char *text = ls_read_file(strcmp(path, "-") ? path : "/dev/stdin", &size, err);
    if (!text)
        return false;
    l->module = ptx_parse(text, size, path, err);
    if (l->module && !ptx_fits(l->module, path, err)) {
        ptx_free(l->module);
        l->module = NULL;
    }
    ls_release(text);
    if (l->module && l->module->address_size != 64)
        return ls_fail(err, LS_ERR_UNSUPPORTED,
                       "%s: %u-bit addresses are not supported, only .address_size 64", path,
                       l->module->address_size);
    return l->module && ptx_check_shared(l->module, err);
}

static bool
choose_kernel(struct launch *l, struct ls_error *err)
{
    const struct ptx_module *m = l->module;
    const char *name = l->line->value[L_KERNEL];
    const char **names = ls_alloc(sizeof *names * (m->func_count + 1));
    struct text list = {0};
    size_t n = 0;
    for (uint32_t i = 0; i < m->func_count; i++) {
        struct ptx_func *f = m->funcs[i];
        if (!f->is_kernel || !f->has_body)
            continue;
        text_add(&list, "%s%s", n ? ", " : "", f->name);
        names[n++] = f->name;
        if (name ? strcmp(f->name, name) == 0 : true)
            l->kernel = f;
    }
    const char *near = name ? ls_nearest(name, names, n) : NULL;
    bool good = l->kernel && (name || n == 1);
    if (n == 0)
        ls_fail(err, LS_ERR_INPUT, "%s: holds no kernel (.entry)", m->path);
    else if (!good && !name)
        ls_fail(err, LS_ERR_USAGE, "%s: has %zu kernels, name one with --kernel: %.800s", m->path,
                n, list.at);
    else if (!good && near)
        ls_fail(err, LS_ERR_USAGE, "%s: no kernel \"%s\"; did you mean \"%s\"?", m->path, name,
                near);
    else if (!good)
        ls_fail(err, LS_ERR_USAGE, "%s: no kernel \"%s\"; there is: %.800s", m->path, name,
                list.at);
    ls_release(names);
    text_free(&list);
    return good;
}

/* The kernel's own .reqntid and .maxntid (PTX ISA 11.4). */
static bool
check_directives(const struct launch *l, uint32_t threads, struct ls_error *err)
{
    const struct ptx_func *k = l->kernel;
    const uint32_t *need = k->limits.reqntid, *most = k->limits.maxntid;
    for (int i = 0; i < 3; i++)
        if (need[0] && l->block[i] != (need[i] ? need[i] : 1))
            return ls_fail(err, LS_ERR_USAGE,
                           "kernel %s requires blocks of %u,%u,%u threads (.reqntid)", k->name,
                           need[0], need[1] ? need[1] : 1, need[2] ? need[2] : 1);
    uint64_t product = (uint64_t)most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1);
    if (most[0] && threads > product)
        return ls_fail(err, LS_ERR_USAGE,
                       "kernel %s allows %llu threads a block (.maxntid), not %u", k->name,
                       (unsigned long long)product, threads);
    return true;
}

/* What --cluster says, else what the kernel requires (PTX ISA 11.7). */
static bool
choose_cluster(struct launch *l, struct ls_error *err)
{
    static const uint32_t most[3] = {JIT_CLUSTER_MOST, JIT_CLUSTER_MOST, JIT_CLUSTER_MOST};
    const char *value = l->line->value[L_CLUSTER];
    const uint32_t *need = l->kernel->limits.reqnctapercluster;
    for (int i = 0; i < 3 && need[0]; i++)
        l->cluster[i] = need[i] ? need[i] : 1;
    if (!value)
        return true;
    if (!l->device->clusters)
        return ls_fail(err, LS_ERR_USAGE, "--cluster %s: %s has no clusters", value,
                       l->device->name);
    if (!launch_parse_dim3("--cluster", value, most, l->cluster, err))
        return false;
    for (int i = 0; i < 3 && need[0]; i++)
        if (l->cluster[i] != (need[i] ? need[i] : 1))
            return ls_fail(err, LS_ERR_USAGE,
                           "kernel %s requires clusters of %u,%u,%u blocks (.reqnctapercluster)",
                           l->kernel->name, need[0], need[1] ? need[1] : 1, need[2] ? need[2] : 1);
    return true;
}

static bool
choose_shape(struct launch *l, struct ls_error *err)
{
    const struct device_profile *d = l->device;
    const char *const *value = l->line->value;
    uint64_t shared = 0;
    if (!launch_parse_dim3("--grid", value[L_GRID] ? value[L_GRID] : "1", d->max_grid, l->grid,
                           err) ||
        !launch_parse_dim3("--block", value[L_BLOCK] ? value[L_BLOCK] : "1", d->max_block, l->block,
                           err))
        return false;
    uint32_t threads = l->block[0] * l->block[1] * l->block[2]; /* each is at most 1024 */
    if (threads > d->max_threads_per_block)
        return ls_fail(err, LS_ERR_USAGE, "--block %s: %u threads, %s allows %u", value[L_BLOCK],
                       threads, d->name, d->max_threads_per_block);
    uint32_t most = d->shared_per_block_optin > d->shared_per_block ? d->shared_per_block_optin
                                                                    : d->shared_per_block;
    if (value[L_SHARED] && (!ls_parse_u64(value[L_SHARED], &shared) || shared > most))
        return ls_fail(err, LS_ERR_USAGE, "--shared takes bytes, from 0 to %u on %s, not \"%s\"",
                       most, d->name, value[L_SHARED]);
    l->shared = (uint32_t)shared;
    return check_directives(l, threads, err) && choose_cluster(l, err);
}

/* -- module variables -------------------------------------------------------------------------- */

static bool
place_variable(struct launch *l, struct ptx_var *v, struct ls_error *err)
{
    if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
        return true;
    if (v->linkage == PTX_EXTERN)
        return ls_fail(err, LS_ERR_INPUT,
                       "%s:%u: variable %s is declared .extern and defined nowhere",
                       l->module->path, v->line, v->name);
    uint64_t at =
        memory_alloc(l->memory, v->size ? v->size : 1, v->align, ALLOCATION_VARIABLE, v->name);
    if (!at)
        return ls_fail(err, LS_ERR_INPUT, "%s:%u: variable %s: out of device memory for %llu bytes",
                       l->module->path, v->line, v->name, (unsigned long long)v->size);
    if (v->init)
        memcpy((void *)(uintptr_t)at, v->init, v->size);
    l->symbols[v->index] = at;
    return true;
}

static void
relocate(struct launch *l, const struct ptx_var *v)
{
    for (uint32_t i = 0; i < v->reloc_count && l->symbols[v->index]; i++) {
        const struct ptx_reloc *r = &v->relocs[i];
        uint64_t value = r->func  ? JIT_FUNCTION_TAG | (uint64_t)(r->func->index + 1) << 4
                         : r->var ? l->symbols[r->var->index]
                                  : 0;
        value = (value + (uint64_t)r->addend) >> r->shift;
        memcpy((uint8_t *)(uintptr_t)l->symbols[v->index] + r->at, &value, r->bytes);
    }
}

static bool
place_variables(struct launch *l, struct arena *arena, struct ls_error *err)
{
    const struct ptx_module *m = l->module;
    l->symbols = ARENA_ARRAY(arena, uint64_t, m->var_count + 1);
    for (uint32_t i = 0; i < m->var_count; i++)
        if (!place_variable(l, m->vars[i], err))
            return false;
    for (uint32_t i = 0; i < m->var_count; i++)
        relocate(l, m->vars[i]);
    return true;
}

/* -- running ----------------------------------------------------------------------------------- */

/* Under `lockstep debug` this process is the program. */
static bool
open_tool(struct launch *l, struct ls_error *err)
{
    const char *name = getenv("LOCKSTEP_TOOL");
    if (!name || strcmp(name, "debug") != 0)
        return true;
    l->tool = debug_open(l->device, "", err);
    return l->tool != NULL;
}

/* `lockstep debug FILE.ptx ...` with the words of this command; returns only on failure. */
static int
become_debugger(const struct cli_line *line, int argc, char **argv)
{
    const char **words = ARENA_ARRAY((struct arena *)&line->arena, const char *, argc + 4);
    int n = 0;
    words[n++] = "lockstep";
    words[n++] = "debug";
    words[n++] = line->words[0];
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--debug") != 0 && strcmp(argv[k], line->words[0]) != 0)
            words[n++] = argv[k];
    execv("/proc/self/exe", (char **)words);
    return program_failed(&usage, "lockstep debug");
}

static bool
start_engine(struct launch *l, struct ls_error *err)
{
    char folder[4096];
    struct ls_error why = {0};
    bool cached = ls_cache_folder(folder, sizeof folder, &why);
    if (!cached && why.status != LS_OK)
        ls_warn("no cache of compiled kernels: %s", why.text);
    struct jit_options options = {.cache = cached ? folder : NULL,
                                  .remarks = l->line->value[L_REMARKS]};
    const char *passes = l->line->value[L_JIT];
    const char *schedule = l->line->value[L_SCHEDULE];
    if (schedule && *schedule && !exec_schedule_parse(schedule, &l->schedule, err))
        return false;
    if ((passes && !jit_passes_off(passes, &options.off, err)) ||
        !jit_vectors(getenv("LOCKSTEP_VECTORS"), &options.narrow, err))
        return false;
    l->jit = jit_new(&options, err);
    return l->jit;
}

static void
print_output(const char *text, size_t size, void *context)
{
    (void)context;
    fwrite(text, 1, size, stdout);
}

static bool
run_once(struct launch *l, double *ms, struct exec_report *report)
{
    struct exec_request r = {
        .jit = l->jit,
        .memory = l->memory,
        .module = l->module,
        .kernel = l->kernel,
        .dynamic_shared = l->shared,
        .shared_limit = l->device->shared_per_block_optin > l->device->shared_per_block
                            ? l->device->shared_per_block_optin
                            : l->device->shared_per_block,
        .params = l->params,
        .symbols = l->symbols,
        .sm_count = l->device->sm_count,
        .schedule = l->schedule,
        .resident_blocks = l->device->sm_count * l->device->max_blocks_per_sm,
        .stack_limit = 1024, /* the runtime's own default */
        .print = print_output,
        .tool = l->tool,
    };
    memcpy(r.grid, l->grid, sizeof r.grid);
    memcpy(r.block, l->block, sizeof r.block);
    memcpy(r.cluster, l->cluster, sizeof r.cluster);
    double start = now_ms();
    bool good = exec_run(l->pool, &r, report);
    *ms = now_ms() - start;
    return good;
}

/* Once, and for --time as often again as it says; buffers keep what the launches before left. */
static int
run(struct launch *l)
{
    struct exec_report report = {0};
    uint64_t times = 0;
    const char *value = l->line->value[L_TIME];
    if (value && !*value)
        times = 10;
    else if (value && (!ls_parse_u64(value, &times) || times < 1 || times > 1000000))
        return cli_usage_error(&usage, "--time takes a number from 1 to 1000000, not \"%s\"",
                               value);
    bool good = run_once(l, &l->first_ms, &report);
    for (uint64_t i = 0; i < times && good; i++) {
        double ms;
        good = run_once(l, &ms, &report);
        if (i == 0 || ms < l->best_ms)
            l->best_ms = ms;
    }
    fflush(stdout);
    if (good)
        return CLI_OK;
    columns_say("lockstep launch: %s\n", report.text);
    return report.status == EXEC_FAILED ? CLI_USAGE : CLI_FINDINGS;
}

static int
dump_stage(struct launch *l, const char *stage)
{
    struct ls_error err = {0};
    struct text out = {0};
    struct jit_request r = {.module = l->module,
                            .kernel = l->kernel,
                            .small_grid = jit_small_grid(l->grid, l->block),
                            .cluster = l->cluster[0] != 0,
                            .whole = l->schedule.kind == EXEC_USUAL && !l->cluster[0],
                            .scheduled = l->schedule.kind != EXEC_USUAL};
    memcpy(r.block, l->block, sizeof r.block);
    if (!jit_dump(l->jit, &r, stage, &out, &err))
        return cli_error(usage.name, &err);
    fwrite(out.at, 1, out.count, stdout);
    text_free(&out);
    return CLI_OK;
}

/* -- arguments and results --------------------------------------------------------------------- */

static bool
take_args(struct launch *l, struct arena *arena, struct ls_error *err)
{
    size_t count = 0;
    while (cli_every(l->line, L_ARG, count))
        count++;
    l->args = ARENA_ARRAY(arena, struct launch_arg, count + 1);
    for (; l->arg_count < count; l->arg_count++)
        if (!launch_arg_parse(cli_every(l->line, L_ARG, l->arg_count), &l->args[l->arg_count],
                              arena, err))
            return false;
    l->params = arena_alloc(arena, l->kernel->param_bytes + 16);
    return launch_args_place(l->args, count, l->kernel, l->memory, l->params, err);
}

/* "2:out.bin": the argument's number, and where its file name begins. */
static bool
parse_dump(const struct launch *l, const char *text, uint64_t *number, const char **file,
           struct ls_error *err)
{
    char digits[24];
    size_t length = strcspn(text, ":");
    snprintf(digits, sizeof digits, "%.*s", (int)(length < 23 ? length : 23), text);
    if (!text[length] || !text[length + 1] || !ls_parse_u64(digits, number))
        return ls_fail(err, LS_ERR_USAGE, "--dump takes N:FILE, not \"%s\"", text);
    if (*number >= l->arg_count || !l->args[*number].is_buffer)
        return ls_fail(err, LS_ERR_USAGE, "--dump %s: argument %llu is no buffer", text,
                       (unsigned long long)*number);
    *file = text + length + 1;
    return true;
}

/* Before the launch (write = false) only whether all --dump options make sense. */
static bool
dump_buffers(const struct launch *l, bool write, struct ls_error *err)
{
    const char *text, *file;
    uint64_t n;
    for (size_t i = 0; (text = cli_every(l->line, L_DUMP, i)); i++) {
        if (!parse_dump(l, text, &n, &file, err))
            return false;
        const struct launch_arg *arg = &l->args[n];
        if (write && !ls_write_file(file, (void *)(uintptr_t)arg->address, arg->buffer_size, err))
            return false;
    }
    return true;
}

static int
report(const struct launch *l)
{
    const struct cli_common *c = &l->line->common;
    struct jit_counts counts;
    int status = CLI_OK;
    jit_counts(l->jit, &counts);
    if (l->line->value[L_TIME])
        fprintf(c->json ? stderr : stdout,
                "first launch %.3f ms (compiled in %.3f ms, from disk in %.3f ms), best later one "
                "%.4f ms\n",
                l->first_ms, 1e3 * counts.compile_seconds, 1e3 * counts.disk_seconds, l->best_ms);
    if (!c->json)
        return CLI_OK;
    char cc[16];
    snprintf(cc, sizeof cc, "%u.%u", l->device->cc_major, l->device->cc_minor);
    json_t *j =
        json_pack("{s:i, s:{s:s, s:s}, s:s, s:[i,i,i], s:[i,i,i], s:f, s:f, s:f, s:f}", "version",
                  1, "device", "name", l->device->name, "cc", cc, "kernel", l->kernel->name, "grid",
                  (int)l->grid[0], (int)l->grid[1], (int)l->grid[2], "block", (int)l->block[0],
                  (int)l->block[1], (int)l->block[2], "first_milliseconds", l->first_ms,
                  "milliseconds", l->best_ms, "compile_milliseconds", 1e3 * counts.compile_seconds,
                  "disk_milliseconds", 1e3 * counts.disk_seconds);
    char *text = json_dumps(j, JSON_COMPACT);
    cli_write_json(&usage, c->json, text, &status);
    free(text);
    json_decref(j);
    return status;
}

static int
prepare_and_run(struct launch *l, struct arena *arena)
{
    struct ls_error err = {0};
    const char *stage = l->line->value[L_STAGE];
    int status;
    if (!load(l, l->line->words[0], &err) || !choose_kernel(l, &err) || !choose_shape(l, &err) ||
        !start_engine(l, &err))
        return cli_error(usage.name, &err);
    if (stage)
        return dump_stage(l, stage);
    if (!(l->memory = memory_new(0, l->device->memory_bytes, &err)) ||
        !place_variables(l, arena, &err) || !take_args(l, arena, &err) ||
        !dump_buffers(l, false, &err) || !open_tool(l, &err) ||
        !(l->pool = exec_new(l->line->common.workers, &err)))
        return cli_error(usage.name, &err);
    if ((status = run(l)) != CLI_OK)
        return status;
    if (!dump_buffers(l, true, &err))
        return cli_error(usage.name, &err);
    return report(l);
}

static void
launch_fini(struct launch *l)
{
    for (size_t i = 0; i < l->arg_count; i++)
        launch_arg_fini(&l->args[i]);
    if (l->pool)
        exec_free(l->pool);
    if (l->jit)
        jit_free(l->jit);
    if (l->memory)
        memory_free(l->memory);
    if (l->module)
        ptx_free(l->module);
}

int
cli_launch(int argc, char **argv)
{
    struct cli_line line;
    int status;
    if (!cli_parse(&usage, argc, argv, &line, &status))
        return status;
    console_plain(); /* code and data */
    if (line.word_count != 1) {
        status =
            cli_usage_error(&usage, line.word_count ? "one PTX file, not %d" : "no PTX file given",
                            line.word_count);
    } else if (line.value[L_DEBUG]) {
        status = become_debugger(&line, argc, argv);
    } else {
        struct launch l = {.line = &line, .device = cli_device(&line.common)};
        status = prepare_and_run(&l, &line.arena);
        if (l.tool) /* the workers may be those of a process that it has gone back from */
            exit(status);
        launch_fini(&l);
    }
    cli_line_fini(&line);
    return status;
}
