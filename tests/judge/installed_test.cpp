// Whole verdicts about machines with frameworks: one fault, one error, and none where all is well.
#include <set>

#include "judge.hpp"
#include "support/installed_machines.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

Report report_of(const Facts& facts) {
    return judge(facts, Matrix::bundled(), {});
}

std::set<std::string> rules_of(const Report& report, Severity worst) {
    std::set<std::string> rules;
    for (const Finding& finding : report.findings)
        if (finding.severity <= worst)
            rules.insert(finding.rule);
    return rules;
}

Facts without_gpu(Facts facts) {
    no_machine(facts);
    facts.kernel_runs.clear();
    facts.rnn_runs.clear();
    return facts;
}

Framework requested(const std::string& name, const std::string& version) {
    Framework framework;
    framework.name = name;
    framework.version = v(version);
    framework.requested = true;
    return framework;
}

}  // namespace

TEST_CASE("a machine whose frameworks find what they need is healthy") {
    const std::vector<Facts> machines = {
        but([](Facts& f) { add_torch(f); }),
        but([](Facts& f) { add_tensorflow(f); }),
        but([](Facts& f) {
            add_torch(f);
            add_tensorflow(f);
            add_torch(f, "/srv/other", false);
        }),
        but([](Facts& f) { add_environment(f); })};
    for (const Facts& facts : machines) {
        const Report report = report_of(facts);
        CHECK(rules_of(report, Severity::warning) == std::set<std::string>());
        for (const auto& verdict : report.verdicts)
            if (verdict.outcome == Outcome::undecided)
                UNSCOPED_INFO(verdict.rule << " undecided: " << verdict.reason);
        CHECK(report.verdict == OverallVerdict::healthy);
    }
}

TEST_CASE("one fault of a framework is one error, reported by the rule that has its remedy") {
    const std::vector<std::pair<std::string, Facts>> broken = {
        {"cpu_only_build", but([](Facts& f) { add_tensorflow_cpu(f); })},
        {"cpu_and_gpu_packages_both_installed",
         but([](Facts& f) { add_tensorflow_cpu(f).other_packages = {"tensorflow 2.15.1"}; })},
        {"cudnn_not_on_loader_path", but([](Facts& f) { loses(add_torch(f), "libcudnn"); })},
        {"cuda_lib_not_on_loader_path",
         but([](Facts& f) { loses(add_tensorflow(f), "libcublas"); })},
        {"cudnn_runtime_older_than_built", but([](Facts& f) {
             add_tensorflow(f);
             cudnn_version(f, "8.6.0");
             f.frameworks.back().libraries[0].path = toolkit + "libcudnn.so.8";
         })},
        {"cudnn_shadowed", but([](Facts& f) {
             Framework& torch = add_torch(f);
             add_older_cudnn9(f);
             std::swap(torch.directories_before, torch.directories_after);
             torch.libraries[0] =
                 library_from("/opt/old/lib/libcudnn.so.9", "LD_LIBRARY_PATH", "9.0.0");
         })},
        {"cudnn_major_soname_mismatch", but([](Facts& f) {
             loses(add_torch(f), "libcudnn");
             f.cudnns.pop_back();
             std::erase_if(f.libraries, [](const Library& l) { return l.path.starts_with(wheel); });
         })}};
    for (const auto& [rule, facts] : broken) {
        const Report report = report_of(facts);
        INFO(rule);
        for (const Finding& finding : report.findings)
            UNSCOPED_INFO(finding.rule << ": " << finding.message);
        CHECK(rules_of(report, Severity::error) == std::set<std::string>{rule});
        CHECK(report.verdict == OverallVerdict::problems);
    }
}

TEST_CASE("without a GPU a framework's build and libraries are nobody's fault") {
    const std::set<std::string> bare =
        rules_of(report_of(without_gpu(a_healthy_machine())), Severity::warning);
    for (const Facts& facts :
         {but([](Facts& f) { add_tensorflow_cpu(f); }),
          but([](Facts& f) { loses(add_tensorflow(f), "libcudnn"); }),
          but([](Facts& f) { loses(add_tensorflow(f), "libcublas"); })})
        CHECK(rules_of(report_of(without_gpu(facts)), Severity::warning) == bare);
}

TEST_CASE("a version that is specified is judged in place of those installed") {
    const auto errors = [](const Framework& framework, const std::string& cudnn) {
        return rules_of(
            report_of(but([&](Facts& f) {
                f.host.platform = "linux";
                add_tensorflow_cpu(f);
                cudnn_version(f, cudnn);
                f.frameworks.push_back(framework);
            })),
            Severity::error);
    };
    CHECK(errors(requested("tensorflow", "2.13"), "8.9.7").contains("cuda_version_mismatch"));
    CHECK(errors(requested("pytorch", "2.4"), "8.9.7") == std::set<std::string>());
    CHECK(errors(requested("tensorflow", "2.8"), "8.9.7").contains("python_not_supported"));
}
