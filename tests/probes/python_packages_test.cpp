#include "support/catch.hpp"
#include "support/look.hpp"
#include "support/python_root.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

Facts look_with(const FakeRoot& root, std::map<std::string, std::optional<std::string>> variables) {
    for (const char* name :
         {"LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH", "HOME", "PWD", "PYTHONPATH"})
        variables.try_emplace(name);
    const Environment environment(variables);
    return look("python_packages", root.root()).facts;
}

}  // namespace

TEST_CASE("without a Python there is nothing to show") {
    const FakeRoot root;
    const Facts facts = look_with(root, {{"PATH", "/usr/bin"}});
    CHECK(facts.pythons.empty());
    CHECK(facts.frameworks.empty());
}

TEST_CASE("the active environment comes first, the others are reported beside it") {
    FakeRoot root;
    add_cudnn_wheel(add_torch(add_venv(root)), "9.1.0.70");
    root.directory("/usr/lib/python3/dist-packages").link("/usr/bin/python3", "python3.11");
    add_tensorflow(root, "tensorflow_cpu", false, "/usr/lib/python3/dist-packages");
    const Facts facts = look_with(
        root,
        {{"VIRTUAL_ENV", venv},
         {"PATH", venv + "/bin:/usr/bin"},
         {"LD_LIBRARY_PATH", "/opt/none"}});
    REQUIRE(facts.pythons.size() == 2);
    CHECK(facts.pythons[0].path == venv);
    CHECK(facts.pythons[0].active == true);
    CHECK(facts.pythons[1].path == "/usr");
    CHECK(facts.pythons[1].found_by == "the system");
    CHECK(facts.pythons[1].active == false);
    REQUIRE(facts.frameworks.size() == 2);
    CHECK(facts.frameworks[0].environment == venv);
    CHECK(facts.frameworks[0].libraries.size() == 2);
    CHECK(facts.frameworks[1].build == "cpu");
}
