/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes.c: patterns of lanes: the same lanes at the same distances again and again. The words that
 * one touches, and by which lane each, are worked out once a place.
 */
#include "check/shared_cells.h"

static void
find_shape(const struct visit *v, struct pattern_shape *s, const int32_t *offset)
{
    uint32_t align = v->facts->align;
    s->offset = offset;
    s->lanes = v->lanes;
    s->words = 0;
    s->twice = false;
    s->low = INT32_MAX;
    s->high = INT32_MIN;
    s->run = true;
    s->usable = v->bytes % 4 == 0 && v->bytes <= 16;
    for (uint32_t left = v->lanes; left && s->usable; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        int32_t at = offset ? offset[lane] : 0;
        s->usable = at % (int32_t)align == 0;
        s->low = at < s->low ? at : s->low;
        s->high = at + (int32_t)v->bytes > s->high ? at + (int32_t)v->bytes : s->high;
        for (uint32_t k = 0; k < v->bytes / 4; k++) {
            int32_t word = at / 4 + (int32_t)k;
            uint32_t n = 0;
            while (n < s->words && s->word[n] != word)
                n++;
            if (n < s->words) {
                s->twice = true;
                s->mark[n] = (s->mark[n] & ~(31ull << PACK_LANE2)) | PACK_MANY |
                             (uint64_t)lane << PACK_LANE2;
            } else {
                s->word[n] = word;
                s->mark[n] = (uint64_t)lane << PACK_LANE;
                s->run = s->run && word == s->word[0] + (int32_t)n;
                s->words++;
            }
        }
    }
}

struct pattern_shape *
shape_of(const struct visit *v, const int32_t *offset)
{
    enum {
        MOST_SHAPES = 12
    }; /* a tree has up to 10; lanes that change more often are not worth it */
    struct pattern_shape **first = &v->b->shape[v->place];
    uint32_t count = 0;
    for (struct pattern_shape **at = first, *s; (s = *at); at = &s->next, count++) {
        if (s->offset != offset || s->lanes != v->lanes)
            continue;
        *at = s->next;
        s->next = *first;
        *first = s;
        return s->usable ? s : NULL;
    }
    if (count == MOST_SHAPES)
        return NULL;
    struct pattern_shape *s = ls_alloc(sizeof *s);
    find_shape(v, s, offset);
    s->next = *first;
    *first = s;
    return s->usable ? s : NULL;
}

void
shapes_free(struct pattern_shape *s)
{
    while (s) {
        struct pattern_shape *next = s->next;
        ls_release(s);
        s = next;
    }
}
