#include "posix.hpp"

#include <windows.h>

#include <cstdarg>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

/// "nvcuda.dll" of "libcuda.so.1", "cudnn_adv64_9.dll" of "libcudnn_adv.so.9".
std::string name_of_dll(const std::string& name) {
    if (name == "libcuda.so.1")
        return "nvcuda.dll";
    constexpr std::string_view start = "lib", middle = ".so.";
    const auto at = name.find(middle);
    return name.substr(start.size(), at - start.size()) + "64_" + name.substr(at + middle.size()) +
           ".dll";
}

}  // namespace

/// As cuDNN and CUDA open them: the driver in Windows' own directory alone, others by their bare
/// names.
void* dlopen(const char* name, int) {
    const std::string path = name, dll = name_of_dll(path.substr(path.rfind('/') + 1));
    if (dll == "nvcuda.dll")
        return LoadLibraryExA(dll.c_str(), nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (HMODULE opened = LoadLibraryA(dll.c_str()))
        return opened;
    // Where cuDNN for Windows misses a library, it writes this and ends the process: seen in 9.1.0
    // to 9.28.1.
    std::fprintf(
        stderr,
        "Could not locate %s. Please make sure it is in your library path!\n"
        "Invalid handle. Cannot load symbol cudnnGetVersion\n",
        dll.c_str());
    std::abort();
}

void* dlsym(void* library, const char* name) {
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

const char* dlerror() {
    return "the library could not be opened";
}

int dladdr(const void*, Dl_info*) {
    return 0;
}

int prctl(int, int, int, int, int) {
    return 1;
}

int flock(int, int) {
    return 0;
}

int raise_on_windows(int) {
    TerminateProcess(GetCurrentProcess(), 1);
    return 0;
}

/// As a DLL with Microsoft's C library does, and so cuDNN: seen in 8.9.7 to 9.28.1.
void abort_as_cudnn() {
    constexpr UINT fast_fail = 0xC0000409;
    TerminateProcess(GetCurrentProcess(), fast_fail);
    for (;;)
        Sleep(INFINITE);
}

void pause() {
    Sleep(INFINITE);
}

int dprintf(int descriptor, const char* format, ...) {
    char text[256];
    va_list values;
    va_start(values, format);
    const int size = std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return write(descriptor, text, static_cast<unsigned>(size));
}
