// What must hold for all rules together, those to come included.
#include <algorithm>
#include <set>

#include "facts/facts.hpp"
#include "judge.hpp"
#include "support/catch.hpp"
#include "support/cudnn_machines.hpp"
#include "support/forget.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// A machine with one fault and the one rule that is to call it an error.
struct Broken {
    const char* rule;
    Facts facts;
};

Facts with_container(Facts f) {
    f.host.container = "docker";
    return f;
}

Facts with_library(Facts f, FileProblem problem, const char* detail) {
    Library& library = f.libraries.emplace_back();
    library.kind = LibraryKind::cudart;
    library.path = "/opt/broken/libcudart.so.13";
    library.found_via = FoundVia::ld_library_path;
    library.problem = problem;
    library.problem_detail = detail;
    return f;
}

Facts probe_ended(const char* probe, ProbeEnd end) {
    return but([&](Facts& f) { probe_run(f, probe).end = end; });
}

Facts kernel_returns(std::int64_t code) {
    return but([&](Facts& f) {
        f.kernel_runs = {{0, CallResult{"cuModuleLoadDataEx", code, ""}, {}}};
        f.rnn_runs.clear();
        std::erase_if(f.probe_runs, [](const ProbeRun& run) { return run.probe == "rnn_forward"; });
    });
}

Facts board_with(void (*change)(Board&)) {
    return but([&](Facts& f) { change(f.nvml_devices.front()); });
}

std::vector<Broken> broken_machines() {
    return {
        {"driver_missing", without_driver()},
        {"driver_missing",
         after(with_container(without_driver()), [](Facts& f) { f.host.pci_gpus.clear(); })},
        {"container_no_gpu_runtime", container_without_gpu_access()},
        {"kernel_module_missing", library_without_module()},
        {"kernel_module_missing", with_container(library_without_module())},
        {"driver_library_missing", module_without_library()},
        {"driver_userland_kernel_mismatch",
         after(init_returns(803), [](Facts& f) { f.driver.kernel_version = v("550.40.07"); })},
        {"driver_installed_inside_container",
         with_container(after(
             init_returns(803), [](Facts& f) { f.driver.kernel_version = v("535.104.05"); }))},
        {"device_nodes_missing",
         after(
             init_returns(100),
             [](Facts& f) {
                 f.driver.modprobe_helper = false;
                 f.driver.device_nodes.clear();
             })},
        {"device_nodes_unreadable",
         after(init_returns(100), [](Facts& f) { f.driver.device_nodes[1].writable = false; })},
        {"uvm_device_node_missing",
         after(
             init_returns(999),
             [](Facts& f) {
                 f.driver.modprobe_helper = false;
                 std::erase_if(f.driver.device_nodes, [](const DeviceNode& n) {
                     return n.path == "/dev/nvidia-uvm";
                 });
             })},
        {"driver_too_old", but([](Facts& f) { f.runtimes.front().version = v("13.0"); })},
        {"ptx_newer_than_driver", kernel_returns(222)},
        {"container_cuda_newer_than_driver",
         after(
             init_returns(804), [](Facts& f) { library_of(f, LibraryKind::cuda).compat = true; })},
        {"fabric_manager_not_running", init_returns(802)},
        {"driver_init_failed", init_returns(999)},
        {"stub_driver_library_in_path",
         after(
             init_returns(34),
             [](Facts& f) {
                 f.libraries.insert(f.libraries.begin(), library_of(f, LibraryKind::cuda));
                 f.libraries[1].picked_by_loader = false;
                 f.libraries[0].stub = true;
                 f.libraries[0].path = "/usr/local/cuda/lib64/stubs/libcuda.so.1";
                 f.libraries[0].real_path.reset();
                 f.driver.library = f.libraries[0].path;
             })},
        {"library_for_other_machine",
         with_library(a_healthy_machine(), FileProblem::other_machine, "for AArch64")},
        {"library_file_damaged",
         with_library(a_healthy_machine(), FileProblem::truncated, "ends too early")},
        {"probe_crashed", probe_ended("cuda_runtime", ProbeEnd::crashed)},
        {"rnn_call_failed", but([](Facts& f) {
             one_case(f, RunEnd::failed, {"cudnnRNNForward", -1, "crashed with SIGSEGV"});
             const RnnRun& lost =
                 *std::find_if(f.rnn_runs.begin(), f.rnn_runs.end(), [](const RnnRun& run) {
                     return run.end == RunEnd::failed;
                 });
             ProbeRun& run = probe_run(f, "rnn_forward");
             run.target = "GPU 0 " + std::string(name_of(lost.rnn_api)) + ' ' + lost.library;
             run.end = ProbeEnd::crashed;
             run.last_call = "cudnnRNNForward";
         })},
        {"cudnn_part_unreadable", but([](Facts& f) {
             Library& part = library_named(f, "libcudnn_adv_infer.so.8");
             part.problem = FileProblem::truncated;
             part.problem_detail = "is cut off";
             rnn_api_fails(f, "cudnnAdvInferVersionCheck", 4, "CUDNN_STATUS_INTERNAL_ERROR");
         })},
        {"probe_timed_out", probe_ended("cuda_runtime", ProbeEnd::timed_out)},
        {"probe_stuck", probe_ended("cuda_runtime", ProbeEnd::stuck)},
        {"probe_quit_early", probe_ended("cuda_runtime", ProbeEnd::quit_early)},
        {"no_gpu_visible", after(init_returns(100), [](Facts& f) { f.nvml_devices.clear(); })},
        {"gpu_hidden_by_setting",
         after(
             init_returns(100), [](Facts& f) { f.host.environment["CUDA_VISIBLE_DEVICES"] = ""; })},
        {"gpu_out_of_memory", but([](Facts& f) {
             all_cases(f, RunEnd::out_of_memory, {"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"});
             f.nvml_devices.front().memory_free_mib = 100;
             f.nvml_devices.front().processes = {{4711, 24'000}};
         })},
        {"gpu_out_of_memory", kernel_returns(2)},
        {"gpu_memory_ecc_error", board_with([](Board& b) {
             b.ecc_enabled = true;
             b.ecc_uncorrected_since_boot = 1;
         })},
        {"gpu_memory_ecc_error", kernel_returns(214)},
        {"gpu_memory_repair_pending", board_with([](Board& b) { b.remapping_failed = true; })},
        {"gpu_exclusive_mode_busy", kernel_returns(46)},
        {"gpu_compute_prohibited", board_with([](Board& b) { b.compute_mode = "prohibited"; })},
        {"gpu_fell_off_bus", but([](Facts& f) {
             Board& lost = f.nvml_devices.emplace_back();
             lost.index = 1;
             lost.unreachable = CallResult{"nvmlDeviceGetHandleByIndex_v2", 15, "GPU is lost"};
         })},
    };
}

std::set<std::string> errors_of(const Report& report) {
    std::set<std::string> errors;
    for (const auto& finding : report.findings)
        if (finding.severity == Severity::error)
            errors.insert(finding.rule);
    return errors;
}

}  // namespace

TEST_CASE("no rule fires on a healthy machine, and none is left open") {
    for (const auto& rule : all_rules()) {
        const Verdict verdict = rule->check(a_healthy_machine(), Matrix::bundled());
        INFO(rule.name << ": " << verdict.reason);
        CHECK((verdict.outcome == Outcome::pass || verdict.outcome == Outcome::not_applicable));
    }
}

TEST_CASE("a healthy machine stays healthy when a sandbox hides the driver's files") {
    Facts hidden = a_healthy_machine();
    hidden.host.container = "gvisor";
    hidden.host.pci_gpus.clear();
    hidden.host.pci_listed = false;
    hidden.driver.module_loaded = false;
    hidden.driver.kernel_version.reset();
    hidden.driver.device_nodes.clear();
    for (const auto& finding : judge(hidden, Matrix::bundled(), {}).findings)
        UNSCOPED_INFO(finding.rule << ": " << finding.message);
    CHECK(judge(hidden, Matrix::bundled(), {}).verdict == OverallVerdict::healthy);
}

TEST_CASE("nothing collected, nothing passes") {
    for (const auto& rule : all_rules()) {
        INFO(rule.name);
        CHECK(rule->check({}, Matrix::bundled()).outcome != Outcome::pass);
    }
}

TEST_CASE("one fault, one error") {
    for (const auto& [rule, facts] : broken_machines()) {
        const Report report = judge(facts, Matrix::bundled(), {});
        INFO("the fault of " << rule);
        for (const auto& finding : report.findings)
            UNSCOPED_INFO(finding.rule << ": " << finding.message);
        CHECK(errors_of(report) == std::set<std::string>{rule});
        CHECK(report.verdict == OverallVerdict::problems);
    }
}

TEST_CASE("a rule yields to rules that exist") {
    for (const auto& rule : all_rules())
        for (const std::string_view other : rule->superseded_by) {
            INFO(rule.name << " yields to " << other);
            CHECK(find_named(all_rules(), other));
        }
}

TEST_CASE("a finding is left out only for one that is reported") {
    const Matrix matrix = Matrix::bundled();
    for (const auto& machine : broken_machines()) {
        const Report report = judge(machine.facts, matrix, {});
        const auto reported = [&](std::string_view rule) {
            return std::ranges::find(report.findings, rule, &Finding::rule) !=
                   report.findings.end();
        };
        for (const auto& verdict : report.verdicts) {
            const auto& rule = *find_named(all_rules(), verdict.rule);
            if (reported(verdict.rule) ||
                rule->check(machine.facts, matrix).outcome != Outcome::fault)
                continue;
            INFO("the fault of " << machine.rule << ": " << verdict.rule << ' ' << verdict.reason);
            CHECK(verdict.outcome != Outcome::pass);
            CHECK(std::ranges::any_of(rule->superseded_by, reported));
        }
    }
}

TEST_CASE("different faults have different words") {
    std::set<std::string> titles, messages;
    for (const auto& rule : all_rules())
        CHECK(titles.insert(std::string(rule->title)).second);
    for (const auto& [rule, facts] : broken_machines())
        for (const auto& finding : judge(facts, Matrix::bundled(), {}).findings)
            if (finding.rule == rule)
                messages.insert(finding.rule + '\n' + finding.message);
    std::set<std::string> texts;
    for (const auto& message : messages)
        CHECK(texts.insert(message.substr(message.find('\n'))).second);
}

TEST_CASE("forgetting cannot heal") {
    const Matrix matrix = Matrix::bundled();
    for (const auto& machine : broken_machines()) {
        Facts facts = facts_from_text(facts_to_text(machine.facts), machine.rule);
        for (const auto& rule : all_rules()) {
            if (rule->check(facts, matrix).outcome != Outcome::fault)
                continue;
            forget_each(facts, "facts", [&](const std::string& place) {
                INFO(
                    rule.name << " passes on the fault of " << machine.rule << " without "
                              << place);
                CHECK(rule->check(facts, matrix).outcome != Outcome::pass);
            });
        }
    }
}

TEST_CASE("a rule that was not written for Windows decides nothing about a machine with Windows") {
    for (Broken broken : broken_machines()) {
        broken.facts.host.platform = "windows";
        const Report report = judge(broken.facts, Matrix::bundled(), {});
        for (const RuleVerdict& verdict : report.verdicts) {
            const auto* const rule = find_named(all_rules(), verdict.rule);
            if ((*rule)->on_windows == OnWindows::decides || (*rule)->judges_log)
                continue;
            INFO(broken.rule << ": " << verdict.rule << " decides on Windows: " << verdict.reason);
            CHECK_FALSE(verdict.outcome == Outcome::pass);
            CHECK_FALSE(verdict.outcome == Outcome::fault);
        }
    }
}
