// libcudnn.so.9 as far as it opens its parts: by the full version, then by two numbers, then by the
// major version (LD_DEBUG=libs with cuDNN 9.1.0 to 9.28.0).
#include <dlfcn.h>

#include <cstdio>

static void* open_by(const char* name) {
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

template <int major, int minor, int patch>
static void* open_part(const char* part) {
    char name[64];
    std::snprintf(name, sizeof name, "%s.%d.%d.%d", part, major, minor, patch);
    if (void* handle = open_by(name))
        return handle;
    std::snprintf(name, sizeof name, "%s.%d.%d", part, major, minor);
    if (void* handle = open_by(name))
        return handle;
    std::snprintf(name, sizeof name, "%s.%d", part, major);
    return open_by(name);
}

extern "C" __attribute__((visibility("default"))) void* call_part(char part) {
    constexpr auto open = &open_part<VERSION_NUMBERS>;
    if (part == 'g')
        return open("libcudnn_graph.so");
    if (part == 'o')
        return open("libcudnn_ops.so");
    if (part == 'a')
        return open("libcudnn_adv.so");
    return open("libcudnn_cnn.so");
}
