#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/look.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

Host host_of(const FakeRoot& root) {
    return look("host_system", root.root()).facts.host;
}

Environment bare_environment(std::map<std::string, std::optional<std::string>> more = {}) {
    more.merge(std::map<std::string, std::optional<std::string>>{
        {"KUBERNETES_SERVICE_HOST", {}},
        {"APPTAINER_CONTAINER", {}},
        {"SINGULARITY_CONTAINER", {}},
        {"CH_RUNNING", {}},
        {"SHIFTER_RUNTIME", {}},
        {"WSL_INTEROP", {}}});
    return Environment(more);
}

FakeRoot& with_card(
    FakeRoot& root,
    const std::string& address,
    const std::string& vendor,
    const std::string& device_class) {
    const std::string directory = "/sys/bus/pci/devices/" + address;
    return root.file(directory + "/vendor", vendor + "\n")
        .file(directory + "/class", device_class + "\n")
        .file(directory + "/device", "0x2204\n");
}

}  // namespace

TEST_CASE("distribution and kernel come from the root") {
    FakeRoot root;
    root.file("/etc/os-release", "NAME=x\nPRETTY_NAME=\"Ubuntu 22.04.4 LTS\"\n");
    root.file("/proc/sys/kernel/osrelease", "6.5.0-28-generic\n");
    const Looked looked = look("host_system", root.root());
    CHECK(looked.times == 2);
    CHECK(looked.facts.host.os == "Ubuntu 22.04.4 LTS");
    CHECK(looked.facts.host.kernel == "6.5.0-28-generic");
    CHECK(looked.facts.host.libc->starts_with("glibc 2."));
    CHECK(looked.facts.host.machine);
}

TEST_CASE("an empty root shows nothing it does not know") {
    const Environment environment = bare_environment();
    FakeRoot root;
    const Host host = host_of(root);
    CHECK_FALSE(host.os);
    CHECK_FALSE(host.kernel);
    CHECK_FALSE(host.wsl);
    CHECK_FALSE(host.container);
    CHECK(host.pci_listed == false);
}

TEST_CASE("containers are known by the marks of their managers") {
    const auto kind = [](const std::string& path, const std::string& content) {
        const Environment environment = bare_environment();
        FakeRoot root;
        root.file(path, content);
        return host_of(root).container;
    };
    CHECK(kind("/.dockerenv", "") == "docker");
    CHECK(kind("/run/.containerenv", "") == "podman");
    CHECK(kind("/run/systemd/container", "systemd-nspawn\n") == "systemd-nspawn");
    CHECK(kind("/proc/1/environ", std::string("PATH=/bin\0container=lxc\0", 24)) == "lxc");
    CHECK(kind("/run/secrets/kubernetes.io/serviceaccount/token", "") == "kubernetes");
    CHECK(kind("/.singularity.d/runscript", "") == "apptainer");
    CHECK(kind("/dev/lxd/sock", "") == "lxc");
    CHECK(kind("/dev/incus/sock", "") == "lxc");
    const std::string root_mount = "590 320 0:77 / / rw,relatime - overlay overlay rw,lowerdir=",
                      storage = "/l/AB,upperdir=/x\n";
    CHECK(
        kind("/proc/self/mountinfo", root_mount + "/var/lib/docker/overlay2" + storage) ==
        "docker");
    CHECK(
        kind(
            "/proc/self/mountinfo",
            root_mount + "/home/u/.local/share/containers/storage/overlay" + storage) == "podman");
    CHECK(
        kind(
            "/proc/self/mountinfo",
            root_mount + "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs" + storage) ==
        "containerd");
    CHECK_FALSE(kind(
        "/proc/self/mountinfo",
        "25 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "99 25 0:50 / /var/lib/docker/overlay2/x/merged rw - overlay overlay rw\n"));
    CHECK(kind("/proc/1/cgroup", "12:cpu:/kubepods/burstable/pod1\n") == "kubernetes");
    CHECK(kind("/proc/1/cgroup", "1:name=systemd:/docker/0123\n") == "docker");
    CHECK_FALSE(kind("/proc/1/cgroup", "0::/init.scope\n"));
}

TEST_CASE("Kubernetes and Apptainer report it in the environment") {
    FakeRoot root;
    root.file("/.dockerenv", "");
    {
        const Environment environment = bare_environment({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}});
        CHECK(host_of(root).container == "kubernetes");
    }
    const Environment environment = bare_environment({{"APPTAINER_CONTAINER", "/x.sif"}});
    CHECK(host_of(root).container == "apptainer");
}

TEST_CASE("enroot is known by its lock and its own configuration, not by either alone") {
    const Environment environment = bare_environment();
    FakeRoot root;
    root.file("/.lock", "");
    CHECK_FALSE(host_of(root).container);
    root.file("/etc/rc", "").file("/etc/fstab", "");
    CHECK(host_of(root).container == "enroot");
    root.file("/.dockerenv", "");  // left over in an image
    CHECK(host_of(root).container == "enroot");
}

TEST_CASE("Charliecloud and Shifter report it in the environment") {
    FakeRoot root;
    {
        const Environment environment = bare_environment({{"CH_RUNNING", "Weird Al Yankovic"}});
        CHECK(host_of(root).container == "charliecloud");
    }
    const Environment environment = bare_environment({{"SHIFTER_RUNTIME", "1"}});
    CHECK(host_of(root).container == "shifter");
}

TEST_CASE("WSL is known by its kernel or its bridge") {
    const Environment environment = bare_environment();
    const auto wsl = [](const std::string& kernel) {
        FakeRoot root;
        root.file("/proc/sys/kernel/osrelease", kernel);
        return host_of(root).wsl;
    };
    CHECK(wsl("5.15.153.1-microsoft-standard-WSL2\n") == true);
    CHECK(wsl("4.4.0-19041-Microsoft\n") == true);
    CHECK(wsl("6.5.0-28-generic\n") == false);
    FakeRoot root;
    root.file("/proc/sys/fs/binfmt_misc/WSLInterop", "enabled\n");
    CHECK(host_of(root).wsl == true);
}

TEST_CASE("only NVIDIA's display controllers count") {
    FakeRoot root;
    with_card(root, "0000:01:00.0", "0x10de", "0x030000")
        .link("/sys/bus/pci/devices/0000:01:00.0/driver", "../../bus/pci/drivers/nvidia");
    with_card(root, "0000:02:00.0", "0x10de", "0x030200");
    with_card(root, "0000:01:00.1", "0x10de", "0x040300");  // the card's sound
    with_card(root, "0000:00:02.0", "0x8086", "0x030000");
    const Host host = host_of(root);
    CHECK(host.pci_listed == true);
    REQUIRE(host.pci_gpus.size() == 2);
    CHECK(host.pci_gpus[0].address == "0000:01:00.0");
    CHECK(host.pci_gpus[0].device_id == "0x2204");
    CHECK(host.pci_gpus[0].kernel_driver == "nvidia");
    CHECK_FALSE(host.pci_gpus[1].kernel_driver);
}

TEST_CASE("the variables that matter are reported, others never") {
    const Environment environment = bare_environment(
        {{"CUDA_VISIBLE_DEVICES", ""},
         {"CUDNN_LOGLEVEL_DBG", "3"},
         {"TF_CUDNN_USE_AUTOTUNE", "0"},
         {"LD_PRELOAD", {}},
         {"SLURM_JOB_ID", "17"},
         {"CUDA_MPS_PIPE_DIRECTORY", "/tmp/mps"},
         {"AWS_SECRET_ACCESS_KEY", "secret"},
         {"XLA_FLAGS", std::string(100'000, 'x')}});
    FakeRoot root;
    const TextMap output = host_of(root).environment;
    CHECK(output.at("CUDA_VISIBLE_DEVICES").empty());
    CHECK(output.at("CUDNN_LOGLEVEL_DBG") == "3");
    CHECK(output.at("TF_CUDNN_USE_AUTOTUNE") == "0");
    CHECK(output.at("SLURM_JOB_ID") == "17");
    CHECK(output.at("CUDA_MPS_PIPE_DIRECTORY") == "/tmp/mps");
    CHECK_FALSE(output.contains("LD_PRELOAD"));
    CHECK_FALSE(output.contains("AWS_SECRET_ACCESS_KEY"));
    CHECK(output.at("XLA_FLAGS").size() == 4096);
}

TEST_CASE("this machine is described") {
    const Host host = look("host_system", Root()).facts.host;
    CHECK(host.kernel);
    CHECK(host.machine);
    CHECK(host.wsl);
}
