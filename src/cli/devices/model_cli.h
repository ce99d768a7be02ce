/* SPDX-License-Identifier: Apache-2.0
 *
 * What `access`, `occupancy` and `devices` share: options, the choice of a device, JSON output.
 */
#ifndef LOCKSTEP_CLI_MODEL_CLI_H
#define LOCKSTEP_CLI_MODEL_CLI_H

#include <jansson.h>

#include "base/base.h"
#include "model/model.h"

/* The command line of a command that asks the device model. */
struct command_line {
    const char *command, *usage;
    const struct option_row *rows;
    size_t count;
    struct option_result result;
    struct arena arena;
};

/* Parses; -1 to go on, else the exit status (--help, a mistake). Words that are no options are a
 * mistake, except a file name right behind --json. */
int command_parse(struct command_line *c, int argc, char **argv);
void command_fini(struct command_line *c);
/* The value of option `name`, NULL when not given. */
const char *command_value(const struct command_line *c, const char *name);
/* Prints "lockstep COMMAND: text" and returns the usage status. */
int command_mistake(const struct command_line *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The value as a number from `least` to `most`; when not given `otherwise`. False: a mistake that
 * was printed. */
bool command_number(const struct command_line *c, const char *name, uint64_t least, uint64_t most,
                    uint64_t otherwise, uint64_t *out);
/* The device that --gpu and --cc name (the command line wins over the environment), or the default
 * one; NULL: a mistake that was printed. */
const struct device_profile *command_device(const struct command_line *c);
/* {"name", "cc"} */
json_t *device_json(const struct device_profile *d);
/* Writes j to the file of --json or to stdout, and drops it. Returns the exit status. */
int command_json(const struct command_line *c, json_t *j);

#define DEVICE_OPTIONS                                                                             \
    {"--gpu", 0, "LOCKSTEP_GPU", "NAME", "device, by name or key (`lockstep devices`)"},           \
        {"--cc", 0, "LOCKSTEP_CC", "X.Y", "device, by compute capability"},                        \
        {"--json", 0, "LOCKSTEP_JSON", "[FILE]", "the answer as JSON, to stdout or FILE"},         \
    {                                                                                              \
        "--help", 'h', NULL, NULL, "this text"                                                     \
    }

#endif
