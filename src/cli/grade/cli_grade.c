/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep grade: a student's program judged by the criteria of an exercise; grade.h has the parts.
 */
#include "cli/cli.h"
#include "cli/grade/grade.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct cli_usage usage = {
    .name = "grade",
    .synopsis = "[options] EXERCISE.toml PROGRAM.cu",
    .text =
        "Judges a student's program by the criteria of an exercise: what it prints on hidden "
        "inputs,\n"
        "findings of the checks, counters, estimated time, memory, words of its source. The "
        "program\n"
        "runs in a cell: limits for time, memory, files and output, an empty folder, and where "
        "the\n"
        "kernel gives it no other files, no network, no further processes. docs/teaching.md has "
        "the\n"
        "exercise's keys, and what the cell does not keep away.\n"
        "-v: inputs, what was expected and times, for the teacher.\n"
        "Exit status: 0 all criteria met, 1 not, 2 it could not be judged (the exercise or its\n"
        "solution is at fault, or there is no such file).\n",
    .words_anywhere = true,
};

static int
show(const struct cli_line *line, const struct grading *g)
{
    int status = grade_all_met(g) ? CLI_OK : CLI_FINDINGS;
    if (!cli_to_stdout(line->common.json) && !line->common.quiet)
        grade_text(g, line->common.verbose);
    if (!line->common.json)
        return status;
    json_t *j = grade_json(g);
    char *text = json_dumps(j, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    if (text)
        cli_write_json(&usage, line->common.json, text, &status);
    free(text);
    json_decref(j);
    return status;
}

static int
grade(struct cli_line *line)
{
    struct exercise x;
    struct ls_error err = {0};
    struct grading g = {.x = &x, .arena = &line->arena};
    char workers[16];
    if (line->word_count != 2)
        return cli_usage_error(
            &usage, "it takes an exercise and a program: lockstep grade exercise.toml student.cu");
    if (!ls_ends_with(line->words[1], ".cu"))
        return cli_usage_error(&usage, "%s: the program is to be a .cu file", line->words[1]);
    char *student = realpath(line->words[1], NULL);
    g.student = student ? arena_strdup(&line->arena, student) : NULL;
    free(student);
    if (!g.student || access(g.student, R_OK) != 0) {
        ls_fail(&err, LS_ERR_USAGE, "%s: no such file, or it cannot be read", line->words[1]);
        return cli_error(usage.name, &err);
    }
    if (!grade_read(line->words[0], &line->arena, &x, &err))
        return cli_error(usage.name, &err);
    bool given = line->common.gpu || line->common.cc;
    g.gpu = given ? line->common.gpu : x.gpu;
    g.cc = given ? line->common.cc : x.cc;
    snprintf(workers, sizeof workers, "%u", line->common.workers);
    g.workers = line->common.workers ? workers : NULL;
    if (!grade_begin(&g, &err))
        return cli_error(usage.name, &err);
    grade_judge(&g);
    int status = g.broken.status != LS_OK ? cli_error(usage.name, &g.broken) : show(line, &g);
    grade_end(&g);
    return status;
}

int
cli_grade(int argc, char **argv)
{
    struct cli_line line;
    int status;
    if (!cli_parse(&usage, argc, argv, &line, &status))
        return status;
    status = grade(&line);
    cli_line_fini(&line);
    return status;
}
