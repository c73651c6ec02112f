#include <sys/stat.h>

#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/healthy_machine.hpp"
#include "support/look.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

using Variables = std::map<std::string, std::optional<std::string>>;

Driver driver_of(const FakeRoot& root) {
    return look("driver_files", root.root()).facts.driver;
}

Driver driver_with_version_file(const std::string& content) {
    FakeRoot root;
    root.file("/proc/driver/nvidia/version", content);
    return driver_of(root);
}

}  // namespace

TEST_CASE("the kernel module's version and flavour, as releases word it") {
    const Driver closed = driver_with_version_file(
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.247.01  Thu Apr 10 08:41:22 UTC "
        "2025\nGCC version:  gcc "
        "version 12.2.0\n");
    CHECK(closed.module_loaded == true);
    CHECK(closed.kernel_version->text == "535.247.01");
    CHECK(closed.kernel_flavour == "proprietary");
    const Driver open = driver_with_version_file(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  "
        "(dvs-builder@U22-I3)\n");
    CHECK(open.kernel_version->text == "580.65.06");
    CHECK(open.kernel_flavour == "open");
    CHECK(
        driver_with_version_file("NVRM version: NVIDIA UNIX aarch64 Kernel Module  418.87.00\n")
            .kernel_version == v("418.87"));
}

TEST_CASE("a version file without a version still shows a loaded module") {
    const Driver driver = driver_with_version_file("NVRM version: something new\n");
    CHECK(driver.module_loaded == true);
    CHECK_FALSE(driver.kernel_version);
}

TEST_CASE("/sys shows the module where /proc is hidden") {
    FakeRoot root;
    root.file("/sys/module/nvidia/version", "550.54.14\n");
    const Driver driver = driver_of(root);
    CHECK(driver.module_loaded == true);
    CHECK(driver.kernel_version == v("550.54.14"));
    CHECK_FALSE(driver.kernel_flavour);
}

TEST_CASE("no module is distinguished from no way to look") {
    FakeRoot root;
    CHECK_FALSE(driver_of(root).module_loaded);
    root.file("/proc/sys/kernel/osrelease", "6.1\n");
    CHECK(driver_of(root).module_loaded == false);
}

TEST_CASE("the nodes that compute needs, with their permissions") {
    FakeRoot root;
    for (const char* name :
         {"nvidiactl", "nvidia0", "nvidia12", "nvidia-uvm", "nvidia-uvm-tools", "dxg"})
        root.file("/dev/" + std::string(name), "").mode("/dev/" + std::string(name), 0666);
    root.file("/dev/nvidia-modeset", "")
        .file("/dev/nvidia-caps/nvidia-cap12", "")
        .file("/dev/sda", "")
        .file("/dev/nvidia0x", "");
    root.mode("/dev/nvidia0", 0600).link("/dev/nvidia7", "gone");
    const OrdinaryUser user;
    const Driver driver = driver_of(root);
    std::map<std::string, DeviceNode> nodes;
    for (const auto& node : driver.device_nodes)
        nodes[node.path] = node;
    CHECK(nodes.size() == 7);
    CHECK(nodes.contains("/dev/nvidia-caps/nvidia-cap12"));
    CHECK(nodes.at("/dev/nvidiactl").mode.starts_with("0666 "));
    CHECK(nodes.at("/dev/nvidiactl").writable);
    CHECK(nodes.at("/dev/nvidia0").mode.starts_with("0600 "));
    if (getuid() == 0) {
        CHECK_FALSE(nodes.at("/dev/nvidia0").readable);
        CHECK_FALSE(nodes.at("/dev/nvidia0").writable);
        CHECK(nodes.at("/dev/nvidia0").mode == "0600 0:0");
    }
    CHECK(nodes.contains("/dev/nvidia-uvm"));
    CHECK(nodes.contains("/dev/dxg"));
}

TEST_CASE("nodes are never opened") {
    // A pipe without a writer would hold whoever opens it for reading; looking must pass by.
    FakeRoot root;
    root.directory("/dev");
    REQUIRE(mkfifo(root.outside("/dev/nvidia0").c_str(), 0666) == 0);
    CHECK(driver_of(root).device_nodes.size() == 1);
}

TEST_CASE("nvidia-modprobe helps only when it is set-user-id") {
    FakeRoot root;
    CHECK(driver_of(root).modprobe_helper == false);
    root.file("/usr/bin/nvidia-modprobe", "").mode("/usr/bin/nvidia-modprobe", 0755);
    CHECK(driver_of(root).modprobe_helper == false);
    root.mode("/usr/bin/nvidia-modprobe", 04755);
    CHECK(driver_of(root).modprobe_helper == true);
}

TEST_CASE("the pipes of MPS are reported where the pipe of its control daemon is") {
    const Environment unset(Variables{{"CUDA_MPS_PIPE_DIRECTORY", {}}});
    FakeRoot root;
    CHECK_FALSE(driver_of(root).mps_pipe);
    root.directory("/tmp/nvidia-mps");
    CHECK_FALSE(driver_of(root).mps_pipe);
    root.file("/tmp/nvidia-mps/control", "").file("/run/mps/control", "");
    CHECK(driver_of(root).mps_pipe == "/tmp/nvidia-mps");
    const Environment elsewhere(Variables{{"CUDA_MPS_PIPE_DIRECTORY", "/run/mps"}});
    CHECK(driver_of(root).mps_pipe == "/run/mps");
    const Environment left_aside(Variables{{"CUDA_MPS_PIPE_DIRECTORY", "/dev/null"}});
    CHECK_FALSE(driver_of(root).mps_pipe);
}
