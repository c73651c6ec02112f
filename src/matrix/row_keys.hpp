// What tells the rows of a table apart and puts them in order, and which rows share a range of versions.
#pragma once

#include <tuple>

#include "matrix/matrix.hpp"

namespace rnncheck {

inline auto key_of(const DriverForCuda& row) {
    return row.cuda;
}
inline auto key_of(const CudaOfDriver& row) {
    return row.branch;
}
inline auto key_of(const ForwardCompatibility& row) {
    return std::tuple(row.cuda, row.branch);
}
inline auto key_of(const DriverBranch& row) {
    return row.branch;
}
inline auto key_of(const Architecture& row) {
    return row.capability;
}
inline auto key_of(const CudnnBuild& row) {
    return std::tuple(row.cudnn, row.cuda_major);
}
inline auto key_of(const CudnnPart& row) {
    return std::tuple(row.major, row.soname);
}
inline auto key_of(const StatusName& row) {
    return std::tuple(row.library, row.major, row.code);
}
inline auto key_of(const Xid& row) {
    return row.xid;
}
inline auto key_of(const RnnDefect& row) {
    return std::tuple(row.first, row.id);
}
inline auto key_of(const RnnOffer& row) {
    return std::tuple(row.dtype, row.algorithm, row.first);
}
inline auto key_of(const RnnLimit& row) {
    return std::tuple(row.feature, row.first);
}
inline auto key_of(const GpuProduct& row) {
    return std::tuple(row.name, row.capability);
}
inline auto key_of(const FrameworkBuild& row) {
    return std::tuple(row.framework, row.first, row.os, row.build);
}
inline auto key_of(const KerasBackend& row) {
    return std::tuple(row.first, row.backend);
}

inline auto key_of(const LogSignature& row) {
    return row.id;
}
inline auto key_of(const LogPointer& row) {
    return std::tuple(row.cause, row.when);
}
inline auto key_of(const LogCause& row) {
    return row.cause;
}
inline auto key_of(const FrameworkCuda& row) {
    return std::tuple(row.framework, row.first);
}

/// The rows of one series follow each other without overlap. A table without ranges has no series.
struct Series {
    std::string name;  ///< "" where the table is one series
    Version first;
    std::optional<Version> last;  ///< unset: to the end
};

template <class R>
std::optional<Series> series_of(const R&) {
    return std::nullopt;
}
inline std::optional<Series> series_of(const CudaOfDriver& row) {
    return Series{"", make_version({row.branch}), make_version({row.last_branch})};
}
inline std::optional<Series> series_of(const CudnnBuild& row) {
    return Series{"CUDA " + std::to_string(row.cuda_major), row.cudnn, row.cudnn_last.value_or(row.cudnn)};
}
inline std::optional<Series> series_of(const RnnOffer& row) {
    return Series{row.dtype + " " + row.algorithm, row.first, row.last};
}
inline std::optional<Series> series_of(const FrameworkBuild& row) {
    return Series{row.framework + " " + row.os + " " + row.build, row.first, row.last.value_or(row.first)};
}
inline std::optional<Series> series_of(const KerasBackend& row) {
    return Series{row.backend, row.first, row.last};
}
inline std::optional<Series> series_of(const FrameworkCuda& row) {
    return Series{row.framework, row.first, row.last};
}

}  // namespace rnncheck
