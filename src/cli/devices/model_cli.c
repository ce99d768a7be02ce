/* SPDX-License-Identifier: Apache-2.0
 *
 * What `access`, `occupancy` and `devices` share.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options/help_forms.h"
#include "cli/devices/model_cli.h"

static size_t
row_of(const struct command_line *c, const char *name)
{
    size_t i = 0;
    while (i < c->count && strcmp(c->rows[i].name, name))
        i++;
    return i;
}

const char *
command_value(const struct command_line *c, const char *name)
{
    size_t i = row_of(c, name);
    return i < c->count ? c->result.value[i] : NULL;
}

int
command_mistake(const struct command_line *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "lockstep %s: ", c->command);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return CLI_USAGE;
}

static bool
print_help(const struct command_line *c, const char *form)
{
    struct cli_usage usage = {.name = c->command,
                              .synopsis = c->usage,
                              .text = "",
                              .rows = c->rows,
                              .row_count = c->count};
    return help_print(&usage, NULL, 0, form);
}

int
command_parse(struct command_line *c, int argc, char **argv)
{
    struct ls_error err = {0};
    const char *json_file = NULL;
    int kept = 1;
    const char *form = help_form(argc, argv);
    if (form && print_help(c, form))
        return CLI_OK;
    char **words = ARENA_ARRAY(&c->arena, char *, argc + 1);
    words[0] = argv[0];
    for (int i = 1; i < argc; i++) {
        words[kept++] = argv[i];
        if (!strcmp(argv[i], "--json") && i + 1 < argc && argv[i + 1][0] != '-')
            json_file = argv[++i];
    }
    int index = 1;
    if (!options_parse(c->rows, c->count, kept, words, &index, &c->result, &c->arena, &err))
        return command_mistake(c, "%s", err.text);
    if (json_file)
        c->result.value[row_of(c, "--json")] = json_file;
    if (command_value(c, "--help")) {
        print_help(c, "text");
        return CLI_OK;
    }
    if (index < kept)
        return command_mistake(c, "unexpected argument '%s'", words[index]);
    return -1;
}

void
command_fini(struct command_line *c)
{
    arena_free(&c->arena);
}

bool
command_number(const struct command_line *c, const char *name, uint64_t least, uint64_t most,
               uint64_t otherwise, uint64_t *out)
{
    const char *value = command_value(c, name);
    *out = otherwise;
    if (!value)
        return true;
    if (ls_parse_u64(value, out) && *out >= least && *out <= most)
        return true;
    command_mistake(c, "%s takes a number from %llu to %llu, not '%s'", name,
                    (unsigned long long)least, (unsigned long long)most, value);
    return false;
}

const struct device_profile *
command_device(const struct command_line *c)
{
    size_t gpu_row = row_of(c, "--gpu"), cc_row = row_of(c, "--cc");
    const char *gpu = c->result.value[gpu_row], *cc = c->result.value[cc_row];
    if (gpu && cc && !c->result.from_environment[gpu_row] && !c->result.from_environment[cc_row]) {
        command_mistake(c, "--gpu and --cc both name the device: give one");
        return NULL;
    }
    bool use_cc = cc && (!gpu || !c->result.from_environment[cc_row]);
    if (!use_cc && !gpu)
        return model_default_device();
    const struct device_profile *d = use_cc ? model_find_cc(cc) : model_find_device(gpu);
    if (d)
        return d;
    struct device_hint hint;
    command_mistake(c, "unknown %s '%s' %s", use_cc ? "compute capability" : "device",
                    use_cc ? cc : gpu, model_device_hint(use_cc ? cc : gpu, use_cc, &hint));
    return NULL;
}

json_t *
device_json(const struct device_profile *d)
{
    char cc[16];
    snprintf(cc, sizeof cc, "%u.%u", d->cc_major, d->cc_minor);
    return json_pack("{s:s,s:s}", "name", d->name, "cc", cc);
}

int
command_json(const struct command_line *c, json_t *j)
{
    const char *file = command_value(c, "--json");
    char *textual = json_dumps(j, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    json_decref(j);
    if (!textual) {
        fprintf(stderr, "lockstep %s: the answer cannot be written as JSON\n", c->command);
        return CLI_INTERNAL;
    }
    int status = CLI_OK;
    struct ls_error err = {0};
    if (!file || !*file || !strcmp(file, "-")) {
        printf("%s\n", textual);
    } else if (!ls_write_file(file, textual, strlen(textual), &err)) {
        status = command_mistake(c, "%s", err.text);
    }
    free(textual);
    return status;
}
