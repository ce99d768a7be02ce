/* SPDX-License-Identifier: Apache-2.0
 *
 * commands: the words that a person types. A row of commands.def each; its function gets what
 * follows the name ("/x v" of "print/x v") and says on *err why it failed.
 */
#ifndef LOCKSTEP_CLI_COMMANDS_H
#define LOCKSTEP_CLI_COMMANDS_H

#include "cli/debug/session.h"

/* -- commands.c -------------------------------------------------------------------------------- */

/* One line, and then the commands of a breakpoint it has come to. False: it failed, and said so. */
bool command_execute(struct session *s, const char *line);
/* The same without a word about what failed. */
bool command_run(struct session *s, const char *line, struct ls_error *err);
/* Whether the line's first word is a command. */
bool command_is(struct session *s, const char *line);
/* Words that go on from `word`, which stands in the line: the nth; NULL. */
const char *command_complete(struct session *s, const char *line, const char *word, size_t nth);

/* -- words.c: what arguments are made of ------------------------------------------------------- */

const char *word_skip(const char *p); /* over blanks */
/* The next word, and *p behind it; NULL: none. */
const char *word_next(struct session *s, const char **p);
/* A number from 0; false with *err where the whole word is none. */
bool word_count(struct session *s, const char *text, uint64_t usual, uint64_t *out,
                struct ls_error *err);
/* "/3xw ..." : count, letter, size (0 where not given), and *p behind it. */
struct format_word {
    uint64_t count;
    char letter, size;
};
bool word_format(const char **p, struct format_word *out, struct ls_error *err);
/* Numbers and ranges ("1 3-5") to a function. */
bool word_numbers(struct session *s, const char *args,
                  bool (*each)(struct session *s, uint64_t number, struct ls_error *err),
                  struct ls_error *err);

/* cmd_code.c: that many instructions of the PTX from the location on ("": here). */
bool code_show(struct session *s, const char *location, uint64_t count, struct ls_error *err);

#define DEBUG_COMMAND(name, alias, function, topic, arguments, help)                               \
    bool function(struct session *s, const char *args, struct ls_error *err);
#include "cli/debug/commands.def"
#undef DEBUG_COMMAND
#define DEBUG_INFO(name, alias, function, help)                                                    \
    bool function(struct session *s, const char *args, struct ls_error *err);
#include "cli/debug/info.def"
#undef DEBUG_INFO

/* Defines a command that is a call of a function which several commands share. */
#define DEBUG_COMMAND_IS(function, call)                                                           \
    bool function(struct session *s, const char *args, struct ls_error *err)                       \
    {                                                                                              \
        return call;                                                                               \
    }

#endif
