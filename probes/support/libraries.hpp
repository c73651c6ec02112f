// Which libraries are opened, each in a separate process, and which others before them.
#pragma once

#include <string>
#include <vector>

#include "process/probe.hpp"
#include "vendor/cudnn_abi.hpp"

namespace rnncheck::probes {

inline constexpr std::size_t most_installations = 8;

/// Paths of the files of this kind that could be usable: first the one that the loader
/// finds, then those that frameworks get, then the others; at most most_installations.
std::vector<std::string> installations_to_query(const Facts& facts, LibraryKind kind);
template <LibraryKind kind>
std::vector<std::string> installations_to_query(const Facts& facts) {
    return installations_to_query(facts, kind);
}

/// The cuBLAS and NVRTC files to open before this cuDNN, so that it finds them
/// by soname: those of the framework that gets this cuDNN (in the active
/// environment first), else those of the wheels beside it. Empty for a cuDNN of
/// the system that no framework gets.
std::vector<std::string> companions_of(const Facts& facts, const std::string& cudnn_path);

/// Opens a cuDNN after its companions.
vendor::Opened<vendor::CudnnApi> open_cudnn(
    const Job& job, ProbeWriter& writer, const std::string& path);

}  // namespace rnncheck::probes
