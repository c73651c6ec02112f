// What the bundled tables plan for machines that people have; each set is what the frameworks' own
// pins require.
#include "stack/plan.hpp"

#include <algorithm>

#include "base/program.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/matrix_copy.hpp"

using namespace rnncheck;
using rnncheck::test::v;

namespace {

using stack::Stack;

/// A stack, and the framework to plan for.
struct PlanRequest : Stack {
    std::string framework;

    void set_driver(const char* version) {
        driver = stack::known_driver(v(version), test::bundled_matrix());
    }
    void set_gpu_name(const char* name) {
        gpus.front().name = name;
    }
};

PlanRequest question(
    const char* gpu, const char* driver, const char* framework = "", const char* python = nullptr) {
    PlanRequest request;
    const auto product = test::bundled_matrix().gpu_product(gpu);
    const Version capability = product ? product->capability : v(gpu);
    request.gpus.push_back(
        {.capability = stack::known_capability(capability, test::bundled_matrix())});
    if (driver)
        request.set_driver(driver);
    if (python)
        request.python = stack::known_python(v(python));
    request.framework = framework;
    return request;
}

Plan plan_for(const PlanRequest& request, const Matrix& matrix = test::bundled_matrix()) {
    return make_plan(request, request.framework, matrix);
}

FrameworkPlan plan_of(const PlanRequest& request) {
    const Plan plan = plan_for(request);
    REQUIRE(plan.frameworks.size() == 1);
    return plan.frameworks[0];
}

PlannedBuild newest_of(const PlanRequest& request) {
    const FrameworkPlan plan = plan_of(request);
    REQUIRE(plan.newest);
    return *plan.newest;
}

std::string joined(const std::vector<std::string>& lines) {
    return join(lines, "; ");
}

/// "2.7 cu118 11.8 9.1.0 works" of the newest release.
std::string newest(
    const char* gpu, const char* driver, const char* framework, const char* python = nullptr) {
    const FrameworkPlan plan = plan_of(question(gpu, driver, framework, python));
    if (!plan.newest)
        return "nothing";
    const PlannedBuild& build = *plan.newest;
    return build.last->text + " " + build.build + " " + build.cuda->text + " " +
           (build.cudnn ? build.cudnn->text : "-") + " " + std::string(name_of(build.fit));
}

std::string why_no_newer(const char* gpu, const char* driver, const char* framework) {
    const FrameworkPlan plan = plan_of(question(gpu, driver, framework));
    return plan.newer ? joined(plan.newer->reasons) : "";
}

bool runs(
    const char* gpu,
    const char* driver,
    const char* framework,
    const char* version,
    const char* build) {
    const FrameworkPlan plan = plan_of(question(gpu, driver, framework));
    std::vector<PlannedBuild> all = plan.others;
    if (plan.newest)
        all.push_back(*plan.newest);
    for (const PlannedBuild& one : all)
        if (one.build == build && one.first <= v(version) && v(version) <= one.last)
            return true;
    return false;
}

}  // namespace

TEST_CASE("GTX 1080 on driver 470: CUDA 11 is the end") {
    CHECK(newest("GTX 1080", "470", "pytorch") == "2.7 cu118 11.8 9.1.0 works");
    CHECK(newest("GTX 1080", "470", "tensorflow") == "2.14 and-cuda 11.8 8.7.0 works");
    CHECK(contains(
        why_no_newer("GTX 1080", "470", "tensorflow"),
        "CUDA 12.5 needs driver 525.60.13 or newer"));
    const FrameworkPlan plan = plan_of(question("GTX 1080", "470", "pytorch"));
    CHECK(
        plan.newest->install ==
        "pip install \"torch==2.7.*\" --index-url https://download.pytorch.org/whl/cu118");
    CHECK(contains(joined(plan.newest->notes), "minor-version compatibility"));
    CHECK_FALSE(plan.newest->sources.empty());
}

TEST_CASE("RTX 3090 on driver 535: CUDA 12 with minor-version compatibility") {
    CHECK(newest("RTX 3090", "535", "pytorch") == "2.14 cu126 12.6 9.10.2 works");
    CHECK(newest("RTX 3090", "535", "tensorflow") == "2.21.0 and-cuda 12.5 9.3.0 works");
    CHECK(contains(why_no_newer("RTX 3090", "535", "pytorch"), "CUDA 13"));
}

TEST_CASE("RTX 5090 on driver 570: only builds with machine code for 12.0 work") {
    CHECK(newest("RTX 5090", "570", "pytorch") == "2.11 cu128 12.8 9.19.0 works");
    CHECK_FALSE(runs("RTX 5090", "570", "pytorch", "2.6", "cu124"));
    CHECK_FALSE(runs("RTX 5090", "570", "pytorch", "2.11", "cu126"));
}

TEST_CASE("PTX alone does not run where the CUDA libraries beside it have nothing for the GPU") {
    for (const char* gpu : {"RTX 5090", "B200"}) {
        INFO(gpu);
        CHECK(
            newest(gpu, "570", "tensorflow") ==
            "2.19.1 conda-cuda128 12.8 9 works");  // none on PyPI
        CHECK(contains(
            why_no_newer(gpu, "570", "tensorflow"),
            "PTX code alone for compute capability " +
                question(gpu, "570").gpus.front().capability->text +
                ", for which the libraries of CUDA 12.5 and cuDNN 9.3.0 have no machine code"));
    }
    CHECK(
        newest("H200", "580", "tensorflow", "3.9") !=
        "nothing");  // PTX of 2.15 and cuDNN 8.9 that knows Hopper
}

TEST_CASE("H200 on driver 580: CUDA 13") {
    CHECK(contains(newest("H200", "580", "pytorch"), "13."));
    CHECK(newest("H200", "580", "tensorflow") == "2.21.0 and-cuda 12.5 9.3.0 works");
}

TEST_CASE("Tesla K80 on driver 470: Kepler ends with cuDNN 8.7") {
    CHECK(newest("Tesla K80", "470", "pytorch") == "2.3 cu118 11.8 8.7.0 works");
    CHECK(newest("Tesla K80", "470", "tensorflow") == "2.14 and-cuda 11.8 8.7.0 works");
    CHECK_FALSE(runs("Tesla K80", "470", "pytorch", "2.4", "cu118"));
}

TEST_CASE("a Jetson gets no suggestion that is made for other machines") {
    const Plan plan = plan_for(question("Jetson AGX Orin", nullptr));
    CHECK(plan.frameworks.empty());
    CHECK_FALSE(has_builds(plan));
    CHECK(contains(joined(plan.obstacles), "JetPack"));
}

TEST_CASE("a driver that no longer, or not yet, drives the GPU") {
    CHECK(contains(
        joined(plan_for(question("Tesla K80", "535")).obstacles), "470 was the last branch"));
    CHECK(contains(
        joined(plan_for(question("GTX 1080", "595")).obstacles), "580 was the last branch"));
    CHECK(contains(
        joined(plan_for(question("RTX 5090", "535")).obstacles), "requires CUDA 12.8 or later"));
    CHECK(plan_for(question("RTX 5090", "570")).obstacles.empty());
}

TEST_CASE("Python narrows the choice") {
    CHECK(newest("RTX 3090", "535", "tensorflow", "3.8") == "2.13 cuda 11.8 8.6 works");
    CHECK(newest("GTX 1080", "470", "pytorch", "3.14") == "nothing");
    CHECK(contains(
        joined(plan_of(question("GTX 1080", "580", "tensorflow", "3.14")).newer->reasons),
        "Python 3."));
}

TEST_CASE("Pascal keeps an older cuDNN: the bound is in the command") {
    const FrameworkPlan plan = plan_of(question("GTX 1080", "580", "tensorflow"));
    REQUIRE(plan.newest);
    CHECK(plan.newest->cuda == v("12.5"));
    CHECK(contains(plan.newest->install, "\"nvidia-cudnn-cu12<9.11\""));
    CHECK_FALSE(contains(
        plan_of(question("RTX 3090", "580", "tensorflow")).newest->install, "nvidia-cudnn"));
}

TEST_CASE("with a driver the flavour nearest to its CUDA is chosen") {
    CHECK(plan_of(question("RTX 3090", "580", "pytorch")).newest->driver_min >= v("580.65.06"));
    const auto plan = plan_of(question("RTX 3090", "560", "pytorch"));
    CHECK(plan.newest->cuda == v("12.6"));
    CHECK(plan.newest->notes.empty());
}

TEST_CASE("a branch counts with its newest release, a version as it is") {
    CHECK(reaches(v("525"), v("525.60.13")));
    CHECK_FALSE(reaches(v("525.53"), v("525.60.13")));
    CHECK(reaches(v("525.105.17"), v("525.60.13")));
    CHECK_FALSE(reaches(v("470"), v("525.60.13")));
}

TEST_CASE("a GPU or a driver outside the data is never known to run anything") {
    const Plan newer = plan_for(question("13.0", "580"));
    CHECK_FALSE(has_builds(newer));
    CHECK(leaves_open(newer));
    REQUIRE(newer.frameworks[0].possible);
    CHECK(contains(joined(newer.frameworks[0].possible->reasons), "newer than the data of"));
    CHECK(contains(joined(plan_for(question("8.6", "900")).remarks), "newer than the data of"));
}

TEST_CASE(
    "a driver that is newer than the data runs what the newest known branch runs, as NVIDIA "
    "guarantees") {
    const Plan plan = plan_for(question("RTX 3090", "9999"));
    CHECK(has_builds(plan));
    CHECK(contains(joined(plan.remarks), "driver 9999 is newer than the data of"));
    CHECK(newest("RTX 3090", "9999", "pytorch") == newest("RTX 3090", "620", "pytorch"));
}

TEST_CASE("a branch has the limits of minor-version compatibility as its releases are") {
    const std::pair<const char*, const char*> machines[] = {
        {"H200", "580"}, {"GTX 970", "525"}, {"RTX 5090", "570"}};
    for (const auto& [gpu, branch] : machines) {
        INFO(gpu << ' ' << branch);
        const FrameworkPlan plan = plan_of(question(gpu, branch, "pytorch"));
        std::vector<PlannedBuild> builds = plan.others;
        if (plan.newest)
            builds.push_back(*plan.newest);
        bool any_limited = false;
        for (const PlannedBuild& build : builds) {
            const bool new_enough = reaches(v(branch), *build.driver_full);
            CHECK(build.minor_version_only == !new_enough);
            CHECK(contains(joined(build.notes), "minor-version compatibility") == !new_enough);
            any_limited |= build.minor_version_only;
        }
        CHECK(any_limited);
    }
}

TEST_CASE(
    "CUDA 13 on Windows needs the branch that NVIDIA names, whatever the GPU's first driver was") {
    PlanRequest request = question("RTX 4090", "580", "pytorch");
    request.os = "windows";
    const FrameworkPlan plan = plan_of(request);
    REQUIRE(plan.newest);
    CHECK(plan.newest->cuda->major() == 13);
    CHECK(plan.newest->driver_min == v("580"));
    request.set_driver("576.57");
    REQUIRE(plan_of(request).newest);
    CHECK(plan_of(request).newest->cuda->major() == 12);
}

TEST_CASE("the driver of a GPU does not replace one of a CUDA that is not in the data") {
    const test::MatrixCopy copy;
    std::string text =
        test::MatrixCopy::content_of(copy.directory / "windows_driver_for_cuda.json");
    const auto first = text.find(",\n    {\"cuda\": \"13.0\"");
    REQUIRE(first != std::string::npos);
    copy.write("windows_driver_for_cuda.json", text.substr(0, first) + "\n  ]\n}\n");
    PlanRequest request = question("RTX 4090", "580", "pytorch");
    request.os = "windows";
    const Plan plan = plan_for(request, Matrix::from_directory(copy.directory.string()));
    REQUIRE(plan.frameworks[0].newest);
    CHECK(plan.frameworks[0].newest->cuda->major() == 13);
    CHECK_FALSE(plan.frameworks[0].newest->driver_min);
}

TEST_CASE("releases that may run are reported beside those that do") {
    PlanRequest request = question("RTX 5090", "576.57", "pytorch");
    request.os = "windows";
    const FrameworkPlan plan = plan_of(request);
    CHECK(contains(join(plan.versions, ", "), "2.11"));
    CHECK(plan.undecided == std::vector<std::string>{"2.8"});
    CHECK(contains(joined(plan.undecided_reasons), "its cuDNN is not in the data"));
}

TEST_CASE("ranges hold every version that runs, are separate and in order") {
    for (const char* gpu : {"5.0", "6.1", "7.5", "8.6", "9.0", "12.0"})
        for (const char* driver : {"450", "470", "535", "570", "580"})
            for (const char* os : {"linux", "windows"}) {
                PlanRequest request = question(gpu, driver);
                request.os = os;
                for (const FrameworkPlan& plan : plan_for(request).frameworks) {
                    INFO(
                        gpu << ", " << driver << ", " << os << ", " << plan.framework << ": "
                            << joined(plan.versions));
                    std::vector<std::pair<Version, Version>> ranges;
                    for (const std::string& words : plan.versions) {
                        const auto at = words.find(" to ");
                        ranges.emplace_back(
                            v(words.substr(0, at)),
                            v(at == words.npos ? words : words.substr(at + 4)));
                        CHECK((at == words.npos || ranges.back().first < ranges.back().second));
                        if (ranges.size() > 1)
                            CHECK(ranges[ranges.size() - 2].second < ranges.back().first);
                    }
                    std::vector<PlannedBuild> builds = plan.others;
                    if (plan.newest)
                        builds.push_back(*plan.newest);
                    for (const PlannedBuild& build : builds)
                        CHECK(std::count_if(ranges.begin(), ranges.end(), [&](const auto& range) {
                                  return covers(range.first, range.second, build.first) &&
                                         covers(range.first, range.second, *build.last);
                              }) == 1);
                }
            }
}

TEST_CASE("a version that runs is not open, too") {
    CHECK(
        plan_of(question("GTX 1080", "470", "paddlepaddle")).undecided ==
        std::vector<std::string>{"2.5.1 to 2.5.2", "3.0.0"});
}

TEST_CASE(
    "a GPU that a cuDNN without the defect has left is advised to run the layer without cuDNN") {
    const FrameworkPlan plan = plan_of(question("3.7", "470", "tensorflow"));
    REQUIRE(plan.newest);
    CHECK(contains(joined(plan.newest->defects), "No version without it has code for 3.7"));
    CHECK_FALSE(contains(joined(plan.newest->defects), "Use cuDNN 8.9.2"));
    CHECK(contains(
        joined(plan_of(question("6.1", "470", "tensorflow")).newest->defects), "Use cuDNN 8.9.2"));
}

namespace {

/// The plan for a board, whose name decides about the processor.
PlanRequest board(const char* name, const char* framework) {
    PlanRequest request = question(name, nullptr, framework);
    request.set_gpu_name(name);
    return request;
}

std::string newest_on(const char* name, const char* framework) {
    const FrameworkPlan plan = plan_of(board(name, framework));
    return plan.newest ? plan.newest->last->text + " " + plan.newest->build : "nothing";
}

}  // namespace

TEST_CASE(
    "boards with an Arm processor get the builds for Linux on Arm, by what they have code for") {
    for (const char* name : {"GH200", "DGX Spark", "GB200", "GB300", "Jetson AGX Thor"})
        CHECK(newest_on(name, "pytorch") == "2.15.0 cu132");
    CHECK(newest_on("GH200", "jax") == "0.12.0.1 cuda12");
    CHECK(newest_on("Jetson AGX Thor", "jax") == "0.12.0.1 cuda13");
    CHECK(newest_on("DGX Spark", "onnxruntime") == "1.31.1 cuda-cudnn");
    // Its package for Arm has code for 8.9, 9.0 and 12.x, not for 10.0 and 11.0.
    CHECK(newest_on("GB200", "onnxruntime") == "nothing");
    CHECK(newest_on("Jetson AGX Thor", "onnxruntime") == "nothing");
    // Only for x86-64 is there one with CUDA on PyPI.
    CHECK(newest_on("GH200", "tensorflow") == "nothing");
    CHECK(newest_on("DGX Spark", "ctranslate2") == "nothing");
    CHECK(newest("H200", nullptr, "tensorflow") == "2.21.0 and-cuda 12.5 9.3.0 works");
}

TEST_CASE("a Jetson before Thor has the builds of its JetPack") {
    const Plan plan = plan_for(board("Jetson Orin Nano", "pytorch"));
    CHECK(contains(joined(plan.obstacles), "JetPack"));
    CHECK(plan.frameworks.empty());
    CHECK(plan_for(question("10.1", nullptr, "pytorch")).frameworks.empty());  // Thor with CUDA 12
}

TEST_CASE("a machine with an Arm processor gets the builds for it, whatever its GPU") {
    PlanRequest request = question("H100", nullptr, "pytorch");
    request.arm = true;
    CHECK(newest_of(request).last == v("2.15.0"));
    CHECK(contains(newest_of(request).sources.front(), "#files"));
    request.framework = "tensorflow";
    CHECK_FALSE(plan_of(request).newest);
}

TEST_CASE(
    "conda-forge's builds come after the project's own of the same minor version, and are listed") {
    CHECK(newest("GTX 1080", "580", "pytorch") == "2.14 cu126 12.6 9.10.2 works");
    CHECK(
        newest("RTX 5090", "570", "pytorch") ==
        "2.11 cu128 12.8 9.19.0 works");  // conda has 2.13 for CUDA 12.9
    CHECK(runs("RTX 5090", "570", "pytorch", "2.13.0", "conda-cuda129"));
    CHECK(runs("GTX 1080", "580", "pytorch", "2.13.0", "conda-cuda129"));
    CHECK_FALSE(runs("GTX 1080", "580", "pytorch", "2.13.0", "conda-cuda130"));
    CHECK(runs("V100", "580", "jax", "0.9.2", "conda-cuda129"));
    CHECK(newest("H200", "580", "jax") == "0.12.0.1 cuda13 13.0 9.12.0 works");
}

TEST_CASE("what the table notes of a product is shown with its plan") {
    PlanRequest request = question("Tesla T10", "580", "pytorch");
    request.set_gpu_name("Tesla T10");
    CHECK(contains(joined(plan_for(request).remarks), "TU102"));
}

TEST_CASE("a framework that opens no cuDNN wants none that knows the GPU") {
    CHECK(newest("RTX 5090", "570", "cupy") == "14.2.0 cuda12x-12.8 12.8 - works");
}

TEST_CASE("a cuDNN of which only the major is known is 9.x") {
    CHECK(version_in_words(v("9")) == "9.x");
    CHECK(version_in_words(v("9.1")) == "9.1");
}

TEST_CASE("on native Windows TensorFlow ends with 2.10") {
    PlanRequest request = question("RTX 3090", "536", "tensorflow");
    request.os = "windows";
    const PlannedBuild newest = newest_of(request);
    CHECK(newest.last == v("2.10"));
    CHECK(contains(joined(newest.notes), "needs CUDA 11.2 and cuDNN 8.1 installed"));
}

TEST_CASE("a CUDA whose drivers for Windows are not in the data goes by the driver's own CUDA") {
    PlanRequest request = question("RTX 3090", "536.40", "pytorch");
    request.os = "windows";
    CHECK(newest_of(request).cuda->major() == 12);
    request.set_driver("581.15");
    CHECK(newest_of(request).cuda == v("13.0"));
}

TEST_CASE("a framework whose code is not in the data is named, but not as one that runs") {
    const FrameworkPlan plan = plan_of(question("Tesla K80", "470", "jax"));
    CHECK_FALSE(plan.newest);
    REQUIRE(plan.possible);
    CHECK(plan.possible->cuda->major() == 11);
    CHECK(
        contains(joined(plan.possible->reasons), "for which GPUs it has code is not in the data"));
    REQUIRE(plan.newer);
    CHECK(contains(joined(plan.newer->reasons), "CUDA 13.0 needs driver 580.65.06"));
}

TEST_CASE("under WSL the builds are those of Linux and the drivers those of Windows") {
    PlanRequest request = question("RTX 3090", "527.41", "pytorch");
    request.wsl = true;
    const PlannedBuild newest = newest_of(request);
    CHECK(newest.os == "linux");
    CHECK(newest.driver_min == v("527.41"));
}

TEST_CASE("no framework of this name") {
    CHECK_THROWS_AS(plan_for(question("8.6", "535", "torch")), UsageError);
    CHECK_THROWS_AS(needs_of({"torch", v("2.4")}, test::bundled_matrix()), UsageError);
}

TEST_CASE("a build that nobody confirmed is not shown as working") {
    const test::MatrixCopy copy;
    std::string text = test::MatrixCopy::content_of(copy.directory / "framework_builds.json");
    const auto row = text.find(
        R"("framework": "tensorflow", "first": "2.21", "last": "2.21.0", "os": "linux", "build": "and-cuda")");
    REQUIRE(row != std::string::npos);
    const std::string known = R"("provenance": "documented")";
    copy.write(
        "framework_builds.json",
        text.replace(text.find(known, row), known.size(), R"("provenance": "unconfirmed")"));
    const Plan plan = plan_for(
        question("RTX 3090", "535", "tensorflow"), Matrix::from_directory(copy.directory.string()));
    REQUIRE(plan.frameworks[0].newest);
    CHECK(plan.frameworks[0].newest->build != "and-cuda");
}
