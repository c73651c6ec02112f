#include "judge.hpp"
#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts foreign_cudnn(rnncheck::FoundVia via, bool twin) {
    auto f = rnncheck::test::a_healthy_machine();
    rnncheck::Library foreign = rnncheck::test::library_of(f, rnncheck::LibraryKind::cudnn);
    if (!twin)
        std::erase_if(
            f.libraries, [](const auto& l) { return l.kind == rnncheck::LibraryKind::cudnn; });
    foreign.path = "/opt/arm/libcudnn.so.8";
    foreign.real_path.reset();
    foreign.found_via = via;
    foreign.picked_by_loader = false;
    foreign.machine = "64-bit AArch64";
    foreign.problem = rnncheck::FileProblem::other_machine;
    foreign.problem_detail = "for 64-bit AArch64, not for 64-bit x86-64";
    f.libraries.push_back(foreign);
    return f;
}

}  // namespace

RULE_TEST(
    library_for_other_machine,
    Fires{
        {{"before a fitting copy",
          foreign_cudnn(FoundVia::ld_library_path, true),
          "the loader skips it"},
         {"the only copy",
          foreign_cudnn(FoundVia::ld_library_path, false),
          "the only one in the loader's search path"},
         {"the only copy, in the system's directory",
          foreign_cudnn(FoundVia::loader_cache, false),
          "built for 64-bit AArch64"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"32-bit copies beside the fitting ones of the system",
          foreign_cudnn(FoundVia::loader_cache, true),
          ""},
         {"a directory for cross-compiling", foreign_cudnn(FoundVia::toolkit, true), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"a file on the path was not read",
          but([](Facts& f) { f.libraries.front().machine.reset(); }),
          ""}}})

TEST_CASE("a foreign copy is an error only when there is no other") {
    using namespace rnncheck;
    const auto* rule = find_named(all_rules(), "library_for_other_machine");
    const auto severity = [&](bool twin) {
        return (*rule)
            ->check(foreign_cudnn(FoundVia::ld_library_path, twin), Matrix::bundled())
            .findings.at(0)
            .severity;
    };
    CHECK(severity(true) == Severity::warning);
    CHECK(severity(false) == Severity::error);
}

TEST_CASE("a foreign file that the loader skips does not explain that cuDNN is missing") {
    using namespace rnncheck;
    const auto is_reported = [](bool twin) {
        Facts facts = foreign_cudnn(FoundVia::ld_library_path, twin);
        for (Library& library : facts.libraries)
            if (library.kind == LibraryKind::cudnn && !library.problem)
                library.stub = true;
        facts.cudnns.clear();
        test::no_runs(facts);
        const Report report = judge(facts, Matrix::bundled(), {});
        return std::ranges::find(report.findings, "cudnn_not_installed", &Finding::rule) !=
               report.findings.end();
    };
    CHECK(is_reported(true));
    CHECK(!is_reported(false));
}
