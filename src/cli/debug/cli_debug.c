/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep debug: a program's kernels under a debugger. A .cu file is compiled first, with -G (or
 * as the options say: -lineinfo, -G -dopt=on); then commands of -x and -ex run, then those of the
 * terminal or standard input.
 */
#include "cli/cli.h"
#include "cli/debug/commands.h"
#include "cli/debug/dap.h"
#include "cli/debug/editor.h"
#include "cli/debug/record.h"
#include "cli/run/program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    D_BATCH,
    D_EX,
    D_X,
    D_FINDING,
    D_ARGS,
    D_RECORD,
    D_BLOCK,
    D_REGISTERS,
    D_DAP,
    D_PORT,
    D_COUNT
};

static const struct option_row rows[D_COUNT] = {
    [D_BATCH] = {"--batch", 0, NULL, NULL, "ends when the commands of -x and --ex have run"},
    [D_EX] = {"--ex", 0, NULL, "COMMAND", "runs a command; may be repeated, also with -x"},
    [D_X] = {"--command", 'x', NULL, "FILE", "runs the commands of a file; may be repeated"},
    [D_FINDING] = {"--finding", 0, NULL, "WHICH",
                   "runs first to where `lockstep check' finds something: its number, kind, "
                   "FILE:LINE"},
    [D_RECORD] = {"--record", 0, NULL, "PAGE.html",
                  "writes a page on which a block of the first launch is stepped through"},
    [D_BLOCK] = {"--block", 0, NULL, "X[,Y[,Z]]",
                 "with --record: that block (0,0,0); all: every block of a small launch"},
    [D_REGISTERS] = {"--registers", 0, NULL, NULL,
                     "with --record: registers of the PTX, too, at each step"},
    [D_ARGS] = {"--args", 0, NULL, NULL, "as in gdb: what follows the program is for it anyway"},
    [D_DAP] = {"--dap", 0, NULL, NULL,
               "speaks the Debug Adapter Protocol on stdin and stdout, for editors"},
    [D_PORT] = {"--port", 0, NULL, "PORT",
                "with --dap: to editors that come to this port of 127.0.0.1; 0: a free one"},
};

static const struct cli_usage usage = {
    .name = "debug",
    .synopsis = "[options] [--] PROGRAM [arguments]",
    .text = "Runs PROGRAM under a debugger for its kernels, with the commands of gdb and\n"
            "cuda-gdb (help lists them), and back in time: reverse-step, reverse-continue,\n"
            "last EXPR, first-bad COND. PROGRAM: a .cu file, compiled first with -G, or a program\n"
            "built by `lockstep cc -G`, or FILE.ptx with the options of `lockstep launch`. One "
            "dash will do: -batch, -ex.\n"
            "The exit status of --batch: 1 when a command failed, else the program's where it has\n"
            "ended; else 0. `quit N' chooses it.\n" CLI_COMPILES,
    .rows = rows,
    .row_count = D_COUNT,
    .compiles = true,
};

static bool
is_given(const struct cli_line *line, const char *option)
{
    for (size_t k = 0; k < line->compile_options; k++) {
        const char *word = line->compile[k];
        word += strspn(word, "-");
        if (!strncmp(word, option, strlen(option)))
            return true;
    }
    return false;
}

/* A .cu file is compiled for the debugger where the options do not say how. */
static void
add_options(struct cli_line *line)
{
    const char *word = line->words[0];
    bool compiles = ls_ends_with(word, ".cu") || ls_ends_with(word, ".cuda");
    const char *more[3];
    size_t n = 0;
    if (!compiles)
        return;
    if (!is_given(line, "G") && !is_given(line, "device-debug") && !is_given(line, "lineinfo") &&
        !is_given(line, "generate-line-info"))
        more[n++] = "-G";
    more[n++] = "-g";
    if (!is_given(line, "O"))
        more[n++] = "-O0";
    const char **all = ARENA_ARRAY(&line->arena, const char *, line->compile_count + n + 1);
    memcpy(all, more, n * sizeof *more);
    if (line->compile_count)
        memcpy(all + n, line->compile, line->compile_count * sizeof *all);
    line->compile = all;
    line->compile_count += n;
    line->compile_options += n;
}

/* -- commands ---------------------------------------------------------------------------------- */

/* In the order of the command line as far as it is known: files first, as gdb's users expect of
 * -x before -ex. */
static void
run_given(struct session *s, const struct cli_line *line)
{
    const char *word = line->value[D_FINDING];
    if (word && command_execute(s, arena_printf(&s->keep, "catch finding %s", word)))
        command_execute(s, "run");
    for (size_t k = 0; !s->quit && (word = cli_every(line, D_X, k)); k++)
        command_execute(s, arena_printf(&s->keep, "source %s", word));
    for (size_t k = 0; !s->quit && (word = cli_every(line, D_EX, k)); k++)
        command_execute(s, word);
}

static bool
read_block(const char *text, uint32_t block[3], struct ls_error *err)
{
    char rest;
    int n = sscanf(text, "%u,%u,%u%c", &block[0], &block[1], &block[2], &rest);
    return (n >= 1 && n <= 3 && !strchr(text, '-')) ||
           ls_fail(err, LS_ERR_USAGE, "--block takes X[,Y[,Z]] or all, not '%s'", text);
}

/* --record: no commands. */
static int
record(struct session *s, const struct cli_line *line)
{
    struct record_options o = {.registers = line->value[D_REGISTERS] != NULL};
    struct ls_error err = {0};
    const char *at = line->value[D_BLOCK];
    o.all = at && !strcmp(at, "all");
    if (at && !o.all && !read_block(at, o.block, &err))
        return cli_error(usage.name, &err);
    return record_page(s, &o, line->value[D_RECORD], &err) ? CLI_OK : cli_error(usage.name, &err);
}

/* A PTX file's kernel is run by `lockstep launch`, with the words that follow. */
static const char *
path_of(struct cli_line *line, struct ls_error *err)
{
    if (!ls_ends_with(line->words[0], ".ptx")) {
        add_options(line);
        return program_of_line(&usage, line, err);
    }
    size_t unused;
    char *text = ls_read_file(line->words[0], &unused, err);
    if (!text)
        return NULL;
    ls_release(text);
    char **words = ARENA_ARRAY(&line->arena, char *, line->word_count + 3);
    words[0] = "lockstep";
    words[1] = "launch";
    memcpy(words + 2, line->words, sizeof *words * (size_t)line->word_count);
    line->words = words;
    line->word_count += 2;
    return "/proc/self/exe";
}

static int
debug(struct cli_line *line, const char *path, const char *word)
{
    struct session s;
    struct ls_error err = {0};
    session_init(&s);
    s.path = path;
    s.name = word;
    s.words = line->words;
    s.batch = line->value[D_BATCH] != NULL;
    s.device = cli_device(&line->common);
    program_environment(&line->common);
    int status = CLI_OK;
    if (!session_read_executable(&s, &err)) {
        status = cli_error(usage.name, &err);
    } else if (line->value[D_RECORD]) {
        status = record(&s, line);
    } else {
        run_given(&s, line);
        if (!s.batch && !s.quit)
            editor_run(&s);
        bool ended = s.target.exited;
        status = s.quit_status ? s.quit_status
                 : !s.batch    ? CLI_OK
                 : s.failed    ? CLI_FINDINGS
                 : ended       ? s.target.exit_status
                               : CLI_OK;
    }
    session_fini(&s);
    return status;
}

/* gdb's options have one dash. */
static void
take_single_dashes(int argc, char **argv)
{
    static const struct {
        const char *from;
        char *to;
    } words[] = {
        {"-batch", "--batch"}, {"-ex", "--ex"}, {"-args", "--args"}, {"-command", "--command"}};
    for (int k = 1; k < argc && argv[k][0] == '-' && strcmp(argv[k], "--") != 0; k++) {
        bool takes_value = !strcmp(argv[k], "-x") || !strcmp(argv[k], "--ex");
        for (size_t n = 0; n < sizeof words / sizeof *words; n++)
            if (!strcmp(argv[k], words[n].from)) {
                argv[k] = words[n].to;
                takes_value = n == 1 || n == 3;
                break;
            }
        k += takes_value;
    }
}

int
cli_debug(int argc, char **argv)
{
    struct cli_line line;
    struct ls_error err = {0};
    int status;
    take_single_dashes(argc, argv);
    if (!cli_parse(&usage, argc, argv, &line, &status))
        return status;
    if (line.value[D_DAP]) {
        status = line.word_count ? cli_usage_error(&usage, "--dap takes no program: the editor's "
                                                           "launch request names it")
                 : line.value[D_PORT] ? dap_listen(&line.common, line.value[D_PORT])
                                      : dap_run(&line.common, STDIN_FILENO, STDOUT_FILENO);
    } else if (line.value[D_PORT]) {
        status = cli_usage_error(&usage, "--port is for --dap");
    } else if (line.word_count == 0) {
        status = cli_usage_error(&usage, "no program given");
    } else {
        const char *word = line.words[0], *path = path_of(&line, &err);
        status = path ? debug(&line, path, word) : cli_error(usage.name, &err);
    }
    cli_line_fini(&line);
    return status;
}
