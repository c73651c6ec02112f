// Opens a library by name from its own code: whose run path counts depends on who calls.
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) void* open_by_name(const char* name) {
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
