// The rows of the tables, and what an answer from them looks like.
#pragma once

#include <tuple>

#include "base/fields.hpp"

namespace rnncheck {

/// Where a row comes from. `seen` is an ISO date.
struct Source {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, title, "what people know it by");
    RNNCHECK_FIELD(std::string, url, "where it is");
    RNNCHECK_FIELD(std::string, seen, "ISO date on which it was read");
    RNNCHECK_FIELDS_END
};

/// How a row is known: documented by the vendor, read from source code, inferred (the note names
/// from what), or unconfirmed.
RNNCHECK_ENUM(Provenance, documented, source_code, inferred, unconfirmed)

RNNCHECK_ENUM(Coverage, known, newer_than_data, older_than_data, silent)

/// As text; "" for a cell that the row leaves open.
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

/// Members that are columns, in reading order: R::fields(row, visit) calls visit(name, member) for
/// each.
#define RNNCHECK_COLUMNS(...)                                 \
    static void fields(auto& self, auto&& visit) {            \
        RNNCHECK_FOR_EACH(RNNCHECK_VISIT_COLUMN, __VA_ARGS__) \
    }
#define RNNCHECK_VISIT_COLUMN(column) visit(#column, self.column);

/// What every table has. A row may leave out an optional column and those of R::may_be_missing.
/// R::key() puts the rows in order.
struct Row {
    Source source;
    Provenance provenance = Provenance::documented;
    std::string note;        ///< what the row's author wants read with it, often empty
    std::size_t number = 0;  ///< its place in the table, from 1

    RNNCHECK_COLUMNS(source, provenance, note)
    static constexpr std::string_view may_be_missing[] = {"note"};
};

/// The rows of one series (R::series()) follow each other without overlap.
struct Series {
    std::string name;  ///< "" where the table is one series
    Version first;
    std::optional<Version> last;  ///< unset: to the end
};

/// Two columns that hold the ends of a range (R::ranges), for those who look for a value inside it.
struct RangeColumns {
    std::string_view
        word;  ///< what a filter calls such a value: the name of a column or a word of its own
    std::string_view first;
    std::string_view last;
    /// What a row without `last` covers.
    enum Open { one_version, all_later } without_last = all_later;
    bool excludes_last = false;
};

/// The columns of a row, or with `Row` those that every row has, with their values as text.
template <class R>
TextMap cells_of(const R& row) {
    TextMap cells;
    R::fields(row, [&](const char* name, const auto& value) { cells[name] = cell_text(value); });
    return cells;
}

template <class R>
struct Answer {
    Coverage coverage = Coverage::silent;
    std::optional<R> row;  ///< set exactly when coverage is `known`

    explicit operator bool() const {
        return row.has_value();
    }
    const R* operator->() const {
        return &*row;
    }
    const R& operator*() const {
        return *row;
    }
};

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
    RNNCHECK_COLUMNS(capability, name, integrated, first_cuda, last_cuda, last_driver_branch,
                     driver_source)
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
    RNNCHECK_COLUMNS(cudnn, cudnn_last, cuda_major, cuda_min, cuda_max, capability_min,
                     capability_max, driver_min)
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

struct StatusName : Row {
    std::string library;  ///< cudnn, cuda, cudart, nvml
    int major = 0;        ///< cuDNN's major; 0 for the others
    std::int64_t code = 0;
    std::string name;
    std::string meaning;
    std::string remedy;  ///< one clause, lower case, no full stop

    auto key() const {
        return std::tie(library, major, code);
    }
    RNNCHECK_COLUMNS(library, major, code, name, meaning, remedy)
    static constexpr std::string_view may_be_missing[] = {"meaning", "remedy"};
};

/// An event that the NVIDIA kernel module logs as "NVRM: Xid".
struct Xid : Row {
    int xid = 0;
    std::string name;
    std::string meaning;
    std::string remedy;  ///< one clause; "": none needed

    auto key() const {
        return xid;
    }
    RNNCHECK_COLUMNS(xid, name, meaning, remedy)
    static constexpr std::string_view may_be_missing[] = {"remedy"};
};

/// A documented defect of recurrent networks in a set of cuDNN versions.
struct RnnDefect : Row {
    std::string id;  ///< the table's own word for it
    std::string
        cause;  ///< the rule that reports it: cudnn_masked_rnn_bug, cudnn_varlen_rnn_bug, cudnn_bug
    Version first;                 ///< first affected cuDNN version
    std::optional<Version> fixed;  ///< first version without it; unset: none known
    std::optional<Version> capability_min;
    std::optional<Version> capability_max;
    std::string os;          ///< "", "linux", "windows"
    std::string symptom;     ///< one clause, lower case, no full stop
    std::string workaround;  ///< one sentence, no full stop

    auto key() const {
        return std::tie(first, id);
    }
    static constexpr RangeColumns ranges[] = {
        {"cudnn", "first", "fixed", RangeColumns::all_later, true},
        {"capability", "capability_min", "capability_max"}};
    RNNCHECK_COLUMNS(id, cause, first, fixed, capability_min, capability_max, os, symptom,
                     workaround)
    static constexpr std::string_view may_be_missing[] = {"os"};
};

/// A kind of case that a cuDNN version must support on every GPU that one of its builds names, from
/// `capability_min` on: answering "not supported" to it is a fault.
struct RnnRequiredSupport : Row {
    Version first;                ///< first cuDNN version
    std::optional<Version> last;  ///< last one; unset: still
    std::string dtype;            ///< names of RnnCase's enumerations
    std::string algorithm;
    Version capability_min;

    auto key() const {
        return std::tie(dtype, algorithm, first);
    }
    Series series() const {
        return {dtype + " " + algorithm, first, last};
    }
    static constexpr RangeColumns ranges[] = {{"cudnn", "first", "last"}};
    RNNCHECK_COLUMNS(dtype, algorithm, first, last, capability_min)
};

/// A rule about a feature of recurrent networks, for a range of versions.
struct RnnLimit : Row {
    std::string feature;  ///< the table's own word: "bf16", "persist_static", "zero_lengths"
    Version first;        ///< first cuDNN version for which the rule holds
    std::optional<Version> last;  ///< last one; unset: still
    std::optional<Version> capability_min;
    std::optional<Version> capability_max;
    std::string rule;  ///< one clause, no full stop

    auto key() const {
        return std::tie(feature, first);
    }
    static constexpr RangeColumns ranges[] = {{"cudnn", "first", "last"},
                                              {"capability", "capability_min", "capability_max"}};
    RNNCHECK_COLUMNS(feature, first, last, capability_min, capability_max, rule)
};

/// What a property of a recurrent layer must be for a framework to compute it with cuDNN, for a
/// range of versions.
struct ModelRule : Row {
    std::string framework;  ///< words: "keras keras/torch"; keras is that on TensorFlow
    std::string kinds;      ///< words of LayerKind
    std::string setting;    ///< property of the layer, as its framework names it; "": none decides,
                            ///< see verdict
    std::string needed;     ///< words, one of which it must be; "absent": the file may not hold it
    Version first;          ///< of the framework; of ONNX, ONNX Runtime's
    std::optional<Version> last;  ///< unset: still
    std::string verdict;          ///< where it is another: no, cpu_only, depends, unknown
    std::string rule;             ///< one clause, no full stop; {value}: what the layer has
    std::string change;           ///< what would change it; {class}: the layer's class
    bool change_is_code = false;  ///< of the framework, or a command: to be typed as it is

    auto key() const {
        return std::tie(framework, kinds, setting, first);
    }
    Series series() const {
        return {framework + " " + kinds + " " + setting, first, last};
    }
    static constexpr RangeColumns ranges[] = {{"version", "first", "last"}};
    RNNCHECK_COLUMNS(framework, kinds, setting, needed, first, last, verdict, rule, change,
                     change_is_code)
    static constexpr std::string_view may_be_missing[] = {"setting", "needed", "change",
                                                          "change_is_code"};
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

/// One published build of a range of a framework's versions: what it was built with, where it takes
/// CUDA and cuDNN from, and how it is installed.
struct FrameworkBuild : Row {
    std::string framework;  ///< tensorflow, pytorch, jax, onnxruntime, paddlepaddle, ctranslate2,
                            ///< cupy, mxnet
    Version first;
    std::optional<Version> last;  ///< unset: `first` only; a last of 2.4 covers every 2.4.x
    std::string os;               ///< linux, windows, macos
    std::string build;  ///< the flavour's own word: cpu, cu121, cuda, directml; one row per flavour
    std::optional<Version> python_first;
    std::optional<Version> python_last;
    std::optional<Version> cuda;  ///< toolkit it is built with; unset: a build without CUDA
    std::optional<Version>
        cudnn;  ///< cuDNN it is built with or pins; unset: without one, or not known (note)
    bool without_cudnn = false;  ///< a build with CUDA that never opens cuDNN
    bool cudnn_or_newer =
        false;  ///< its packages need this cuDNN or a later one of its major: pip takes the newest
    std::string libraries;  ///< where CUDA and cuDNN come from: none, system, inside, wheels
    std::string targets;    ///< machine code inside, "sm_70 sm_80 compute_90"; "" when not known
    std::optional<Version> driver_min;  ///< oldest driver its documentation names for this OS
    std::string package;                ///< distribution: tensorflow, torch, onnxruntime-gpu
    std::string install;                ///< command; {version} stands for the version
    std::string
        after_install;  ///< what else has to be done before it finds its libraries; one sentence

    auto key() const {
        return std::tie(framework, first, os, build);
    }
    Series series() const {
        return {framework + " " + os + " " + build, first, last.value_or(first)};
    }
    static constexpr RangeColumns ranges[] = {
        {"version", "first", "last", RangeColumns::one_version},
        {"python", "python_first", "python_last"}};
    RNNCHECK_COLUMNS(framework, first, last, os, build, python_first, python_last, cuda, cudnn,
                     without_cudnn, cudnn_or_newer, libraries, targets, driver_min, package,
                     install, after_install)
    static constexpr std::string_view may_be_missing[] = {"without_cudnn", "cudnn_or_newer",
                                                          "targets", "install", "after_install"};
};

/// What a container image of NVIDIA's holds, by its tag.
struct ContainerImage : Row {
    std::string image,
        tag;  ///< nvidia/cuda and 12.4.1-cudnn-runtime-ubuntu22.04; "*" stands for what varies
    std::string framework;  ///< as in FrameworkBuild::framework; "": none
    std::optional<Version>
        framework_version;  ///< what it calls itself may be a version to come: see note
    Version cuda;
    std::optional<Version> cudnn;
    std::optional<Version>
        driver_full;  ///< Linux driver that its CUDA came with; older ones run it with limits
    std::optional<Version> capability_min,
        capability_max;  ///< that NVIDIA names for a framework's image

    auto key() const {
        return std::tie(image, tag);
    }
    static constexpr RangeColumns ranges[] = {{"capability", "capability_min", "capability_max"}};
    RNNCHECK_COLUMNS(image, tag, framework, framework_version, cuda, cudnn, driver_full,
                     capability_min, capability_max)
    static constexpr std::string_view may_be_missing[] = {"framework"};
};

/// Oldest version of a backend that a range of Keras versions works with.
struct KerasBackend : Row {
    Version first;
    std::optional<Version> last;
    std::string backend;  ///< as in FrameworkBuild::framework
    std::optional<Version> backend_first;
    std::optional<Version> backend_last;

    auto key() const {
        return std::tie(first, backend);
    }
    Series series() const {
        return {backend, first, last};
    }
    static constexpr RangeColumns ranges[] = {{"version", "first", "last"},
                                              {"backend_version", "backend_first", "backend_last"}};
    RNNCHECK_COLUMNS(first, last, backend, backend_first, backend_last)
};

/// The newest CUDA that official builds of a range of versions were made with, the old ones
/// included.
struct FrameworkCuda : Row {
    std::string framework;
    Version first, last, newest_cuda;
    int cudnn_major = 0;  ///< of the cuDNN it was built with

    auto key() const {
        return std::tie(framework, first);
    }
    Series series() const {
        return {framework, first, last};
    }
    RNNCHECK_COLUMNS(framework, first, last, newest_cuda, cudnn_major)
};

// Logs: how software words what goes wrong, which cause that points to, what to do then.

/// A kind of line in a log.
struct LogSignature : Row {
    std::string id;
    std::string kind;  ///< a name of LogKind
    /// RE2 syntax; a blank matches any run of white space or none, named groups become the event's
    /// fields.
    std::string pattern;
    std::string meaning;  ///< one clause: what such a line means
    /// Classes of messages that it belongs to, for LogEvidence. The id of a cause among them: the
    /// line indicates this cause, which is likely then.
    std::string symptoms;
    /// Signatures and symptoms that follow from what this line reports and indicate nothing beside
    /// it.
    std::string supersedes;

    auto key() const {
        return id;
    }
    RNNCHECK_COLUMNS(id, kind, pattern, meaning, symptoms, supersedes)
    static constexpr std::string_view may_be_missing[] = {"symptoms", "supersedes"};
};

/// What a symptom indicates where all words of `when` hold. A symptom is the id of a signature that
/// was seen, one of its symptoms, or a feature (rules/causes/log_causes.hpp); a word of `when` is
/// one of these or a comparison "pytorch<=1.6", with '!' before it: it must not hold. The causes of
/// each column are in the order of their likelihood, as are the rows of a symptom.
struct LogEvidence : Row {
    std::string symptom;
    std::string when;
    std::string certain;  ///< causes: nothing else is known to produce this
    std::string likely, possible;
    std::string rules_out;  ///< causes that it excludes; the last word of `when` is the reason

    auto key() const {
        return symptom;
    }
    static constexpr bool order_is_meant = true;  ///< of rows with the same key
    RNNCHECK_COLUMNS(symptom, when, certain, likely, possible, rules_out)
    static constexpr std::string_view may_be_missing[] = {"when", "certain", "likely", "possible",
                                                          "rules_out"};
};

/// What to report about a cause that a log indicates.
struct LogCause : Row {
    std::string cause;
    std::string layer;     ///< a name of Layer
    std::string severity;  ///< a name of Severity
    std::string title;     ///< one sentence that states the fault
    std::string message;  ///< the finding: begins in lower case or with a proper name, no full stop
    std::string means;    ///< a paragraph; "" where docs/rules/ has a page
    std::string knows;    ///< what distinguishes it from similar causes
    std::string check;    ///< the one check that decides
    bool needs_no_check = false;  ///< the log shows what `check` would
    std::string check_command;
    std::string windows_check_command;  ///< where check_command is one for Unix
    /// "{search_path}" stands for the variable with the directories that the loader searches:
    /// LD_LIBRARY_PATH, PATH.
    std::string remedy;
    std::string action;  ///< a name of Action
    /// May be empty. "{nvidia-cudnn}" stands for the package in the version that the log asks for,
    /// "{nvidia-cudnn>=8.9.2,<9}" for this range of it, "{plan}" for the plan of the log's GPU
    /// (rules/causes/log_remedies.cpp); " && " parts commands.
    std::string command;
    std::string windows_command;  ///< where command is one for Unix
    std::string
        rests_on;  ///< feature of rnn_limits or id of rnn_defects whose versions the text names
    std::string occurs_on;  ///< "windows" or "linux" for what no other system can have
    std::string risk;       ///< a name of Risk
    std::string harmless;   ///< when it may be left alone

    auto key() const {
        return cause;
    }
    RNNCHECK_COLUMNS(cause, layer, severity, title, message, means, knows, check, needs_no_check,
                     check_command, windows_check_command, remedy, action, command, windows_command,
                     rests_on, occurs_on, risk, harmless)
    static constexpr std::string_view may_be_missing[] = {
        "means",   "needs_no_check",  "check_command", "windows_check_command",
        "command", "windows_command", "rests_on",      "occurs_on",
        "risk",    "harmless"};
};

/// What to do about a cause where a line of the log names the failure more exactly: text and
/// command instead of those of LogCause. Of several lines that a log contains, the first row
/// counts.
struct LogRemedy : Row {
    std::string cause;
    std::string line;             ///< id of a signature, or one of its symptoms
    std::string remedy;           ///< as LogCause::remedy
    std::string command;          ///< without placeholders; may be empty
    std::string windows_command;  ///< where command is one for Unix

    auto key() const {
        return cause;
    }
    static constexpr bool order_is_meant = true;  ///< of rows with the same key
    RNNCHECK_COLUMNS(cause, line, remedy, command, windows_command)
    static constexpr std::string_view may_be_missing[] = {"command", "windows_command"};
};

}  // namespace rnncheck
