// The rows of the tables about drivers, CUDA, cuDNN, GPUs and frameworks, and what an answer from them looks like.
#pragma once

#include <tuple>

#include "base/fields.hpp"

namespace rnncheck {

/// Where a row comes from. `seen` is an ISO date.
struct Source {
    std::string title;
    std::string url;
    std::string seen;

    static void fields(auto& self, auto&& visit) {
        visit("title", self.title, "what people know it by");
        visit("url", self.url, "where it is");
        visit("seen", self.seen, "ISO date on which it was read");
    }
};

/// How a row is known: documented by the vendor, read from source code, inferred (the note says from what), or
/// unconfirmed.
enum class Provenance { documented, source_code, inferred, unconfirmed };
RNNCHECK_ENUM_NAMES(Provenance, "documented", "source_code", "inferred", "unconfirmed")

enum class Coverage { known, newer_than_data, older_than_data, silent };
RNNCHECK_ENUM_NAMES(Coverage, "known", "newer_than_data", "older_than_data", "silent")

constexpr bool may_be_missing = true;

/// As text; "" for what a row does not say.
template <class T>
std::string cell_text(const T& value) {
    if constexpr (IsOptional<T>::value)
        return value ? cell_text(*value) : "";
    else if constexpr (std::is_same_v<T, Version>)
        return value.text;
    else if constexpr (std::is_same_v<T, Source>)
        return value.url;
    else if constexpr (std::is_same_v<T, bool>)
        return value ? "yes" : "no";
    else if constexpr (std::is_integral_v<T>)
        return std::to_string(value);
    else if constexpr (NamedEnum<T>)
        return std::string(name_of(value));
    else
        return std::string(value);
}

/// What every table has. A row's own columns are in R::fields: visit(name, member), or visit(name, member,
/// may_be_missing) where a row may leave the column out; an optional always may. R::key() puts the rows in order.
struct Row {
    Source source;
    Provenance provenance = Provenance::documented;
    std::string note;        ///< what the row's author wants read with it, often empty
    std::size_t number = 0;  ///< its place in the table, from 1

    static void fields(auto& self, auto&& visit) {
        visit("source", self.source);
        visit("provenance", self.provenance);
        visit("note", self.note, may_be_missing);
    }
};

/// The rows of one series (R::series()) follow each other without overlap.
struct Series {
    std::string name;  ///< "" where the table is one series
    Version first;
    std::optional<Version> last;  ///< unset: to the end
};

/// Two columns that hold the ends of a range (R::ranges), for those who look for a value inside it.
struct RangeColumns {
    std::string_view word;  ///< what a filter calls such a value: the name of a column or a word of its own
    std::string_view first;
    std::string_view last;
    /// What a row without `last` covers.
    enum Open { one_version, all_later } without_last = all_later;
    bool excludes_last = false;
};

/// The columns of a row, or with `Row` those that every row has, with what they say as text.
template <class R>
TextMap cells_of(const R& row) {
    TextMap cells;
    R::fields(row, [&](const char* name, const auto& value, bool = false) { cells[name] = cell_text(value); });
    return cells;
}

template <class R>
struct Answer {
    Coverage coverage = Coverage::silent;
    std::optional<R> row;  ///< set exactly when coverage is `known`

    explicit operator bool() const { return row.has_value(); }
    const R* operator->() const { return &*row; }
    const R& operator*() const { return *row; }
};

/// The driver a CUDA runtime version was shipped with, and the oldest one it runs on at all.
/// Within one CUDA major from 11 on, any version runs on the family's oldest driver with limited features
/// (minor-version compatibility); before 11 the two are equal.
struct DriverForCuda : Row {
    Version cuda;           ///< major.minor
    Version full_driver;    ///< oldest Linux driver with all features of this version
    Version oldest_driver;  ///< oldest Linux driver that runs it at all
    Source oldest_source;   ///< where oldest_driver comes from; `source` is that of full_driver

    auto key() const { return cuda; }
    static void fields(auto& self, auto&& visit) {
        visit("cuda", self.cuda);
        visit("full_driver", self.full_driver);
        visit("oldest_driver", self.oldest_driver);
        visit("oldest_source", self.oldest_source);
    }
};

/// The newest CUDA a driver branch supports (what cuDriverGetVersion answers).
struct CudaOfDriver : Row {
    int branch = 0;  ///< 535
    int last_branch =
        0;  ///< branches after `branch` up to this one follow the row; then `provenance` is at best `inferred`
    Version cuda;

    auto key() const { return branch; }
    Series series() const { return {"", make_version({branch}), make_version({last_branch})}; }
    static constexpr RangeColumns ranges[] = {{"branch", "branch", "last_branch"}};
    static void fields(auto& self, auto&& visit) {
        visit("branch", self.branch);
        visit("last_branch", self.last_branch);
        visit("cuda", self.cuda);
    }
};

/// A compatibility package of this CUDA version runs over kernel drivers of this branch, on boards of data centres.
struct ForwardCompatibility : Row {
    Version cuda;            ///< major.minor of the package
    int branch = 0;          ///< of the kernel driver
    Version capability_min;  ///< oldest GPU that the package's libcuda still drives

    auto key() const { return std::tie(cuda, branch); }
    static void fields(auto& self, auto&& visit) {
        visit("cuda", self.cuda);
        visit("branch", self.branch);
        visit("capability_min", self.capability_min);
    }
};

/// Life of a Linux driver branch.
struct DriverBranch : Row {
    int branch = 0;
    std::string kind;             ///< "long-term support", "production", "new feature"; "": not named
    bool ended = false;           ///< no more versions, at the day the source was seen
    std::string supported_until;  ///< "2028-06"; "": not known
    std::optional<Version> last_release;

    auto key() const { return branch; }
    static void fields(auto& self, auto&& visit) {
        visit("branch", self.branch);
        visit("kind", self.kind, may_be_missing);
        visit("ended", self.ended);
        visit("supported_until", self.supported_until, may_be_missing);
        visit("last_release", self.last_release);
    }
};

/// Life of a compute capability in the toolkit and the driver.
struct Architecture : Row {
    Version capability;
    std::string name;  ///< "Ampere"
    Version first_cuda;
    std::optional<Version> last_cuda;       ///< unset: still supported by the newest toolkit of the table
    bool integrated = false;                ///< of Jetson boards: driver and libraries come with JetPack
    std::optional<int> last_driver_branch;  ///< unset: still supported, or a board with versions of its own (see note)
    std::optional<Source> driver_source;    ///< where last_driver_branch comes from; `source` is that of the toolkits

    auto key() const { return capability; }
    static constexpr RangeColumns ranges[] = {{"cuda", "first_cuda", "last_cuda"}};
    static void fields(auto& self, auto&& visit) {
        visit("capability", self.capability);
        visit("name", self.name);
        visit("integrated", self.integrated, may_be_missing);
        visit("first_cuda", self.first_cuda);
        visit("last_cuda", self.last_cuda);
        visit("last_driver_branch", self.last_driver_branch);
        visit("driver_source", self.driver_source);
    }
};

/// cuDNN versions as built for one CUDA major.
struct CudnnBuild : Row {
    Version cudnn;                      ///< first version of the row, major.minor.patch
    std::optional<Version> cudnn_last;  ///< last one; unset: `cudnn` only
    int cuda_major = 0;
    std::optional<Version> cuda_min;  ///< oldest toolkit named for it
    std::optional<Version> cuda_max;  ///< newest toolkit named for it
    Version capability_min;
    Version capability_max;  ///< newest one named; a later minor of its major mostly runs the same machine code
    std::optional<Version> driver_min;  ///< oldest Linux driver named for it

    const Version& last() const { return cudnn_last ? *cudnn_last : cudnn; }
    auto key() const { return std::tie(cudnn, cuda_major); }
    Series series() const { return {"CUDA " + std::to_string(cuda_major), cudnn, last()}; }
    static constexpr RangeColumns ranges[] = {{"cudnn", "cudnn", "cudnn_last", RangeColumns::one_version},
                                              {"cuda", "cuda_min", "cuda_max"},
                                              {"capability", "capability_min", "capability_max"}};
    static void fields(auto& self, auto&& visit) {
        visit("cudnn", self.cudnn);
        visit("cudnn_last", self.cudnn_last);
        visit("cuda_major", self.cuda_major);
        visit("cuda_min", self.cuda_min);
        visit("cuda_max", self.cuda_max);
        visit("capability_min", self.capability_min);
        visit("capability_max", self.capability_max);
        visit("driver_min", self.driver_min);
    }
};

/// One file of a cuDNN installation.
struct CudnnPart : Row {
    int major = 0;
    std::string soname;  ///< libcudnn_adv.so.9
    bool needed_by_rnn = false;
    bool needed_by_version = false;  ///< without it even cudnnGetVersion cannot answer
    bool needed_to_train = false;    ///< training a recurrent network needs it as well
    Version since;                   ///< first version that has it

    auto key() const { return std::tie(major, soname); }
    static void fields(auto& self, auto&& visit) {
        visit("major", self.major);
        visit("soname", self.soname);
        visit("needed_by_rnn", self.needed_by_rnn);
        visit("needed_by_version", self.needed_by_version);
        visit("needed_to_train", self.needed_to_train);
        visit("since", self.since);
    }
};

struct StatusName : Row {
    std::string library;  ///< cudnn, cuda, cudart, nvml
    int major = 0;        ///< cuDNN's major; 0 for the others
    std::int64_t code = 0;
    std::string name;
    std::string meaning;
    std::string remedy;  ///< one clause, lower case, no full stop

    auto key() const { return std::tie(library, major, code); }
    static void fields(auto& self, auto&& visit) {
        visit("library", self.library);
        visit("major", self.major);
        visit("code", self.code);
        visit("name", self.name);
        visit("meaning", self.meaning, may_be_missing);
        visit("remedy", self.remedy, may_be_missing);
    }
};

/// An event that the NVIDIA kernel module logs as "NVRM: Xid".
struct Xid : Row {
    int xid = 0;
    std::string name;
    std::string meaning;
    std::string remedy;  ///< one clause; "": none asked for

    auto key() const { return xid; }
    static void fields(auto& self, auto&& visit) {
        visit("xid", self.xid);
        visit("name", self.name);
        visit("meaning", self.meaning);
        visit("remedy", self.remedy, may_be_missing);
    }
};

/// A documented defect of recurrent networks in a set of cuDNN versions.
struct RnnDefect : Row {
    std::string id;                ///< the table's own word for it
    std::string cause;             ///< the rule that reports it: cudnn_masked_rnn_bug, cudnn_varlen_rnn_bug, cudnn_bug
    Version first;                 ///< first affected cuDNN version
    std::optional<Version> fixed;  ///< first version without it; unset: none known
    std::optional<Version> capability_min;
    std::optional<Version> capability_max;
    std::string os;          ///< "", "linux", "windows"
    std::string symptom;     ///< one clause, lower case, no full stop
    std::string workaround;  ///< one sentence

    auto key() const { return std::tie(first, id); }
    static constexpr RangeColumns ranges[] = {{"cudnn", "first", "fixed", RangeColumns::all_later, true},
                                              {"capability", "capability_min", "capability_max"}};
    static void fields(auto& self, auto&& visit) {
        visit("id", self.id);
        visit("cause", self.cause);
        visit("first", self.first);
        visit("fixed", self.fixed);
        visit("capability_min", self.capability_min);
        visit("capability_max", self.capability_max);
        visit("os", self.os, may_be_missing);
        visit("symptom", self.symptom);
        visit("workaround", self.workaround);
    }
};

/// A kind of case that a cuDNN version must support on every GPU that one of its builds names, from `capability_min`
/// on: answering "not supported" to it is a fault.
struct RnnRequiredSupport : Row {
    Version first;                ///< first cuDNN version
    std::optional<Version> last;  ///< last one; unset: still
    std::string dtype;            ///< names of RnnCase's enumerations
    std::string algorithm;
    Version capability_min;

    auto key() const { return std::tie(dtype, algorithm, first); }
    Series series() const { return {dtype + " " + algorithm, first, last}; }
    static constexpr RangeColumns ranges[] = {{"cudnn", "first", "last"}};
    static void fields(auto& self, auto&& visit) {
        visit("dtype", self.dtype);
        visit("algorithm", self.algorithm);
        visit("first", self.first);
        visit("last", self.last);
        visit("capability_min", self.capability_min);
    }
};

/// A rule about a feature of recurrent networks, for a range of versions.
struct RnnLimit : Row {
    std::string feature;          ///< the table's own word: "bf16", "persist_static", "zero_lengths"
    Version first;                ///< first cuDNN version for which the rule holds
    std::optional<Version> last;  ///< last one; unset: still
    std::optional<Version> capability_min;
    std::optional<Version> capability_max;
    std::string rule;  ///< one clause, no full stop

    auto key() const { return std::tie(feature, first); }
    static constexpr RangeColumns ranges[] = {{"cudnn", "first", "last"},
                                              {"capability", "capability_min", "capability_max"}};
    static void fields(auto& self, auto&& visit) {
        visit("feature", self.feature);
        visit("first", self.first);
        visit("last", self.last);
        visit("capability_min", self.capability_min);
        visit("capability_max", self.capability_max);
        visit("rule", self.rule);
    }
};

/// What a property of a recurrent layer must be for a framework to compute it with cuDNN, for a range of versions.
struct ModelRule : Row {
    std::string framework;        ///< words: "keras keras/torch"; keras is that on TensorFlow
    std::string kinds;            ///< words of LayerKind
    std::string setting;          ///< property of the layer, as its framework names it; "": none decides, see verdict
    std::string needed;           ///< words, one of which it must be; "absent": the file may not hold it
    Version first;                ///< of the framework; of ONNX, ONNX Runtime's
    std::optional<Version> last;  ///< unset: still
    std::string verdict;          ///< where it is another: no, cpu_only, depends, unknown
    std::string rule;             ///< one clause, no full stop; {value}: what the layer has
    std::string change;           ///< code of the framework that would change it; {class}: the layer's class

    auto key() const { return std::tie(framework, kinds, setting, first); }
    Series series() const { return {framework + " " + kinds + " " + setting, first, last}; }
    static constexpr RangeColumns ranges[] = {{"version", "first", "last"}};
    static void fields(auto& self, auto&& visit) {
        visit("framework", self.framework);
        visit("kinds", self.kinds);
        visit("setting", self.setting, may_be_missing);
        visit("needed", self.needed, may_be_missing);
        visit("first", self.first);
        visit("last", self.last);
        visit("verdict", self.verdict);
        visit("rule", self.rule);
        visit("change", self.change, may_be_missing);
    }
};

/// What people call a GPU. A name that is on chips of different capability has a row for each.
struct GpuProduct : Row {
    std::string name;          ///< as the driver names it, without "NVIDIA": "GeForce RTX 3090 Ti", "H200"
    Version capability;        ///< 8.6
    bool data_center = false;  ///< a board that forward-compatibility packages are made for
    bool arm = false;          ///< its board has an Arm processor and is no Jetson

    auto key() const { return std::tie(name, capability); }
    static void fields(auto& self, auto&& visit) {
        visit("name", self.name);
        visit("capability", self.capability);
        visit("data_center", self.data_center, may_be_missing);
        visit("arm", self.arm, may_be_missing);
    }
};

/// One published build of a range of a framework's versions: what it was built with, where it takes CUDA and cuDNN
/// from, and how it is installed.
struct FrameworkBuild : Row {
    std::string framework;  ///< tensorflow, pytorch, jax, onnxruntime, paddlepaddle, ctranslate2, cupy, mxnet
    Version first;
    std::optional<Version> last;  ///< unset: `first` only; a last of 2.4 covers every 2.4.x
    std::string os;               ///< linux, windows, macos
    std::string build;            ///< the flavour's own word: cpu, cu121, cuda, directml; one row per flavour
    std::optional<Version> python_first;
    std::optional<Version> python_last;
    std::optional<Version> cuda;   ///< toolkit it is built with; unset: a build without CUDA
    std::optional<Version> cudnn;  ///< cuDNN it is built with or pins; unset: without one, or not known (note)
    bool without_cudnn = false;    ///< a build with CUDA that never opens cuDNN
    bool cudnn_or_newer = false;  ///< its packages ask for this cuDNN or a later one of its major: pip takes the newest
    std::string libraries;        ///< where CUDA and cuDNN come from: none, system, inside, wheels
    std::string targets;          ///< machine code inside, "sm_70 sm_80 compute_90"; "" when not known
    std::optional<Version> driver_min;  ///< oldest driver its documentation names for this OS
    std::string package;                ///< distribution: tensorflow, torch, onnxruntime-gpu
    std::string install;                ///< command; {version} stands for the version
    std::string after_install;          ///< what else has to be done before it finds its libraries; one sentence

    auto key() const { return std::tie(framework, first, os, build); }
    Series series() const { return {framework + " " + os + " " + build, first, last.value_or(first)}; }
    static constexpr RangeColumns ranges[] = {{"version", "first", "last", RangeColumns::one_version},
                                              {"python", "python_first", "python_last"}};
    static void fields(auto& self, auto&& visit) {
        visit("framework", self.framework);
        visit("first", self.first);
        visit("last", self.last);
        visit("os", self.os);
        visit("build", self.build);
        visit("python_first", self.python_first);
        visit("python_last", self.python_last);
        visit("cuda", self.cuda);
        visit("cudnn", self.cudnn);
        visit("without_cudnn", self.without_cudnn, may_be_missing);
        visit("cudnn_or_newer", self.cudnn_or_newer, may_be_missing);
        visit("libraries", self.libraries);
        visit("targets", self.targets, may_be_missing);
        visit("driver_min", self.driver_min);
        visit("package", self.package);
        visit("install", self.install, may_be_missing);
        visit("after_install", self.after_install, may_be_missing);
    }
};

/// What a container image of NVIDIA's holds, by its tag.
struct ContainerImage : Row {
    std::string image, tag;  ///< nvidia/cuda and 12.4.1-cudnn-runtime-ubuntu22.04; "*" stands for what varies
    std::string framework;   ///< as in FrameworkBuild::framework; "": none
    std::optional<Version> framework_version;  ///< what it calls itself may be a version to come: see note
    Version cuda;
    std::optional<Version> cudnn;
    std::optional<Version> driver_full;  ///< Linux driver that its CUDA came with; older ones run it with limits
    std::optional<Version> capability_min, capability_max;  ///< that NVIDIA names for a framework's image

    auto key() const { return std::tie(image, tag); }
    static constexpr RangeColumns ranges[] = {{"capability", "capability_min", "capability_max"}};
    static void fields(auto& self, auto&& visit) {
        visit("image", self.image);
        visit("tag", self.tag);
        visit("framework", self.framework, may_be_missing);
        visit("framework_version", self.framework_version);
        visit("cuda", self.cuda);
        visit("cudnn", self.cudnn);
        visit("driver_full", self.driver_full);
        visit("capability_min", self.capability_min);
        visit("capability_max", self.capability_max);
    }
};

/// Oldest version of a backend that a range of Keras versions works with.
struct KerasBackend : Row {
    Version first;
    std::optional<Version> last;
    std::string backend;  ///< as in FrameworkBuild::framework
    std::optional<Version> backend_first;
    std::optional<Version> backend_last;

    auto key() const { return std::tie(first, backend); }
    Series series() const { return {backend, first, last}; }
    static constexpr RangeColumns ranges[] = {{"version", "first", "last"},
                                              {"backend_version", "backend_first", "backend_last"}};
    static void fields(auto& self, auto&& visit) {
        visit("first", self.first);
        visit("last", self.last);
        visit("backend", self.backend);
        visit("backend_first", self.backend_first);
        visit("backend_last", self.backend_last);
    }
};

/// The newest CUDA that official builds of a range of versions were made with, the old ones included.
struct FrameworkCuda : Row {
    std::string framework;
    Version first, last, newest_cuda;
    int cudnn_major = 0;  ///< of the cuDNN it was built with

    auto key() const { return std::tie(framework, first); }
    Series series() const { return {framework, first, last}; }
    static void fields(auto& self, auto&& visit) {
        visit("framework", self.framework);
        visit("first", self.first);
        visit("last", self.last);
        visit("newest_cuda", self.newest_cuda);
        visit("cudnn_major", self.cudnn_major);
    }
};

}  // namespace rnncheck
