// Functions with the names of cuDNN's, as in tsl/cuda/cudnn_stub.cc. Nobody calls them.
#include <dlfcn.h>

#define STUB(name)                                                 \
    extern "C" __attribute__((visibility("default"))) int name() { \
        return dlopen("", 0) != nullptr;                           \
    }
STUB(cudnnCreate)
STUB(cudnnGetLastErrorString)
STUB(cudnnGetVersion)
