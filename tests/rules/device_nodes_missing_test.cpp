#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts no_nodes() {
    auto f = rnncheck::test::init_returns(999);
    f.driver.device_nodes.clear();
    f.driver.modprobe_helper = false;
    return f;
}

}  // namespace

RULE_TEST(
    device_nodes_missing,
    Fires{
        {{"none at all", no_nodes(), "/dev/nvidiactl and /dev/nvidia0 do not exist"},
         {"no node of a GPU",
          after(
              no_nodes(),
              [](Facts& f) {
                  f.driver.device_nodes = {{"/dev/nvidiactl", "0666 0:0", true, true}};
              }),
          "/dev/nvidia0 does not exist"},
         {"the helper will make them",
          after(
              no_nodes(),
              [](Facts& f) {
                  f.driver.modprobe_helper = true;
                  f.driver.init.reset();
              }),
          "will be created by nvidia-modprobe when the first CUDA program starts"},
         {"a container, into which they are to be passed",
          after(
              no_nodes(),
              [](Facts& f) {
                  f.driver.modprobe_helper = true;
                  f.host.container = "podman";
              }),
          "do not exist"},
         {"--make-nodes did not help",
          after(
              no_nodes(),
              [](Facts& f) {
                  f.driver.modprobe_helper = true;
                  f.tool.make_nodes = true;
              }),
          "although --make-nodes allowed the driver to create them"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"the driver works although nodes are hidden",
          but([](Facts& f) { f.driver.device_nodes.clear(); }),
          ""},
         {"a second GPU's number only",
          after(
              init_returns(999), [](Facts& f) { f.driver.device_nodes[1].path = "/dev/nvidia3"; }),
          ""},
         {"no module", library_without_module(), ""},
         {"a Jetson, whose nodes are others",
          after(
              no_nodes(),
              [](Facts& f) {
                  f.driver.device_nodes = {{"/dev/nvmap", "0666 0:0", true, true}};
              }),
          ""},
         {"WSL", after(no_nodes(), [](Facts& f) { f.host.wsl = true; }), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"/dev is hidden",
          after(no_nodes(), [](Facts& f) { f.host.hidden_directories = {"/dev"}; }),
          ""},
         {"the nodes were not listed",
          after(
              no_nodes(), [](Facts& f) { probe_run(f, "driver_files").end = ProbeEnd::timed_out; }),
          ""}}})

TEST_CASE(
    "the nodes of the driver, of every GPU and of unified memory are created by commands of their "
    "own") {
    using namespace rnncheck;
    auto f = no_nodes();
    f.host.pci_gpus.resize(2);
    const auto* rule = find_named(all_rules(), "device_nodes_missing");
    CHECK(
        (*rule)->check(f, Matrix::bundled()).findings.at(0).remedies.front().commands ==
        std::vector<std::string>{
            "sudo nvidia-modprobe -c 255 -c 0 -c 1", "sudo nvidia-modprobe -c 0 -u"});
}

TEST_CASE("nodes that the helper makes are no fault, and the run that lets it is suggested") {
    using namespace rnncheck;
    const auto* rule = find_named(all_rules(), "device_nodes_missing");
    const auto finding = [&](const Facts& facts) {
        return (*rule)->check(facts, Matrix::bundled()).findings.at(0);
    };
    auto f = no_nodes();
    CHECK(finding(f).severity == Severity::error);
    f.driver.modprobe_helper = true;
    CHECK(finding(f).severity == Severity::note);
    CHECK(
        finding(f).remedies.front().commands ==
        std::vector<std::string>{"rnncheck doctor --make-nodes"});
    f.tool.make_nodes = true;
    CHECK(finding(f).severity == Severity::error);
    f.tool.make_nodes.reset();
    f.host.container = "podman";
    CHECK(finding(f).severity == Severity::error);
    CHECK(finding(f).remedies.front().commands.front().starts_with("podman run"));
}
