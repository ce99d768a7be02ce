/* SPDX-License-Identifier: Apache-2.0
 *
 * mpi.c: liblockstep_mpi.so, which `lockstep check` loads before the MPI library. Its functions stand in for MPI's
 * where these take buffers or wait for them, tell liblockstep (src/device/mpi.c), and call MPI's own. No
 * header of MPI is read: handles are pointers in one implementation and numbers in another, and either is
 * passed on as it came, in a register or a word of the stack (x86-64, AArch64: the C calling convention).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t word;
typedef void (*any_fn)(void);

static uint32_t (*begin_hook)(const char *, const void *, uint64_t, int);
static void (*end_hook)(uint32_t);
static int request_bytes; /* of MPI_Request */

static any_fn
next(const char *name)
{
    return (any_fn)(uintptr_t)dlsym(RTLD_NEXT, name);
}

static int
asked(const char *name, word handle)
{
    int n = 0;
    int (*f)(word, int *) = (int (*)(word, int *))(uintptr_t)dlsym(RTLD_NEXT, name);
    return f && f(handle, &n) == 0 ? n : 0;
}

static uint32_t
begin(const char *call, word at, word count, word type, int writes)
{
    if (!begin_hook) {
        begin_hook = (uint32_t (*)(const char *, const void *, uint64_t, int))(uintptr_t)dlsym(RTLD_DEFAULT, "lockstep_mpi_begin");
        end_hook = (void (*)(uint32_t))(uintptr_t)dlsym(RTLD_DEFAULT, "lockstep_mpi_end");
    }
    bool in_place = at == 1 || at == (word)-1; /* MPI_IN_PLACE of Open MPI, of MPICH: the other buffer is read, too */
    if (!begin_hook || !end_hook || (int)count <= 0 || in_place)
        return 0;
    return begin_hook(call, (const void *)at, (uint64_t)(int)count * (uint64_t)asked("MPI_Type_size", type), writes);
}

static void
end(uint32_t number)
{
    if (number)
        end_hook(number);
}

/* -- transfers that are over when the call returns ---------------------------------------------------------- */

#define SEND(NAME)                                                                                                     \
    int NAME(word b, word n, word t, word to, word tag, word comm);                                                    \
    int NAME(word b, word n, word t, word to, word tag, word comm)                                                     \
    {                                                                                                                  \
        uint32_t k = begin(#NAME, b, n, t, 0);                                                                         \
        int r = ((int (*)(word, word, word, word, word, word))next(#NAME))(b, n, t, to, tag, comm);                    \
        end(k);                                                                                                        \
        return r;                                                                                                      \
    }
SEND(MPI_Send)
SEND(MPI_Ssend)
SEND(MPI_Rsend)
SEND(MPI_Bsend)

int MPI_Recv(word b, word n, word t, word from, word tag, word comm, word status);
int
MPI_Recv(word b, word n, word t, word from, word tag, word comm, word status)
{
    uint32_t k = begin("MPI_Recv", b, n, t, 1);
    int r = ((int (*)(word, word, word, word, word, word, word))next("MPI_Recv"))(b, n, t, from, tag, comm, status);
    end(k);
    return r;
}

int MPI_Sendrecv(word b, word n, word t, word to, word tag, word b2, word n2, word t2, word from, word tag2, word comm,
                 word status);
int
MPI_Sendrecv(word b, word n, word t, word to, word tag, word b2, word n2, word t2, word from, word tag2, word comm,
             word status)
{
    uint32_t k = begin("MPI_Sendrecv", b, n, t, 0), l = begin("MPI_Sendrecv", b2, n2, t2, 1);
    int r = ((int (*)(word, word, word, word, word, word, word, word, word, word, word, word))next("MPI_Sendrecv"))(
        b, n, t, to, tag, b2, n2, t2, from, tag2, comm, status);
    end(k);
    end(l);
    return r;
}

int MPI_Bcast(word b, word n, word t, word root, word comm);
int
MPI_Bcast(word b, word n, word t, word root, word comm)
{
    uint32_t k = begin("MPI_Bcast", b, n, t, asked("MPI_Comm_rank", comm) != (int)root);
    int r = ((int (*)(word, word, word, word, word))next("MPI_Bcast"))(b, n, t, root, comm);
    end(k);
    return r;
}

int MPI_Reduce(word b, word b2, word n, word t, word op, word root, word comm);
int
MPI_Reduce(word b, word b2, word n, word t, word op, word root, word comm)
{
    uint32_t k = begin("MPI_Reduce", b, n, t, 0);
    uint32_t l = asked("MPI_Comm_rank", comm) == (int)root ? begin("MPI_Reduce", b2, n, t, 1) : 0;
    int r = ((int (*)(word, word, word, word, word, word, word))next("MPI_Reduce"))(b, b2, n, t, op, root, comm);
    end(k);
    end(l);
    return r;
}

int MPI_Allreduce(word b, word b2, word n, word t, word op, word comm);
int
MPI_Allreduce(word b, word b2, word n, word t, word op, word comm)
{
    uint32_t k = begin("MPI_Allreduce", b, n, t, 0), l = begin("MPI_Allreduce", b2, n, t, 1);
    int r = ((int (*)(word, word, word, word, word, word))next("MPI_Allreduce"))(b, b2, n, t, op, comm);
    end(k);
    end(l);
    return r;
}

/* -- transfers that go on ------------------------------------------------------------------------------------ */

struct pending {
    word request;
    uint32_t number;
    struct pending *next;
};
static struct pending *pending;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Open MPI's handles are pointers, MPICH's numbers of 32 bits. */
static word
request_at(const void *requests, size_t k)
{
    word value = 0;
    if (!request_bytes)
        request_bytes = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") ? (int)sizeof(void *) : (int)sizeof(int);
    memcpy(&value, (const char *)requests + k * (size_t)request_bytes, (size_t)request_bytes);
    return value;
}

static void
remember(const void *request, uint32_t number)
{
    struct pending *p = number ? malloc(sizeof *p) : NULL;
    if (!p) {
        end(number);
        return;
    }
    pthread_mutex_lock(&lock);
    *p = (struct pending){request_at(request, 0), number, pending};
    pending = p;
    pthread_mutex_unlock(&lock);
}

static void
over(word request)
{
    uint32_t number = 0;
    pthread_mutex_lock(&lock);
    for (struct pending **at = &pending; *at && !number; at = *at ? &(*at)->next : at)
        if ((*at)->request == request) {
            struct pending *gone = *at;
            number = gone->number;
            *at = gone->next;
            free(gone);
            break;
        }
    pthread_mutex_unlock(&lock);
    end(number);
}

#define START(NAME, WRITES)                                                                                            \
    int NAME(word b, word n, word t, word peer, word tag, word comm, void *request);                                   \
    int NAME(word b, word n, word t, word peer, word tag, word comm, void *request)                                    \
    {                                                                                                                  \
        uint32_t k = begin(#NAME, b, n, t, WRITES);                                                                    \
        int r = ((int (*)(word, word, word, word, word, word, void *))next(#NAME))(b, n, t, peer, tag, comm, request); \
        remember(request, k);                                                                                          \
        return r;                                                                                                      \
    }
START(MPI_Isend, 0)
START(MPI_Issend, 0)
START(MPI_Irsend, 0)
START(MPI_Ibsend, 0)
START(MPI_Irecv, 1)

int MPI_Wait(void *request, word status);
int
MPI_Wait(void *request, word status)
{
    word which = request_at(request, 0);
    int r = ((int (*)(void *, word))next("MPI_Wait"))(request, status);
    over(which);
    return r;
}

int MPI_Test(void *request, int *flag, word status);
int
MPI_Test(void *request, int *flag, word status)
{
    word which = request_at(request, 0);
    int r = ((int (*)(void *, int *, word))next("MPI_Test"))(request, flag, status);
    if (r == 0 && *flag) /* a call that failed need not have set it */
        over(which);
    return r;
}

/* Of several requests: those that the call has taken out of the list are over. */
static word *
requests_of(int n, const void *requests)
{
    word *all = calloc(n > 0 ? (size_t)n : 1, sizeof *all);
    for (int k = 0; all && k < n; k++)
        all[k] = request_at(requests, (size_t)k);
    return all;
}

static void
over_all(int n, const void *requests, word *before)
{
    for (int k = 0; before && k < n; k++)
        if (request_at(requests, (size_t)k) != before[k])
            over(before[k]);
    free(before);
}

int MPI_Waitall(int n, void *requests, word statuses);
int
MPI_Waitall(int n, void *requests, word statuses)
{
    word *before = requests_of(n, requests);
    int r = ((int (*)(int, void *, word))next("MPI_Waitall"))(n, requests, statuses);
    over_all(n, requests, before);
    return r;
}

int MPI_Waitany(int n, void *requests, int *index, word status);
int
MPI_Waitany(int n, void *requests, int *index, word status)
{
    word *before = requests_of(n, requests);
    int r = ((int (*)(int, void *, int *, word))next("MPI_Waitany"))(n, requests, index, status);
    over_all(n, requests, before);
    return r;
}

int MPI_Testall(int n, void *requests, int *flag, word statuses);
int
MPI_Testall(int n, void *requests, int *flag, word statuses)
{
    word *before = requests_of(n, requests);
    int r = ((int (*)(int, void *, int *, word))next("MPI_Testall"))(n, requests, flag, statuses);
    over_all(n, requests, before);
    return r;
}

#define SOME(NAME)                                                                                                     \
    int NAME(int n, void *requests, int *count, int *indices, word statuses);                                          \
    int NAME(int n, void *requests, int *count, int *indices, word statuses)                                           \
    {                                                                                                                  \
        word *before = requests_of(n, requests);                                                                       \
        int r = ((int (*)(int, void *, int *, int *, word))next(#NAME))(n, requests, count, indices, statuses);        \
        over_all(n, requests, before);                                                                                 \
        return r;                                                                                                      \
    }
SOME(MPI_Waitsome)
SOME(MPI_Testsome)
