#include "base/text.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(
    cudnn_major_soname_mismatch,
    Fires{
        {{"only cuDNN 8, and it opens 9",
          but([](Facts& f) {
              loses(add_torch(f), "libcudnn");
              f.cudnns.pop_back();
              std::erase_if(
                  f.libraries, [](const Library& l) { return l.path.starts_with(wheel); });
          }),
          "PyTorch 2.4.1 (cu121) opens libcudnn.so.9, but cuDNN 8 is installed"}}},
    silent_about_frameworks(
        {{"nothing at all is another fault",
          but([](Facts& f) {
              loses(add_tensorflow(f), "libcudnn");
              no_cudnn(f);
          }),
          ""},
         {"the right one lies elsewhere",
          but([](Facts& f) { loses(add_torch(f), "libcudnn"); }),
          ""},
         {"no GPU to use it",
          but([](Facts& f) {
              loses(add_torch(f), "libcudnn");
              no_machine(f);
          }),
          ""}}),
    undecided_without_search())

TEST_CASE("a Python package is only suggested where the framework finds it") {
    using namespace rnncheck;
    const auto remedy_for = [](const Facts& facts) {
        const auto rule = find_named(all_rules(), "cudnn_major_soname_mismatch");
        return (*rule)->check(facts, Matrix::bundled()).findings.at(0).remedies.at(0);
    };
    const auto machine = [](bool another_package) {
        return test::but([&](Facts& f) {
            Framework& onnxruntime = test::add_torch(f);
            test::without(f, LibraryKind::cudnn);
            test::add_library(f, LibraryKind::cudnn, test::own_cudnn9, test::own_cudnn9);
            f.pythons.front().package_directories = {"/srv/environment/my packages"};
            if (another_package)
                f.pythons.front().packages = {{"nvidia-cudnn-cu12", "9.1.0.70", "", {}, {}}};
            onnxruntime.name = "onnxruntime";
            onnxruntime.version = test::v("1.18.1");
            onnxruntime.build = "cuda";
            onnxruntime.cuda = test::v("11");
            onnxruntime.cudnn = test::v("8");
            onnxruntime.cudnn_wanted.reset();
            onnxruntime.directories_before.clear();
            onnxruntime.directories_after = {"/usr/local/cuda-11.8/lib"};
            onnxruntime.libraries = {{"libcudnn.so.8", {}, {}, {}, {}}};
        });
    };
    const Remedy alone = remedy_for(machine(false));
    CHECK(contains(alone.text, "install it system-wide, or add the directory"));
    CHECK(
        alone.commands ==
        std::vector<std::string>{
            "/srv/environment/bin/python -m pip install \"nvidia-cudnn-cu11==8.*\"",
            "export LD_LIBRARY_PATH='/srv/environment/my packages/nvidia/cudnn/lib'"
            "\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\""});
    CHECK(remedy_for(machine(true)).commands.empty());  // all cuDNN packages share one directory

    Facts reaching = machine(true);
    reaching.frameworks.front().directories_after = {
        "/srv/environment/my packages/nvidia/cudnn/lib"};
    CHECK(remedy_for(reaching).commands.size() == 1);
}
