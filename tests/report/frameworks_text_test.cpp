// What the text report shows of Python environments and frameworks.
#include <sstream>

#include "base/text.hpp"
#include "report/text.hpp"
#include "support/installed_machines.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// Its words with one blank between them, however the lines are broken.
std::string written(const Facts& facts, std::vector<Finding> findings = {}) {
    Page page({});
    Report report;
    report.facts = facts;
    report.findings = std::move(findings);
    write_checklist(page, checklist_of(report));
    std::istringstream in(page.text());
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return join(words, " ");
}

}  // namespace

TEST_CASE("each framework is shown with its build and the cuDNN that it gets") {
    const std::string text = written(but([](Facts& f) {
        add_torch(f).libraries[0].version = v("9.19.0");
        add_environment(f).skipped = {"/srv/environment/x: only the first 256 KiB were read"};
        Framework requested;
        requested.name = "tensorflow";
        requested.version = v("2.15");
        requested.requested = true;
        f.frameworks.push_back(requested);
        add_torch(f, "/srv/other", false);
    }));
    CHECK(contains(text, "Frameworks Python 3.11.7 /srv/environment (VIRTUAL_ENV)"));
    CHECK(contains(
        text,
        "pytorch 2.4.1 (cu121), built for CUDA 12.1 and cuDNN 9.1.0, loads cuDNN 9.19.0 "
        "found by rpath"));
    CHECK(contains(text, "tensorflow 2.15, named with --for"));
    CHECK(contains(text, "elsewhere: pytorch 2.4.1 (cu121) in /srv/other"));
    CHECK(contains(text, "not read: /srv/environment/x"));
}

TEST_CASE("an environment without a framework is named, and not marked as passed") {
    CHECK(contains(written(a_healthy_machine()), "– Frameworks none: no Python was found on PATH"));
    CHECK_FALSE(contains(written({}), "Frameworks"));
    const std::string text = written(but([](Facts& f) { add_environment(f); }));
    CHECK(contains(text, "– Frameworks none in Python 3.11.7 /srv/environment (VIRTUAL_ENV)"));
    const std::string others = written(but([](Facts& f) {
        add_environment(f);
        add_environment(f, "/srv/venv", false).passed_over = "the python on PATH is another one";
        add_torch(f, "/srv/other one", false);
    }));
    CHECK(contains(others, "none in Python 3.11.7"));
    CHECK(contains(others, "not examined: /srv/venv (/srv), the python on PATH is another one"));
    CHECK(contains(others, "elsewhere: pytorch 2.4.1 (cu121) in /srv/other one"));
    CHECK(contains(others, "to check it: rnncheck doctor --python '/srv/other one'"));
}

TEST_CASE("only the orders of import that give a framework another cuDNN than alone are shown") {
    const auto with_orders = [](const std::optional<std::string>& second_after_first) {
        return written(but([&](Facts& f) {
            const std::string own = *add_torch(f).libraries[0].path;
            Framework other = f.frameworks.back();
            other.name = "jax";
            f.frameworks.push_back(other);
            f.import_orders = {
                {"/srv/environment", "pytorch", "jax", own, second_after_first},
                {"/srv/environment", "jax", "pytorch", own, own}};
        }));
    };
    CHECK(contains(
        with_orders("/opt/other/libcudnn.so.9"), "import pytorch, then jax: pytorch calls "));
    CHECK(contains(with_orders("/opt/other/libcudnn.so.9"), "jax calls /opt/other/libcudnn.so.9"));
    const std::string same = with_orders(own_cudnn9);
    CHECK(contains(
        same, "in one process: each loads the same cuDNN as alone, in every order of import"));
    CHECK_FALSE(contains(same, "import pytorch, then"));
}

TEST_CASE("what is wrong with a framework marks the frameworks, not CUDA") {
    const Facts facts = but([](Facts& f) { add_torch(f).name = "onnxruntime"; });
    Finding finding;
    finding.rule = "cpu_only_build";
    finding.layer = Layer::runtime;
    finding.severity = Severity::warning;
    finding.subject = "ONNX Runtime 1.30.0 (cpu)";
    finding.part = {stack::PartKind::framework, "onnxruntime", finding.subject};
    const std::string text = written(facts, {finding});
    CHECK(contains(text, "! Frameworks"));
    CHECK_FALSE(contains(text, "! CUDA"));
}
