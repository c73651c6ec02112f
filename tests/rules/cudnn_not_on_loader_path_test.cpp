#include "support/installed_machines.hpp"

RULE_TEST(
    cudnn_not_on_loader_path,
    Fires{
        {{"it is there, and is not found",
          but([](Facts& f) { loses(add_torch(f), "libcudnn"); }),
          "PyTorch 2.4.1 (cu121) opens libcudnn.so.9, which is at " + own_cudnn9}}},
    silent_about_frameworks(
        {{"it is nowhere",
          but([](Facts& f) {
              loses(add_tensorflow(f), "libcudnn");
              no_cudnn(f);
          }),
          ""}}),
    undecided_without_search())

TEST_CASE("for what PyTorch's import helps, a copy off the path is a note") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto severity = [](bool with_torch) {
        const Facts facts = but([&](Facts& f) {
            Framework& onnxruntime = add_torch(f);
            onnxruntime.name = "onnxruntime";
            onnxruntime.build = "cuda";
            loses(onnxruntime, "libcudnn");
            if (with_torch) {
                Framework torch = onnxruntime;
                torch.name = "pytorch";
                torch.libraries = {library_from(own_cudnn9, "rpath")};
                f.frameworks.push_back(torch);
            }
        });
        return (*find_named(all_rules(), "cudnn_not_on_loader_path"))
            ->check(facts, Matrix::bundled())
            .findings.at(0)
            .severity;
    };
    CHECK(severity(false) == Severity::warning);
    CHECK(severity(true) == Severity::note);
}
