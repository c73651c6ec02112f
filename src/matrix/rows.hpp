// The rows of the tables about drivers, CUDA, cuDNN and GPUs, and what an answer from them looks like.
#pragma once

#include "base/fields.hpp"

namespace rnncheck {

/// Where a row comes from. `seen` is an ISO date.
struct Source {
    std::string title;
    std::string url;
    std::string seen;
};

/// How well a row is known.
enum class Known { documented, source_code, inferred, unconfirmed };
RNNCHECK_ENUM_NAMES(Known, "documented", "source_code", "inferred", "unconfirmed")

enum class Coverage { known, newer_than_data, older_than_data, silent };
RNNCHECK_ENUM_NAMES(Coverage, "known", "newer_than_data", "older_than_data", "silent")

struct Row {
    Source source;
    Known known = Known::documented;
    std::string note;  ///< what the row's author wants read with it, often empty
};

template <class R>
struct Answer {
    Coverage coverage = Coverage::silent;
    std::optional<R> row;  ///< set exactly when coverage is `known`

    explicit operator bool() const { return row.has_value(); }
    const R* operator->() const { return &*row; }
    const R& operator*() const { return *row; }
};

/// The driver a CUDA runtime release was shipped with, and the oldest one it runs on at all.
/// Within one CUDA major from 11 on, any release runs on the family's oldest driver with limited features
/// (minor-version compatibility); before 11 the two are equal.
struct DriverForCuda : Row {
    Version cuda;           ///< major.minor
    Version full_driver;    ///< oldest Linux driver with all features of this release
    Version oldest_driver;  ///< oldest Linux driver that runs it at all
    Source oldest_source;   ///< where oldest_driver comes from; `source` is that of full_driver
};

/// The newest CUDA a driver branch supports (what cuDriverGetVersion answers).
struct CudaOfDriver : Row {
    int branch = 0;       ///< 535
    int last_branch = 0;  ///< branches after `branch` up to this one follow the row; then `known` is at best `inferred`
    Version cuda;
};

/// A compatibility package of this CUDA release runs over kernel drivers of this branch, on boards of data centres.
struct ForwardCompatibility : Row {
    Version cuda;            ///< major.minor of the package
    int branch = 0;          ///< of the kernel driver
    Version capability_min;  ///< oldest GPU that the package's libcuda still drives
};

/// Life of a Linux driver branch.
struct DriverBranch : Row {
    int branch = 0;
    std::string kind;             ///< "long-term support", "production", "new feature"; "": not named
    bool ended = false;           ///< no more releases, at the day the source was seen
    std::string supported_until;  ///< "2028-06"; "": not known
    std::optional<Version> last_release;
};

/// Life of a compute capability in the toolkit and the driver.
struct Architecture : Row {
    Version capability;
    std::string name;  ///< "Ampere"
    Version first_cuda;
    std::optional<Version> last_cuda;       ///< unset: still supported by the newest toolkit of the table
    bool integrated = false;                ///< of Jetson boards: driver and libraries come with JetPack
    std::optional<int> last_driver_branch;  ///< unset: still supported, or a board with releases of its own (see note)
    std::optional<Source> driver_source;    ///< where last_driver_branch comes from; `source` is that of the toolkits
};

/// cuDNN releases as built for one CUDA major.
struct CudnnBuild : Row {
    Version cudnn;                      ///< first release of the row, major.minor.patch
    std::optional<Version> cudnn_last;  ///< last one; unset: `cudnn` only
    int cuda_major = 0;
    std::optional<Version> cuda_min;  ///< oldest toolkit named for it
    std::optional<Version> cuda_max;  ///< newest toolkit named for it
    Version capability_min;
    Version capability_max;  ///< newest one named; a later minor of its major mostly runs the same machine code
    std::optional<Version> driver_min;  ///< oldest Linux driver named for it
};

/// One file of a cuDNN installation.
struct CudnnPart : Row {
    int major = 0;
    std::string soname;  ///< libcudnn_adv.so.9
    bool needed_by_rnn = false;
    bool needed_by_version = false;  ///< without it even cudnnGetVersion cannot answer
    bool needed_to_train = false;    ///< training a recurrent network needs it as well
    Version since;                   ///< first release that has it
};

struct StatusName : Row {
    std::string library;  ///< cudnn, cuda, cudart, nvml
    int major = 0;        ///< cuDNN's major; 0 for the others
    std::int64_t code = 0;
    std::string name;
    std::string meaning;
    std::string remedy;  ///< one clause, lower case, no full stop
};

/// An event that the NVIDIA kernel module logs as "NVRM: Xid".
struct Xid : Row {
    int xid = 0;
    std::string name;
    std::string meaning;
    std::string remedy;  ///< one clause; "": none asked for
};

/// A documented defect of recurrent networks in a set of cuDNN releases.
struct RnnDefect : Row {
    std::string id;                ///< the table's own word for it
    std::string cause;             ///< the rule that reports it: cudnn_masked_rnn_bug, cudnn_varlen_rnn_bug, cudnn_bug
    Version first;                 ///< first affected cuDNN release
    std::optional<Version> fixed;  ///< first release without it; unset: none known
    std::optional<Version> capability_min;
    std::optional<Version> capability_max;
    std::string os;          ///< "", "linux", "windows"
    std::string symptom;     ///< one clause, lower case, no full stop
    std::string workaround;  ///< one sentence
};

/// A kind of case that a cuDNN release must offer on every GPU that one of its builds names, from `capability_min` on:
/// answering "not supported" to it is a fault.
struct RnnOffer : Row {
    Version first;                ///< first cuDNN release
    std::optional<Version> last;  ///< last one; unset: still
    std::string dtype;            ///< names of RnnCase's enumerations
    std::string algorithm;
    Version capability_min;
};

/// A rule about a feature of recurrent networks, for a range of releases.
struct RnnLimit : Row {
    std::string feature;          ///< the table's own word: "bf16", "persist_static", "zero_lengths"
    Version first;                ///< first cuDNN release for which the rule holds
    std::optional<Version> last;  ///< last one; unset: still
    std::optional<Version> capability_min;
    std::optional<Version> capability_max;
    std::string rule;  ///< one clause, no full stop
};

/// What people call a GPU. A name that is on chips of different capability has a row for each.
struct GpuProduct : Row {
    std::string name;          ///< as the driver names it, without "NVIDIA": "GeForce RTX 3090 Ti", "H200"
    Version capability;        ///< 8.6
    bool data_center = false;  ///< a board that forward-compatibility packages are made for
};

}  // namespace rnncheck
