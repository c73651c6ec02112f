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
    "cudnn_part_missing",          "zlib_missing",
    "cudnn_mixed_sublibraries",    "cudnn_shadowed",
    "cudnn_major_soname_mismatch", "cuda_version_mismatch",
    "cudnn_not_on_loader_path",    "cuda_lib_not_on_loader_path",
    "cudnn_not_installed",         "library_file_damaged",
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
    CHECK(dlls_reported({front_dll(cuda_directory, "8.1.0.77"),
                         loaded_dll("cudnn_ops_infer64_8.dll",
                                    cuda_directory + "cudnn_ops_infer64_8.dll", "8.1.0.77"),
                         loaded_dll("cudnn_graph64_9.dll", cuda_directory + "cudnn_graph64_9.dll"),
                         loaded_dll("cudart64_110.dll", cuda_directory + "cudart64_110.dll",
                                    "6.14.11.11020")})
              .empty());
}

TEST_CASE("each fault of a disk of Windows is one finding") {
    CHECK(
        dlls_reported({front_dll(cuda_directory, "8.1.0"),
                       missing_dll("cudnn_ops_infer64_8.dll", cuda_directory + "cudnn64_8.dll",
                                   {"C:\\other\\cudnn_ops_infer64_8.dll",
                                    cuda_directory + "cudnn_ops_infer64_8.dll"})}) ==
        "cudnn_part_missing: tensorflow 2.10.1 loads C:\\CUDA\\v11.2\\bin\\cudnn64_8.dll, which "
        "does not find "
        "cudnn_ops_infer64_8.dll: it is in C:\\CUDA\\v11.2\\bin, which Windows does not search\n");
    CHECK(dlls_reported({front_dll(cuda_directory, "8.3.2"),
                         missing_dll("zlibwapi.dll", cuda_directory + "cudnn64_8.dll")}) ==
          "zlib_missing: cuDNN 8.3.2 at C:\\CUDA\\v11.2\\bin\\cudnn64_8.dll needs zlibwapi.dll, "
          "which is not found\n");
    CHECK(dlls_reported({front_dll(cuda_directory, "8.7.0"),
                         missing_dll("zlibwapi.dll", cuda_directory + "cudnn64_8.dll")})
              .empty());
    CHECK(dlls_reported(
              {front_dll(cuda_directory, "8.1.0"),
               loaded_dll("cudnn_ops_infer64_8.dll", "C:\\b\\cudnn_ops_infer64_8.dll", "8.0.5")}) ==
          "cudnn_mixed_sublibraries: tensorflow 2.10.1 loads cuDNN libraries of different "
          "versions: cudnn64_8.dll "
          "8.1.0 from C:\\CUDA\\v11.2\\bin and cudnn_ops_infer64_8.dll 8.0.5 from C:\\b\n");
    CHECK(dlls_reported({lacking_dll("cudnn_adv64_9.dll", "C:\\b\\cudnn_ops64_9.dll"),
                         lacking_dll("cudnn_cnn64_9.dll", "C:\\b\\cudnn_ops64_9.dll")}) ==
          "cudnn_mixed_sublibraries: C:\\cudnn\\cudnn_adv64_9.dll needs aFunction from "
          "C:\\b\\cudnn_ops64_9.dll, "
          "which does not have it (WinError 127): the files are of different versions\n");
    CHECK(dlls_reported({missing_dll("cudnn64_8.dll", "", {"C:\\b\\cudnn64_9.dll"})}) ==
          "cudnn_major_soname_mismatch: tensorflow 2.10.1 loads cudnn64_8.dll, but what is "
          "installed is "
          "C:\\b\\cudnn64_9.dll: DLLs of different major versions are not interchangeable\n");
    CHECK(dlls_reported({missing_dll("cudart64_110.dll", "", {"C:\\b\\cudart64_12.dll"})}) ==
          "cuda_version_mismatch: tensorflow 2.10.1 loads cudart64_110.dll, but what is "
          "installed is "
          "C:\\b\\cudart64_12.dll: DLLs of different major versions are not interchangeable\n");
    CHECK(dlls_reported({missing_dll("cudnn64_8.dll", "", {"C:\\b\\cudnn64_8.dll"})}) ==
          "cudnn_not_on_loader_path: tensorflow 2.10.1 loads cudnn64_8.dll, which is in C:\\b, "
          "where Windows does not "
          "search\n");
    CHECK(dlls_reported({missing_dll("cublas64_11.dll", "", {"C:\\b\\cublas64_11.dll"})}) ==
          "cuda_lib_not_on_loader_path: tensorflow 2.10.1 loads cublas64_11.dll, which is in "
          "C:\\b, where Windows does "
          "not search\n");
    CHECK(dlls_reported({missing_dll("cudnn64_8.dll", "")}) ==
          "cudnn_not_installed: tensorflow 2.10.1 loads cudnn64_8.dll, which is not installed\n");
    CHECK(dlls_reported({missing_dll("msvcp140.dll", "C:\\a.pyd")}) ==
          "vc_runtime_missing: C:\\a.pyd needs msvcp140.dll of Microsoft's Visual C++ runtime, "
          "which is not installed "
          "(WinError 126)\n");
}

TEST_CASE("a cuDNN in System32 is found first where another one is installed") {
    DllLoad load = front_dll("C:\\Windows\\System32\\", "8.0.5");
    load.rule = LoaderRule::system_directory;
    CHECK(dlls_reported({load}).empty());
    load.elsewhere = {cuda_directory + "cudnn64_8.dll"};
    CHECK(dlls_reported({load}) ==
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
    CHECK(dlls_reported({load}) == "library_file_damaged: " + cuda_directory +
                                       "cudnn64_8.dll is a text file that begins with 'x'\n");
}

TEST_CASE("remedies of a disk of Windows are commands of PowerShell") {
    const auto all = dll_findings({missing_dll("cudnn64_8.dll", "", {"C:\\b c\\cudnn64_8.dll"})});
    REQUIRE(all.size() == 1);
    CHECK(all[0].remedies.front().commands ==
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
    CHECK(findings.front().remedies.front().commands ==
          std::vector<std::string>{"$env:PATH = \"C:\\b;$env:PATH\""});
}
