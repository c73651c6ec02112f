// What answers about versions begin with, for questions_*.cpp.
#pragma once

#include "stack/questions.hpp"

namespace rnncheck::stack {

/// Why the tables do not show it.
inline Compatibility not_known(std::string why) {
    return {.fit = Fit::unknown, .why = std::move(why)};
}

/// "driver 999 is newer than the data of 2026-11-21".
inline Compatibility outside(const std::string& what, Coverage coverage, const Matrix& matrix) {
    return {.fit = Fit::unknown, .why = outside_data(what, coverage, matrix), .outside = true};
}

/// It has no machine code for the GPU, which is newer than it or older.
inline Compatibility no_code(std::string why, Evidence evidence, bool gpu_is_newer) {
    return {
        .fit = Fit::does_not_work,
        .why = std::move(why),
        .evidence = {std::move(evidence)},
        .gpu_is_newer = gpu_is_newer};
}

/// Of Turing with what was built for CUDA 9 it depends on the library whether it has code.
inline bool turing_on_cuda_9(int cuda_major, const Version& gpu) {
    return cuda_major == 9 && gpu == make_version({7, 5});
}

}  // namespace rnncheck::stack
