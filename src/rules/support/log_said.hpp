// What a person told besides a log, read for judging. Pure.
#pragma once

#include "facts/facts.hpp"
#include "matrix/matrix.hpp"

namespace rnncheck::rules {

/// The framework as named by the person or by the log.
struct NamedFramework {
    std::string name;  ///< as in FrameworkBuild::framework
    std::optional<Version> version;
};

struct SaidReading {
    std::string words;  ///< everything said, in small letters, with blanks around
    std::vector<NamedFramework> frameworks;
    std::optional<Version> build_cuda;  ///< "+cu118", "jaxlib+cuda11": the CUDA of the build
    std::optional<Version> cuda;        ///< the CUDA that is installed
    std::optional<Version> cudnn;
    std::optional<Version> driver;
    std::optional<Version> capability;  ///< of the first GPU named

    const NamedFramework* framework(std::string_view name) const;
    bool says(std::string_view word) const;
};

SaidReading read_said(const Facts& facts, const Matrix& matrix);

/// Whether a release, a GPU or a framework can be made out in what was said, however loosely it is put.
bool tells_something(const Said& item, const Matrix& matrix);

/// The compute capability of the first product of the table that the text names, whatever words stand around.
std::optional<Version> capability_named(std::string_view text, const Matrix& matrix);

}  // namespace rnncheck::rules
