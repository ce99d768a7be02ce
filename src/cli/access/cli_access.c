/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep access: what access patterns cost. Two ways in: --csv, many patterns of one warp each;
 * or one pattern for a block of threads (--stride, --expr, --list), shown as a table, a picture of
 * the banks, and what would remove the conflict. Start with cli_access().
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text/console.h"
#include "cli/access/access_pattern.h"
#include "cli/devices/model_cli.h"
#include "report/report.h"

static const struct option_row rows[] = {
    {"--csv", 0, NULL, "FILE", "patterns: columns id,space,op,width,mask,a0..a31"},
    {"--stride", 0, NULL, "N", "element index = tid * N (N may be negative or 0.25)"},
    {"--expr", 'e', NULL, "TEXT", "element index by tid, lane, warp, x, y, z: 'tid*4%129'"},
    {"--list", 0, NULL, "A,B,...", "element indices, repeated for further threads"},
    {"--width", 'w', NULL, "BYTES", "bytes per thread: 1, 2, 4, 8, 16 (4)"},
    {"--op", 0, NULL, "OP", "ld, st, atom or red (ld)"},
    {"--space", 's', NULL, "SPACE", "shared, global, local or constant (shared)"},
    {"--block", 'b', NULL, "X[,Y[,Z]]", "threads of the block (32)"},
    {"--pad", 0, NULL, "N", "one element of padding behind every N: index + index / N"},
    {"--base", 0, NULL, "BYTES", "address of element 0 (0)"},
    {"--bank8", 0, NULL, NULL, "8-byte banks (3.x)"},
    {"--uncached", 0, NULL, NULL, "global loads past L1 (2.x, 3.x)"},
    {"--cached", 0, NULL, NULL, "global loads through L1 (3.x: -Xptxas -dlcm=ca)"},
    {"--html", 0, NULL, "FILE", "the pattern as a page: banks or sectors drawn, warp by warp"},
    {"--svg", 0, NULL, "FILE", "the drawing of the worst warp, for slides"},
    {"--verbose", 'v', NULL, NULL, "tables of all warps, not the worst alone"},
    DEVICE_OPTIONS,
};

static const char *const space_names[] = {"shared", "global", "local", "constant"};
static const char *const op_names[] = {"ld", "st", "atom", "red"};

/* The number of the name among four; -1: it is none of them. */
static int
number_of(const char *const names[4], const char *name)
{
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

bool
access_space_by_name(const char *name, enum access_space *out)
{
    int k = number_of(space_names, name);
    if (k >= 0)
        *out = (enum access_space)k;
    return k >= 0;
}

bool
access_op_by_name(const char *name, enum access_op *out)
{
    int k = number_of(op_names, name);
    if (k >= 0)
        *out = (enum access_op)k;
    return k >= 0;
}

/* -- JSON -------------------------------------------------------------------------------------- */

/* The five answers of cli.md; null where one does not apply. */
void
access_cost_json(json_t *j, const struct device_profile *d, const struct access *a,
                 const struct access_cost *cost)
{
    bool memory = a->space == ACCESS_GLOBAL || a->space == ACCESS_LOCAL;
    bool old = model_has_transactions(d), shared = a->space == ACCESS_SHARED;
    json_object_set_new(j, "requests", json_integer(cost->requests));
    json_object_set_new(j, "sectors", memory && !old ? json_integer(cost->sectors) : json_null());
    json_object_set_new(j, "wavefronts", memory ? json_null() : json_integer(cost->wavefronts));
    json_object_set_new(j, "bank_conflicts",
                        shared ? json_integer(cost->bank_conflicts) : json_null());
    json_t *list = memory && old ? json_array() : json_null();
    for (uint32_t i = 0; i < cost->transaction_count; i++) {
        const struct transaction *t = &cost->transactions[i];
        json_array_append_new(list, json_pack("{s:i,s:I,s:i}", "size", (int)t->size, "address",
                                              (json_int_t)t->address, "count", (int)t->count));
    }
    json_object_set_new(j, "transactions", list);
}

static json_t *
pattern_json(const struct access_pattern *p, const struct remedy *remedies, size_t remedy_count)
{
    json_t *warps = json_array(), *list = json_array();
    for (uint32_t w = 0; w < p->warps; w++) {
        struct access a;
        struct access_cost cost;
        pattern_warp(p, w, &a);
        model_access(p->device, &a, &cost);
        json_t *j = json_pack("{s:i,s:i}", "warp", (int)w, "degree", (int)cost.degree);
        access_cost_json(j, p->device, &a, &cost);
        json_t *addresses = json_array();
        for (uint32_t lane = 0; lane < 32; lane++)
            if (a.mask >> lane & 1)
                json_array_append_new(addresses, json_integer((json_int_t)a.address[lane]));
        json_object_set_new(j, "addresses", addresses);
        json_array_append_new(warps, j);
    }
    for (size_t i = 0; i < remedy_count; i++)
        json_array_append_new(list, json_pack("{s:s,s:i,s:I}", "change", remedies[i].text, "degree",
                                              (int)remedies[i].degree, "extra_bytes",
                                              (json_int_t)remedies[i].extra_bytes));
    return json_pack("{s:i,s:o,s:s,s:s,s:i,s:i,s:o,s:o}", "version", 1, "device",
                     device_json(p->device), "space", space_names[p->space], "op", op_names[p->op],
                     "width", (int)p->width, "threads", (int)p->threads, "warps", warps, "remedies",
                     list);
}

/* -- text -------------------------------------------------------------------------------------- */

static void
print_table(const struct access_pattern *p, uint32_t warp)
{
    struct access a;
    pattern_warp(p, warp, &a);
    bool shared = p->space == ACCESS_SHARED;
    printf("\nWarp %u:\n  thread  index  address  %s\n", warp,
           shared                              ? "bank"
           : model_has_transactions(p->device) ? "segment of 128"
                                               : "sector");
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(a.mask >> lane & 1))
            continue;
        uint64_t at = a.address[lane];
        uint64_t place = shared ? model_shared_bank(p->device, p->bank8, at)
                         : model_has_transactions(p->device) ? at / 128
                                                             : at / 32;
        printf("  %6u %6" PRId64 " %8" PRIu64 "  %4" PRIu64 "\n", warp * 32 + lane,
               p->index[warp * 32 + lane], at, place);
    }
}

/* One column a bank, one line a word that the bank must serve; the cell is the lowest lane that
 * asks for the word, '+' behind it when others do too. */
static void
print_banks(const struct access_pattern *p, uint32_t warp)
{
    struct access a;
    uint32_t part[8], banks = p->device->shared_banks;
    pattern_warp(p, warp, &a);
    uint32_t parts = model_shared_parts(p->device, &a, part);
    uint32_t width = console_width(stdout);
    bool narrow =
        width && width < 2 + banks * 3; /* then + stands for the lanes, and nothing between them */
    printf("\nBanks, warp %u (lane that is served; + several by one word):\n", warp);
    for (uint32_t i = 0; i < parts; i++) {
        if (parts > 1)
            printf(" part %u of %u\n", i + 1, parts);
        struct bank_picture picture;
        bank_picture_of(p, &a, part[i], &picture);
        printf("  ");
        for (uint32_t b = 0; b < banks; b++)
            printf(narrow ? "%2u" : "%2u ", b);
        printf("\n");
        for (uint32_t row = 0; row < picture.rows; row++) {
            printf("  ");
            for (uint32_t b = 0; b < banks; b++)
                if (row < picture.count[b] && narrow)
                    printf(picture.several[b][row] ? " +" : "%2u", picture.lane[b][row]);
                else if (row < picture.count[b])
                    printf("%2u%c", picture.lane[b][row], picture.several[b][row] ? '+' : ' ');
                else
                    printf(narrow ? " ." : " . ");
            printf("\n");
        }
    }
}

static void
print_transactions(const struct access_cost *cost)
{
    for (uint32_t i = 0; i < cost->transaction_count; i++)
        printf("      %ux %u B at %" PRIu64 "\n", cost->transactions[i].count,
               cost->transactions[i].size, cost->transactions[i].address);
}

static void
print_warp_costs(const struct access_pattern *p)
{
    for (uint32_t w = 0; w < p->warps; w++) {
        struct access a;
        struct access_cost cost;
        pattern_warp(p, w, &a);
        model_access(p->device, &a, &cost);
        if (p->space == ACCESS_SHARED)
            printf("  warp %2u: %u wavefronts where %u suffice, %u bank conflicts: %u-way\n", w,
                   cost.wavefronts, cost.wavefronts_ideal, cost.bank_conflicts, cost.degree);
        else if (p->space == ACCESS_CONSTANT)
            printf("  warp %2u: %u distinct addresses, served one after the other\n", w,
                   cost.wavefronts);
        else if (!model_has_transactions(p->device))
            printf("  warp %2u: %u sectors where %u suffice\n", w, cost.sectors,
                   cost.sectors_ideal);
        else
            printf("  warp %2u: transactions\n", w), print_transactions(&cost);
    }
}

static void
print_pattern(const struct access_pattern *p, const struct remedy *remedies, size_t count,
              bool verbose)
{
    const struct device_profile *d = p->device;
    printf("%s (%u.%u): %s %s of %u bytes by %u threads\n", d->name, d->cc_major, d->cc_minor,
           space_names[p->space], op_names[p->op], p->width, p->threads);
    print_warp_costs(p);
    uint32_t worst = pattern_worst_warp(p);
    for (uint32_t w = verbose ? 0 : worst; w < (verbose ? p->warps : worst + 1); w++) {
        print_table(p, w);
        if (p->space == ACCESS_SHARED)
            print_banks(p, w);
    }
    if (!verbose && p->warps > 1)
        printf("\n(the worst warp; -v shows all)\n");
    if (p->space != ACCESS_SHARED)
        return;
    if (pattern_degree(p) <= 1)
        printf("\nNo bank conflict.\n");
    else if (!count)
        printf("\nNeither padding nor a swizzle of the words removes the conflict.\n");
    for (size_t i = 0; i < count; i++)
        printf("%s  %s: %u-way, %" PRId64 " bytes more\n", i ? "" : "\nWhat removes it:\n",
               remedies[i].text, remedies[i].degree, remedies[i].extra_bytes);
}

/* -- the command line -------------------------------------------------------------------------- */

static bool
read_block(const struct command_line *c, struct access_pattern *p)
{
    const char *text = command_value(c, "--block");
    unsigned long long size[3] = {32, 1, 1};
    char rest = 0;
    if (text && sscanf(text, "%llu,%llu,%llu%c", &size[0], &size[1], &size[2], &rest) < 1)
        size[0] = 0;
    bool fits = !rest && size[0] && size[1] && size[2] && size[0] <= 1024 && size[1] <= 1024 &&
                size[2] <= 1024 && size[0] * size[1] * size[2] <= PATTERN_THREADS;
    if (!fits) {
        command_mistake(c, "--block takes X[,Y[,Z]], 1 to %d threads, not '%s'", PATTERN_THREADS,
                        text ? text : "");
        return false;
    }
    for (int i = 0; i < 3; i++)
        p->block[i] = (uint32_t)size[i];
    p->threads = p->block[0] * p->block[1] * p->block[2];
    p->warps = (p->threads + 31) / 32;
    return true;
}

static bool
read_pattern(const struct command_line *c, struct access_pattern *p)
{
    uint64_t width;
    const char *space = command_value(c, "--space"), *op = command_value(c, "--op");
    if (!command_number(c, "--width", 1, 16, 4, &width) ||
        !command_number(c, "--base", 0, UINT32_MAX, 0, &p->base) ||
        !command_number(c, "--pad", 1, UINT32_MAX, 0, &p->pad) || !read_block(c, p))
        return false;
    if (width & (width - 1)) {
        command_mistake(c, "--width takes 1, 2, 4, 8 or 16, not %d", (int)width);
        return false;
    }
    if (space && !access_space_by_name(space, &p->space)) {
        command_mistake(c, "--space takes shared, global, local or constant, not '%s'", space);
        return false;
    }
    if (op && !access_op_by_name(op, &p->op)) {
        command_mistake(c, "--op takes ld, st, atom or red, not '%s'", op);
        return false;
    }
    p->width = (uint32_t)width;
    p->bank8 = command_value(c, "--bank8");
    p->bypass_l1 = command_value(c, "--uncached");
    p->use_l1 = command_value(c, "--cached");
    struct ls_error err = {0};
    if (pattern_fill(p, command_value(c, "--stride"), command_value(c, "--expr"),
                     command_value(c, "--list"), &err))
        return true;
    command_mistake(c, "%s", err.text);
    return false;
}

/* "shared load of 4 bytes, stride 32, 64 threads" */
static void
title_of(const struct command_line *c, const struct access_pattern *p, char *out, size_t room)
{
    static const char *const words[] = {"load", "store", "atomic", "reduction"};
    const char *stride = command_value(c, "--stride"), *text = command_value(c, "--expr");
    snprintf(out, room, "%s %s of %u bytes, %s %s, %u thread%s", space_names[p->space],
             words[p->op], p->width,
             stride ? "stride"
             : text ? "element"
                    : "elements",
             stride ? stride
             : text ? text
                    : command_value(c, "--list"),
             p->threads, p->threads == 1 ? "" : "s");
}

static bool
write_file(const struct command_line *c, const char *path, const struct text *t)
{
    struct ls_error err = {0};
    if (ls_write_file(path, t->at, t->count, &err))
        return true;
    command_mistake(c, "%s", err.text);
    return false;
}

/* --html, --svg */
static bool
write_pictures(const struct command_line *c, const struct access_pattern *p,
               const struct remedy *remedies, size_t count)
{
    const char *html = command_value(c, "--html"), *svg = command_value(c, "--svg"),
               *notes[REMEDIES + 1] = {0};
    struct arena a = {0};
    struct access *warp = ARENA_ARRAY(&a, struct access, p->warps);
    struct text t = {0};
    char title[400];
    bool fine = true;
    for (uint32_t w = 0; w < p->warps; w++)
        pattern_warp(p, w, &warp[w]);
    if (html) {
        title_of(c, p, title, sizeof title);
        for (size_t k = 0; k < count; k++)
            notes[k] = arena_printf(&a, "%s: %u-way, %" PRId64 " bytes more", remedies[k].text,
                                    remedies[k].degree, remedies[k].extra_bytes);
        report_access_html(&(struct report_pattern){p->device, title, warp, p->warps, notes}, &t);
        fine = write_file(c, html, &t);
        text_free(&t);
    }
    if (svg && fine) {
        fine = report_access_svg(p->device, &warp[pattern_worst_warp(p)], &t);
        if (!fine)
            command_mistake(c, "--svg draws shared, global and local accesses, not %s ones",
                            space_names[p->space]);
        fine = fine && write_file(c, svg, &t);
        text_free(&t);
    }
    arena_free(&a);
    return fine;
}

static int
one_pattern(const struct command_line *c, const struct device_profile *d)
{
    struct access_pattern p = {.device = d, .space = ACCESS_SHARED, .op = ACCESS_LOAD};
    if (!read_pattern(c, &p))
        return CLI_USAGE;
    struct remedy remedies[REMEDIES];
    size_t count = p.space == ACCESS_SHARED ? pattern_remedies(&p, remedies) : 0;
    if (!write_pictures(c, &p, remedies, count))
        return CLI_USAGE;
    if (command_value(c, "--json"))
        return command_json(c, pattern_json(&p, remedies, count));
    print_pattern(&p, remedies, count, command_value(c, "--verbose"));
    return CLI_OK;
}

int
cli_access(int argc, char **argv)
{
    struct command_line c = {.command = "access",
                             .usage = "--csv FILE | --stride N | --expr TEXT | --list A,B,... "
                                      "[options]",
                             .rows = rows,
                             .count = sizeof rows / sizeof *rows};
    int status = command_parse(&c, argc, argv);
    if (status < 0) {
        const struct device_profile *d = command_device(&c);
        const char *ways[] = {"--csv", "--stride", "--expr", "--list"};
        int given = 0;
        for (int i = 0; i < 4; i++)
            given += command_value(&c, ways[i]) != NULL;
        if (!d)
            status = CLI_USAGE;
        else if (given != 1)
            status = command_mistake(&c, "give one of --csv, --stride, --expr, --list");
        else if (command_value(&c, "--csv") &&
                 (command_value(&c, "--html") || command_value(&c, "--svg")))
            status = command_mistake(&c, "--html and --svg draw one pattern, not a file of them");
        else if (command_value(&c, "--csv"))
            status = access_csv(&c, d, command_value(&c, "--csv"));
        else
            status = one_pattern(&c, d);
    }
    command_fini(&c);
    return status;
}
