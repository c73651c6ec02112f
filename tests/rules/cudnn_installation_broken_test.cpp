#include "support/installed_machines.hpp"

namespace {

rnncheck::PythonPackage& add_package(rnncheck::Facts& f, const std::string& name) {
    rnncheck::PythonPackage package;
    package.name = name;
    package.version = "9.1.0.70";
    package.folder = "/srv/environment/lib/python3.11/site-packages";
    return rnncheck::test::add_environment(f).packages.emplace_back(package);
}

}  // namespace

RULE_TEST(cudnn_installation_broken,
          Fires{{{"two packages in one folder", but([](Facts& f) {
                      add_package(f, "nvidia-cudnn-cu11");
                      add_package(f, "nvidia-cudnn-cu12");
                  }),
                  "nvidia-cudnn-cu11 9.1.0.70 and nvidia-cudnn-cu12 9.1.0.70 are both installed"},
                 {"a file is gone",
                  but([](Facts& f) { add_package(f, "nvidia-cudnn-cu12").missing_files = {"/srv/libcudnn_adv.so.9"}; }),
                  "/srv/libcudnn_adv.so.9 is gone"},
                 {"a file was replaced",
                  but([](Facts& f) { add_package(f, "nvidia-cudnn-cu12").changed_files = {"/srv/libcudnn.so.9"}; }),
                  "/srv/libcudnn.so.9 is not the file that was installed"}}},
          silent_about_frameworks({{"one whole package", but([](Facts& f) { add_package(f, "nvidia-cudnn-cu12"); }),
                                    ""}}),
          cannot_tell_without_search())
