/* SPDX-License-Identifier: Apache-2.0
 *
 * wire.c: messages between the debugger and this process.
 */
#include "debug/debug_priv.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 64 << 20 }; /* bytes of a message that make sense */

/* All n bytes, out or in; false: the other side is gone. */
static bool
move(int fd, uint8_t *p, size_t n, bool out)
{
    while (n) {
        ssize_t k = out ? send(fd, p, n, MSG_NOSIGNAL) : read(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

bool
debug_put(int fd, const void *at, size_t n)
{
    return move(fd, (uint8_t *)(uintptr_t)at, n, true);
}

bool
debug_take(int fd, void *at, size_t n)
{
    return move(fd, at, n, false);
}

void
debug_send(struct debug *d, uint32_t what, uint32_t status, const void *first, size_t n,
           const void *second, size_t m)
{
    struct debug_head head = {.what = what, .status = status, .bytes = n + m};
    if (debug_put(d->fd, &head, sizeof head) && debug_put(d->fd, first, n))
        debug_put(d->fd, second, m); /* who is gone is found out by the next receive */
}

const uint8_t *
debug_receive(struct debug *d, struct debug_head *head)
{
    if (!debug_take(d->fd, head, sizeof *head) || head->bytes > MOST)
        debug_abandoned(d);
    if (head->bytes + 1 > d->received.room) {
        ls_release(d->received.message);
        d->received.room = head->bytes + 1;
        d->received.message = ls_alloc(d->received.room);
    }
    if (!debug_take(d->fd, d->received.message, head->bytes))
        debug_abandoned(d);
    d->received.message[head->bytes] = 0;
    return d->received.message;
}
