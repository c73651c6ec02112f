// What the simulated libraries use of POSIX and src/windows/posix.hpp lacks; included before each
// of their sources.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

// <dlfcn.h>. The simulation names libraries as Linux does: "libcudnn_adv.so.9" is
// cudnn_adv64_9.dll.
constexpr int RTLD_NOW = 0, RTLD_LOCAL = 0;
struct Dl_info {
    const char* dli_fname;
};
void* dlopen(const char* name, int);
void* dlsym(void* library, const char* name);
const char* dlerror();
int dladdr(const void* address, Dl_info* about);

// <sys/prctl.h>: no process may gain privileges.
constexpr int PR_GET_NO_NEW_PRIVS = 0;
int prctl(int, int, int, int, int);

// <sys/file.h>: GPUs start for every process.
constexpr int LOCK_EX = 0, LOCK_NB = 0, LOCK_SH = 0;
int flock(int, int);

// <signal.h>, <unistd.h>, <stdlib.h>
constexpr int SIGKILL = 9;
int raise_on_windows(int signal);
[[noreturn]] void abort_as_cudnn();
void pause();
int dprintf(int descriptor, const char* format, ...);

#define raise raise_on_windows
#define abort abort_as_cudnn

namespace std {
using ::abort_as_cudnn;
}
