/* SPDX-License-Identifier: Apache-2.0
 *
 * cli_common: the command line of one command: its own options and the common ones in one table,
 * help, errors, exit codes.
 */
#include "cli/cli.h"
#include "cli/text/console.h"
#include "cli/options/help_forms.h"

#include "cc/cc.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { C_CC, C_GPU, C_DEVICES, C_WORKERS, C_JSON, C_QUIET, C_VERBOSE, C_HELP, C_COUNT };

static const struct option_row common_rows[C_COUNT] = {
    [C_CC] = {"--cc", 0, "LOCKSTEP_CC", "X.Y", "compute capability of the virtual GPU"},
    [C_GPU] = {"--gpu", 0, "LOCKSTEP_GPU", "NAME", "a GPU by name (see `lockstep devices`)"},
    [C_DEVICES] = {"--devices", 0, "LOCKSTEP_DEVICES", "N", "number of virtual GPUs"},
    [C_WORKERS] = {"--workers", 0, "LOCKSTEP_WORKERS", "N", "worker threads (one per core)"},
    [C_JSON] = {"--json", 0, "LOCKSTEP_JSON", "[FILE]", "results as JSON, on stdout or to FILE"},
    [C_QUIET] = {"--quiet", 'q', "LOCKSTEP_QUIET", NULL, "say less"},
    [C_VERBOSE] = {"--verbose", 'v', "LOCKSTEP_VERBOSE", NULL, "say more"},
    [C_HELP] = {"--help", 'h', NULL, NULL, "this text"},
};

int
cli_error(const char *name, const struct ls_error *err)
{
    struct text t = {0};
    text_add(&t, "lockstep %s: %s\n", name, err->text);
    columns_print(stderr, t.at, false);
    text_free(&t);
    return err->status == LS_ERR_MEMORY || err->status == LS_ERR_INTERNAL ? CLI_INTERNAL
                                                                          : CLI_USAGE;
}

int
cli_usage_error(const struct cli_usage *usage, const char *format, ...)
{
    char message[2048];
    struct text t = {0};
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    text_add(&t, "lockstep %s: %s\ntry: lockstep %s --help\n", usage->name, message, usage->name);
    columns_print(stderr, t.at, false);
    text_free(&t);
    return CLI_USAGE;
}

void
cli_explain(const struct cli_common *common, const struct cli_usage *usage, int status,
            const char *format, ...)
{
    char message[1024];
    struct text t = {0};
    va_list list;
    if (common->quiet)
        return;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    text_add(&t, "lockstep %s: exit status %d: %s\n", usage->name, status, message);
    columns_print(stderr, t.at, false);
    text_free(&t);
}

/* The row that a word like --name, --name=value, -n names; n: none. */
static size_t
row_of(const struct option_row *rows, size_t n, const char *word)
{
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < n; i++) {
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, word, length) == 0)
            return i;
        if (word[1] != '-' && rows[i].letter == word[1] && !word[2])
            return i;
    }
    return n;
}

/* Takes an option of the compiler (with the next word where that is its value) for line->compile.
 * Returns the number of words taken; 0: the compiler has no such option. */
static int
take_compile_option(const struct cli_usage *usage, char **word, int left, struct cli_line *line)
{
    int n = usage->compiles ? cc_option_words(word[0], left > 1 ? word[1] : NULL) : 0;
    if (n < 0)
        line->not_for_programs = word[0];
    n = n > left ? left : n;
    for (int k = 0; k < n; k++)
        line->compile[line->compile_count++] = word[k];
    return n > 0 ? n : 0;
}

static bool
is_for_compiler(const char *word)
{
    static const char *const ends[] = {".cu", ".cuda", ".cpp", ".cc", ".cxx", ".c", ".o", ".a"};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (ls_ends_with(word, ends[k]))
            return access(word, R_OK) == 0;
    return false;
}

/* Behind a .cu file, the files that are compiled or linked with it. */
static void
take_files(struct cli_line *line)
{
    int n = 1;
    if (line->parted || !line->word_count ||
        (!ls_ends_with(line->words[0], ".cu") && !ls_ends_with(line->words[0], ".cuda")))
        return;
    for (; n < line->word_count && is_for_compiler(line->words[n]); n++)
        line->compile[line->compile_count++] = line->words[n];
    line->word_count -= n - 1;
    for (int k = 1; k <= line->word_count; k++) /* the NULL behind the last one, too */
        line->words[k] = line->words[k + n - 1];
}

/* Sorts argv[1..] into options (with their values) and words, and notes each value of each row:
 * options_parse knows only a row's last one, and stops at the first word. */
static void
arrange(const struct cli_usage *usage, const struct option_row *rows, size_t n, int argc,
        char **argv, struct cli_line *line, char **options, int *option_count)
{
    int i = 1;
    while (i < argc) {
        char *word = argv[i];
        if (strcmp(word, "--") == 0) {
            line->parted = line->word_count == 0;
            i++;
            break;
        }
        if (word[0] != '-' || !word[1]) {
            if (!usage->words_anywhere)
                break;
            line->words[line->word_count++] = word;
            i++;
            continue;
        }
        size_t row = row_of(rows, n, word);
        int taken = row == n ? take_compile_option(usage, argv + i, argc - i, line) : 0;
        if (taken) {
            i += taken;
            continue;
        }
        options[(*option_count)++] = argv[i++];
        if (row < n && i < argc && !strchr(word, '=') && options_value_follows(&rows[row], argv[i]))
            options[(*option_count)++] = argv[i++];
        if (row == n || !rows[row].value || rows[row].value[0] == '[')
            continue;
        const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
        const char *value = equals ? equals + 1 : i < argc ? argv[i] : NULL;
        if (!equals && i < argc)
            options[(*option_count)++] = argv[i++];
        if (value) {
            line->every[line->every_count] = value;
            line->every_row[line->every_count++] = row;
        }
    }
    while (i < argc)
        line->words[line->word_count++] = argv[i++];
    line->compile_options = line->compile_count;
    if (usage->compiles)
        take_files(line);
}

bool
cli_is_option(const struct cli_usage *usage, const char *word, bool *takes_value)
{
    const struct option_row *rows[] = {usage->rows, common_rows};
    const size_t count[] = {usage->row_count, C_COUNT};
    for (int k = 0; k < 2; k++) {
        size_t row = ls_starts_with(word, "--") ? row_of(rows[k], count[k], word) : count[k];
        if (row == count[k])
            continue;
        const char *value = rows[k][row].value;
        *takes_value = value && value[0] != '[' && !strchr(word, '=');
        return true;
    }
    return false;
}

const char *
cli_every(const struct cli_line *line, size_t row, size_t nth)
{
    for (size_t i = 0; i < line->every_count; i++)
        if (line->every_row[i] == row && nth-- == 0)
            return line->every[i];
    return NULL;
}

static bool
parse_count(const struct option_row *row, const char *value, uint32_t most, uint32_t *out,
            struct ls_error *err)
{
    uint64_t n;
    if (!value)
        return true;
    if (!ls_parse_u64(value, &n) || n < 1 || n > most)
        return ls_fail(err, LS_ERR_USAGE, "%s takes a number from 1 to %u, not \"%s\"", row->name,
                       most, value);
    *out = (uint32_t)n;
    return true;
}

static bool
take_common(struct cli_common *c, const struct option_result *r, struct ls_error *err)
{
    enum { MOST_DEVICES = 64, MOST_WORKERS = 4096 };
    struct device_hint hint;
    c->cc = r->value[C_CC];
    c->gpu = r->value[C_GPU];
    /* Given by hand, either one replaces what the environment says about the other. */
    if (c->cc && c->gpu && r->from_environment[C_CC] != r->from_environment[C_GPU]) {
        if (r->from_environment[C_CC])
            c->cc = NULL;
        else
            c->gpu = NULL;
    }
    c->json = r->value[C_JSON];
    c->quiet = r->value[C_QUIET];
    c->verbose = r->value[C_VERBOSE];
    if (c->cc && !model_find_cc(c->cc))
        return ls_fail(err, LS_ERR_USAGE, "no compute capability \"%s\" is known %s", c->cc,
                       model_device_hint(c->cc, true, &hint));
    if (c->gpu && !model_find_device(c->gpu))
        return ls_fail(err, LS_ERR_USAGE, "no GPU \"%s\" is known %s", c->gpu,
                       model_device_hint(c->gpu, false, &hint));
    if (c->cc && c->gpu)
        return ls_fail(err, LS_ERR_USAGE, "--gpu and --cc both name the device: give one");
    return parse_count(&common_rows[C_DEVICES], r->value[C_DEVICES], MOST_DEVICES, &c->devices,
                       err) &&
           parse_count(&common_rows[C_WORKERS], r->value[C_WORKERS], MOST_WORKERS, &c->workers,
                       err);
}

bool
cli_parse(const struct cli_usage *usage, int argc, char **argv, struct cli_line *line,
          int *exit_status)
{
    struct ls_error err = {0};
    struct option_result result;
    *line = (struct cli_line){0};
    const char *form = help_form(argc, argv);
    if (form && help_print(usage, common_rows, C_COUNT, form)) {
        *exit_status = CLI_OK;
        return false;
    }
    struct arena *a = &line->arena;
    size_t n = usage->row_count + C_COUNT;
    struct option_row *rows = ARENA_ARRAY(a, struct option_row, n);
    if (usage->row_count)
        memcpy(rows + C_COUNT, usage->rows, sizeof *rows * usage->row_count);
    memcpy(rows, common_rows, sizeof common_rows);
    line->words = ARENA_ARRAY(a, char *, argc + 1);
    line->compile = ARENA_ARRAY(a, const char *, argc + 1);
    line->every = ARENA_ARRAY(a, const char *, argc + 1);
    line->every_row = ARENA_ARRAY(a, size_t, argc + 1);
    char **options = ARENA_ARRAY(a, char *, argc + 2);
    int option_count = 1, index = 1;
    options[0] = argv[0];
    arrange(usage, rows, n, argc, argv, line, options, &option_count);
    for (size_t i = 0; i < line->every_count; i++) /* common rows wrap round: no own row */
        line->every_row[i] -= C_COUNT;
    if (!options_parse(rows, n, option_count, options, &index, &result, a, &err)) {
        const char *other = line->not_for_programs;
        if (other && ls_starts_with(err.text, "unknown option"))
            ls_fail(&err, LS_ERR_USAGE,
                    "%s makes no program that could be run: `lockstep cc %s ...` takes it", other,
                    other);
        *exit_status = cli_usage_error(usage, "%s", err.text);
        cli_line_fini(line);
        return false;
    }
    if (result.value[C_HELP]) {
        help_print(usage, common_rows, C_COUNT, "text");
        *exit_status = CLI_OK;
        cli_line_fini(line);
        return false;
    }
    if (!take_common(&line->common, &result, &err)) {
        *exit_status = cli_usage_error(usage, "%s", err.text);
        cli_line_fini(line);
        return false;
    }
    line->value = result.value + C_COUNT;
    return true;
}

void
cli_line_fini(struct cli_line *line)
{
    arena_free(&line->arena);
}

const struct device_profile *
cli_device(const struct cli_common *common)
{
    if (common->gpu)
        return model_find_device(common->gpu);
    return common->cc ? model_find_cc(common->cc) : model_default_device();
}

double
cli_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool
cli_to_stdout(const char *path)
{
    return path && (!*path || strcmp(path, "-") == 0);
}

bool
cli_write_json(const struct cli_usage *usage, const char *path, const char *text, int *exit_status)
{
    struct ls_error err = {0};
    if (cli_to_stdout(path)) {
        console_plain();
        puts(text);
        return true;
    }
    if (ls_write_file(path, text, strlen(text), &err))
        return true;
    *exit_status = cli_error(usage->name, &err);
    return false;
}
