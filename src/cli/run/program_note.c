/* SPDX-License-Identifier: Apache-2.0
 *
 * program_note.c: `lockstep profile x.cu --html r.html` gives --html to the program, as all that
 * stands behind its name. Where the program does not know the word either, a note says how to write
 * what was meant. Whether it knows the word is read from the program's file: one that looks for
 * --html, or for html as getopt_long does, has the text in it.
 */
#define _GNU_SOURCE /* memmem */
#include "cli/run/program.h"

#include "cc/cc.h"

#include <stdio.h>
#include <string.h>

struct image {
    char *at;
    size_t size;
};

static bool
holds(const struct image *p, const char *text, size_t n)
{
    return memmem(p->at, p->size, text, n) != NULL;
}

/* "--html" anywhere, or "html" as a whole string; for -DN=5 the text "-D". */
static bool
program_knows(const struct image *p, struct arena *a, const char *word)
{
    const char *bare = word + strspn(word, "-");
    size_t length = strcspn(word, "="), n = strcspn(bare, "=");
    char *whole = arena_alloc(a, n + 2);
    memcpy(whole + 1, bare, n);
    if (word[1] != '-' && word[1] >= 'A' && word[1] <= 'Z') /* joined with its value */
        return holds(p, word, 2);
    return holds(p, word, length) || holds(p, whole, n + 2);
}

/* Options that programs of all kinds take are no mistake. */
static bool
is_usual(const char *word)
{
    static const char *const usual[] = {"--help", "--verbose", "--quiet"};
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        if (strcmp(word, usual[k]) == 0)
            return true;
    return false;
}

static bool
looks_compiled(const char *word)
{
    return word[0] == '-' && word[1] && word[1] != '-' && word[2] &&
           strchr("fmW", word[1]) == NULL && cc_option_words(word, NULL) == 1;
}

void
program_note(const struct cli_usage *usage, const struct cli_line *line, const char *path)
{
    struct arena a = {0};
    struct image p = {0};
    const char *name = line->words[0];
    bool source = ls_ends_with(name, ".cu") || ls_ends_with(name, ".cuda");
    for (int k = 1; k < line->word_count && !line->parted; k++) {
        const char *word = line->words[k];
        if (strcmp(word, "--") == 0)
            break;
        bool with_value = false, ours = cli_is_option(usage, word, &with_value) && !is_usual(word);
        if (!ours && !(source && looks_compiled(word)))
            continue;
        if (!p.at)
            p.at = ls_read_file(path, &p.size, NULL);
        bool made_here = p.at && (path == name || holds(&p, "liblockstep", strlen("liblockstep")));
        if (!made_here || program_knows(&p, &a, word))
            continue; /* scripts and launchers know best what is theirs */
        const char *value = with_value && k + 1 < line->word_count ? line->words[k + 1] : NULL;
        columns_say("lockstep %s: note: %s stands behind %s, so the program got it\n"
                    "    for %s: lockstep %s %s%s%s %s\n"
                    "    for the program, without this note: lockstep %s -- %s %s\n",
                    usage->name, word, name, ours ? "lockstep" : "the compiler", usage->name, word,
                    value ? " " : "", value ? value : "", name, usage->name, name, word);
        break;
    }
    ls_release(p.at);
    arena_free(&a);
}
