// What the DLLs that a framework of Windows loads lead to: one finding for one fault, and none for
// a complete cuDNN.
#include "judge.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"
#include "support/dll_machines.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

const std::string cuda_directory = "C:\\CUDA\\v11.2\\bin\\";

const std::set<std::string> dll_rules = {
    "cudnn_part_missing",
    "zlib_missing",
    "cudnn_mixed_sublibraries",
    "cudnn_shadowed",
    "cudnn_major_soname_mismatch",
    "cuda_version_mismatch",
    "cudnn_not_on_loader_path",
    "cuda_lib_not_on_loader_path",
    "cudnn_not_installed",
    "library_file_damaged",
    "vc_runtime_missing"};

Selection only_dll_rules() {
    Selection selection;
    selection.only = dll_rules;
    return selection;
}

std::vector<Finding> dll_findings(const std::vector<DllLoad>& loads) {
    return judge(with_dlls(loads), bundled_matrix(), only_dll_rules()).findings;
}

/// The rules that report something, and what the first one reports.
std::string dlls_reported(const std::vector<DllLoad>& loads) {
    std::string all;
    for (const Finding& finding : dll_findings(loads))
        all += finding.rule + ": " + finding.message + "\n";
    return all;
}

DllLoad front_dll(const std::string& directory, const std::string& version) {
    return loaded_dll("cudnn64_8.dll", directory + "cudnn64_8.dll", version);
}

}  // namespace

TEST_CASE("a complete cuDNN of Windows has no finding") {
    CHECK(
        dlls_reported(
            {front_dll(cuda_directory, "8.1.0.77"),
             loaded_dll(
                 "cudnn_ops_infer64_8.dll", cuda_directory + "cudnn_ops_infer64_8.dll", "8.1.0.77"),
             loaded_dll("cudnn_graph64_9.dll", cuda_directory + "cudnn_graph64_9.dll"),
             loaded_dll("cudart64_110.dll", cuda_directory + "cudart64_110.dll", "6.14.11.11020")})
            .empty());
}

TEST_CASE("each fault of a disk of Windows is one finding") {
    CHECK(
        dlls_reported(
            {front_dll(cuda_directory, "8.1.0"),
             missing_dll(
                 "cudnn_ops_infer64_8.dll",
                 cuda_directory + "cudnn64_8.dll",
                 {"C:\\other\\cudnn_ops_infer64_8.dll",
                  cuda_directory + "cudnn_ops_infer64_8.dll"})}) ==
        "cudnn_part_missing: tensorflow 2.10.1 loads C:\\CUDA\\v11.2\\bin\\cudnn64_8.dll, which "
        "does not find "
        "cudnn_ops_infer64_8.dll: it is in C:\\CUDA\\v11.2\\bin, which Windows does not search\n");
    CHECK(
        dlls_reported(
            {front_dll(cuda_directory, "8.3.2"),
             missing_dll("zlibwapi.dll", cuda_directory + "cudnn64_8.dll")}) ==
        "zlib_missing: cuDNN 8.3.2 at C:\\CUDA\\v11.2\\bin\\cudnn64_8.dll needs zlibwapi.dll, "
        "which is not found\n");
    CHECK(dlls_reported({front_dll(cuda_directory, "8.7.0"),
                         missing_dll("zlibwapi.dll", cuda_directory + "cudnn64_8.dll")})
              .empty());
    CHECK(
        dlls_reported(
            {front_dll(cuda_directory, "8.1.0"),
             loaded_dll("cudnn_ops_infer64_8.dll", "C:\\b\\cudnn_ops_infer64_8.dll", "8.0.5")}) ==
        "cudnn_mixed_sublibraries: tensorflow 2.10.1 loads cuDNN libraries of different "
        "versions: cudnn64_8.dll "
        "8.1.0 from C:\\CUDA\\v11.2\\bin and cudnn_ops_infer64_8.dll 8.0.5 from C:\\b\n");
    CHECK(
        dlls_reported(
            {lacking_dll("cudnn_adv64_9.dll", "C:\\b\\cudnn_ops64_9.dll"),
             lacking_dll("cudnn_cnn64_9.dll", "C:\\b\\cudnn_ops64_9.dll")}) ==
        "cudnn_mixed_sublibraries: C:\\cudnn\\cudnn_adv64_9.dll needs aFunction from "
        "C:\\b\\cudnn_ops64_9.dll, "
        "which does not have it (WinError 127): the files are of different versions\n");
    CHECK(
        dlls_reported({missing_dll("cudnn64_8.dll", "", {"C:\\b\\cudnn64_9.dll"})}) ==
        "cudnn_major_soname_mismatch: tensorflow 2.10.1 loads cudnn64_8.dll, but what is "
        "installed is "
        "C:\\b\\cudnn64_9.dll: DLLs of different major versions are not interchangeable\n");
    CHECK(
        dlls_reported({missing_dll("cudart64_110.dll", "", {"C:\\b\\cudart64_12.dll"})}) ==
        "cuda_version_mismatch: tensorflow 2.10.1 loads cudart64_110.dll, but what is "
        "installed is "
        "C:\\b\\cudart64_12.dll: DLLs of different major versions are not interchangeable\n");
    CHECK(
        dlls_reported({missing_dll("cudnn64_8.dll", "", {"C:\\b\\cudnn64_8.dll"})}) ==
        "cudnn_not_on_loader_path: tensorflow 2.10.1 loads cudnn64_8.dll, which is in C:\\b, "
        "where Windows does not "
        "search\n");
    CHECK(
        dlls_reported({missing_dll("cublas64_11.dll", "", {"C:\\b\\cublas64_11.dll"})}) ==
        "cuda_lib_not_on_loader_path: tensorflow 2.10.1 loads cublas64_11.dll, which is in "
        "C:\\b, where Windows does "
        "not search\n");
    CHECK(
        dlls_reported({missing_dll("cudnn64_8.dll", "")}) ==
        "cudnn_not_installed: tensorflow 2.10.1 loads cudnn64_8.dll, which is not installed\n");
    CHECK(
        dlls_reported({missing_dll("cudart64_110.dll", ""), missing_dll("cufft64_10.dll", "")}) ==
        "cuda_version_mismatch: tensorflow 2.10.1 loads cudart64_110.dll, which is "
        "not installed\n");
    CHECK(
        dlls_reported(
            {missing_dll("cudart64_110.dll", "", {"C:\\b\\cudart64_110.dll"}),
             missing_dll("cufft64_10.dll", "", {"C:\\b\\cufft64_10.dll"})}) ==
        "cuda_lib_not_on_loader_path: tensorflow 2.10.1 loads cudart64_110.dll, which is in "
        "C:\\b, where Windows does not search\n");
    CHECK(
        dlls_reported({missing_dll("msvcp140.dll", "C:\\a.pyd")}) ==
        "vc_runtime_missing: C:\\a.pyd needs msvcp140.dll of Microsoft's Visual C++ runtime, "
        "which is not installed "
        "(WinError 126)\n");
}

TEST_CASE("a cuDNN in System32 is found first where another one is installed") {
    DllLoad load = front_dll("C:\\Windows\\System32\\", "8.0.5");
    load.rule = LoaderRule::system_directory;
    CHECK(dlls_reported({load}).empty());
    load.elsewhere = {cuda_directory + "cudnn64_8.dll"};
    CHECK(
        dlls_reported({load}) ==
        "cudnn_shadowed: tensorflow 2.10.1 loads cuDNN 8.0.5 from C:\\Windows\\System32 "
        "instead of "
        "C:\\CUDA\\v11.2\\bin\\cudnn64_8.dll\n");
    CHECK(dll_findings({load}).front().severity == Severity::warning);
    load.rule = LoaderRule::path_variable;
    CHECK(dlls_reported({load}).empty());
}

TEST_CASE("a DLL that is no DLL is named with what it is") {
    DllLoad load = front_dll(cuda_directory, "");
    load.ending = DllEnding::unusable;
    load.problem = "is a text file that begins with 'x'";
    CHECK(
        dlls_reported({load}) == "library_file_damaged: " + cuda_directory +
                                     "cudnn64_8.dll is a text file that begins with 'x'\n");
}

TEST_CASE("remedies of a disk of Windows are commands of PowerShell") {
    const auto all = dll_findings({missing_dll("cudnn64_8.dll", "", {"C:\\b c\\cudnn64_8.dll"})});
    REQUIRE(all.size() == 1);
    CHECK(
        all[0].remedies.front().commands ==
        std::vector<std::string>{"$env:PATH = \"C:\\b c;$env:PATH\""});
}

TEST_CASE("what is unknown is no finding and no pass") {
    const Report report =
        judge(with_dlls({unknown_dll("cudnn64_8.dll")}), bundled_matrix(), only_dll_rules());
    CHECK(report.findings.empty());
    for (const RuleVerdict& verdict : report.verdicts)
        CHECK(verdict.outcome != Outcome::pass);
}

namespace {

/// Of an examined machine on which no framework was found, with this end of the search for them.
std::set<Outcome> outcomes_after(ProbeEnd end) {
    Facts facts = with_dlls({});
    facts.pythons.clear();
    facts.frameworks.clear();
    ProbeRun search;
    search.probe = "python_packages";
    search.end = end;
    facts.probe_runs = {search};
    std::set<Outcome> outcomes;
    for (const RuleVerdict& verdict : judge(facts, bundled_matrix(), only_dll_rules()).verdicts)
        if (dll_rules.contains(verdict.rule))
            outcomes.insert(verdict.outcome);
    return outcomes;
}

}  // namespace

TEST_CASE("without a framework no DLL is judged, and after a search that was cut off none passes") {
    CHECK(outcomes_after(ProbeEnd::finished) == std::set{Outcome::not_applicable});
    CHECK(outcomes_after(ProbeEnd::crashed) == std::set{Outcome::undecided});
}

TEST_CASE("on an examined machine with Windows the fix keeps its command of PowerShell") {
    Facts facts = with_dlls({missing_dll("cudnn64_8.dll", "", {"C:\\b\\cudnn64_8.dll"})});
    ProbeRun search;
    search.probe = "python_packages";
    facts.probe_runs = {search};
    const auto findings = judge(facts, bundled_matrix(), only_dll_rules()).findings;
    REQUIRE(findings.size() == 1);
    CHECK(
        findings.front().remedies.front().commands ==
        std::vector<std::string>{"$env:PATH = \"C:\\b;$env:PATH\""});
}

namespace {

const std::string program_front = "C:\\cudnn\\cudnn64_9.dll";

DllLoad program_loads(const std::string& name, const std::string& version) {
    return by_a_program(loaded_dll(name, "C:\\cudnn\\" + name, version));
}

/// A machine with Windows and no framework, whose PATH leads to a cuDNN 9.
Facts without_a_framework(const std::vector<DllLoad>& loads) {
    Facts facts = with_dlls({program_loads("cudnn64_9.dll", "9.10.2.21")});
    append(facts.dll_loads, loads);
    facts.pythons.clear();
    facts.frameworks.clear();
    Library front;
    front.kind = LibraryKind::cudnn;
    front.path = "C:/cudnn/cudnn64_9.dll";
    front.found_via = FoundVia::path_variable;
    front.picked_by_loader = true;
    facts.libraries = {front};
    for (const char* const probe : {"python_packages", "library_files"}) {
        ProbeRun& run = facts.probe_runs.emplace_back();
        run.probe = probe;
    }
    return facts;
}

std::string reported(const Facts& facts) {
    Selection selection = only_dll_rules();
    selection.only.insert({"cudnn_unusable", "cudnn_rnn_unusable", "cudnn_built_for_other_cuda"});
    std::string all;
    for (const Finding& finding : judge(facts, bundled_matrix(), selection).findings)
        all += finding.rule + ": " + finding.message + "\n";
    return all;
}

DllLoad unusable_for_program(const std::string& name, const std::string& problem) {
    DllLoad load = program_loads(name, "");
    load.ending = DllEnding::unusable;
    load.problem = problem;
    return load;
}

}  // namespace

TEST_CASE("a cuDNN that no framework loads is judged as one that a framework loads") {
    CHECK(reported(without_a_framework({program_loads("cudnn_ops64_9.dll", "9.10.2.21")})) == "");
    CHECK(
        reported(without_a_framework({program_loads("cudnn_ops64_9.dll", "9.1.0.70")})) ==
        "cudnn_mixed_sublibraries: a program loads cuDNN libraries of different versions: "
        "cudnn64_9.dll 9.10.2 from C:\\cudnn and cudnn_ops64_9.dll 9.1.0 from C:\\cudnn\n");
    CHECK(
        reported(
            without_a_framework({by_a_program(missing_dll("cudnn_ops64_9.dll", program_front))})) ==
        "cudnn_part_missing: a program loads C:\\cudnn\\cudnn64_9.dll, which does not find "
        "cudnn_ops64_9.dll: it is not installed\n");
    CHECK(
        reported(without_a_framework(
            {unusable_for_program("cudnn_ops64_9.dll", "is built for another architecture")})) ==
        "library_file_damaged: C:\\cudnn\\cudnn_ops64_9.dll is built for another "
        "architecture\n");
    Facts damaged = without_a_framework({});
    damaged.dll_loads = {unusable_for_program("cudnn64_9.dll", "is empty")};
    CHECK(reported(damaged) == "library_file_damaged: C:\\cudnn\\cudnn64_9.dll is empty\n");
}

TEST_CASE("a fault in a cuDNN's files explains why it could not be queried") {
    Facts facts = without_a_framework({program_loads("cudnn_ops64_9.dll", "9.1.0.70")});
    Cudnn cudnn;
    cudnn.library = "C:/cudnn/cudnn64_9.dll";
    cudnn.failure = CallResult{"cudnnGetVersion", -1, "not called"};
    facts.cudnns = {cudnn};
    CHECK(reported(facts).starts_with("cudnn_mixed_sublibraries"));
    CHECK(!contains(reported(facts), "unusable"));
    facts.dll_loads = {unusable_for_program("cudnn64_9.dll", "is empty")};
    CHECK(!contains(reported(facts), "unusable"));
}

TEST_CASE("a cuDNN that is not found by its name is a warning") {
    Facts facts = without_a_framework({program_loads("cudnn_ops64_9.dll", "9.1.0.70")});
    const auto severity = [&] {
        return judge(facts, bundled_matrix(), only_dll_rules()).findings.front().severity;
    };
    CHECK(severity() == Severity::error);
    facts.libraries.front().picked_by_loader = false;
    CHECK(severity() == Severity::warning);
}

TEST_CASE("a fault in a cuDNN that a framework loads is reported of the framework alone") {
    const std::string front = "C:\\cudnn\\cudnn64_8.dll", ops = "cudnn_ops_infer64_8.dll";
    Facts facts = with_dlls({loaded_dll("cudnn64_8.dll", front, "8.9.7"), missing_dll(ops, front)});
    for (DllLoad load : std::vector(facts.dll_loads))
        facts.dll_loads.push_back(by_a_program(load));
    const auto findings = judge(facts, bundled_matrix(), only_dll_rules()).findings;
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().message.starts_with("tensorflow 2.10.1 loads"));
}

TEST_CASE("libraries for different CUDA versions are a mixture") {
    DllLoad ops = program_loads("cudnn_ops64_9.dll", "9.10.2.21");
    DllLoad adv = program_loads("cudnn_adv64_9.dll", "9.10.2.21");
    ops.cuda_major = adv.cuda_major = 12;
    CHECK(reported(without_a_framework({ops, adv})) == "");
    adv.cuda_major = 11;
    CHECK(
        reported(without_a_framework({ops, adv})) ==
        "cudnn_mixed_sublibraries: a program loads cuDNN libraries built for different CUDA "
        "versions: cudnn_ops64_9.dll for CUDA 12 from C:\\cudnn and cudnn_adv64_9.dll for CUDA 11 "
        "from C:\\cudnn\n");
}

TEST_CASE("a cuDNN that was not queried shows by its files for which CUDA it is") {
    DllLoad ops = loaded_dll("cudnn_ops_infer64_8.dll", "C:\\cudnn\\cudnn_ops_infer64_8.dll");
    const auto found = [&](std::optional<int> cuda_major) {
        ops.cuda_major = cuda_major;
        return reported(with_dlls({front_dll("C:\\cudnn\\", "8.1.0"), ops}));
    };
    CHECK(
        found(12) ==
        "cudnn_built_for_other_cuda: tensorflow 2.10.1 was built for CUDA 11.2, but the cuDNN at "
        "C:\\cudnn\\cudnn64_8.dll, which it loads, was built for CUDA 12\n");
    CHECK(found(11) == "");
    CHECK(found(std::nullopt) == "");
}

TEST_CASE("cuDNN libraries of one directory that do not fit are reinstalled") {
    const auto action_for = [](const std::string& directory) {
        DllLoad ops = program_loads("cudnn_ops64_9.dll", "9.1.0.70");
        ops.path = directory + "\\cudnn_ops64_9.dll";
        const auto findings =
            judge(without_a_framework({ops}), bundled_matrix(), only_dll_rules()).findings;
        REQUIRE(findings.size() == 1);
        return findings.front().remedies.front().action;
    };
    CHECK(action_for("C:\\cudnn") == Action::reinstall_package);
    CHECK(action_for("C:\\other") == Action::change_environment);
}
