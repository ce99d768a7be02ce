/* SPDX-License-Identifier: Apache-2.0
 *
 * interrupt.c: the user's signal, while a launch runs; otherwise it is the program's. SIGINT is
 * what a terminal sends; an editor's adapter sends SIGURG, which does nothing to host code.
 */
#include "debug/debug_priv.h"

#include <signal.h>

static struct debug *_Atomic interrupted; /* that a launch runs under; NULL: none runs */
static const int signals[] = {SIGINT, SIGURG};
static struct sigaction before[2];

/* The next instruction asks. */
static void
on_interrupt(int number, siginfo_t *info, void *context)
{
    struct debug *d = atomic_load(&interrupted);
    bool timer = info->si_code == SI_TIMER;
    (void)number, (void)context;
    if (d && d->run && d->passing.flying)
        debug_pass_interrupted(d, timer);
    if (!d || timer)
        return;
    atomic_store(&d->interrupted, true);
    if (d->run)
        d->steps.flags = d->run->code->all;
}

void
debug_catch_interrupts(struct debug *d)
{
    struct sigaction ours = {.sa_sigaction = on_interrupt, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigemptyset(&ours.sa_mask);
    atomic_store(&interrupted, d);
    for (int k = 0; k < 2; k++)
        sigaction(signals[k], &ours, &before[k]);
}

void
debug_leave_interrupts(void)
{
    atomic_store(&interrupted, NULL);
    for (int k = 0; k < 2; k++)
        sigaction(signals[k], &before[k], NULL);
}
