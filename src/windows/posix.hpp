// What POSIX has and Windows lacks, as far as our sources use it;
// included before each of them.
#pragma once

#define _POSIX_THREAD_SAFE_FUNCTIONS  // gmtime_r
#define __USE_MINGW_ACCESS            // access without X_OK, which Windows rejects

#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <ctime>

// <fcntl.h>, <signal.h>, <time.h>, <unistd.h>
constexpr int O_CLOEXEC = O_NOINHERIT, O_NONBLOCK = 0, O_NOCTTY = 0, F_GETFD = 1;
// Windows sends none of the three
constexpr int SIGPIPE = SIGTERM, SIGXFSZ = SIGTERM;
int fcntl(int descriptor, int command);
int pipe(int* ends);
std::ptrdiff_t pread(int descriptor, void* to, std::size_t size, off_t offset);
void* memmem(const void* all, std::size_t size, const void* part, std::size_t part_size);
int gethostname(char* name, std::size_t size);
inline int getuid() {
    return 0;
}
inline int geteuid() {
    return 1;  // not root: commands for Linux keep their sudo
}
inline time_t timegm(std::tm* parts) {
    return _mkgmtime(parts);
}

// <sys/stat.h>, <unistd.h>
constexpr int SEEK_DATA = SEEK_SET;  // no file has holes
constexpr bool S_ISSOCK(int) {
    return false;
}

// <poll.h>
constexpr short POLLIN = 1, POLLOUT = 1;
struct pollfd {
    int fd;
    short events, revents;
};
inline int poll(pollfd*, unsigned, int) {
    return 1;  // a pipe of Windows blocks, so nobody waits for one
}

// <sys/ioctl.h>
constexpr int TIOCGWINSZ = 0;
struct winsize {
    unsigned short ws_col;
};
int ioctl(int descriptor, int request, winsize* size);

// <sys/mman.h>
constexpr int PROT_READ = 0, MAP_PRIVATE = 0, MADV_RANDOM = 0;
inline void* const MAP_FAILED = nullptr;
void* mmap(void*, std::size_t size, int, int, int file, int);
int munmap(void* memory, std::size_t);
inline int madvise(void*, std::size_t, int) {
    return 0;
}

// <elf.h>
constexpr unsigned EM_X86_64 = 62, EM_AARCH64 = 183;
constexpr unsigned char ELFCLASS32 = 1, ELFCLASS64 = 2, ELFDATA2LSB = 1, ELFDATA2MSB = 2;
