// A vendor library that misbehaves. HOSTILE="call=habit": the habit shows in that call, or in the
// constructor when the call is `load`; every other call works. Compiled once per library name, each
// with the calls that one must have.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "support/survive_kill.hpp"

namespace {

volatile unsigned long nowhere = 16;  // the compiler must not see through it

void bad_write() {
    *reinterpret_cast<volatile int*>(nowhere) = 1;
}

void chatter() {
    const std::string block(1 << 20, '!');
    for (int i = 0; i < 100; ++i)
        if (write(1, block.data(), block.size()) < 0)
            return;
}

void misbehave(const std::string& habit) {
    if (habit == "bad_write")
        bad_write();
    if (habit == "abort")
        abort();
    if (habit == "sleep")
        while (true)
            pause();
    if (habit == "busy")
        for (volatile bool busy = true; busy;) {
        }
    if (habit == "exit_0")
        _exit(0);
    if (habit == "chatter")
        chatter();
    if (habit == "close_stdout")
        close(1);
    if (habit == "throw")
        throw std::runtime_error("nobody catches this");
    if (habit == "survive_kill") {
        rnncheck::test::become_unkillable(20);
        pause();
    }
    if (habit == "kill")
        kill(getpid(), SIGKILL);
}

void maybe(const char* call) {
    const char* const plan = std::getenv("HOSTILE");
    if (!plan)
        return;
    const std::string text = plan;
    if (text.starts_with(std::string(call) + "="))
        misbehave(text.substr(std::strlen(call) + 1));
}

__attribute__((constructor)) void loaded() {
    maybe("load");
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

#ifdef HOSTILE_CUDA
EXPORT int cuDriverGetVersion(int* version) {
    maybe("cuDriverGetVersion");
    *version = 12040;
    return 0;
}
EXPORT int cuInit(unsigned) {
    maybe("cuInit");
    return 100;
}
#endif
#ifdef HOSTILE_NVML
EXPORT int nvmlInit_v2() {
    maybe("nvmlInit_v2");
    return 9;
}
#endif
#ifdef HOSTILE_CUDART
EXPORT int cudaRuntimeGetVersion(int* version) {
    maybe("cudaRuntimeGetVersion");
    *version = 12040;
    return 0;
}
EXPORT int cudaDriverGetVersion(int* version) {
    *version = 0;
    return 0;
}
#endif
#ifdef HOSTILE_CUDNN
EXPORT std::size_t cudnnGetVersion() {
    maybe("cudnnGetVersion");
    return 91900;
}
EXPORT std::size_t cudnnGetCudartVersion() {
    return 12040;
}
EXPORT int cudnnSetRNNDescriptor_v8(...) {
    maybe("cudnnSetRNNDescriptor_v8");
    return 0;
}
EXPORT int cudnnRNNForward(...) {
    return 5000;
}
EXPORT int cudnnCreateRNNDescriptor(void** descriptor) {
    maybe("cudnnCreateRNNDescriptor");
    *descriptor = descriptor;
    return 0;
}
EXPORT int cudnnCreateRNNDataDescriptor(void** descriptor) {
    *descriptor = descriptor;
    return 0;
}
EXPORT int cudnnAdvVersionCheck() {
    maybe("cudnnAdvVersionCheck");
    return 0;
}
#endif
#ifdef HOSTILE_NVRTC
EXPORT int nvrtcVersion(int* major, int* minor) {
    maybe("nvrtcVersion");
    *major = 12;
    *minor = 4;
    return 0;
}
EXPORT int nvrtcCreateProgram(void** program, ...) {
    *program = program;
    return 0;
}
EXPORT int nvrtcCompileProgram(...) {
    maybe("nvrtcCompileProgram");
    return 0;
}
EXPORT int nvrtcGetPTXSize(void*, std::size_t* bytes) {
    *bytes = 100;
    return 0;
}
#endif
