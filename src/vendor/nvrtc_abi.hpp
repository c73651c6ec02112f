// The functions of libnvrtc that we call.
#pragma once

#include <cstddef>

#include "vendor/library.hpp"

namespace rnncheck::vendor {

using NvrtcProgram = struct OpaqueNvrtcProgram*;

#define RNNCHECK_NVRTC_FUNCTIONS(X)                                                                                    \
    X(nvrtcVersion, int, (int*, int*))                                                                                 \
    X(nvrtcGetErrorString, const char*, (int))                                                                         \
    X(nvrtcCreateProgram, int, (NvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
    X(nvrtcCompileProgram, int, (NvrtcProgram, int, const char* const*))                                               \
    X(nvrtcGetPTXSize, int, (NvrtcProgram, std::size_t*))

struct NvrtcApi {
    RNNCHECK_NVRTC_FUNCTIONS(RNNCHECK_SYMBOL_MEMBER)
    void load(const Library& library) { RNNCHECK_NVRTC_FUNCTIONS(RNNCHECK_SYMBOL_LOAD) }
};

Checker nvrtc_checker(ProbeWriter& writer, const NvrtcApi& api);

}  // namespace rnncheck::vendor
