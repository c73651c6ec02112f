// The functions of libcudart that we call. No structure crosses: cudaDeviceProp has another size in every major.
#pragma once

#include "vendor/library.hpp"

namespace rnncheck::vendor {

#define RNNCHECK_CUDART_FUNCTIONS(X)      \
    X(cudaRuntimeGetVersion, int, (int*)) \
    X(cudaDriverGetVersion, int, (int*))  \
    X(cudaGetErrorString, const char*, (int))

struct CudartApi {
    RNNCHECK_CUDART_FUNCTIONS(RNNCHECK_SYMBOL_MEMBER)
    void load(const Library& library) { RNNCHECK_CUDART_FUNCTIONS(RNNCHECK_SYMBOL_LOAD) }
};

Checker cudart_checker(ProbeWriter& writer, const CudartApi& api);

}  // namespace rnncheck::vendor
