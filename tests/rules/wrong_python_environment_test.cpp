#include "support/installed_machines.hpp"

namespace {

void other_python_on_path(rnncheck::Facts& f) {
    rnncheck::test::add_environment(f, "/usr", false).found_by = "PATH";
}

}  // namespace

RULE_TEST(
    wrong_python_environment,
    Fires{
        {{"another python comes first on PATH",
          but([](Facts& f) {
              add_torch(f);
              other_python_on_path(f);
          }),
          "VIRTUAL_ENV names /srv/environment, but the python on PATH is that of /usr"},
         {"the build with CUDA is in another environment",
          but([](Facts& f) {
              add_tensorflow_cpu(f);
              Framework other = add_torch(f, "/srv/other", false);
              other.name = "tensorflow";
              f.frameworks.push_back(other);
          }),
          "with CUDA is installed in /srv/other"},
         {"the framework is in another environment",
          but([](Facts& f) {
              add_environment(f).found_by = "PATH";
              add_torch(f, "/srv/other", false);
          }),
          "/srv/environment, has no framework"}}},
    silent_about_frameworks(
        {{"it was named",
          but([](Facts& f) {
              add_torch(f);
              other_python_on_path(f);
              f.pythons.front().found_by = "--python";
          }),
          ""},
         {"no framework in either",
          but([](Facts& f) {
              add_environment(f);
              other_python_on_path(f);
          }),
          ""}}),
    undecided_without_search())

TEST_CASE("an environment of Windows is activated by a command of PowerShell") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const Facts facts = but([](Facts& f) {
        f.host.platform = "windows";
        add_torch(f);
        f.pythons.back().path = "C:\\Users\\ada\\my venv";
        f.frameworks.back().environment = f.pythons.back().path;
        other_python_on_path(f);
    });
    const auto verdict =
        find_named(all_rules(), "wrong_python_environment")->thing->check(facts, Matrix::bundled());
    REQUIRE(verdict.findings.size() == 1);
    CHECK(
        verdict.findings.front().remedies.front().commands ==
        std::vector<std::string>{"& 'C:\\Users\\ada\\my venv\\Scripts\\Activate.ps1'"});
}
