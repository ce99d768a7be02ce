/* SPDX-License-Identifier: Apache-2.0
 *
 * host_races.c: what the host does to device memory - copies, fills, frees, loads and stores of
 * host code - against what kernels did there and the host does not know to be over: by the marks
 * that they left in shadow memory.
 */
#include "check/host.h"
#include "check/race.h"
#include "check/shadow.h"

#include <stdio.h>
#include <string.h>

static bool
known_over(struct check *c, uint32_t number, const uint32_t *after)
{
    struct job w = number && number <= c->work.count ? c->work.at[number - 1] : (struct job){0};
    return !number || w.stream >= STREAMS || after[w.stream] >= w.seq;
}

static struct side
side_of_mark(const struct job *w, const struct mark *m, uint64_t address)
{
    return side_of_job(w, mark_place(m), mark_block(m), mark_warp(m) * JIT_LANES + mark_lane(m),
                       address);
}

static void
report_copy(struct check *c, uint64_t a, uint32_t work, const struct mark *m, bool write)
{
    struct finding f = {.kind = FINDING_HOST_RACE, .space = "global"};
    struct job own = work_job(c, work), w = work_job(c, mark_work(m));
    if (!w.kernel || !finding_is_new(c, f.kind, f.rank, w.kernel, mark_place(m), NULL, 0, NULL))
        return;
    f.access = side_of_mark(&w, m, a);
    f.other = (struct side){.valid = true, .op = own.what, .address = a, .host = own.host};
    const char *does = strncmp(own.what, "cudaFree", 8) && strncmp(own.what, "cudaHostU", 9)
                           ? write ? "writes" : "reads"
                           : "frees";
    snprintf(f.message, sizeof f.message,
             "%s%s %s 0x%llx while a kernel of another stream may still %s it", own.what,
             *does == 'f' ? "" : " of the host", does, (unsigned long long)a,
             strcmp(f.access.op, "load") ? "write" : "read");
    snprintf(f.missing, sizeof f.missing, "%s", race_work_missing);
    finding_add(c, &f);
}

/* All that it has noted. */
static bool
line_is_over(struct check *c, const struct line *l, uint32_t *lately, const uint32_t *after)
{
    const struct line_mark *at = line_records(l);
    for (uint32_t k = 0; k < l->count; k++) {
        uint32_t work = mark_work(&at[k].mark);
        if (work != *lately && !known_over(c, work, after))
            return false;
        *lately = work;
    }
    return true;
}

bool
global_compare(struct check *c, uint64_t base, uint64_t size, bool writes, uint32_t work,
               const uint32_t *after)
{
    uint32_t lately = 0; /* over, as was found before */
    bool found = false;
    for (uint64_t a = base; a < base + size;) {
        struct chunk *k = shadow_chunk(c->global, a, false);
        uint64_t end = (a & ~(uint64_t)(CHUNK - 1)) + CHUNK;
        end = end < base + size ? end : base + size;
        if (!k || !(k->cells || k->lines)) {
            a = end;
            continue;
        }
        for (; a < end; a += 1u << k->shift) {
            if (k->lines &&
                line_is_over(c, &k->lines[(a & (CHUNK - 1)) >> LINE_BITS], &lately, after)) {
                a |= (1u << LINE_BITS) - 4;
                continue;
            }
            struct cell one = chunk_cell(k, a & (CHUNK - 1)), *cell = &one;
            const struct mark *m[] = {&cell->write, &cell->strong, &cell->read, &cell->other};
            for (int i = 0; i < (writes ? 4 : 2); i++) {
                if (mark_work(m[i]) == lately || known_over(c, mark_work(m[i]), after))
                    lately = mark_work(m[i]);
                else
                    report_copy(c, a, work, m[i], writes), found = true;
            }
        }
    }
    return found;
}

static void
report_flight(struct check *c, uint64_t a, const struct flight *by, const struct mark *m)
{
    struct finding f = {.kind = FINDING_HOST_RACE, .space = "global"};
    struct job w = work_job(c, mark_work(m));
    if (!finding_is_new(c, f.kind, f.rank, w.kernel, mark_place(m), NULL, 0, NULL))
        return;
    f.access = side_of_mark(&w, m, a);
    f.other = (struct side){.valid = true, .op = by->what, .address = a, .host = by->host};
    snprintf(f.message, sizeof f.message,
             "%s of 0x%llx while %s of another stream, which %s it, may not be over", f.access.op,
             (unsigned long long)a, by->what,
             by->allocates ? "makes"
             : by->writes  ? "writes"
                           : "reads");
    snprintf(f.missing, sizeof f.missing, "%s", race_work_missing);
    finding_add(c, &f);
}

void
global_compare_launch(struct check *c, uint64_t base, uint64_t size, const struct flight *by,
                      uint32_t launch)
{
    uint32_t reported = UINT32_MAX; /* place: most cells have the same */
    for (uint64_t a = base; a < base + size;) {
        struct chunk *k = shadow_chunk(c->global, a, false);
        uint64_t end = (a & ~(uint64_t)(CHUNK - 1)) + CHUNK;
        end = end < base + size ? end : base + size;
        if (!k || !(k->cells || k->lines) || k->last_work < launch) {
            a = end;
            continue;
        }
        for (; a < end; a += 1u << k->shift) {
            struct cell one = chunk_cell(k, a & (CHUNK - 1));
            const struct mark *m[] = {&one.write, &one.strong, &one.read, &one.other};
            for (int i = 0; i < (by->writes ? 4 : 2); i++)
                if (mark_work(m[i]) == launch && mark_place(m[i]) != reported) {
                    reported = mark_place(m[i]);
                    report_flight(c, a, by, m[i]);
                }
        }
    }
}

static bool
is_of_system(const struct job *w, const struct mark *m)
{
    const struct kernel_facts *k = w->kernel;
    return m->when & MARK_STRONG && mark_place(m) < k->place_count &&
           k->place[mark_place(m)].flags & PLACE_SYSTEM;
}

bool
global_host_race(struct check *c, uint64_t address, uint64_t bytes, enum check_host_op op,
                 const uint32_t *known, struct side *out, uint32_t *met)
{
    struct chunk *k = shadow_chunk(c->global, address, false);
    uint32_t lately = 0; /* over, as was found before */
    bool found = false;
    if (!k || !(k->cells || k->lines))
        return false;
    pthread_mutex_lock(&c->lock);
    if (known_over(c, k->last_work, known))
        bytes = 0;
    for (uint64_t a = address; a < address + bytes && !found; a += 1u << k->shift) {
        struct cell one = chunk_cell(k, a & (CHUNK - 1)), *cell = &one;
        const struct mark *m[] = {&cell->write, &cell->strong, &cell->read, &cell->other};
        for (int i = 0; i < (op != CHECK_HOST_READ ? 4 : 2) && !found; i++) {
            uint32_t number = mark_work(m[i]);
            if (op == CHECK_HOST_ATOMIC &&
                (m[i]->when & (MARK_STRONG | MARK_NARROW)) == MARK_STRONG)
                continue;
            if (number == lately || known_over(c, number, known) ||
                !c->work.at[number - 1].kernel) {
                lately = number;
                continue;
            }
            if (met && is_of_system(&c->work.at[number - 1], m[i])) {
                *met = number;
                continue;
            }
            *out = side_of_mark(&c->work.at[number - 1], m[i], a);
            found = true;
        }
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}
