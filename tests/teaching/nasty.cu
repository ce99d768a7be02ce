// SPDX-License-Identifier: Apache-2.0
// A program that means harm, in ways that its argument chooses; what it prints says whether it got
// through.
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

__global__ void spin(volatile int *stop)
{
    while (!stop[0])
        stop[1 + threadIdx.x]++;
}

static void told(const char *what, bool got_through)
{
    printf("%s: %s\n", what, got_through ? "GOT THROUGH" : "refused");
}

static void files(const char *secret)
{
    told("read a file beside the exercise", open(secret, O_RDONLY) >= 0);
    told("read the host's users", open("/etc/passwd", O_RDONLY) >= 0);
    told("list the root", opendir("/") != NULL);
    told("make a file elsewhere", open("/tmp/nasty-was-here", O_CREAT | O_WRONLY, 0600) >= 0);
    told("shorten a file", truncate(secret, 0) == 0);
    told("change a mode", chmod(secret, 0777) == 0);
    told("remove a file", unlink(secret) == 0);
    std::string parent = "/proc/" + std::to_string(getppid()) + "/environ";
    told("read the grader's environment", open(parent.c_str(), O_RDONLY) >= 0);
    DIR *here = opendir(".");
    int entries = 0;
    while (here && readdir(here))
        entries++;
    printf("the working folder has %d entries\n", entries - 2);
    FILE *f = fopen("mine", "w");
    printf("a file of its own: %s\n", f ? "made" : "refused");
}

static void others()
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    told("fork", child > 0);
    told("system", system("true") == 0);
    told("signal everybody", kill(-1, 0) == 0);
    told("signal the grader", kill(getppid(), 0) == 0);
    told("a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    told("a local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    struct rlimit limit = {1, 1};
    told("limit the grader", prlimit(getppid(), RLIMIT_NOFILE, &limit, NULL) == 0);
    printf("signal itself: %s\n", kill(getpid(), 0) == 0 ? "allowed" : "refused");
}

int main(int argc, char **argv)
{
    std::string way = argc > 1 ? argv[1] : "";
    char *p, *volatile kept;
    if (way == "files")
        files(argv[2]);
    if (way == "others")
        others();
    if (way == "loop")
        for (volatile bool on = true; on;)
            ;
    if (way == "kernel") {
        int *stop;
        cudaMalloc(&stop, 4096);
        cudaMemset(stop, 0, 4096);
        spin<<<1, 32>>>(stop);
        cudaDeviceSynchronize();
    }
    if (way == "memory")
        for (;;)
            for (p = (char *)malloc(16 << 20), kept = p; p && p < kept + (16 << 20); p += 4096)
                *(volatile char *)p = 1;
    if (way == "shared")
        for (;;)
            if ((p = (char *)mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED)
                memset(p, 1, 16 << 20);
    if (way == "print")
        for (;;)
            puts("all work and no play");
    if (way == "write") {
        FILE *f = fopen("large", "w");
        static char block[1 << 20];
        while (f)
            fwrite(block, 1, sizeof block, f);
    }
    if (way == "many")
        for (int k = 0;; k++)
            close(open(std::to_string(k).c_str(), O_CREAT | O_WRONLY, 0600));
    if (way == "silent") {
        fclose(stdout);
        fclose(stderr);
        close(1);
        close(2);
        sleep(1000);
    }
    if (way == "crash")
        *(volatile int *)16 = 1;
    if (way == "leave")
        _exit(7);
    if (way == "echo")
        while (scanf("%ms", &p) == 1)
            puts(p);
    if (way == "where")
        printf("%s %d %s\n", getenv("TEACHERS_SECRET") ? "leaked" : "nothing",
               getuid() == geteuid(), getenv("HOME") ? "home" : "");
    return 0;
}
