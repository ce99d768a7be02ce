/* SPDX-License-Identifier: Apache-2.0
 *
 * base: whole files, folders, and when the cache folder is refused.
 */
#define _GNU_SOURCE
#include "common/unit.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "base/base.h"

static char folder[64];

static char *
in_folder(const char *name)
{
    static char path[4][PATH_MAX];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], PATH_MAX, "%s/%s", folder, name);
    return path[next];
}

static int
files_in_folder(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static int
begin(void **state)
{
    strcpy(folder, "/tmp/lockstep-base-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int
end(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -r %s", folder, folder);
    return system(command);
}

static void
whole_files(void **state)
{
    struct ls_error e = {0};
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 100000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char *data = malloc(sizes[k] + 1);
        for (size_t i = 0; i < sizes[k]; i++)
            data[i] = (char)(i * 7);
        assert_true(ls_write_file(in_folder("f"), data, sizes[k], &e));
        size_t n = 99;
        char *again = ls_read_file(in_folder("f"), &n, &e);
        assert_non_null(again);
        assert_int_equal(n, sizes[k]);
        assert_memory_equal(again, data, n);
        assert_int_equal(again[n], 0);
        ls_release(again);
        free(data);
    }
    assert_int_equal(files_in_folder(), 1); /* no temporary file is left */
}

static int
mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 0777;
}

/* As a shell's > makes and leaves them; what is executed later is its owner's alone. */
static void
modes(void **state)
{
    struct ls_error e = {0};
    mode_t before = umask(027);
    assert_true(ls_write_file(in_folder("masked"), "x", 1, &e));
    assert_int_equal(mode_of(in_folder("masked")), 0640);
    umask(0);
    assert_true(ls_write_file(in_folder("open"), "x", 1, &e));
    assert_int_equal(mode_of(in_folder("open")), 0666);
    assert_int_equal(chmod(in_folder("open"), 0604), 0);
    assert_true(ls_write_file(in_folder("open"), "y", 1, &e));
    assert_int_equal(mode_of(in_folder("open")), 0604);
    assert_true(ls_write_private_file(in_folder("mine"), "x", 1, &e));
    assert_int_equal(mode_of(in_folder("mine")), 0600);
    assert_true(ls_write_private_file(in_folder("open"), "z", 1, &e));
    assert_int_equal(mode_of(in_folder("open")), 0600);
    umask(before);
    const char *const made[] = {"masked", "open", "mine"};
    for (int k = 0; k < 3; k++)
        unlink(in_folder(made[k]));
}

/* Files whose size the system does not tell. */
static void
sizeless(void **state)
{
    struct ls_error e = {0};
    size_t n;
    char *at = ls_read_file("/proc/self/status", &n, &e);
    assert_non_null(at);
    assert_true(n > 100 && strstr(at, "Name:"));
    ls_release(at);
    char command[PATH_MAX + 64];
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    snprintf(command, sizeof command, "head -c 300001 /dev/zero > %s &", in_folder("pipe"));
    assert_int_equal(system(command), 0);
    at = ls_read_file(in_folder("pipe"), &n, &e);
    assert_non_null(at);
    assert_int_equal(n, 300001);
    ls_release(at);
}

static void
failures(void **state)
{
    struct ls_error e = {0};
    size_t n;
    char expected[PATH_MAX + 64];
    assert_null(ls_read_file(in_folder("none"), &n, &e));
    snprintf(expected, sizeof expected, "%s: No such file or directory", in_folder("none"));
    assert_string_equal(e.text, expected);
    assert_int_equal(e.status, LS_ERR_SYSTEM);
    assert_null(ls_read_file(folder, &n, &e));
    assert_true(ls_ends_with(e.text, ": Is a directory"));
    assert_false(ls_write_file(in_folder("no/such"), "x", 1, &e));
    assert_true(ls_ends_with(e.text, "/no/such: No such file or directory"));
    char *longer = malloc(PATH_MAX + 10);
    memset(longer, 'n', PATH_MAX + 9);
    longer[PATH_MAX + 9] = 0;
    assert_false(ls_write_file(longer, "x", 1, NULL));
    assert_false(ls_make_folders(longer, NULL));
    assert_false(ls_make_folders("", NULL));
    free(longer);
}

/* Devices stay what they are; stdout's name is stdout. */
static void
no_plain_files(void **state)
{
    struct ls_error e = {0};
    struct stat st;
    size_t n;
    assert_true(ls_write_file("/dev/null", "x", 1, &e));
    /* a pipe that nobody reads is replaced, not waited for */
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_true(ls_write_file(in_folder("pipe"), "x", 1, &e));
    assert_true(stat(in_folder("pipe"), &st) == 0 && S_ISREG(st.st_mode));
    unlink(in_folder("pipe"));
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    int before = dup(STDOUT_FILENO),
        out = open(in_folder("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    printf("one ");
    bool written = ls_write_file("/dev/stdout", "two ", 4, &e);
    printf("three");
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(out);
    assert_true(written);
    char *at = ls_read_file(in_folder("out"), &n, &e);
    assert_string_equal(at, "one two three");
    ls_release(at);
    assert_false(ls_write_file(folder, "x", 1, &e));
    unlink(in_folder("out"));
}

/* A full disk, as a limit on the size of files: the old content stays, nothing is left over. */
static void
full_disk(void **state)
{
    struct ls_error e = {0};
    assert_true(ls_write_file(in_folder("f"), "old", 3, &e));
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    char big[5000] = {0};
    bool written = ls_write_file(in_folder("f"), big, sizeof big, &e);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(written);
    assert_true(ls_ends_with(e.text, "/f: File too large"));
    size_t n;
    char *at = ls_read_file(in_folder("f"), &n, &e);
    assert_string_equal(at, "old");
    ls_release(at);
    assert_int_equal(files_in_folder(), 1);
}

static void
folders(void **state)
{
    struct ls_error e = {0};
    struct stat st;
    assert_true(ls_make_folders(in_folder("a/b//c/"), &e));
    assert_int_equal(stat(in_folder("a/b/c"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_true(ls_make_folders(in_folder("a/b/c"), &e));
    assert_true(ls_write_file(in_folder("a/file"), "x", 1, &e));
    assert_false(ls_make_folders(in_folder("a/file/d"), &e));
    assert_true(ls_ends_with(e.text, "/a/file: Not a directory"));
    assert_true(ls_make_folders("/tmp", &e)); /* the root's folders are there, and not ours */
}

static void
cache(void **state)
{
    struct ls_error e = {0};
    char out[PATH_MAX];
    static const char *const none[] = {"off", "0"};
    for (unsigned k = 0; k < 2; k++) {
        setenv("LOCKSTEP_CACHE", none[k], 1);
        assert_false(ls_cache_folder(out, sizeof out, &e));
        assert_int_equal(e.status, LS_OK);
    }
    setenv("LOCKSTEP_CACHE", in_folder("cache"), 1);
    assert_true(ls_cache_folder(out, sizeof out, &e));
    assert_string_equal(out, in_folder("cache"));
    assert_false(ls_cache_folder(out, 5, &e)); /* no room */
    chmod(in_folder("cache"), 0777);
    assert_false(ls_cache_folder(out, sizeof out, &e));
    assert_non_null(strstr(e.text, "other users may write"));
    assert_int_equal(e.status, LS_ERR_SYSTEM);
    assert_true(ls_write_file(in_folder("plain"), "", 0, &e));
    setenv("LOCKSTEP_CACHE", in_folder("plain"), 1);
    assert_false(ls_cache_folder(out, sizeof out, &e));
    assert_true(ls_ends_with(e.text, ": Not a directory"));
    /* A folder of another user: the root's for everybody else, for the root one given away. */
    assert_true(ls_make_folders(in_folder("other"), &e));
    bool root = geteuid() == 0 && chown(in_folder("other"), 12345, 12345) == 0;
    setenv("LOCKSTEP_CACHE", root ? in_folder("other") : "/usr", 1);
    assert_false(ls_cache_folder(out, sizeof out, &e));
    assert_non_null(strstr(e.text, "belongs to another user"));
    unsetenv("LOCKSTEP_CACHE");
    setenv("XDG_CACHE_HOME", in_folder("xdg"), 1);
    assert_true(ls_cache_folder(out, sizeof out, &e));
    assert_string_equal(out, in_folder("xdg/lockstep"));
    setenv("XDG_CACHE_HOME", "relative", 1); /* to be ignored, by its specification */
    setenv("HOME", in_folder("home"), 1);
    assert_true(ls_cache_folder(out, sizeof out, &e));
    assert_string_equal(out, in_folder("home/.cache/lockstep"));
    unsetenv("HOME");
    assert_false(ls_cache_folder(out, sizeof out, &e));
    assert_non_null(strstr(e.text, "HOME"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole_files, begin, end),
        cmocka_unit_test_setup_teardown(modes, begin, end),
        cmocka_unit_test_setup_teardown(sizeless, begin, end),
        cmocka_unit_test_setup_teardown(failures, begin, end),
        cmocka_unit_test_setup_teardown(no_plain_files, begin, end),
        cmocka_unit_test_setup_teardown(full_disk, begin, end),
        cmocka_unit_test_setup_teardown(folders, begin, end),
        cmocka_unit_test_setup_teardown(cache, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
