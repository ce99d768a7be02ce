/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading tests/data/NAME: calls row(fields, count, context) for each line behind the first.
 * Returns how many.
 */
#ifndef LOCKSTEP_TESTS_CSV_H
#define LOCKSTEP_TESTS_CSV_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
csv_each(const char *name, void (*row)(char **field, int count, void *context), void *context)
{
    const char *root = getenv("SOURCE_DIR");
    char path[4096], line[4096], *field[64];
    snprintf(path, sizeof path, "%s/tests/data/%s", root ? root : ".", name);
    FILE *f = fopen(path, "r");
    int rows = -1;
    while (f && fgets(line, sizeof line, f)) {
        if (++rows == 0)
            continue;
        int count = 0;
        line[strcspn(line, "\r\n")] = '\0';
        for (char *at = line; at && count < 64;) {
            field[count++] = at;
            at = strchr(at, ',');
            if (at)
                *at++ = '\0';
        }
        row(field, count, context);
    }
    if (f)
        fclose(f);
    return rows;
}

#endif
