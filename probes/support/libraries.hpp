// Which libraries are opened, each in a process of its own, and what before them.
#pragma once

#include <string>
#include <vector>

#include "process/probe.hpp"
#include "vendor/cudnn_abi.hpp"

namespace rnncheck::probes {

inline constexpr std::size_t most_installations = 8;

/// Paths of the files of a kind that could work: those that an installed framework gets and the one the loader picks
/// first; at most most_installations.
std::vector<std::string> installations_to_query(const Facts& facts, LibraryKind kind);
template <LibraryKind kind>
std::vector<std::string> installations_to_query(const Facts& facts) {
    return installations_to_query(facts, kind);
}

/// The cuBLAS and NVRTC files that a process opens before this cuDNN, which then finds them by soname: those that the
/// framework gets which gets this cuDNN, of the active environment first; where none does, those that came as wheels
/// beside it. Empty for those of the system that no framework gets.
std::vector<std::string> companions_of(const Facts& facts, const std::string& cudnn_path);

/// Opens a cuDNN, after its companions.
vendor::Opened<vendor::CudnnApi> open_cudnn(const Job& job, ProbeWriter& writer, const std::string& path);

}  // namespace rnncheck::probes
