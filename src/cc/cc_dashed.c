/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_dashed: words for the host compiler (-Xcompiler, and options that are not nvcc's) that the
 * device pass needs, too: folders of headers, macros, what is said of warnings, of which some end
 * the compilation.
 */
#include "cc/cc_priv.h"

#include <string.h>

/* Words for the host compiler that say how a source reads: both passes read it. */
static bool
is_source_word(const char *word)
{
    static const char *const heads[] = {"-D",
                                        "-U",
                                        "-I",
                                        "-W",
                                        "-isystem",
                                        "-iquote",
                                        "-idirafter",
                                        "-include",
                                        "-imacros",
                                        "-nostdinc",
                                        "-stdlib=",
                                        "-funsigned-char",
                                        "-fsigned-char",
                                        "-fno-signed-char",
                                        "-fno-unsigned-char",
                                        "-fshort-enums",
                                        "-fms-extensions",
                                        "-fchar8_t",
                                        "-ftemplate-",
                                        "-fconstexpr-",
                                        "-fbracket-depth="};
    if (ls_starts_with(word, "-Wl,") || ls_starts_with(word, "-Wa,") ||
        ls_starts_with(word, "-Werror"))
        return false;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (ls_starts_with(word, heads[i]))
            return true;
    return false;
}

/* Whether the next word is its value. */
static bool
takes_value(const char *word)
{
    static const char *const whole[] = {"-D",      "-U",         "-I",       "-isystem",
                                        "-iquote", "-idirafter", "-include", "-imacros"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(word, whole[i]) == 0)
            return true;
    return false;
}

void
cc_add_source_words(struct words *w, const struct words *dashed)
{
    for (size_t i = 0; i < dashed->count; i++) {
        if (!is_source_word(dashed->at[i]))
            continue;
        cc_words_add(w, dashed->at[i]);
        if (takes_value(dashed->at[i]) && i + 1 < dashed->count)
            cc_words_add(w, dashed->at[++i]);
    }
}
