/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocation table against a plain list: random allocations, releases and questions. Windows:
 * what is accessible and what is not.
 */
#include "common/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "memory/memory.h"

struct model {
    uint64_t base, size;
};

static uint64_t seed = 88172645463325252ull;

static uint64_t
next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Whether the kernel lets this page be read: write(2) fails with EFAULT where it does not. */
static bool
readable(uint64_t address)
{
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    bool fine = write(fd[1], (void *)address, 1) == 1;
    close(fd[0]);
    close(fd[1]);
    return fine;
}

static void
random_operations(void **state)
{
    enum { SLOTS = 300, ROUNDS = 60000 };
    static struct model list[SLOTS];
    struct memory *m = memory_new(0, 1ull << 30, NULL);
    uint64_t used = 0, live = 0;
    assert_non_null(m);
    for (int i = 0; i < ROUNDS; i++) {
        struct model *slot = &list[next_random() % SLOTS];
        if (slot->base) {
            struct allocation a;
            uint64_t inside = slot->size ? next_random() % slot->size : 0;
            assert_true(memory_find(m, slot->base + inside, &a, NULL));
            assert_int_equal(a.base, slot->base);
            assert_int_equal(a.size, slot->size);
            assert_true(memory_covers(m, slot->base, slot->size));
            assert_false(memory_covers(m, slot->base, slot->size + 1));
            assert_false(memory_covers(m, slot->base + inside, slot->size - inside + 1));
            if (slot->size)
                assert_int_equal(*(uint8_t *)(slot->base + slot->size - 1), (uint8_t)slot->base);
            assert_true(memory_release(m, slot->base));
            assert_false(memory_release(m, slot->base));
            used -= slot->size;
            live--;
            slot->base = 0;
        } else {
            static const uint64_t most[] = {1, 600, 5000, 100000, 3000000};
            uint64_t size = next_random() % most[next_random() % 5] + 1;
            uint64_t align = 1ull << next_random() % 14;
            slot->base = memory_alloc(m, size, align, ALLOCATION_DEVICE, NULL);
            assert_int_not_equal(slot->base, 0);
            assert_int_equal(slot->base % (align > 512 ? align : 512), 0);
            slot->size = size;
            *(uint8_t *)(slot->base + size - 1) = (uint8_t)slot->base;
            used += size;
            live++;
        }
        uint64_t u, n;
        memory_usage(m, &u, NULL, &n);
        assert_int_equal(u, used);
        assert_int_equal(n, live);
    }
    for (int i = 0; i < SLOTS; i++)
        for (int j = 0; j < i; j++)
            assert_false(list[i].base && list[j].base &&
                         list[i].base <= list[j].base + list[j].size &&
                         list[j].base <= list[i].base + list[i].size);
    memory_free(m);
}

static void
freed_is_remembered(void **state)
{
    struct memory *m = memory_new(3, 1ull << 30, NULL);
    struct allocation near;
    uint64_t a = memory_alloc(m, 1000, 0, ALLOCATION_VARIABLE, "table");
    uint64_t b = memory_alloc(m, 200000, 0, ALLOCATION_DEVICE, NULL);
    assert_true(memory_set_read_only(m, a));
    assert_true(memory_find(m, a + 999, &near, NULL));
    assert_string_equal(near.name, "table");
    assert_true(near.read_only);
    assert_int_equal(near.device, 3);
    assert_false(memory_find(m, a + 1000, NULL, &near));
    assert_int_equal(near.base, a);
    memory_release(m, b);
    assert_false(memory_find(m, b + 5, NULL, &near));
    assert_int_equal(near.base, b);
    assert_true(near.freed);
    assert_false(readable(b));
    assert_true(readable(a));
    memory_free(m);
}

static void
guards_and_limits(void **state)
{
    struct memory *m = memory_new(0, 64ull << 20, NULL);
    uint64_t a = memory_alloc(m, 8192 * 16, 0, ALLOCATION_DEVICE, NULL);
    uint64_t b = memory_alloc(m, 8192 * 16, 0, ALLOCATION_DEVICE, NULL);
    assert_true(readable(a + 8192 * 16 - 1));
    assert_false(readable(a + 8192 * 16));
    assert_false(readable(b - 1));
    assert_int_equal(memory_alloc(m, 65ull << 20, 0, ALLOCATION_DEVICE, NULL), 0);
    assert_int_equal(memory_alloc(m, UINT64_MAX, 0, ALLOCATION_DEVICE, NULL), 0);
    assert_int_equal(memory_alloc(m, 16, 3, ALLOCATION_DEVICE, NULL), 0);
    uint64_t c = memory_alloc(m, 60ull << 20, 0, ALLOCATION_DEVICE, NULL);
    assert_int_not_equal(c, 0);
    assert_int_equal(memory_alloc(m, 8ull << 20, 0, ALLOCATION_DEVICE, NULL), 0);
    assert_true(memory_release(m, c));
    memory_free(m);
}

/* More allocations than the address space has room for, of ever other sizes: freed ranges are
 * joined and used again. */
static void
address_space_is_reused(void **state)
{
    struct memory *m = memory_new(0, 4ull << 30, NULL);
    for (uint64_t i = 0; i < 600; i++) {
        uint64_t base = memory_alloc(m, (2ull << 30) - i * (2 << 20), 0, ALLOCATION_DEVICE, NULL);
        assert_int_not_equal(base, 0);
        uint64_t small = memory_alloc(m, 100 + i, 0, ALLOCATION_DEVICE, NULL);
        assert_int_not_equal(small, 0);
        assert_true(memory_find(m, base + 77, NULL, NULL));
        assert_true(memory_release(m, base));
    }
    memory_free(m);
}

static void
count_rising(const struct allocation *a, void *context)
{
    uint64_t *last = context;
    assert_true(a->base > last[0]);
    last[0] = a->base;
    last[1]++;
}

static void
adopted(void **state)
{
    struct memory *m = memory_new(0, 1ull << 30, NULL);
    char *host = malloc(1000), *other = malloc(1000);
    uint64_t seen[2] = {0};
    assert_true(memory_adopt(m, (uint64_t)host, 1000, ALLOCATION_HOST, NULL));
    assert_true(memory_adopt(m, (uint64_t)other, 1000, ALLOCATION_MANAGED, NULL));
    assert_false(memory_adopt(m, (uint64_t)host, 500, ALLOCATION_HOST, NULL));
    memory_alloc(m, 5, 0, ALLOCATION_DEVICE, NULL);
    memory_alloc(m, 5 << 20, 0, ALLOCATION_DEVICE, NULL);
    assert_true(memory_covers(m, (uint64_t)host, 1000));
    memory_each(m, count_rising, seen);
    assert_int_equal(seen[1], 4);
    assert_true(memory_release(m, (uint64_t)host));
    assert_false(memory_find(m, (uint64_t)host, NULL, NULL));
    memory_free(m);
    free(host);
    free(other);
}

static void
windows(void **state)
{
    struct memory_window w;
    assert_true(memory_window_init(&w, false, NULL));
    uint64_t at = (uint64_t)w.at;
    assert_int_equal(at % (4ull << 30), 0);
    assert_false(readable(at));
    assert_true(memory_window_set(&w, 5000, 1, NULL));
    w.at[4999] = 1;
    assert_true(readable(at + 8191));
    assert_false(readable(at + 8192));
    assert_true(memory_window_set(&w, 100, 1, NULL));
    assert_false(readable(at + 4096));
    assert_true(readable(at + 4095));
    assert_false(memory_window_set(&w, 1ull << 33, 1, NULL));
    assert_false(readable(at + (4ull << 30)));
    assert_false(memory_window_wrap(&w, at + (4ull << 30))); /* not wide */
    memory_window_fini(&w);
}

/* Places that mean a byte of the window modulo 2^32, on both sides. */
static void
wide_windows(void **state)
{
    struct memory_window w;
    assert_true(memory_window_init(&w, true, NULL));
    if (w.whole == w.at) { /* no room for a wide one */
        memory_window_fini(&w);
        return;
    }
    uint64_t at = (uint64_t)w.at, turn = 4ull << 30;
    assert_int_equal(at % turn, 0);
    assert_true(memory_window_set(&w, 5000, 1, NULL));
    w.at[4999] = 7;
    assert_false(readable(at + turn));
    assert_false(memory_window_wrap(&w, at + 8192));        /* behind its end, without a turn, */
    assert_false(memory_window_wrap(&w, at + turn + 8192)); /*   and with one */
    assert_false(memory_window_wrap(&w, at - 1));
    assert_false(memory_window_wrap(&w, at + 40 * turn)); /* farther than it reaches */
    assert_false(memory_window_wrap(&w, at + 18 * turn)); /* the last turn is not whole */
    for (int64_t k = -17; k <= 17; k++) {
        uint8_t *again = w.at + k * (int64_t)turn;
        assert_int_equal(memory_window_place(w.at, (uint64_t)again + 4999), at + 4999);
        assert_true(k == 0 || memory_window_wrap(&w, (uint64_t)again + 100));
        assert_int_equal(again[4999], 7);
        again[12] = (uint8_t)k;
        assert_int_equal(w.at[12], (uint8_t)k);
    }
    assert_int_equal(memory_window_place(w.at, at - 4), at - 4);
    assert_int_equal(memory_window_place(w.at, at + turn - 4), at - 4);
    assert_true(memory_window_set(&w, 9000, 1, NULL)); /* forgets the other places */
    assert_false(readable(at + turn));
    w.at[8999] = 3;
    assert_true(memory_window_wrap(&w, at - turn + 8999));
    assert_int_equal((w.at - turn)[8999], 3);
    memory_window_fini(&w);
    assert_false(readable(at));
}

int
main(void)
{
    return UNIT_TESTS(random_operations, freed_is_remembered, guards_and_limits,
                      address_space_is_reused, adopted, windows, wide_windows);
}
