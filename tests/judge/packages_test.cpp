// Remedies name the one package manager that the evidence points to.
#include "rules/support/frameworks.hpp"
#include "rules/support/remedies.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

using Commands = std::vector<std::string>;

Facts on(const std::string& os) {
    return but([&](Facts& f) { f.host.os = os; });
}

Remedy again(const Facts& facts, const std::string& path, int major) {
    rules::CudnnInstallation copy;
    copy.path = path;
    copy.major = major;
    return rules::reinstalling_cudnn(facts, copy, {});
}

}  // namespace

TEST_CASE("a cuDNN of the system comes from the distribution's package manager") {
    const std::string path = "/usr/lib/x86_64-linux-gnu/libcudnn.so.9";
    CHECK(
        again(on("Ubuntu 22.04.4 LTS"), path, 9).commands ==
        Commands{"sudo apt-get install --reinstall libcudnn9-cuda-12"});
    CHECK(
        again(on("Rocky Linux 9.4 (Blue Onyx)"), "/usr/lib64/libcudnn.so.8", 8).commands ==
        Commands{"sudo dnf reinstall libcudnn8"});
    CHECK(
        again(on("openSUSE Leap 15.6"), path, 9).commands ==
        Commands{"sudo zypper install --force libcudnn9-cuda-12"});
    CHECK(again(on("Ubuntu 22.04.4 LTS"), path, 9).risk == Risk::needs_root);
    CHECK(again(on("NixOS 24.05"), path, 9).commands.empty());
    CHECK(again(on("Ubuntu 22.04.4 LTS"), "/usr/local/cuda-12.4/lib64/libcudnn.so.9", 9)
              .commands.empty());
}

TEST_CASE("a cuDNN of a Python environment comes from pip, in the version that is there") {
    Facts facts = on("Ubuntu 22.04.4 LTS");
    const std::string directory = "/srv/venv/lib/python3.11/site-packages";
    const Remedy unknown = again(facts, directory + "/nvidia/cudnn/lib/libcudnn.so.9", 9);
    CHECK(
        unknown.commands ==
        Commands{"python -m pip install --force-reinstall --no-deps \"nvidia-cudnn-cu12==9.*\""});
    CHECK(unknown.risk == Risk::safe);
    PythonEnvironment environment;
    environment.interpreter = "/srv/venv/bin/python";
    environment.package_directories = {directory};
    environment.packages.emplace_back();
    environment.packages.back().name = "nvidia-cudnn-cu11";
    environment.packages.back().version = "9.1.0.70";
    facts.pythons.push_back(environment);
    CHECK(
        again(facts, directory + "/nvidia/cudnn/lib/libcudnn.so.9", 9).commands ==
        Commands{"/srv/venv/bin/python -m pip install --force-reinstall --no-deps "
                 "nvidia-cudnn-cu11==9.1.0.70"});
}

TEST_CASE("what conda installed is changed by conda, in its environment") {
    Facts facts = on("Ubuntu 22.04.4 LTS");
    PythonEnvironment conda;
    conda.path = "/opt/conda/envs/ml";
    conda.kind = "conda";
    conda.active = true;
    conda.interpreter = "/opt/conda/envs/ml/bin/python";
    conda.packages = {{"libcudnn", "9.10.2.21-hf7e9902_0", conda.path, {}, {}}};
    facts.pythons = {conda};
    CHECK(
        again(facts, "/opt/conda/envs/ml/lib/libcudnn.so.9", 9).commands ==
        Commands{
            "conda install --prefix /opt/conda/envs/ml -c conda-forge --force-reinstall libcudnn"});
    rules::CudnnInstallation copy;
    copy.path = "/opt/conda/envs/ml/lib/libcudnn.so.9";
    copy.major = 9;
    CHECK(
        rules::installing_cudnn(facts, &copy, 13, {}).commands ==
        Commands{
            "conda install --prefix /opt/conda/envs/ml -c conda-forge cudnn=9 cuda-version=13"});
    // pip's own packages stay pip's.
    const std::string install =
        "pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/cu126";
    const std::string there = "/opt/conda/envs/ml/bin/python -m " + install;
    CHECK(rules::install_here(facts, "pytorch", install) == Commands{there});
    facts.pythons.front().packages.push_back({"pytorch", "2.9.0-cuda129", conda.path, {}, {}});
    CHECK(
        rules::install_here(facts, "pytorch", install) ==
        Commands{"conda remove --prefix /opt/conda/envs/ml pytorch", there});
    facts.pythons.front().kind = "venv";
    CHECK(rules::install_here(facts, "pytorch", install) == Commands{install});
}

TEST_CASE("where there is no cuDNN, the environment of a framework comes first") {
    Facts facts = on("Fedora Linux 40");
    facts.pythons.clear();
    facts.frameworks.clear();
    CHECK(
        rules::installing_cudnn(facts, nullptr, 12, {}).commands ==
        Commands{"sudo dnf install cudnn9-cuda-12"});
    PythonEnvironment& environment = facts.pythons.emplace_back();
    environment.active = true;
    environment.interpreter = "/srv/venv/bin/python";
    facts.frameworks.emplace_back().name = "torch";
    CHECK(
        rules::installing_cudnn(facts, nullptr, 12, {}).commands ==
        Commands{"/srv/venv/bin/python -m pip install nvidia-cudnn-cu12"});
    facts.frameworks.back().cudnn = make_version({8, 9});
    CHECK(
        rules::installing_cudnn(facts, nullptr, 12, {}).commands ==
        Commands{"/srv/venv/bin/python -m pip install \"nvidia-cudnn-cu12==8.*\""});
    CHECK(
        rules::system_install_commands(facts, "zlib1g", "zlib", "libz1") ==
        Commands{"sudo dnf install zlib"});
}

TEST_CASE("Debian and Ubuntu have no cuDNN 9 before NVIDIA's repository is added") {
    Facts facts = on("Ubuntu 24.04.3 LTS");
    facts.pythons.clear();
    facts.frameworks.clear();
    CHECK(
        rules::installing_cudnn(facts, nullptr, 12, {}).commands ==
        Commands{
            "wget https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2404/x86_64/"
            "cuda-keyring_1.1-1_all.deb",
            "sudo dpkg -i cuda-keyring_1.1-1_all.deb",
            "sudo apt-get update",
            "sudo apt-get install cudnn9-cuda-12"});
    facts.host.machine = "aarch64";
    CHECK(
        rules::installing_cudnn(facts, nullptr, 12, {}).commands ==
        Commands{"sudo apt-get install cudnn9-cuda-12"});
}

TEST_CASE("since CUDA 13 the names of NVIDIA's packages carry no CUDA, except that of cuDNN") {
    CHECK(rules::wheel("nvidia-cuda-nvrtc", 13) == "\"nvidia-cuda-nvrtc==13.*\"");
    CHECK(rules::wheel("nvidia-cuda-runtime", 13) == "\"nvidia-cuda-runtime==13.*\"");
    CHECK(rules::wheel("nvidia-cudnn", 13, "==9.*") == "\"nvidia-cudnn-cu13==9.*\"");
    CHECK(rules::wheel("nvidia-cudnn", 13) == "nvidia-cudnn-cu13");
    CHECK(rules::wheel("nvidia-cuda-nvrtc", 11) == "nvidia-cuda-nvrtc-cu11");
}

TEST_CASE(
    "the owner of a file is named by the package manager of the distribution, if it may own it") {
    const std::string path = "/usr/lib64/libcudnn.so.9";
    CHECK(
        rules::owner_commands(on("Debian GNU/Linux 12 (bookworm)"), path) ==
        Commands{"dpkg --search " + path});
    CHECK(
        rules::owner_commands(on("Rocky Linux 9.4 (Blue Onyx)"), path) ==
        Commands{"rpm --query --file " + path});
    CHECK(rules::owner_commands(on("NixOS 24.05"), path).empty());
    CHECK(rules::owner_commands(on("Fedora Linux 40"), "/srv/lib/python3.11/site-packages/a.so")
              .empty());
}
