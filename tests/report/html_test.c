/* SPDX-License-Identifier: Apache-2.0
 *
 * The pages' writer: whatever text it is given, every element that it opens is closed by it, in
 * order, and nothing of the text becomes markup; a table has as many heads as titles; a page says
 * when it is full, and what is left out is still found by links.
 */
#include "report/html.h"

#include "common/unit.h"
#include <stdlib.h>
#include <string.h>

static size_t
count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *s = text; (s = strstr(s, what)); s += strlen(what))
        n++;
    return n;
}

/* Elements as they open and close, quoted attributes passed by. */
static void
assert_nested(const char *text)
{
    char open[64][16];
    size_t depth = 0;
    for (const char *s = text; (s = strchr(s, '<'));) {
        bool closes = *++s == '/';
        if (*s == '!')
            continue;
        s += closes;
        size_t n = strcspn(s, " />\n");
        const char *end = s;
        for (bool quoted = false; *end && (quoted || *end != '>'); end++)
            quoted ^= *end == '"';
        assert_true(*end && n > 0 && n < sizeof open[0]);
        if (closes) {
            assert_true(depth > 0);
            if (strlen(open[--depth]) != n || memcmp(open[depth], s, n))
                fail_msg("</%.*s> where %s is open", (int)n, s, open[depth]);
        } else if (end[-1] != '/') {
            assert_true(depth < 64);
            memcpy(open[depth], s, n);
            open[depth++][n] = 0;
        }
        s = end;
    }
    assert_int_equal(depth, 0);
}

static void
escapes(void **unused)
{
    struct text t = {0};
    (void)unused;
    html_escape(&t, "a<b>&\"c\"\x01\t\xc3\xa9");
    assert_string_equal(t.at, "a&lt;b&gt;&amp;&quot;c&quot;?\t\xc3\xa9");
    text_free(&t);
    html_print(&t, "%s %d%%", "<i>", 7);
    assert_string_equal(t.at, "&lt;i&gt; 7%");
    text_free(&t);
}

static void
page(struct text *t, const char *evil)
{
    html_begin(t, evil);
    html_section(t, "k1", evil, true);
    html_part(t, evil);
    html_table(t, evil, "kernel", evil, "count", NULL);
    for (int row = 0; row < 3; row++) {
        text_add(t, "<tr>");
        html_cell(t, NULL, "%s", evil);
        html_cell(t, "n", "%d", row);
        html_cell(t, NULL, "%s", evil);
        text_add(t, "</tr>\n");
    }
    html_table_end(t);
    html_part_end(t);
    html_section_end(t);
    html_section(t, NULL, evil, false);
    html_card(t, evil);
    html_term(t, evil, evil);
    html_term(t, evil, NULL);
    html_paragraph(t, "%s", evil);
    html_drawing(t, 100, 50, evil);
    html_box(t, 1, 2, 3, 4, "bad", evil);
    html_box(t, 1, 2, 3, 4, "good", NULL);
    html_line(t, 0, 0, 9.5, 9.5, "grid");
    html_dot(t, 5, 5, 2, "a", evil);
    html_label(t, 1, 1, 'm', "%s", evil);
    html_drawing_end(t);
    html_card_end(t);
    html_section_end(t);
    html_end(t);
}

static void
pages_are_well_formed(void **unused)
{
    static const char *const evil[] = {"plain", "</p><script>x</script>", "\" onload=\"x\"",
                                       "k<float, 3>(a && b)", ""};
    (void)unused;
    for (size_t k = 0; k < sizeof evil / sizeof evil[0]; k++) {
        struct text t = {0};
        page(&t, evil[k]);
        assert_nested(t.at);
        assert_null(strstr(t.at, "<script"));
        assert_null(strstr(t.at, "\" onload"));
        assert_int_equal(count(t.at, "<th"), 3 + count(t.at, "<thead"));
        assert_int_equal(count(t.at, "<td"), 9);
        assert_int_equal(count(t.at, "open=\"open\""), 1);
        text_free(&t);
    }
}

static void
fills_up(void **unused)
{
    struct text t = {0};
    (void)unused;
    html_begin(&t, "x");
    assert_false(html_is_full(&t));
    while (!html_is_full(&t) && t.count < 4u << 20)
        html_paragraph(&t, "%01000d", 1);
    assert_true(t.count < 2u << 20); /* room for what ends the page */
    size_t before = t.count;
    html_targets(&t, "l", 5, 8);
    for (int k = 4; k < 9; k++) {
        char id[16];
        snprintf(id, sizeof id, "id=\"l%d\"", k);
        assert_int_equal(strstr(t.at + before, id) != NULL, k >= 5 && k < 8);
    }
    text_free(&t);
}

int
main(void)
{
    return UNIT_TESTS(escapes, pages_are_well_formed, fills_up);
}
