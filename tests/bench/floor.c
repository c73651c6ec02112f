/* The floor of the doctor's cost: opens the libraries named on the command line one after the other
   and queries each as the doctor does, with nothing around. usage: floor cudart=PATH cudnn=PATH
   nvrtc=PATH ... [versions_only] */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int (*Status)(void);

static void query_cudart(void* library) {
    int version = 0;
    int (*query)(int*) = (int (*)(int*))dlsym(library, "cudaRuntimeGetVersion");
    if (query)
        query(&version);
    query = (int (*)(int*))dlsym(library, "cudaDriverGetVersion");
    if (query)
        query(&version);
}

static void query_cudnn(void* library, int versions_only) {
    static const char* const checks[] = {"cudnnOpsInferVersionCheck", "cudnnAdvInferVersionCheck",
                                         "cudnnGraphVersionCheck", "cudnnOpsVersionCheck",
                                         "cudnnAdvVersionCheck"};
    size_t (*version)(void) = (size_t(*)(void))dlsym(library, "cudnnGetVersion");
    if (version)
        version();
    if (versions_only)
        return;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i) {
        Status check = (Status)dlsym(library, checks[i]);
        if (check)
            check();
    }
    void* descriptor = 0;
    int (*create)(void**) = (int (*)(void**))dlsym(library, "cudnnCreateRNNDescriptor");
    if (create)
        create(&descriptor);
}

static void query_nvrtc(void* library, int versions_only) {
    int major = 0, minor = 0;
    int (*version)(int*, int*) = (int (*)(int*, int*))dlsym(library, "nvrtcVersion");
    if (version)
        version(&major, &minor);
    void* program = 0;
    int (*create)(void**, const char*, const char*, int, void*, void*) = (int (*)(
        void**, const char*, const char*, int, void*, void*))dlsym(library, "nvrtcCreateProgram");
    int (*compile)(void*, int, void*) =
        (int (*)(void*, int, void*))dlsym(library, "nvrtcCompileProgram");
    if (versions_only || !create || !compile)
        return;
    create(&program, "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; }\n",
           "twice.cu", 0, 0, 0);
    compile(program, 0, 0);
}

int main(int argc, char** argv) {
    const int versions_only = argc > 1 && strcmp(argv[argc - 1], "versions_only") == 0;
    dlopen("libcuda.so.1", RTLD_NOW);
    dlopen("libnvidia-ml.so.1", RTLD_NOW);
    for (int i = 1; i < argc - versions_only; ++i) {
        char* path = strchr(argv[i], '=');
        void* library = path ? dlopen(path + 1, RTLD_NOW) : 0;
        if (!library) {
            fprintf(stderr, "floor: %s cannot be opened\n", argv[i]);
            return 1;
        }
        if (strncmp(argv[i], "cudart", 6) == 0)
            query_cudart(library);
        if (strncmp(argv[i], "cudnn", 5) == 0)
            query_cudnn(library, versions_only);
        if (strncmp(argv[i], "nvrtc", 5) == 0)
            query_nvrtc(library, versions_only);
    }
    return 0;
}
