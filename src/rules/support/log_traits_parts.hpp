// The parts of log_words(): each adds the traits of one subject.
#pragma once

#include "rules/support/log_traits.hpp"

namespace rnncheck::rules {

/// One pass over what is known; each function below adds the traits of one subject.
struct Traits {
    const Log& log;
    const Matrix& matrix;
    LogWords& out;

    bool seen(std::string_view signature) const { return out.has(signature); }
    void add(const char* trait, const std::string& why) { out.words.emplace(trait, why); }

    std::optional<std::string> told(std::string_view signature, std::string_view name) const {
        for (const LogEvent& event : log.events)
            if (event.signature == signature)
                for (const LogField& field : event.captures)
                    if (field.name == name && !field.value.empty()) return field.value;
        return std::nullopt;
    }
};

/// The CUDA that the framework was built with: as its flavour says, as its release was, else as installed.
std::optional<Version> build_cuda(const Traits& t);

/// The cuDNN that was loaded against the one wanted; the GPU and the driver against the CUDA of the build.
void add_version_traits(Traits& t);
/// The libraries that could not be opened against what is there.
void add_library_traits(Traits& t);

}  // namespace rnncheck::rules
