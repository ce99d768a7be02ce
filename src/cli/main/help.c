/* SPDX-License-Identifier: Apache-2.0
 *
 * help.c: `lockstep help`: the commands, topics, and words that are neither. How one command is
 * described is in help_forms.c.
 */
#include "cli/main/help.h"
#include "cli/options/help_forms.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"

static const struct command {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *help;
} commands[] = {
#define COMMAND(name, function, help) {#name, function, help},
#include "cli/cli_commands.def"
#undef COMMAND
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const struct topic {
    const char *name, *title, *text;
} topics[] = {
#define TOPIC(name, title, text) {name, title, text},
#include "cli/main/help_topics.def"
#undef TOPIC
};
enum { TOPIC_COUNT = sizeof topics / sizeof *topics };

static const struct {
    const char *name, *help;
} environment[] = {
#define ENVIRONMENT(name, help) {#name, help},
#include "cli/main/environment.def"
#undef ENVIRONMENT
};
enum { ENVIRONMENT_COUNT = sizeof environment / sizeof *environment };

static const char *const verbs[] = {
#define VERB(name, function, rungs, html, help) #name,
#include "cli/suite/suite_verbs.def"
#undef VERB
};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

int (*help_command(const char *name))(int argc, char **argv)
{
    for (int k = 0; k < COMMAND_COUNT; k++)
        if (strcmp(commands[k].name, name) == 0)
            return commands[k].function;
    return NULL;
}

static const struct topic *
find_topic(const char *name)
{
    for (int k = 0; k < TOPIC_COUNT; k++)
        if (strcmp(topics[k].name, name) == 0)
            return &topics[k];
    return NULL;
}

/* -- text -------------------------------------------------------------------------------------- */

static int
overview(void)
{
    printf("usage: lockstep COMMAND [options] [--] PROGRAM [arguments]\n\n"
           "A virtual GPU: runs CUDA C programs on this computer's processor.\n"
           "PROGRAM is a .cu file or a program built by `lockstep cc`.\n\n");
    for (int k = 0; k < COMMAND_COUNT; k++)
        printf("  %-12s%s\n", commands[k].name, commands[k].help);
    printf("  %-12s%s\n", "help", "what a command takes, or a topic:");
    size_t column = 80;
    for (int k = 0; k < TOPIC_COUNT; k++) {
        if (column + strlen(topics[k].name) + 2 > 78)
            column = (size_t)printf(k ? ",\n%14s" : "%14s", "");
        else
            column += (size_t)printf(", ");
        column += (size_t)printf("%s", topics[k].name);
    }
    printf(
        "\n\n`lockstep COMMAND --help` says what a command takes; `lockstep --version` the "
        "version.\n"
        "Exit codes: 0 fine, 1 findings or failure, 2 usage, 3 nothing done, 70 internal error.\n");
    return CLI_OK;
}

static void
environment_text(struct text *t)
{
    for (int k = 0; k < ENVIRONMENT_COUNT; k++)
        text_add(t, "  %-22s%s\n", environment[k].name, environment[k].help);
}

/* The table of variables stands in one place only. */
static void
topic_text(const struct topic *topic, struct text *t)
{
    text_add(t, "%s", topic->text);
    if (strcmp(topic->name, "environment") == 0)
        environment_text(t);
}

int
help_unknown(const char *word)
{
    const char *names[COMMAND_COUNT];
    for (int k = 0; k < COMMAND_COUNT; k++)
        names[k] = commands[k].name;
    const char *near = ls_nearest(word, names, COMMAND_COUNT);
    fprintf(stderr, "lockstep: %s \"%s\"", word[0] == '-' ? "unknown option" : "no command", word);
    if (near)
        fprintf(stderr, "; did you mean \"%s\"?", near);
    else if (ls_ends_with(word, ".cu"))
        fprintf(stderr, "; to run a program: lockstep run %s", word);
    fprintf(stderr, "\ntry: lockstep --help\n");
    return CLI_USAGE;
}

static int
unknown_topic(const char *word)
{
    const char *names[TOPIC_COUNT + COMMAND_COUNT];
    for (int k = 0; k < TOPIC_COUNT; k++)
        names[k] = topics[k].name;
    for (int k = 0; k < COMMAND_COUNT; k++)
        names[TOPIC_COUNT + k] = commands[k].name;
    const char *near = ls_nearest(word, names, TOPIC_COUNT + COMMAND_COUNT);
    fprintf(stderr, "lockstep help: no topic \"%s\"", word);
    if (near)
        fprintf(stderr, "; did you mean \"%s\"?", near);
    fprintf(stderr, "\ntry: lockstep help\n");
    return CLI_USAGE;
}

static int
one_topic(const char *name)
{
    const struct topic *topic = find_topic(name);
    int (*command)(int, char **) = help_command(name);
    struct text t = {0};
    if (!topic && !command)
        return unknown_topic(name);
    if (topic) {
        topic_text(topic, &t);
        struct text page = {0};
        text_add(&page, command ? "%s\n\n%s\n" : "%s\n\n%s", topic->title, t.at);
        columns_print(stdout, page.at, true);
        text_free(&page);
        text_free(&t);
    }
    return command ? command(2, (char *[]){(char *)name, "--help", NULL}) : CLI_OK;
}

/* -- manual pages ------------------------------------------------------------------------------ */

static void
man_head(struct text *t, const char *name, const char *section, const char *what)
{
    text_add(t,
             ".\\\" SPDX-License-Identifier: Apache-2.0\n"
             ".TH %s %s \"%s\" \"lockstep %s\" \"lockstep\"\n.SH NAME\n%s \\- %s\n",
             name, section, LOCKSTEP_DATE, LOCKSTEP_VERSION, name, what);
}

static int
man_overview(void)
{
    struct text t = {0};
    man_head(&t, "lockstep", "1",
             "a virtual GPU: runs, checks and measures CUDA programs without one");
    text_add(
        &t, ".SH SYNOPSIS\n.B lockstep\n.I COMMAND\n[options] [\\-\\-]\n.I PROGRAM\n[arguments]\n"
            ".SH DESCRIPTION\n"
            "Compiles CUDA C with clang and runs it on this computer's processor in lock-step "
            "warps; says\n"
            "what every memory access costs on each GPU generation, and whether it is safe.\n"
            ".I PROGRAM\nis a .cu file, compiled first and kept in a cache, or a program built by\n"
            ".BR lockstep\\-cc (1).\n.SH COMMANDS\n");
    for (int k = 0; k < COMMAND_COUNT; k++)
        text_add(&t, ".TP\n.BR lockstep\\-%s (1)\n%s\n", commands[k].name, commands[k].help);
    text_add(&t, ".TP\n.B lockstep help\n.RI [ TOPIC ]\nexplains a command or a topic; see\n"
                 ".BR lockstep\\-topics (7)\n.SH ENVIRONMENT\n");
    for (int k = 0; k < ENVIRONMENT_COUNT; k++) {
        text_add(&t, ".TP\n.B %s\n", environment[k].name);
        help_man_text(&t, environment[k].help);
        text_add(&t, "\n");
    }
    text_add(&t, ".SH EXIT STATUS\n");
    help_man_text(&t, find_topic("exit-codes")->text);
    fputs(t.at, stdout);
    text_free(&t);
    return CLI_OK;
}

static int
man_topics(void)
{
    struct text t = {0};
    man_head(&t, "lockstep-topics", "7", "what the words of lockstep mean");
    for (int k = 0; k < TOPIC_COUNT; k++) {
        struct text text = {0};
        topic_text(&topics[k], &text);
        text_add(&t, ".SH \"%s: %s\"\n", topics[k].name, topics[k].title);
        help_man_text(&t, text.at);
        text_free(&text);
    }
    text_add(&t, ".SH SEE ALSO\n.BR lockstep (1)\n");
    fputs(t.at, stdout);
    text_free(&t);
    return CLI_OK;
}

static int
man(const char *name)
{
    if (!name)
        return man_overview();
    if (strcmp(name, "topics") == 0)
        return man_topics();
    for (int k = 0; k < COMMAND_COUNT; k++)
        if (strcmp(commands[k].name, name) == 0) {
            struct text t = {0};
            char page[64];
            snprintf(page, sizeof page, "lockstep-%s", name);
            man_head(&t, page, "1", commands[k].help);
            fputs(t.at, stdout);
            text_free(&t);
            return commands[k].function(2, (char *[]){(char *)name, "--help=man", NULL});
        }
    return unknown_topic(name);
}

/* -- docs/commands.md -------------------------------------------------------------------------- */

static int
markdown(void)
{
    printf("# Commands\n\n"
           "Made by `lockstep help --markdown` from the tables that `--help`, the manual pages and "
           "the completions\n"
           "come from. What the results mean: [the guide](README.md).\n\n| command | does |\n| --- "
           "| --- |\n");
    for (int k = 0; k < COMMAND_COUNT; k++)
        printf("| [`%s`](#lockstep-%s) | %s |\n", commands[k].name, commands[k].name,
               commands[k].help);
    printf("\n## Common options\n\nEach has a twin in the environment, which `./prog` by itself "
           "obeys too.\n\n");
    commands[0].function(2, (char *[]){(char *)commands[0].name, "--help=common", NULL});
    for (int k = 0; k < COMMAND_COUNT; k++)
        commands[k].function(2, (char *[]){(char *)commands[k].name, "--help=markdown", NULL});
    printf("\n## Environment\n\n| variable | meaning |\n| --- | --- |\n");
    for (int k = 0; k < ENVIRONMENT_COUNT; k++)
        printf("| `%s` | %s |\n", environment[k].name, environment[k].help);
    printf("\n## Exit status\n\n```text\n%s```\n", find_topic("exit-codes")->text);
    return CLI_OK;
}

/* -- completions ------------------------------------------------------------------------------- */

static void
print_words(const char *const *words, size_t n)
{
    for (size_t k = 0; k < n; k++)
        printf(k ? " %s" : "%s", words[k]);
}

static void
print_names(size_t offset, const void *table, size_t size, size_t n)
{
    for (size_t k = 0; k < n; k++)
        printf(k ? " %s" : "%s", *(const char *const *)((const char *)table + k * size + offset));
}

static void
print_commands(void)
{
    print_names(offsetof(struct command, name), commands, sizeof *commands, COMMAND_COUNT);
}

static void
print_topics(void)
{
    print_names(offsetof(struct topic, name), topics, sizeof *topics, TOPIC_COUNT);
}

static void
print_devices(void)
{
    const struct device_profile *d;
    for (size_t k = 0; (d = model_device_at(k)); k++)
        printf(k ? " %s" : "%s", d->key);
}

/* Each capability once. */
static void
print_capabilities(void)
{
    const struct device_profile *d, *e;
    for (size_t k = 0; (d = model_device_at(k)); k++) {
        bool seen = false;
        for (size_t i = 0; i < k && (e = model_device_at(i)); i++)
            seen = seen || (e->cc_major == d->cc_major && e->cc_minor == d->cc_minor);
        if (!seen)
            printf(k ? " %u.%u" : "%u.%u", d->cc_major, d->cc_minor);
    }
}

static void
each_command(char *form)
{
    for (int k = 0; k < COMMAND_COUNT; k++)
        commands[k].function(2, (char *[]){(char *)commands[k].name, form, NULL});
}

static void
bash(void)
{
    printf("# SPDX-License-Identifier: Apache-2.0\n# lockstep(1): completion for "
           "bash\n_lockstep()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options=\n"
           "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"");
    print_commands();
    printf(" help --help --version\" -- \"$cur\"))\n        return\n    fi\n    case "
           "${COMP_WORDS[1]} in\n");
    each_command("--help=bash");
    printf("    help) COMPREPLY=($(compgen -W \"");
    print_commands();
    printf(" ");
    print_topics();
    printf("\" -- \"$cur\")); return ;;\n    esac\n    case $prev in\n    --gpu) "
           "COMPREPLY=($(compgen -W \"");
    print_devices();
    printf("\" -- \"$cur\")); return ;;\n    --cc) COMPREPLY=($(compgen -W \"");
    print_capabilities();
    printf("\" -- \"$cur\")); return ;;\n    esac\n"
           "    if [[ $cur == -* ]]; then\n        COMPREPLY=($(compgen -W \"$options\" -- "
           "\"$cur\"))\n"
           "    elif [ \"${COMP_WORDS[1]}\" = suite ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
           "        COMPREPLY=($(compgen -W \"");
    print_words(verbs, VERB_COUNT);
    printf("\" -- \"$cur\"))\n    else\n        COMPREPLY=($(compgen -f -- \"$cur\"))\n    fi\n}\n"
           "complete -o filenames -F _lockstep lockstep\n");
}

static void
zsh(void)
{
    printf("#compdef lockstep\n# SPDX-License-Identifier: Apache-2.0\n_lockstep() {\n"
           "    if (( CURRENT == 2 )); then\n        compadd -- ");
    print_commands();
    printf(" help --help --version\n        return\n    fi\n    local command=$words[2]\n    shift "
           "words\n"
           "    (( CURRENT-- ))\n    case $command in\n");
    each_command("--help=zsh");
    printf("    help) compadd -- ");
    print_commands();
    printf(" ");
    print_topics();
    printf(" ;;\n    esac\n}\n_lockstep \"$@\"\n");
}

static void
fish(void)
{
    printf("# SPDX-License-Identifier: Apache-2.0\n# lockstep(1): completion for fish\n");
    for (int k = 0; k < COMMAND_COUNT; k++)
        printf("complete -c lockstep -f -n __fish_use_subcommand -a %s -d \"%s\"\n",
               commands[k].name, commands[k].help);
    printf("complete -c lockstep -f -n __fish_use_subcommand -a help -d \"explains a command or a "
           "topic\"\n"
           "complete -c lockstep -f -n '__fish_seen_subcommand_from help' -a \"");
    print_topics();
    printf("\"\ncomplete -c lockstep -f -n '__fish_seen_subcommand_from suite' -a \"");
    print_words(verbs, VERB_COUNT);
    printf("\"\n");
    each_command("--help=fish");
}

static int
completion(const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t k = 0; shell && k < sizeof shells / sizeof *shells; k++)
        if (strcmp(shells[k].name, shell) == 0) {
            shells[k].print();
            return CLI_OK;
        }
    fprintf(stderr, "lockstep help: --completion takes bash, zsh or fish\n");
    return CLI_USAGE;
}

int
help_main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word || strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 ||
        strcmp(word, "-h") == 0)
        return overview();
    if (strcmp(word, "--man") == 0)
        return man(argc > 2 ? argv[2] : NULL);
    if (strcmp(word, "--markdown") == 0)
        return markdown();
    if (strcmp(word, "--completion") == 0)
        return completion(argc > 2 ? argv[2] : NULL);
    return one_topic(word);
}
