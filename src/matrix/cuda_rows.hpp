// Drivers, CUDA, cuDNN and GPUs: which of them are made for each other.
#pragma once

#include "matrix/row.hpp"

namespace rnncheck {

/// The driver a CUDA runtime version was shipped with, and the oldest one it runs on at all.
/// Within one CUDA major from 11 on, any version runs on the family's oldest driver with limited
/// features (minor-version compatibility); before 11 the two are equal.
struct DriverForCuda : Row {
    Version cuda;           ///< major.minor
    Version full_driver;    ///< oldest Linux driver with all features of this version
    Version oldest_driver;  ///< oldest Linux driver that runs it at all
    Source oldest_source;   ///< where oldest_driver comes from; `source` is that of full_driver

    auto key() const {
        return cuda;
    }
    RNNCHECK_COLUMNS(cuda, full_driver, oldest_driver, oldest_source)
};

/// The newest CUDA a driver branch supports (what cuDriverGetVersion answers).
struct CudaOfDriver : Row {
    int branch = 0;       ///< 535
    int last_branch = 0;  ///< branches after `branch` up to this one follow the row; then
                          ///< `provenance` is at best `inferred`
    Version cuda;

    auto key() const {
        return branch;
    }
    Series series() const {
        return {"", make_version({branch}), make_version({last_branch})};
    }
    static constexpr RangeColumns ranges[] = {{"branch", "branch", "last_branch"}};
    RNNCHECK_COLUMNS(branch, last_branch, cuda)
};

/// A compatibility package of this CUDA version runs over kernel drivers of this branch, on boards
/// of data centres.
struct ForwardCompatibility : Row {
    Version cuda;            ///< major.minor of the package
    int branch = 0;          ///< of the kernel driver
    Version capability_min;  ///< oldest GPU that the package's libcuda still drives

    auto key() const {
        return std::tie(cuda, branch);
    }
    RNNCHECK_COLUMNS(cuda, branch, capability_min)
};

/// Life of a Linux driver branch.
struct DriverBranch : Row {
    int branch = 0;
    std::string kind;    ///< "long-term support", "production", "new feature"; "": not named
    bool ended = false;  ///< no more versions, at the day the source was seen
    std::string supported_until;  ///< "2028-06"; "": not known
    std::optional<Version> last_release;

    auto key() const {
        return branch;
    }
    RNNCHECK_COLUMNS(branch, kind, ended, supported_until, last_release)
    static constexpr std::string_view may_be_missing[] = {"kind", "supported_until"};
};

/// Life of a compute capability in the toolkit and the driver.
struct Architecture : Row {
    Version capability;
    std::string name;  ///< "Ampere"
    Version first_cuda;
    std::optional<Version>
        last_cuda;            ///< unset: still supported by the newest toolkit of the table
    bool integrated = false;  ///< of Jetson boards: driver and libraries come with JetPack
    std::optional<int> last_driver_branch;  ///< unset: still supported, or a board with versions of
                                            ///< its own (see note)
    std::optional<Source>
        driver_source;  ///< where last_driver_branch comes from; `source` is that of the toolkits

    auto key() const {
        return capability;
    }
    static constexpr RangeColumns ranges[] = {{"cuda", "first_cuda", "last_cuda"}};
    RNNCHECK_COLUMNS(
        capability, name, integrated, first_cuda, last_cuda, last_driver_branch, driver_source)
    static constexpr std::string_view may_be_missing[] = {"integrated"};
};

/// cuDNN versions as built for one CUDA major.
struct CudnnBuild : Row {
    Version cudnn;                      ///< first version of the row, major.minor.patch
    std::optional<Version> cudnn_last;  ///< last one; unset: `cudnn` only
    int cuda_major = 0;
    std::optional<Version> cuda_min;  ///< oldest toolkit named for it
    std::optional<Version> cuda_max;  ///< newest toolkit named for it
    Version capability_min;
    Version capability_max;  ///< newest one named; a later minor of its major mostly runs the same
                             ///< machine code
    std::optional<Version> driver_min;  ///< oldest Linux driver named for it

    const Version& last() const {
        return cudnn_last ? *cudnn_last : cudnn;
    }
    auto key() const {
        return std::tie(cudnn, cuda_major);
    }
    Series series() const {
        return {"CUDA " + std::to_string(cuda_major), cudnn, last()};
    }
    static constexpr RangeColumns ranges[] = {
        {"cudnn", "cudnn", "cudnn_last", RangeColumns::one_version},
        {"cuda", "cuda_min", "cuda_max"},
        {"capability", "capability_min", "capability_max"}};
    RNNCHECK_COLUMNS(
        cudnn,
        cudnn_last,
        cuda_major,
        cuda_min,
        cuda_max,
        capability_min,
        capability_max,
        driver_min)
};

/// One file of a cuDNN installation.
struct CudnnPart : Row {
    int major = 0;
    std::string soname;  ///< libcudnn_adv.so.9
    bool needed_by_rnn = false;
    bool needed_by_version = false;  ///< without it even cudnnGetVersion cannot answer
    bool needed_to_train = false;    ///< training a recurrent network needs it as well
    Version since;                   ///< first version that has it

    auto key() const {
        return std::tie(major, soname);
    }
    RNNCHECK_COLUMNS(major, soname, needed_by_rnn, needed_by_version, needed_to_train, since)
};

/// What people call a GPU. A name that is on chips of different capability has a row for each.
struct GpuProduct : Row {
    std::string name;  ///< as the driver names it, without "NVIDIA": "GeForce RTX 3090 Ti", "H200"
    Version capability;        ///< 8.6
    bool data_center = false;  ///< a board that forward-compatibility packages are made for
    bool arm = false;          ///< its board has an Arm processor and is no Jetson

    auto key() const {
        return std::tie(name, capability);
    }
    RNNCHECK_COLUMNS(name, capability, data_center, arm)
    static constexpr std::string_view may_be_missing[] = {"data_center", "arm"};
};

}  // namespace rnncheck
