/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_fuzz: any bytes as PTX. What parses must print to text that parses, and link.
 *
 *     CC=clang-19 cmake -B build-fuzz -DLOCKSTEP_FUZZ=ON -DLOCKSTEP_TESTS=OFF
 *     cmake --build build-fuzz --target ptx_fuzz
 *     build-fuzz/tests/fuzz/ptx_fuzz -dict=tests/fuzz/ptx.dict -max_len=4096 CORPUS
 */
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct ptx_module *m)
{
    struct text t = {0};
    struct ls_error err = {0};
    ptx_print(m, &t);
    struct ptx_module *again = ptx_parse(t.at, t.count, "printed.ptx", &err);
    if (!again) {
        fprintf(stderr, "%s\n%s\n", err.text, t.at);
        abort();
    }
    ptx_free(again);
    text_free(&t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ls_error err = {0};
    struct ptx_module *m = ptx_parse((const char *)data, size, "fuzz.ptx", &err);
    if (!m)
        return 0;
    check(m);
    struct ptx_module *l = ptx_link(&m, 1, "linked", &err);
    ptx_free(m);
    if (l)
        check(l);
    ptx_free(l);
    return 0;
}
