/* SPDX-License-Identifier: Apache-2.0
 *
 * ending.c: signals that end the process. Before one takes effect, stderr is told which blocks run
 * and where they are (SIGINT and SIGTERM, where LOCKSTEP_INTERRUPT asks for it, as `lockstep run`
 * and `check` do), and the tool's result is written. Only signals that the program leaves alone are
 * caught; the process ends by the signal as it would without.
 */
#define _GNU_SOURCE /* pthread_setname_np */
#include "device/device_priv.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 5 }; /* for so long a signal waits */

static struct {
    void (*where)(void), (*result)(void); /* what is done; NULL: nothing */
    pthread_mutex_t lock;
    bool started;
    pid_t process;
    volatile sig_atomic_t number; /* the signal that struck */
    sem_t asked, done;
} ending = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A handler may call next to nothing: a thread of its own does it. If it cannot, because the signal
 * struck where a lock was held, the process ends without; an interim result may lie there. */
static void *
when_asked(void *unused)
{
    for (;;) {
        while (sem_wait(&ending.asked) != 0)
            ;
        if (ending.where && (ending.number == SIGINT || ending.number == SIGTERM))
            ending.where();
        if (ending.result)
            ending.result();
        sem_post(&ending.done);
    }
    return unused;
}

static void
on_signal(int number)
{
    struct timespec until;
    signal(number, SIG_DFL);
    if (getpid() == ending.process) {
        ending.number = number;
        sem_post(&ending.asked);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += PATIENCE_S;
        while (sem_timedwait(&ending.done, &until) != 0 && errno == EINTR)
            ;
    }
    raise(number);
}

static bool
start(void)
{
    sigset_t all, now;
    pthread_t thread;
    pthread_mutex_lock(&ending.lock);
    if (!ending.started && sem_init(&ending.asked, 0, 0) == 0 &&
        sem_init(&ending.done, 0, 0) == 0) {
        sigfillset(&all); /* the thread takes no signals of the program's */
        pthread_sigmask(SIG_SETMASK, &all, &now);
        ending.started = pthread_create(&thread, NULL, when_asked, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &now, NULL);
        ending.process = getpid();
        if (ending.started) { /* named here: debug/ counts threads that are not ours */
            pthread_setname_np(thread, "lockstep/ending");
            pthread_detach(thread);
        }
    }
    bool started = ending.started;
    pthread_mutex_unlock(&ending.lock);
    return started;
}

static void catch (const int *numbers, size_t count)
{
    struct sigaction ours = {.sa_handler = on_signal, .sa_flags = SA_NODEFER}, old;
    sigemptyset(&ours.sa_mask);
    for (size_t k = 0; k < count; k++)
        if (sigaction(numbers[k], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(numbers[k], &ours, NULL);
}

void
ending_say(void (*where)(void))
{
    static const int numbers[] = {SIGINT, SIGTERM};
    if (!process_is_set("LOCKSTEP_INTERRUPT") || !start())
        return;
    ending.where = where;
    catch (numbers, sizeof numbers / sizeof *numbers);
}

void
ending_write(void (*result)(void))
{
    static const int numbers[] = {SIGABRT, SIGINT, SIGTERM, SIGHUP};
    if (!start())
        return;
    ending.result = result;
    catch (numbers, sizeof numbers / sizeof *numbers);
}

/* -- threads ----------------------------------------------------------------------------------- */

static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void
on_thread_end(void *over)
{
    ((void (*)(void))(uintptr_t)over)();
}

static void
make_thread_key(void)
{
    pthread_key_create(&thread_key, on_thread_end);
}

void
ending_of_thread(void (*over)(void))
{
    static _Thread_local bool known;
    if (known)
        return;
    known = true;
    pthread_once(&thread_once, make_thread_key);
    pthread_setspecific(thread_key, (void *)(uintptr_t)over);
}
