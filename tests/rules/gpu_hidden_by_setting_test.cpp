#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

using rnncheck::Facts;

Facts set_to(const char* value, Facts f) {
    f.host.environment["CUDA_VISIBLE_DEVICES"] = value;
    return f;
}

Facts with_boards(std::size_t count) {
    return rnncheck::test::but(
        [&](Facts& f) { f.nvml_devices.resize(count, f.nvml_devices.front()); });
}

}  // namespace

RULE_TEST(
    gpu_hidden_by_setting,
    Fires{
        {{"all hidden, cuInit shows",
          set_to("-1", init_returns(100)),
          "CUDA_VISIBLE_DEVICES=\"-1\" hides every GPU"},
         {"all hidden, the list is empty",
          set_to("7", init_returns(0)),
          "CUDA_VISIBLE_DEVICES=\"7\" hides every GPU"},
         {"an entry that names no GPU",
          set_to("0,9,1", with_boards(4)),
          "names 3 GPUs, but CUDA uses only the first 1"},
         {"some left out", set_to("2", with_boards(8)), "limits CUDA to 1 of 8 GPUs"},
         {"all hidden, and a sandbox hides the driver's files too",
          after(
              set_to("7", init_returns(0)),
              [](Facts& f) {
                  f.driver.module_loaded = false;
                  f.driver.device_nodes.clear();
              }),
          "hides every GPU"},
         {"a container without",
          after(
              container_without_gpu_access(),
              [](Facts& f) { f.host.environment["NVIDIA_VISIBLE_DEVICES"] = "void"; }),
          "NVIDIA_VISIBLE_DEVICES=\"void\" requests a container without a GPU"},
         {"a container with the driver's libraries only",
          after(
              init_returns(100),
              [](Facts& f) {
                  f.host.container = "docker";
                  f.host.environment["NVIDIA_VISIBLE_DEVICES"] = "none";
                  f.driver.device_nodes.clear();
                  f.nvml_devices.clear();
              }),
          "NVIDIA_VISIBLE_DEVICES=\"none\" requests a container without a GPU"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"all GPUs named", set_to("0", a_healthy_machine()), ""},
         {"no setting", init_returns(100), ""},
         {"void, and GPUs all the same",
          but([](Facts& f) {
              f.host.container = "kubernetes";
              f.host.environment["NVIDIA_VISIBLE_DEVICES"] = "void";
          }),
          ""},
         {"set, but there is no driver", set_to("0", without_driver()), ""},
         {"set, but the driver does not initialize", set_to("0", init_returns(803)), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the result of cuInit is unknown",
          after(set_to("0", init_returns(0)), [](Facts& f) { f.driver.init.reset(); }),
          ""}}})

TEST_CASE("a choice among GPUs is only noted") {
    using namespace rnncheck;
    const auto* rule = find_named(all_rules(), "gpu_hidden_by_setting");
    const auto severity = [&](const Facts& facts) {
        return (*rule)->check(facts, Matrix::bundled()).findings.at(0).severity;
    };
    CHECK(severity(set_to("2", with_boards(8))) == Severity::note);
    CHECK(severity(set_to("0,9", with_boards(2))) == Severity::warning);
    CHECK(severity(set_to("9", test::init_returns(100))) == Severity::error);
}
