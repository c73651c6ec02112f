#include "support/installed_machines.hpp"

namespace {

rnncheck::PythonPackage& add_package(
    rnncheck::Facts& f, const std::string& name, const std::string& version = "9.1.0.70") {
    rnncheck::PythonPackage package;
    package.name = name;
    package.version = version;
    package.directory = "/srv/environment/lib/python3.11/site-packages";
    return rnncheck::test::add_environment(f).packages.emplace_back(package);
}

}  // namespace

RULE_TEST(
    cudnn_installation_broken,
    Fires{
        {{"two packages in one directory",
          but([](Facts& f) {
              add_package(f, "nvidia-cudnn-cu11");
              add_package(f, "nvidia-cudnn-cu12");
          }),
          "nvidia-cudnn-cu11 9.1.0.70 and nvidia-cudnn-cu12 9.1.0.70 are both installed"},
         {"a file is gone",
          but([](Facts& f) {
              add_package(f, "nvidia-cudnn-cu12").missing_files = {"/srv/libcudnn_adv.so.9"};
          }),
          "/srv/libcudnn_adv.so.9 is missing"},
         {"a file was replaced",
          but([](Facts& f) {
              add_package(f, "nvidia-cudnn-cu12").changed_files = {"/srv/libcudnn.so.9"};
          }),
          "/srv/libcudnn.so.9 was replaced: its size differs from the installed"}}},
    silent_about_frameworks(
        {{"one whole package", but([](Facts& f) { add_package(f, "nvidia-cudnn-cu12"); }), ""},
         {"two majors, whose files have other names",
          but([](Facts& f) {
              add_package(f, "nvidia-cudnn-cu11", "8.7.0.84");
              add_package(f, "nvidia-cudnn-cu12");
          }),
          ""}}),
    undecided_without_search())

TEST_CASE(
    "of packages that share files the one that a framework requests is installed once "
    "more") {
    using namespace rnncheck;
    Facts facts = test::a_healthy_machine();
    add_package(facts, "nvidia-cudnn-cu11");
    add_package(facts, "nvidia-cudnn-cu12");
    Framework& torch = facts.frameworks.emplace_back();
    torch.name = "pytorch";
    torch.environment = facts.pythons.front().path;
    torch.cudnn_wanted = "nvidia-cudnn-cu12==9.1.0.70";
    const Verdict verdict = find_named(all_rules(), "cudnn_installation_broken")
                                ->thing->check(facts, Matrix::bundled());
    REQUIRE(verdict.findings.size() == 1);
    const auto& commands = verdict.findings.front().remedies.front().commands;
    CHECK(commands.front().ends_with("uninstall -y nvidia-cudnn-cu11 nvidia-cudnn-cu12"));
    CHECK(commands.back().ends_with(
        "install --force-reinstall --no-deps nvidia-cudnn-cu12==9.1.0.70"));
}
