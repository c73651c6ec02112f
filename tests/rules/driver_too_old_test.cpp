#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

using rnncheck::Facts;
using rnncheck::test::but;
using rnncheck::test::v;

Facts driver_and_runtime(const char* cuda, const char* version, const char* runtime) {
    return but([&](Facts& f) {
        f.driver.cuda_version = v(cuda);
        f.driver.library_version = version ? std::optional(v(version)) : std::nullopt;
        f.driver.nvml_version = f.driver.kernel_version = f.driver.library_version;
        rnncheck::test::library_of(f, rnncheck::LibraryKind::cuda).version_in_name =
            f.driver.library_version;
        f.runtimes.front().version = v(runtime);
    });
}

Facts two_runtimes(const char* picked, const char* other) {
    auto f = driver_and_runtime("12.4", "550.54.14", picked);
    f.runtimes.push_back({"/venv/nvidia/cuda_runtime/lib/libcudart.so.13", v(other), {}, {}});
    return f;
}

std::vector<rnncheck::Severity> severities(const Facts& facts) {
    const auto* rule = rnncheck::find_named(rnncheck::all_rules(), "driver_too_old");
    std::vector<rnncheck::Severity> found;
    for (const auto& finding : (*rule)->check(facts, rnncheck::Matrix::bundled()).findings)
        found.push_back(finding.severity);
    return found;
}

}  // namespace

RULE_TEST(
    driver_too_old,
    Fires{
        {{"an older major",
          driver_and_runtime("11.4", "470.256.02", "12.4"),
          "supports CUDA up to 11.4, too old for the CUDA runtime 12.4"},
         {"no compatibility before CUDA 11",
          driver_and_runtime("10.1", "418.39", "10.2"),
          "too old for the CUDA runtime 10.2"},
         {"below the family's oldest driver",
          driver_and_runtime("11.0", "450.36.06", "11.8"),
          "too old for the CUDA runtime 11.8"},
         {"without kernel module it shows as well",
          after(library_without_module(), [](Facts& f) { f.runtimes.front().version = v("13.0"); }),
          "13.0"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"an older runtime", driver_and_runtime("13.0", "580.65.06", "11.8"), ""},
         {"the same major, a newer minor", driver_and_runtime("12.2", "535.104.05", "12.9"), ""},
         {"the family's oldest driver", driver_and_runtime("11.0", "450.80.02", "11.8"), ""},
         {"a version that is not known, past the oldest one anyway",
          driver_and_runtime("12.4", nullptr, "12.9"),
          ""},
         {"no runtime",
          but([](Facts& f) {
              f.runtimes.clear();
              std::erase_if(
                  f.libraries, [](const Library& l) { return l.kind == LibraryKind::cudart; });
          }),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the driver was silent", but([](Facts& f) { f.driver.cuda_version.reset(); }), ""},
         {"the runtime was silent", but([](Facts& f) { f.runtimes.front().version.reset(); }), ""},
         {"the first of its family, release unknown",
          driver_and_runtime("11.0", nullptr, "11.8"),
          ""}}})

TEST_CASE("a runtime that is too new is a warning beside one that suits, else an error") {
    using enum rnncheck::Severity;
    CHECK(severities(two_runtimes("12.4", "13.0")) == std::vector{warning});
    CHECK(severities(two_runtimes("13.0", "12.4")) == std::vector{warning});
    CHECK(severities(two_runtimes("13.0", "13.1")) == std::vector{error, error});
}

TEST_CASE("the build for an older CUDA is named where a framework bundles the runtime") {
    auto facts = driver_and_runtime("12.8", "570.124.06", "13.0");
    const std::string library =
        "/venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcudart.so.13";
    facts.runtimes.front().library = library;
    facts.frameworks.clear();
    facts.pythons.emplace_back().version = v("3.12");
    auto& jax = facts.frameworks.emplace_back();
    jax.name = "jax";
    jax.version = v("0.9.0");
    jax.build = "cuda13";
    jax.cuda = v("13");
    jax.uses_cuda = true;
    jax.directories_before = {"/venv/lib/python3.12/site-packages/nvidia/cu13/lib"};
    const auto* rule = rnncheck::find_named(rnncheck::all_rules(), "driver_too_old");
    const auto verdict = (*rule)->check(facts, rnncheck::Matrix::bundled());
    std::vector<std::string> commands;
    for (const auto& remedy : verdict.findings.at(0).remedies)
        if (remedy.text.starts_with("Use a framework build for CUDA 12.8"))
            commands = remedy.commands;
    CHECK(
        commands ==
        std::vector<std::string>{"pip install -U \"jax[cuda12]==0.9.0\" --force-reinstall"});
}

TEST_CASE("under WSL, where libcuda has no release in its name, NVML's word counts") {
    auto f = driver_and_runtime("13.0", nullptr, "13.1");
    f.host.wsl = true;
    f.driver.nvml_version = v("580.88");
    CHECK(severities(f).empty());
    const auto* rule = rnncheck::find_named(rnncheck::all_rules(), "driver_too_old");
    CHECK((*rule)->check(f, rnncheck::Matrix::bundled()).outcome == rnncheck::Outcome::pass);
}

TEST_CASE("a runtime that did not respond may be the one that suits") {
    auto facts = driver_and_runtime("12.4", "550.54.14", "13.0");
    CHECK(severities(facts).at(0) == rnncheck::Severity::error);
    rnncheck::Library& silent = facts.libraries.emplace_back();
    silent.kind = rnncheck::LibraryKind::cudart;
    silent.path = "/opt/cuda-12/lib/libcudart.so.12";
    silent.picked_by_loader = true;
    CHECK(severities(facts).at(0) == rnncheck::Severity::warning);
}

namespace {

/// What is advised where the driver is too old for the runtime, on a GPU of this capability.
std::vector<rnncheck::Remedy> advice(
    const char* cuda,
    const char* version,
    const char* runtime,
    const char* capability,
    const char* os) {
    auto facts = driver_and_runtime(cuda, version, runtime);
    facts.host.os = os;
    facts.cuda_devices.resize(1);
    facts.cuda_devices.front().compute_capability = v(capability);
    const auto* rule = rnncheck::find_named(rnncheck::all_rules(), "driver_too_old");
    return (*rule)->check(facts, rnncheck::Matrix::bundled()).findings.at(0).remedies;
}

}  // namespace

TEST_CASE("no driver update that takes the GPU away or is of no use to it") {
    const auto kepler = advice("11.4", "470.256.02", "12.1", "3.7", "Ubuntu 22.04");
    REQUIRE(kepler.size() == 1);
    CHECK(kepler[0].commands.empty());
    CHECK(
        kepler[0].text ==
        "Do not update the driver: driver branch 470 is the last one for Kepler, and later "
        "drivers ignore this GPU. "
        "Use a build for CUDA 11.8 or earlier");
    const auto pascal = advice("12.4", "550.54.14", "13.0", "6.1", "Ubuntu 22.04");
    REQUIRE(pascal.size() == 1);
    CHECK(pascal[0].commands.empty());
    CHECK(pascal[0].text.starts_with(
        "A newer driver does not help: CUDA 13.0 no longer supports Pascal"));
}

TEST_CASE(
    "a driver is installed with the kernel modules that the GPU takes, from where that version "
    "is") {
    using Commands = std::vector<std::string>;
    const auto commands = [](const char* cuda,
                             const char* version,
                             const char* runtime,
                             const char* capability,
                             const char* os) {
        return advice(cuda, version, runtime, capability, os).at(0).commands;
    };
    CHECK(
        commands("12.8", "570.86.10", "13.0", "12.0", "Ubuntu 24.04") ==
        Commands{"sudo apt-get install nvidia-driver-580-open"});
    CHECK(
        commands("11.4", "470.256.02", "12.1", "6.1", "Ubuntu 22.04") ==
        Commands{"sudo apt-get install nvidia-driver-580"});
    CHECK(
        commands("11.4", "470.256.02", "12.1", "8.6", "Debian GNU/Linux 12 (bookworm)") ==
        Commands{"sudo apt-get install nvidia-driver"});
    const auto debian =
        commands("12.2", "535.261.03", "13.0", "8.6", "Debian GNU/Linux 12 (bookworm)");
    REQUIRE(debian.size() == 4);
    CHECK(debian.front().find("/repos/debian12/") != std::string::npos);
    CHECK(debian.back() == "sudo apt-get install nvidia-open");
}
