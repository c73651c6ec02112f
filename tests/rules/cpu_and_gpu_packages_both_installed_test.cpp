#include "support/installed_machines.hpp"

RULE_TEST(
    cpu_and_gpu_packages_both_installed,
    Fires{
        {{"the one without CUDA won",
          but([](Facts& f) { add_tensorflow_cpu(f).other_packages = {"tensorflow 2.15.1"}; }),
          "tensorflow-cpu 2.15.1 and tensorflow 2.15.1 are installed in one environment"},
         {"the one with CUDA won",
          but([](Facts& f) { add_tensorflow(f).other_packages = {"tensorflow-cpu 2.15.1"}; }),
          "the CUDA files are in place until the other"}}},
    silent_about_frameworks(
        {{"two names of the same build",
          but([](Facts& f) { add_tensorflow(f).other_packages = {"tensorflow-gpu 2.15.1"}; }),
          ""},
         {"without CUDA alone", but([](Facts& f) { add_tensorflow_cpu(f); }), ""}}),
    WhenUndecided{
        {{"the search did not end", but(packages_not_searched), ""},
         {"its files do not show which one won",
          but([](Facts& f) {
              Framework& tensorflow = add_tensorflow(f);
              tensorflow.other_packages = {"tensorflow-cpu 2.15.1"};
              tensorflow.uses_cuda.reset();
          }),
          ""}}})

TEST_CASE("a package with CUDA that is not on PyPI is installed from its own index") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const Facts facts = but([](Facts& f) {
        Framework& paddle = add_tensorflow_cpu(f);
        paddle.name = "paddlepaddle";
        paddle.version = parse_version("3.0.0");
        paddle.package = "paddlepaddle 3.0.0";
        paddle.other_packages = {"paddlepaddle-gpu 3.0.0"};
    });
    const auto& rule = *find_named(all_rules(), "cpu_and_gpu_packages_both_installed");
    const Verdict verdict = rule->check(facts, Matrix::bundled());
    REQUIRE(verdict.findings.size() == 1);
    CHECK(contains(
        verdict.findings.front().remedies.front().commands.back(),
        "paddlepaddle-gpu==3.0.0 -i https://www.paddlepaddle.org.cn/packages/stable/cu"));
}
