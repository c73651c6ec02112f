#include "support/installed_machines.hpp"

namespace {

rnncheck::PythonEnvironment& add_dead(rnncheck::Facts& f, const std::string& interpreter) {
    rnncheck::PythonEnvironment& environment = rnncheck::test::add_environment(f);
    environment.package_directories = {environment.path + "/lib/python3.11/site-packages"};
    environment.interpreter.reset();
    environment.missing_interpreter = interpreter;
    return environment;
}

std::string command_for(const rnncheck::Facts& f, std::size_t number = 0) {
    const auto verdict = rnncheck::find_named(rnncheck::all_rules(), "python_interpreter_missing")
                             ->thing->check(f, rnncheck::Matrix::bundled());
    return verdict.findings.at(0).remedies.at(0).commands.at(number);
}

}  // namespace

RULE_TEST(
    python_interpreter_missing,
    Fires{
        {{"its Python was removed",
          but([](Facts& f) { add_dead(f, "/usr/bin/python3.11"); }),
          "no program can run in the Python environment /srv/environment: its interpreter, "
          "/usr/bin/python3.11, does not exist"},
         {"another environment is dead",
          but([](Facts& f) {
              add_dead(f, "/usr/bin/python3.11").active = false;
              add_environment(f, "/usr").found_by = "PATH";
          }),
          "/srv/environment"}}},
    silent_about_frameworks(
        {{"alive", but([](Facts& f) { add_environment(f); }), ""},
         {"conda without Python",
          but([](Facts& f) {
              add_environment(f).kind = "conda";
              f.pythons.back().interpreter.reset();
          }),
          ""}}),
    undecided_without_search())

TEST_CASE("a dead environment of Windows gets commands of PowerShell") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    Facts facts = but([](Facts& f) {
        PythonEnvironment& dead = add_dead(f, "C:\\Python310\\python.exe");
        dead.path = "C:\\Users\\ada\\my venv";
        dead.version = v("3.10.11");
    });
    facts.host.platform = "windows";
    CHECK(command_for(facts) == "winget install --id Python.Python.3.10");
    CHECK(command_for(facts, 1) == "py -3.10 -m venv --upgrade 'C:\\Users\\ada\\my venv'");
    facts.pythons.back().version.reset();
    CHECK(
        command_for(facts) == "Move-Item 'C:\\Users\\ada\\my venv' 'C:\\Users\\ada\\my venv.old'");
}

TEST_CASE("a dead environment is revived by what installed its Python") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto dead = [](const std::string& interpreter) {
        return but([&](Facts& f) { add_dead(f, interpreter); });
    };
    CHECK(
        command_for(dead("/home/ada/.pyenv/versions/3.11.7/bin/python3.11")) ==
        "pyenv install 3.11.7");
    CHECK(
        command_for(dead(
            "/home/ada/.local/share/uv/python/cpython-3.11.7-linux-x86_64-gnu/bin/python3.11")) ==
        "uv python install 3.11.7");
    CHECK(command_for(dead("/srv/environment/bin/python3")) == "python3 -m venv /srv/environment");
    CHECK(command_for(dead("/usr/bin/python3.11"), 2) == "python3 -m venv /srv/environment");
    const Facts with_other = but([](Facts& f) {
        add_dead(f, "/usr/local/bin/python3.11");
        PythonEnvironment& system = add_environment(f, "/usr", false);
        system.kind = "system";
        system.version = v("3.11");
        system.interpreter = "/usr/bin/python3";
    });
    CHECK(
        command_for(with_other, 1) ==
        "/usr/bin/python3 -m venv --upgrade --without-pip /srv/environment");
}
