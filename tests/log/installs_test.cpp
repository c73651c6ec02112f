// Which build a remedy installs: of the version in the log, for its GPU, driver, Python and system.
#include "base/text.hpp"
#include "support/advice.hpp"

using namespace rnncheck;

namespace {

using test::about;
using test::Advice;
using Commands = std::vector<std::string>;

constexpr const char* jax_on_cpu = "No GPU/TPU found, falling back to CPU\n";
constexpr const char* torch_on_cpu = "AssertionError: Torch not compiled with CUDA enabled\n";

std::string jax_command(const char* version, std::vector<UserHint> hints = {}) {
    hints.push_back({"jax", version, {}});
    return about("cpu_only_build", jax_on_cpu, std::move(hints)).commands().front();
}

}  // namespace

TEST_CASE("a build with CUDA keeps the version of the log, old ones included") {
    CHECK(jax_command("0.9.0") == "python -m pip install -U \"jax[cuda12]==0.9.0\"");
    CHECK(
        jax_command("0.4.20") ==
        "python -m pip install \"jax[cuda12_pip]==0.4.20\" -f "
        "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html");
    CHECK(jax_command("0.2.26").starts_with("python -m pip install \"jax[cuda]==0.2.26\" -f "));
    CHECK(jax_command("0.2.13", {{"cuda", "10.2", {}}})
              .starts_with("python -m pip install \"jax[cuda102]==0.2.13\" -f "));
}

TEST_CASE("a version that has no build with CUDA for the processor is not repeated") {
    const char* log =
        "PyTorch version: 2.2.2\nCUDA used to build PyTorch: Could not collect\n"
        "OS: Ubuntu 22.04.4 LTS (aarch64)\nIs CUDA available: False\n";
    const Advice advice = about("cpu_only_build", log);
    const Remedy& remedy = advice.remedies.front();
    CHECK(remedy.text.starts_with("The compatibility data contain no CUDA build of PyTorch 2.2.2"));
    REQUIRE(remedy.commands.size() == 1);
    CHECK_FALSE(contains(remedy.commands.front(), "2.2.2"));
}

TEST_CASE("PyTorch before 1.2 has no torchaudio") {
    const auto commands =
        about("cpu_only_build", torch_on_cpu, {{"pytorch", "1.1.0", {}}}).commands();
    REQUIRE(commands.size() == 1);
    CHECK(contains(commands.front(), "torch==1.1.0"));
    CHECK_FALSE(contains(commands.front(), "torchaudio"));
}

TEST_CASE("the driver's CUDA that PyTorch reports decides which build of its version is named") {
    const char* log =
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please "
        "update your GPU driver\n";
    CHECK(
        about("driver_too_old", log, {{"pytorch", "2.5", {}}}).commands() ==
        Commands{"python -m pip install --force-reinstall \"torch==2.5.*\" torchvision "
                 "\"torchaudio==2.5.*\" --index-url https://download.pytorch.org/whl/cu118"});
}

TEST_CASE("a board with its own builds, another maker and another language get no such command") {
    for (const UserHint& hint : {UserHint{"gpu", "Jetson Orin", {}}, UserHint{"os", "macos", {}}}) {
        const auto commands = about("cpu_only_build", torch_on_cpu, {hint}).commands();
        CHECK_FALSE(contains(join(commands, " "), "whl/cu128"));
    }
}

TEST_CASE("MXNet that was compiled here is compiled again") {
    const Advice advice = about(
        "cpu_only_build", "src/storage/storage.cc:78: Compile with USE_CUDA=1 to enable GPU\n");
    CHECK(contains(advice.remedies.front().text, "set USE_CUDA=1"));
}

TEST_CASE("pip does not find an old version: the Pythons that have it") {
    const char* log =
        "ERROR: Could not find a version that satisfies the requirement tensorflow==1.13.1 (from "
        "versions: 2.2.0, 2.4.0)\n";
    const Advice advice = about("package_not_available", log);
    CHECK(advice.remedies.front().text.starts_with("TensorFlow 1.13.1 has packages for Python "));
    CHECK(advice.commands() == Commands{"python3.7 -m venv environment"});
    CHECK(
        about("package_not_available", log, {{"os", "windows", {}}}).commands() ==
        Commands{"py -3.7 -m venv environment"});
}

TEST_CASE("a package of another project shows nothing about Pythons") {
    const char* log =
        "ERROR: Could not find a version that satisfies the requirement librosa==0.0.1 (from "
        "versions: 0.10)\n";
    CHECK_FALSE(contains(about("package_not_available", log).remedies.front().text, "to 3."));
}

TEST_CASE("the cuDNN that JAX names as the oldest is the one to install") {
    const char* log =
        "Outdated cuDNN installation found.\nVersion JAX was built against: 8907\n"
        "Minimum supported: 9100\nInstalled version: 8907\n";
    const auto commands =
        about("cudnn_runtime_older_than_built", log, {{"jax", "0.4.31", {}}}).commands();
    CHECK(commands == Commands{"python -m pip install \"nvidia-cudnn-cu12>=9.1,<10\""});
}

TEST_CASE("a version of PyTorch with +cu118 that PyPI does not have is on PyTorch's index") {
    const std::string log =
        "ERROR: Could not find a version that satisfies the requirement torch==2.1.2+cu118 (from "
        "versions: 1.11.0, 2.1.1, 2.1.2)\n";
    CHECK(
        about("package_not_available", log).commands() ==
        Commands{"python -m pip install --force-reinstall torch==2.1.2 torchvision "
                 "\"torchaudio==2.1.*\" --index-url https://download.pytorch.org/whl/cu118"});
    const std::string with_index =
        "Looking in indexes: https://download.pytorch.org/whl/cu118\n" + log;
    const Advice advice = about("package_not_available", with_index);
    CHECK(advice.remedies.front().text.starts_with("PyTorch 2.1.2"));
}

TEST_CASE("versions with a flavor that the tables do not have get no command for it") {
    const char* log =
        "ERROR: Could not find a version that satisfies the requirement torch==2.0.1+cu999 (from "
        "versions: 2.6.0)\n";
    CHECK(about("package_not_available", log).commands().empty());
}

TEST_CASE("the Python that the user specified limits the builds") {
    const auto command = [](const char* python) {
        return about("cpu_only_build", torch_on_cpu, {{"python", python, {}}, {"gpu", "T4", {}}})
            .commands()
            .front();
    };
    CHECK(contains(command("3.8"), "\"torch==2.4.*\""));
    CHECK(contains(command("3.12"), "\"torch==2.14.*\""));
}

TEST_CASE("where the system is unknown the command names PyTorch's index") {
    const auto commands =
        about("cpu_only_build", torch_on_cpu, {{"pytorch", "2.5.1", {}}}).commands();
    CHECK(contains(commands.front(), "--index-url https://download.pytorch.org/whl/cu124"));
}

TEST_CASE("MXNet gets the package of the CUDA that is specified, or none") {
    const char* log = "src/storage/storage.cc:78: Compile with USE_CUDA=1 to enable GPU\n";
    CHECK(
        about("cpu_only_build", log, {{"mxnet", "1.6", {}}}).commands() ==
        Commands{"nvcc --version"});
    CHECK(
        about("cpu_only_build", log, {{"mxnet", "1.5.0", {}}, {"cuda", "10.0", {}}}).commands() ==
        Commands{"nvcc --version"});
}

TEST_CASE("memory that PyTorch reserved itself is not in use by other processes") {
    const std::string start =
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
        "capacity of 23.69 GiB of which 200.00 MiB is free. Including non-PyTorch memory, this "
        "process has ";
    const auto first = [](const std::string& log) {
        Facts facts;
        facts.tool.stages = {"log"};
        facts.log = test::log_read(log);
        return judge(std::move(facts), test::bundled_matrix(), {}).findings.front().rule;
    };
    CHECK(first(start + "23.4 GiB memory in use.\n") == "gpu_out_of_memory");
    CHECK(first(start + "2.4 GiB memory in use.\n") == "gpu_memory_held_by_other_process");
}

TEST_CASE("words about a system in other lines do not replace the Pythons of a version") {
    const std::string missing =
        "ERROR: Could not find a version that satisfies the requirement torch==2.1.2 (from "
        "versions: 2.6.0, 2.7.0)\n";
    for (const char* line :
         {"Using 32-bit precision\n",
          "Author: Charles Darwin\n",
          "C:\\msys\\i686-w64\\bin\n",
          "markers: sys_platform != 'Darwin'\n",
          "uv pip compile --python-platform windows\n"}) {
        const Advice advice = about("package_not_available", line + missing);
        INFO(line);
        CHECK(advice.remedies.front().text.starts_with("PyTorch 2.1.2 has packages for Python "));
    }
}

TEST_CASE("a newer CUDA is not the only one where the driver is unknown") {
    const char* log = "CUDA error: no kernel image is available for execution on the device\n";
    const auto text = [&](std::vector<UserHint> hints) {
        hints.insert(hints.end(), {{"gpu", "RTX 3070 Ti", {}}, {"cuda", "10.2", {}}});
        return about("gpu_arch_not_in_build", log, std::move(hints)).remedies.front().text;
    };
    CHECK(contains(text({}), "or an older one from 11.1 on"));
    CHECK_FALSE(contains(text({{"driver", "535", {}}}), "or an older one"));
}
