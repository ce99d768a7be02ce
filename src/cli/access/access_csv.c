/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep access --csv: a file of patterns, one warp's access a row, columns by name. The answer
 * is JSON (--json) or CSV, a row for each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/access/access_pattern.h"
#include "cli/cli.h"

enum {
    COLUMN_ID,
    COLUMN_SPACE,
    COLUMN_OP,
    COLUMN_WIDTH,
    COLUMN_MASK,
    COLUMN_A0,
    COLUMNS = COLUMN_A0 + 32,
    MAX_FIELDS = 256
};

struct table {
    const struct command_line *command;
    const struct device_profile *device;
    const char *path;
    size_t line;
    int column[COLUMNS]; /* its place in a row */
    json_t *answers;     /* NULL: print CSV */
};

static bool
fail_at(const struct table *t, struct ls_error *err, const char *what, const char *word)
{
    return ls_fail(err, LS_ERR_INPUT, "%s:%zu: %s '%s'", t->path, t->line, what, word);
}

/* Cuts a line in fields, in place; quotes around a field are taken off. Returns how many. */
static int
cut(char *line, char **field)
{
    int count = 0;
    for (char *at = line; at && count < MAX_FIELDS;) {
        char *start = at;
        if (*at == '"') {
            start = at + 1;
            at = strchr(start, '"');
            if (at)
                *at++ = '\0';
        }
        char *comma = at ? strchr(at, ',') : NULL;
        if (comma)
            *comma++ = '\0';
        while (*start == ' ')
            start++;
        size_t length = strlen(start);
        while (length && (start[length - 1] == ' ' || start[length - 1] == '\r'))
            start[--length] = '\0';
        field[count++] = start;
        at = comma;
    }
    return count;
}

static void
column_name(int column, char out[16])
{
    static const char *const names[] = {"id", "space", "op", "width", "mask"};
    if (column < COLUMN_A0)
        snprintf(out, 16, "%s", names[column]);
    else
        snprintf(out, 16, "a%d", column - COLUMN_A0);
}

static bool
read_header(struct table *t, char *line, struct ls_error *err)
{
    char *field[MAX_FIELDS];
    int count = cut(line, field);
    for (int c = 0; c < COLUMNS; c++) {
        char name[16];
        column_name(c, name);
        t->column[c] = -1;
        for (int i = 0; i < count; i++)
            if (!strcmp(field[i], name))
                t->column[c] = i;
        if (t->column[c] < 0)
            return fail_at(t, err, "the first line lacks the column", name);
    }
    return true;
}

static bool
read_access(const struct table *t, char **field, int count, struct access *a, struct ls_error *err)
{
    uint64_t width, mask;
    for (int c = 0; c < COLUMN_A0; c++)
        if (t->column[c] >= count)
            return fail_at(t, err, "too few fields behind", field[0]);
    const char *space = field[t->column[COLUMN_SPACE]], *op = field[t->column[COLUMN_OP]];
    if (!access_space_by_name(space, &a->space))
        return fail_at(t, err, "unknown space", space);
    if (!access_op_by_name(op, &a->op))
        return fail_at(t, err, "unknown op", op);
    const char *text = field[t->column[COLUMN_WIDTH]];
    if (!ls_parse_u64(text, &width) || !width || width > 16 || (width & (width - 1)))
        return fail_at(t, err, "the width must be 1, 2, 4, 8 or 16, not", text);
    text = field[t->column[COLUMN_MASK]];
    if (!ls_parse_u64(text, &mask) || mask > UINT32_MAX)
        return fail_at(t, err, "the mask must be a number of 32 bits, not", text);
    a->width = (uint32_t)width;
    a->mask = (uint32_t)mask;
    for (int lane = 0; lane < 32; lane++) {
        int at = t->column[COLUMN_A0 + lane];
        text = at < count ? field[at] : "";
        if (!(a->mask >> lane & 1))
            continue;
        if (!ls_parse_u64(text, &a->address[lane]))
            return fail_at(t, err, "an active lane's address must be a number, not", text);
    }
    return true;
}

static void
answer_json(struct table *t, const char *id, const struct access *a, const struct access_cost *cost)
{
    int64_t number;
    json_t *j = json_object();
    json_object_set_new(j, "id",
                        ls_parse_i64(id, &number) ? json_integer(number) : json_string(id));
    access_cost_json(j, t->device, a, cost);
    json_array_append_new(t->answers, j);
}

static void
answer_csv(const struct table *t, const char *id, const struct access *a,
           const struct access_cost *cost)
{
    bool memory = a->space == ACCESS_GLOBAL || a->space == ACCESS_LOCAL;
    printf("%s,%u,", id, cost->requests);
    if (memory && !model_has_transactions(t->device))
        printf("%u", cost->sectors);
    printf(",");
    if (!memory)
        printf("%u", cost->wavefronts);
    printf(",");
    if (a->space == ACCESS_SHARED)
        printf("%u", cost->bank_conflicts);
    printf(",");
    for (uint32_t i = 0; i < cost->transaction_count; i++)
        printf("%s%ux%u@%llu", i ? " " : "", cost->transactions[i].count,
               cost->transactions[i].size, (unsigned long long)cost->transactions[i].address);
    printf("\n");
}

static bool
read_row(struct table *t, char *line, struct ls_error *err)
{
    char *field[MAX_FIELDS];
    struct access a = {0};
    struct access_cost cost;
    int count = cut(line, field);
    if (!read_access(t, field, count, &a, err))
        return false;
    a.bank8 = command_value(t->command, "--bank8");
    a.bypass_l1 = command_value(t->command, "--uncached");
    a.use_l1 = command_value(t->command, "--cached");
    model_access(t->device, &a, &cost);
    if (t->answers)
        answer_json(t, field[t->column[COLUMN_ID]], &a, &cost);
    else
        answer_csv(t, field[t->column[COLUMN_ID]], &a, &cost);
    return true;
}

static bool
read_table(struct table *t, char *content, struct ls_error *err)
{
    bool header = false;
    for (char *line = content, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        t->line++;
        if (!*line || *line == '\r' || *line == '#')
            continue;
        if (!header) {
            if (!read_header(t, line, err))
                return false;
            header = true;
            if (!t->answers)
                printf("id,requests,sectors,wavefronts,bank_conflicts,transactions\n");
        } else if (!read_row(t, line, err)) {
            return false;
        }
    }
    return header || ls_fail(err, LS_ERR_INPUT, "%s: no header line", t->path);
}

int
access_csv(const struct command_line *c, const struct device_profile *d, const char *path)
{
    struct ls_error err = {0};
    struct table t = {.command = c, .device = d, .path = path};
    size_t size;
    char *content = ls_read_file(strcmp(path, "-") ? path : "/dev/stdin", &size, &err);
    if (!content)
        return command_mistake(c, "%s", err.text);
    if (command_value(c, "--json"))
        t.answers = json_array();
    bool fine = read_table(&t, content, &err);
    ls_release(content);
    if (!fine) {
        json_decref(t.answers);
        return command_mistake(c, "%s", err.text);
    }
    return t.answers ? command_json(c, t.answers) : CLI_OK;
}
