/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_finding.c: findings of `lockstep check' as stops: `catch', `info findings'.
 */
#include "cli/debug/commands.h"
#include "cli/debug/findings.h"

#include <string.h>

bool
cmd_catch(struct session *s, const char *args, struct ls_error *err)
{
    const char *rest = args, *word = word_next(s, &rest);
    uint32_t stops = 0, others = 0;
    if (!word || strcmp(word, "finding") != 0)
        return ls_fail(err, LS_ERR_USAGE,
                       "catch takes `finding', and then a number, a kind or "
                       "FILE:LINE");
    if (!findings_look(s, err))
        return false;
    for (uint32_t n = 1; n <= s->findings->all.count; n++)
        if (findings_match(s->findings, n, rest)) {
            stops += findings_can_stop(&s->findings->all.at[n - 1]);
            others += !findings_can_stop(&s->findings->all.at[n - 1]);
        }
    if (!stops && !others && strchr(rest, ' ')) { /* another build has it in another place */
        const char *kind = arena_strndup(&s->scratch, rest, strcspn(rest, " "));
        session_say(s, "Nothing at these lines in this build: others of the kind are caught.\n");
        return cmd_catch(s, arena_printf(&s->scratch, "finding %s", kind), err);
    }
    if (!stops && !others && *rest)
        return ls_fail(err, LS_ERR_INPUT, "check finds nothing of the kind: %s (`info findings')",
                       rest);
    struct breakpoint *b = breakpoints_add(s, CATCHPOINT, rest);
    session_say(s, "Catchpoint %u: %u finding%s", b->number, stops, stops == 1 ? "" : "s");
    if (others)
        session_say(s, ", %u without a place to stop at: host code, or the launch's end", others);
    session_say(s, "\n");
    return breakpoints_send(s, err);
}

bool
info_findings(struct session *s, const char *args, struct ls_error *err)
{
    if (!findings_look(s, err))
        return false;
    if (!s->findings->all.count)
        session_say(s, "check finds nothing.\n");
    for (uint32_t n = 1; n <= s->findings->all.count; n++) {
        const struct finding *x = &s->findings->all.at[n - 1];
        session_say(s, "%-3u %s%s at %s", n, x->warning ? "warning: " : "", x->kind,
                    findings_where(s, x));
        if (x->kernel)
            session_say(s, " in %s", x->kernel);
        session_say(s, x->count > 1 ? " (%llu times)\n" : "\n", (unsigned long long)x->count);
        session_say(s, "    %s\n", x->message);
    }
    return true;
}
