/* A wall clock that a test can set while the process runs: LD_PRELOAD this. Its offset from the machine's clock, in
 * microseconds, is the first 8 bytes of the file that HOLDFAST_CLOCK names, in the machine's byte order. Monotonic clocks
 * are not affected. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;

__attribute__((constructor)) static void open_file(void) {
    const char *name = getenv("HOLDFAST_CLOCK");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    void *page = file < 0 ? MAP_FAILED : mmap(0, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    offset = page == MAP_FAILED ? 0 : page;
}

static int64_t shift(int64_t nanos) { return nanos + (offset ? *offset * 1000 : 0); }

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int) syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t nanos = shift(time->tv_sec * 1000000000LL + time->tv_nsec);
        time->tv_sec = nanos / 1000000000;
        time->tv_nsec = nanos % 1000000000;
    }
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void) zone;
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return result;
}

time_t time(time_t *into) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (into) {
        *into = now.tv_sec;
    }
    return now.tv_sec;
}
