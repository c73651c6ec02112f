// The one document between finding out and judging. An empty optional means "unknown"; `probe_runs` shows why. Every
// field has one probe that fills it: two sources of one truth are two fields.
#pragma once

#include "base/lists.hpp"
#include "facts/common.hpp"
#include "facts/libraries.hpp"
#include "facts/log.hpp"
#include "facts/machine.hpp"
#include "facts/packages.hpp"
#include "facts/rnn.hpp"

namespace rnncheck {

inline constexpr int facts_schema = 3;
/// Of reports, which hold facts.
inline constexpr int report_schema = 3;
/// The oldest whose facts can still be read.
inline constexpr int oldest_schema = 2;

/// Which rnncheck collected the facts, and which stages it was allowed to run: look, ask, run; or "given" alone.
struct ToolFacts {
    std::string version;
    std::vector<std::string> stages;
    std::optional<std::string> collected_at = {};
    std::optional<std::string> python = {};
    std::optional<bool> make_nodes = {};
    std::vector<std::string> restrictions = {};

    static void fields(auto& self, auto&& visit) {
        visit("version", self.version, "version of rnncheck that collected these facts");
        visit("stages", self.stages,
              "stages that were run: look, ask, run; or alone: given, if versions were specified and no machine was "
              "checked, and log, if only logs were read");
        visit("collected_at", self.collected_at, "when the machine was examined, in UTC: 2026-11-23T13:04:09Z");
        visit("python", self.python, "the environment or interpreter specified with --python");
        visit("make_nodes", self.make_nodes, "whether --make-nodes let the driver create its device nodes");
        visit("restrictions", self.restrictions,
              "what kept rnncheck itself from examining the machine fully, in sentences");
    }
};

/// Versions that a profile expects: "9.1.0" is that one, ">=9.1" that one or a later one.
struct ExpectedVersions {
    std::string profile;
    std::optional<std::string> driver = {};
    std::optional<std::string> cuda = {};
    std::optional<std::string> cudnn = {};

    static void fields(auto& self, auto&& visit) {
        visit("profile", self.profile, "file that expects them");
        visit("driver", self.driver, "version of the driver: 550.54.14, or >=550 for it or a later one");
        visit("cuda", self.cuda, "version of each CUDA runtime");
        visit("cudnn", self.cudnn, "version of each cuDNN installation");
    }
};

struct Facts {
    int schema = facts_schema;
    ToolFacts tool;
    Host host;
    Driver driver;
    std::vector<Gpu> cuda_devices;
    std::vector<Board> nvml_devices;
    std::vector<Library> libraries;
    std::vector<Runtime> runtimes;
    std::vector<Nvrtc> nvrtcs;
    std::vector<Cudnn> cudnns;
    std::vector<PythonEnvironment> pythons;
    std::vector<Framework> frameworks;
    std::optional<Network> network;
    std::vector<KernelRun> kernel_runs;
    std::optional<RnnRequest> rnn_request;
    std::vector<RnnRun> rnn_runs;
    std::vector<RnnFit> rnn_fits;
    std::vector<RnnDropout> rnn_dropouts;
    std::vector<ProbeRun> probe_runs;
    std::optional<Log> log;
    std::optional<ExpectedVersions> expected;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the facts");
        visit("tool", self.tool, "who collected them");
        visit("host", self.host, "the machine and its system");
        visit("driver", self.driver, "kernel module, device nodes, driver library");
        visit("cuda_devices", self.cuda_devices, "GPUs as a CUDA program sees them");
        visit("nvml_devices", self.nvml_devices, "GPUs as NVML sees them");
        visit("libraries", self.libraries, "GPU libraries found on disk");
        visit("runtimes", self.runtimes, "CUDA runtimes that were queried");
        visit("nvrtcs", self.nvrtcs, "runtime compilers that were queried");
        visit("cudnns", self.cudnns, "cuDNN installations that were queried");
        visit("pythons", self.pythons, "Python environments");
        visit("frameworks", self.frameworks, "frameworks that run recurrent networks through cuDNN");
        visit("network", self.network, "the recurrent network that is meant to run");
        visit("kernel_runs", self.kernel_runs, "the test kernel on each GPU");
        visit("rnn_request", self.rnn_request,
              "the requested recurrent-network cases, if not those of rnncheck doctor");
        visit("rnn_runs", self.rnn_runs, "the recurrent-network cases");
        visit("rnn_fits", self.rnn_fits, "the largest networks that fit into GPU memory");
        visit("rnn_dropouts", self.rnn_dropouts, "dropout between layers, measured");
        visit("probe_runs", self.probe_runs, "how each probe went");
        visit("log", self.log, "the content of logs");
        visit("expected", self.expected, "versions that a profile expects (--profile)");
    }
};

/// NVML's record of a GPU, joined by PCI address or UUID; null when NVML did not list it.
inline const Board* board_of(const Facts& facts, const Gpu& gpu) {
    for (const Board& board : facts.nvml_devices)
        if ((gpu.pci && gpu.pci == board.pci) || (gpu.uuid && gpu.uuid == board.uuid)) return &board;
    return nullptr;
}

/// False for a stage that the user switched off; where the facts name no stages, all were.
inline bool stage_was_run(const Facts& facts, Stage stage) {
    return facts.tool.stages.empty() || includes(facts.tool.stages, name_of(stage));
}

/// All facts come from --given: what it did not name is unknown, and no machine was examined.
inline bool only_given(const Facts& facts) {
    return facts.tool.stages == std::vector<std::string>{"given"};
}

/// No machine was examined: all that is known comes from logs and from --given.
inline bool from_logs_alone(const Facts& facts) {
    return facts.log && facts.tool.stages == std::vector<std::string>{"log"};
}

/// `more` joins `facts`: unset values are filled, set ones stay, lists are appended; an element with the key() of one
/// that is there joins that one, so a probe can add more about a thing later.
void merge(Facts& facts, Facts more);

}  // namespace rnncheck
