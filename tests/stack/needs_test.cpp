// What a version needs.
#include "base/program.hpp"
#include "base/text.hpp"
#include "stack/plan.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"

using namespace rnncheck;
using rnncheck::test::v;

namespace {

const NeededBuild& build_of(const Needs& needs, const std::string& os, const std::string& build) {
    for (const NeededBuild& needed : needs.builds)
        if (needed.build.os == os && needed.build.build == build)
            return needed;
    FAIL("no build " << os << " " << build);
    throw std::logic_error("not reached");
}

bool has(const std::vector<Version>& capabilities, const char* capability) {
    return std::find(capabilities.begin(), capabilities.end(), v(capability)) != capabilities.end();
}

}  // namespace

TEST_CASE(
    "TensorFlow 2.15: CUDA 12.2, cuDNN 8.9, driver 525, Python, GPUs, and no CUDA on Windows") {
    const Needs needs = needs_of({"tensorflow", v("2.15.1")}, test::bundled_matrix());
    const NeededBuild& wheels = build_of(needs, "linux", "and-cuda");
    CHECK(wheels.build.cuda == v("12.2"));
    CHECK(wheels.build.cudnn == v("8.9.4"));
    CHECK(wheels.build.driver_min == v("525.60.13"));
    CHECK(wheels.build.driver_full == v("535.54.03"));
    CHECK(wheels.build.python_first == v("3.9"));
    CHECK(wheels.build.python_last == v("3.11"));
    CHECK(contains(wheels.build.install, "tensorflow[and-cuda]==2.15.1"));
    for (const char* gpu : {"5.0", "6.1", "7.5", "8.0", "8.6", "8.9"})
        CHECK(has(wheels.gpus, gpu));
    CHECK_FALSE(has(wheels.gpus, "3.5"));
    CHECK(has(wheels.gpus_compiling_first, "9.0"));
    CHECK_FALSE(has(wheels.gpus_compiling_first, "12.0"));  // its cuDNN 8.9 has nothing for it
    CHECK(
        std::find(needs.without_cuda.begin(), needs.without_cuda.end(), "windows") !=
        needs.without_cuda.end());
}

TEST_CASE("a patch version is found in its range") {
    CHECK(
        needs_of({"tensorflow", v("2.16.1")}, test::bundled_matrix()).builds.size() ==
        needs_of({"tensorflow", v("2.16")}, test::bundled_matrix()).builds.size());
    CHECK_FALSE(needs_of({"pytorch", v("2.4.1")}, test::bundled_matrix()).builds.empty());
}

TEST_CASE(
    "a version whose CUDA packages pip cannot install has no command, and shows what to install") {
    const Needs needs = needs_of({"tensorflow", v("2.15.0")}, test::bundled_matrix());
    const NeededBuild& wheels = build_of(needs, "linux", "and-cuda");
    CHECK(wheels.build.install.empty());
    CHECK(contains(wheels.build.after_install, "2.15.1"));
}

TEST_CASE(
    "what pip installs is named where packages allow a later cuDNN than the build was made with") {
    const auto cudnn_of = [](const char* framework, const char* version, const char* build) {
        return build_of(needs_of({framework, v(version)}, test::bundled_matrix()), "linux", build)
            .build.cudnn_by_pip;
    };
    REQUIRE(cudnn_of("jax", "0.9.0", "cuda12"));
    CHECK(*cudnn_of("jax", "0.9.0", "cuda12") >= v("9.28.0"));
    CHECK_FALSE(cudnn_of("pytorch", "2.8.0", "cu128"));  // its packages require one version
}

TEST_CASE("TensorFlow 2.10 on Windows is reported with the drivers of Windows") {
    const Needs needs = needs_of({"tensorflow", v("2.10")}, test::bundled_matrix());
    CHECK(build_of(needs, "windows", "cuda").build.driver_min == v("452.39"));
}

TEST_CASE("a cuDNN that is not known narrows nothing") {
    const Needs needs = needs_of({"pytorch", v("2.8")}, test::bundled_matrix());
    const NeededBuild& build = build_of(needs, "windows", "cu128");
    REQUIRE_FALSE(build.build.cudnn);
    for (const char* gpu : {"7.0", "7.5", "8.6", "9.0", "10.0", "12.0"}) {
        INFO(gpu);
        CHECK(has(build.gpus, gpu));
    }
}

TEST_CASE("TensorFlow's PTX is no way to a GPU that its CUDA libraries do not know") {
    const Needs needs = needs_of({"tensorflow", v("2.20")}, test::bundled_matrix());
    const NeededBuild& wheels = build_of(needs, "linux", "and-cuda");
    CHECK_FALSE(has(wheels.gpus_compiling_first, "12.0"));
    CHECK(has(wheels.gpus, "9.0"));
}

TEST_CASE("a system or a Python narrows what a version needs") {
    const Needs linux = needs_of(
        {"tensorflow", v("2.15")},
        test::bundled_matrix(),
        {.os = "linux", .python = stack::known_python(v("3.12"))});
    for (const NeededBuild& needed : linux.builds) {
        CHECK(needed.build.os == "linux");
        CHECK(needed.build.fit == Fit::does_not_work);
    }
    CHECK_FALSE(linux.builds.empty());
    const Needs macos =
        needs_of({"tensorflow", v("2.15")}, test::bundled_matrix(), {.os = "macos"});
    CHECK(macos.builds.empty());
    CHECK(macos.without_cuda == std::vector<std::string>{"macos"});
    CHECK(
        needs_of({"cupy", v("13.0")}, test::bundled_matrix(), {.os = "macos"}).without_cuda ==
        macos.without_cuda);
}

TEST_CASE("a version that is newer than the data, or not in them") {
    const Needs newer = needs_of({"tensorflow", v("9.0")}, test::bundled_matrix());
    CHECK(newer.builds.empty());
    CHECK(newer.newest_known);
    const Needs older = needs_of({"tensorflow", v("0.1")}, test::bundled_matrix());
    CHECK(older.builds.empty());
    CHECK_FALSE(older.newest_known);
}

TEST_CASE("the command installs the release that was requested, not the newest of its row") {
    const auto command = [](const char* framework, const char* version) {
        return needs_of({framework, v(version)}, test::bundled_matrix(), {.os = "linux"})
            .builds.front()
            .build.install;
    };
    CHECK(command("jax", "0.4.35") == "pip install -U \"jax[cuda12]==0.4.35\"");
    CHECK(contains(command("pytorch", "2.4.1"), "torch==2.4.1 "));
    CHECK(contains(command("pytorch", "2.4"), "\"torch==2.4.*\""));
    CHECK(contains(command("cupy", "13.0.0"), "==13.0.0"));
}

TEST_CASE("a build that is named is the one reported; one that does not exist is rejected") {
    const auto of_build = [](const char* build) {
        return needs_of({"tensorflow", v("2.16"), build}, test::bundled_matrix(), {.os = "linux"});
    };
    CHECK(of_build("and-cuda").builds.size() == 1);
    CHECK(of_build("").builds.size() > 1);
    CHECK_THROWS_AS(of_build("cu999"), UsageError);
}
