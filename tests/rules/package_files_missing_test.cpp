#include "support/installed_machines.hpp"

namespace {

rnncheck::PythonPackage& add_package(rnncheck::Facts& f, const std::string& name) {
    rnncheck::PythonPackage package;
    package.name = name;
    package.version = "2.4.1";
    return rnncheck::test::add_environment(f).packages.emplace_back(package);
}

}  // namespace

RULE_TEST(
    package_files_missing,
    Fires{
        {{"a file is gone",
          but([](Facts& f) { add_package(f, "torch").missing_files = {"/srv/libtorch.so"}; }),
          "torch 2.4.1 has changed since it was installed: /srv/libtorch.so is missing"},
         {"a file has another size",
          but([](Facts& f) { add_package(f, "torch").changed_files = {"/srv/libtorch.so"}; }),
          "/srv/libtorch.so was replaced: its size differs from the installed"}}},
    silent_about_frameworks(
        {{"whole", but([](Facts& f) { add_package(f, "torch"); }), ""},
         {"cuDNN has a rule of its own",
          but([](Facts& f) {
              add_package(f, "nvidia-cudnn-cu12").missing_files = {"/srv/libcudnn.so.9"};
          }),
          ""}}),
    undecided_without_search())
