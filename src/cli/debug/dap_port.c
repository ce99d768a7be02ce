/* SPDX-License-Identifier: Apache-2.0
 *
 * dap_port.c: editors that come to a port instead of starting the adapter: each is served by a
 * process of its own.
 */
#define _GNU_SOURCE /* accept4 */
#include "cli/debug/dap.h"

#include "cli/cli.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* A socket that listens on this machine's own address, for nobody outside may run programs here. */
static int
listen_on(uint16_t *port, struct ls_error *err)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(*port),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    bool fine = s >= 0 && setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                bind(s, (struct sockaddr *)&at, size) == 0 && listen(s, 8) == 0 &&
                getsockname(s, (struct sockaddr *)&at, &size) == 0;
    if (!fine) {
        ls_fail(err, LS_ERR_SYSTEM, "--port %u: %s", *port, strerror(errno));
        if (s >= 0)
            close(s);
        return -1;
    }
    *port = ntohs(at.sin_port);
    return s;
}

int
dap_listen(const struct cli_common *common, const char *port)
{
    struct ls_error err = {0};
    uint64_t number;
    if (!ls_parse_u64(port, &number) || number > UINT16_MAX) {
        ls_fail(&err, LS_ERR_USAGE, "--port takes a number up to 65535, not '%s'", port);
        return cli_error("debug", &err);
    }
    uint16_t at = (uint16_t)number;
    int s = listen_on(&at, &err), editor;
    if (s < 0)
        return cli_error("debug", &err);
    signal(SIGCHLD, SIG_IGN); /* nobody waits for them */
    printf("lockstep debug: listening on 127.0.0.1:%u\n", at);
    fflush(stdout);
    while ((editor = accept4(s, NULL, NULL, SOCK_CLOEXEC)) >= 0 || errno == EINTR ||
           errno == ECONNABORTED) {
        pid_t child = editor >= 0 ? fork() : -1;
        if (child == 0) {
            close(s);
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            signal(SIGCHLD, SIG_DFL);
            return dap_run(common, editor, editor);
        }
        if (editor >= 0)
            close(editor);
    }
    ls_fail(&err, LS_ERR_SYSTEM, "--port %s: %s", port, strerror(errno));
    return cli_error("debug", &err);
}
