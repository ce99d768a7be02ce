/* SPDX-License-Identifier: Apache-2.0
 *
 * cell: runs a program that nobody trusts: limits for time, memory, files and output, a working
 * folder of its own, and, where the kernel lets an ordinary user have them, no other files
 * (Landlock), no network, no further processes and no signals to others (seccomp). docs/teaching.md
 * says what that does not keep away.
 *
 *     struct cell c = {.path = "/tmp/x/program", .argv = argv, .folder = "/tmp/x/run", ...};
 *     struct cell_result r;
 *     if (cell_run(&c, &r, &err)) ... r.out.at ...
 *     cell_result_fini(&r);
 */
#ifndef LOCKSTEP_CLI_CELL_H
#define LOCKSTEP_CLI_CELL_H

#include "base/base.h"

enum { CELL_PATHS = 24, CELL_SETTINGS = 24 };

struct cell {
    const char *path; /* absolute; NULL: `call` runs in the child and gives its exit status */
    const char *const *argv; /* ended by NULL */
    int (*call)(void *context);
    void *context;
    const char *folder;           /* where it runs, and may write */
    const char *read[CELL_PATHS]; /* other paths that the program may read and execute, ended by
                                     NULL; a path where nothing is makes no error */
    const char *write[4];         /* folders that it may write to as well */
    const char *cache;            /* one more, whose content is not counted; NULL: none */
    /* its environment, "NAME=value", beside PATH and HOME; NULL ends it */
    const char *set[CELL_SETTINGS];
    const char *input; /* what its standard input holds; NULL: nothing */
    size_t input_size;
    double seconds; /* from start to end */
    uint64_t memory, output,
        files;     /* bytes: resident, printed on both streams, in the folders it may write to */
    bool children; /* it may start processes (a compiler) */
};

/* The limit that ended the program; CELL_RAN: it ended by itself. */
enum cell_stop { CELL_RAN, CELL_TIME, CELL_MEMORY, CELL_OUTPUT, CELL_FILES };

struct cell_result {
    struct text out, err;    /* both ended by a NUL */
    int pid, status, signal; /* signal: the one that ended the program, else 0 */
    enum cell_stop stop;
    double seconds;
    uint64_t memory; /* most that was resident, bytes */
};

/* False: it could not be started. */
bool cell_run(const struct cell *c, struct cell_result *r, struct ls_error *err);
void cell_result_fini(struct cell_result *r);
/* "ended by signal 11 (Segmentation fault)", "stopped after 10 s", "exit status 3"; "" where it
 * ended with 0. */
void cell_explain(const struct cell *c, const struct cell_result *r, char *out, size_t room);

/* Which of these cell_guard() can deny a graded program on this Linux kernel: files outside its
 * folders (Landlock), sockets, new processes (both by seccomp). A set of bits. */
enum { CELL_NO_FILES = 1, CELL_NO_NETWORK = 2, CELL_NO_PROCESSES = 4 };
uint32_t cell_protection(void);
/* In the child, before exec. False with errno: it must not go on. */
bool cell_guard(const struct cell *c);

#endif
