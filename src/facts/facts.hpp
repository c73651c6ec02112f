// The one document between finding out and judging. An empty optional means
// "unknown"; `probe_runs` shows why. Every field has one probe that fills it:
// two sources of one truth are two fields.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/lists.hpp"
#include "facts/common.hpp"
#include "facts/libraries.hpp"
#include "facts/log.hpp"
#include "facts/machine.hpp"
#include "facts/packages.hpp"
#include "facts/rnn.hpp"

namespace rnncheck {

/// Increased when documents of this rnncheck can no longer be read by earlier
/// ones; docs/formats-history.md lists what changed.
inline constexpr int facts_schema = 4;
/// Of reports, which hold facts.
inline constexpr int report_schema = 4;
/// The oldest whose facts can still be read.
inline constexpr int oldest_schema = 2;

/// Which rnncheck collected the facts, and which stages it was allowed to run:
/// look, query, run; or "given" alone.
struct ToolFacts {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, version, "version of rnncheck that collected these facts");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        stages,
        "stages that were run: look, query, run; or alone: given, if versions were "
        "specified and no machine "
        "was checked, and log, if only logs were read");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        collected_at,
        "when the machine was examined, in UTC: 2026-11-23T13:04:09Z") = {};
    RNNCHECK_FIELD(
        std::optional<std::string>,
        python,
        "the environment or interpreter specified with --python") = {};
    RNNCHECK_FIELD(
        std::optional<bool>,
        make_nodes,
        "whether --make-nodes let the driver create its device nodes") = {};
    RNNCHECK_FIELD(
        std::vector<std::string>,
        restrictions,
        "what kept rnncheck itself from examining the machine fully, in sentences") = {};
    RNNCHECK_FIELD(
        std::optional<std::string>,
        missing_fields,
        "the first fields that the document lacked from which these facts were read") = {};
    RNNCHECK_FIELDS_END
};

/// What a profile expects of a machine. Versions: "9.1.0" is that one,
/// ">=9.1" that one or a later one.
struct ExpectedMachine {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, profile, "file that expects them");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        driver,
        "version of the driver: 550.54.14, or >=550 for it or a later one") = {};
    RNNCHECK_FIELD(std::optional<std::string>, cuda, "version of each CUDA runtime") = {};
    RNNCHECK_FIELD(std::optional<std::string>, cudnn, "version of each cuDNN installation") = {};
    RNNCHECK_FIELD(std::optional<int>, gpus, "number of GPUs that CUDA programs see") = {};
    RNNCHECK_FIELD(std::optional<std::string>, gpu, "text in the name of each GPU, e.g. H200") = {};
    RNNCHECK_FIELD(
        std::optional<std::int64_t>, gpu_memory_mib, "least memory of each GPU in MiB") = {};
    RNNCHECK_FIELDS_END

    /// Whether one of these versions is expected at all; else the
    /// rules about them do not apply.
    bool names_versions() const {
        return driver || cuda || cudnn;
    }
    bool names_gpus() const {
        return gpus || gpu || gpu_memory_mib;
    }
};

/// All that probes, logs or a user's --given showed about one machine. Without
/// any value it is a machine about which nothing is known.
struct Facts {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, schema, "number of this form of the facts") = facts_schema;
    RNNCHECK_FIELD(ToolFacts, tool, "who collected them");
    RNNCHECK_FIELD(Host, host, "the machine and its system");
    RNNCHECK_FIELD(Driver, driver, "kernel module, device nodes, driver library");
    RNNCHECK_FIELD(std::vector<Gpu>, cuda_devices, "GPUs as a CUDA program sees them");
    RNNCHECK_FIELD(std::vector<Board>, nvml_devices, "GPUs as NVML sees them");
    RNNCHECK_FIELD(std::vector<Library>, libraries, "GPU libraries found on disk");
    RNNCHECK_FIELD(std::vector<Runtime>, runtimes, "CUDA runtimes that were queried");
    RNNCHECK_FIELD(std::vector<Nvrtc>, nvrtcs, "runtime compilers that were queried");
    RNNCHECK_FIELD(std::vector<Cudnn>, cudnns, "cuDNN installations that were queried");
    RNNCHECK_FIELD(std::vector<PythonEnvironment>, pythons, "Python environments");
    RNNCHECK_FIELD(
        std::vector<Framework>, frameworks, "frameworks that run recurrent networks through cuDNN");
    RNNCHECK_FIELD(
        std::vector<ImportOrder>,
        import_orders,
        "which cuDNN two frameworks of the active environment call in one process");
    RNNCHECK_FIELD(
        std::vector<DllLoad>, dll_loads, "DLLs that the frameworks on a disk of Windows load");
    RNNCHECK_FIELD(std::optional<Network>, network, "the recurrent network that is meant to run");
    RNNCHECK_FIELD(std::vector<KernelRun>, kernel_runs, "the test kernel on each GPU");
    RNNCHECK_FIELD(
        std::optional<RnnRequest>,
        rnn_request,
        "the requested recurrent-network cases, if not those of rnncheck doctor");
    RNNCHECK_FIELD(std::vector<RnnRun>, rnn_runs, "the recurrent-network cases");
    RNNCHECK_FIELD(std::vector<RnnFit>, rnn_fits, "the largest networks that fit into GPU memory");
    RNNCHECK_FIELD(std::vector<RnnDropout>, rnn_dropouts, "dropout between layers, measured");
    RNNCHECK_FIELD(std::vector<ProbeRun>, probe_runs, "how each probe went");
    RNNCHECK_FIELD(std::optional<Log>, log, "the content of logs");
    RNNCHECK_FIELD(std::optional<ExpectedMachine>, expected, "what a profile expects (--profile)");
    RNNCHECK_FIELDS_END
};

/// NVML's record of a GPU, joined by PCI address or UUID; null when NVML did not list it.
inline const Board* board_of(const Facts& facts, const Gpu& gpu) {
    for (const Board& board : facts.nvml_devices)
        if ((gpu.pci && gpu.pci == board.pci) || (gpu.uuid && gpu.uuid == board.uuid))
            return &board;
    return nullptr;
}

/// False for a stage that the user switched off; where the facts name no stages, all were.
inline bool stage_was_run(const Facts& facts, Stage stage) {
    return facts.tool.stages.empty() || includes(facts.tool.stages, name_of(stage));
}

/// No machine was examined: all that is known comes from logs and from --given.
inline bool is_log_only(const Facts& facts) {
    return facts.log && facts.tool.stages == std::vector<std::string>{"log"};
}

/// `more` joins `facts`: unset values are filled, set ones stay, lists are
/// appended; an element with the key() of one that is there joins that one, so
/// a probe can add more about a thing later.
void merge(Facts& facts, Facts more);

extern template const Shape& shape_of<Facts>();  // base/json.hpp; compiled once, in facts_json.cpp

/// The facts as documents hold them: a case of `rnn_runs` is described once, in
/// `rnn_cases`, to which runs refer by its `case_id`.
nlohmann::json facts_to_json(const Facts& facts);
/// JSON Schema of what facts_to_json writes.
nlohmann::json facts_json_schema();

/// The reverse; InputError names the place of what has the wrong form.
Facts facts_from_json(nlohmann::json json);

/// That as text, on one line without an indent: the wire and the file form.
std::string facts_to_text(const Facts& facts, int indent = -1);

/// Reads a facts document, or a whole report with one inside. `name` is for messages
/// ("machine.json"). InputError when it is neither, is of another schema, or a field
/// has the wrong form. The places of fields that are not known here are added to
/// `unknown`, where given: a newer rnncheck wrote them, or they are mistyped.
Facts facts_from_text(
    std::string_view text, const std::string& name, std::vector<std::string>* unknown = nullptr);

}  // namespace rnncheck
