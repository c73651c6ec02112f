// What people look up about frameworks, from the bundled tables, and properties of every row about them.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "matrix/tables.hpp"
#include "matrix/targets.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"

using namespace rnncheck;
using rnncheck::test::v;

namespace {

const Matrix::Tables& bundled() {
    static const Matrix::Tables tables(bundled_table_files());
    return tables;
}

/// The last release that a row covers: 2.4 stands for every 2.4.x.
Version end_of(const Version& last) {
    Version end = last;
    for (std::size_t part = 1 + std::size_t(std::count(last.text.begin(), last.text.end(), '.')); part < 4; ++part)
        end.parts[part] = 999'999'999;
    return end;
}

template <class R>
bool covers(const R& row, const Version& release) {
    return row.first <= release && release <= end_of(row.last.value_or(row.first));
}

std::vector<FrameworkBuild> builds(const std::string& framework, const char* release, const std::string& os) {
    std::vector<FrameworkBuild> found;
    for (const auto& row : bundled().framework_builds.rows())
        if (row.framework == framework && row.os == os && covers(row, v(release))) found.push_back(row);
    return found;
}

FrameworkBuild build(const std::string& framework, const char* release, const std::string& os,
                     const std::string& flavour) {
    const auto all = builds(framework, release, os);
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& row) { return row.build == flavour; });
    INFO(framework << ' ' << release << ' ' << os << ' ' << flavour);
    REQUIRE(found != all.end());
    return *found;
}

bool has_target(const FrameworkBuild& row, const std::string& target) {
    return (' ' + row.targets + ' ').find(' ' + target + ' ') != std::string::npos;
}

}  // namespace

TEST_CASE("TensorFlow 2.10: CUDA 11.2 and cuDNN 8.1 of the system, Python to 3.10, on Linux and Windows") {
    for (const char* os : {"linux", "windows"}) {
        const auto row = build("tensorflow", "2.10.1", os, "cuda");
        CHECK(row.cuda == v("11.2"));
        CHECK(row.cudnn == v("8.1"));
        CHECK(row.python_last == v("3.10"));
        CHECK(row.libraries == "system");
    }
}

TEST_CASE("TensorFlow from 2.11 on has no CUDA on native Windows") {
    for (const char* release : {"2.11.0", "2.15.0", "2.21.0"}) {
        const auto all = builds("tensorflow", release, "windows");
        CHECK_FALSE(all.empty());
        for (const auto& row : all) CHECK_FALSE(row.cuda);
    }
}

TEST_CASE("TensorFlow's own wheels of CUDA: what each release pins") {
    CHECK(build("tensorflow", "2.14.1", "linux", "and-cuda").cudnn == v("8.7.0"));
    CHECK(build("tensorflow", "2.15.0", "linux", "and-cuda").cudnn == v("8.9.4"));
    CHECK(build("tensorflow", "2.15.0", "linux", "and-cuda").cuda == v("12.2"));
    CHECK(build("tensorflow", "2.18.0", "linux", "and-cuda").cudnn == v("9.3.0"));
    CHECK(build("tensorflow", "2.18.0", "linux", "and-cuda").install ==
          "pip install \"tensorflow[and-cuda]=={version}\"");
}

TEST_CASE("TensorFlow before 2.1 takes CUDA with tensorflow-gpu") {
    CHECK(build("tensorflow", "1.15.5", "linux", "cuda").package == "tensorflow-gpu");
    CHECK(build("tensorflow", "2.0.1", "linux", "cuda").package == "tensorflow-gpu");
    CHECK(build("tensorflow", "2.0.1", "linux", "cpu").package == "tensorflow");
    CHECK(build("tensorflow", "2.1.0", "linux", "cuda").package == "tensorflow");
}

TEST_CASE("PyTorch 2.4 with CUDA 12.4 pins cuDNN 9.1 and has no code for Blackwell") {
    const auto row = build("pytorch", "2.4.1", "linux", "cu124");
    CHECK(row.cuda == v("12.4"));
    CHECK(row.cudnn == v("9.1.0"));
    CHECK(row.libraries == "wheels");
    CHECK(has_target(row, "sm_90"));
    CHECK_FALSE(has_target(row, "sm_120"));
    CHECK(row.install == "pip install torch=={version} --index-url https://download.pytorch.org/whl/cu124");
}

TEST_CASE("PyTorch has code for Blackwell from 2.7 with CUDA 12.8 on, and none for Pascal there") {
    CHECK(has_target(build("pytorch", "2.7.0", "linux", "cu128"), "sm_120"));
    CHECK_FALSE(has_target(build("pytorch", "2.7.0", "linux", "cu126"), "sm_120"));
    CHECK_FALSE(has_target(build("pytorch", "2.8.0", "linux", "cu128"), "sm_60"));
    CHECK(has_target(build("pytorch", "2.8.0", "linux", "cu126"), "sm_60"));
    CHECK(has_target(build("pytorch", "2.10.0", "linux", "cu128"), "sm_70"));
    CHECK_FALSE(has_target(build("pytorch", "2.11.0", "linux", "cu128"), "sm_70"));
}

TEST_CASE("PyTorch without an index: CUDA on Linux, none on Windows") {
    CHECK(build("pytorch", "2.4.0", "linux", "cu121").install == "pip install torch=={version}");
    CHECK(build("pytorch", "2.4.0", "windows", "cpu").install == "pip install torch=={version}");
    for (const auto& row : builds("pytorch", "2.4.0", "macos")) CHECK_FALSE(row.cuda);
}

TEST_CASE("JAX takes CUDA as wheels, and CUDA 13 from 0.7.2 on") {
    CHECK(build("jax", "0.4.35", "linux", "cuda12").cudnn == v("9.1.1"));
    CHECK(build("jax", "0.8.0", "linux", "cuda12").driver_min == v("525"));
    CHECK(build("jax", "0.8.0", "linux", "cuda13").driver_min == v("580"));
    CHECK(build("jax", "0.8.0", "linux", "cuda13").install == "pip install -U \"jax[cuda13]=={version}\"");
    for (const auto& row : builds("jax", "0.7.1", "linux")) CHECK(row.build != "cuda13");
    for (const auto& row : builds("jax", "0.8.0", "windows")) CHECK_FALSE(row.cuda);
}

TEST_CASE("the majors that ONNX Runtime, CTranslate2 and CuPy want") {
    CHECK(build("onnxruntime", "1.18.1", "linux", "cuda").cuda == v("11.8"));
    CHECK(build("onnxruntime", "1.19.2", "linux", "cuda").cudnn->major() == 9);
    CHECK(build("onnxruntime", "1.27.0", "linux", "cuda").cuda == v("13.0"));
    CHECK(build("ctranslate2", "4.4.0", "linux", "cuda").cudnn->major() == 8);
    CHECK(build("ctranslate2", "4.5.0", "linux", "cuda").cudnn->major() == 9);
    CHECK_FALSE(build("ctranslate2", "4.7.0", "linux", "cuda").cudnn);
    CHECK(build("cupy", "13.6.0", "linux", "cuda12x").cudnn == v("8.8.1"));
    CHECK_FALSE(build("cupy", "14.0.0", "linux", "cuda12x").cudnn);
}

TEST_CASE("backends of a Keras release") {
    const auto backend = [](const char* keras, const std::string& name) {
        for (const auto& row : bundled().keras_backends.rows())
            if (row.backend == name && covers(row, v(keras))) return row;
        FAIL("no row of Keras " << keras << " with " << name);
        return KerasBackend{};
    };
    CHECK(backend("2.15.0", "tensorflow").backend_last == v("2.15"));
    CHECK(backend("3.4.1", "tensorflow").backend_last == v("2.17"));
    CHECK(backend("3.13.0", "tensorflow").backend_first == v("2.16.1"));
    CHECK(backend("3.13.0", "jax").backend_first == v("0.4.20"));
    CHECK(backend("3.13.0", "pytorch").backend_first == v("2.1.0"));
}

TEST_CASE("ranges of a Keras backend never overlap") {
    std::map<std::string, Version> last;
    for (const auto& row : bundled().keras_backends.rows()) {
        INFO(row.first.text << ' ' << row.backend);
        if (const auto before = last.find(row.backend); before != last.end()) CHECK(row.first > before->second);
        last[row.backend] = end_of(row.last.value_or(row.first));
        if (row.backend_first && row.backend_last) CHECK(*row.backend_first <= end_of(*row.backend_last));
    }
}

TEST_CASE("ranges of one flavour never overlap") {
    std::map<std::tuple<std::string, std::string, std::string>, Version> last;
    for (const auto& row : bundled().framework_builds.rows()) {
        INFO(row.framework << ' ' << row.first.text << ' ' << row.os << ' ' << row.build);
        const auto flavour = std::tuple(row.framework, row.os, row.build);
        const Version end = end_of(row.last.value_or(row.first));
        CHECK(row.first <= end);
        if (const auto before = last.find(flavour); before != last.end()) CHECK(row.first > before->second);
        last[flavour] = end;
    }
}

TEST_CASE("words of a framework row are those that rules know") {
    const std::set<std::string> frameworks = {"tensorflow",   "pytorch",     "jax",  "onnxruntime",
                                              "paddlepaddle", "ctranslate2", "cupy", "mxnet"};
    const std::set<std::string> systems = {"linux", "windows", "macos"};
    const std::set<std::string> libraries = {"none", "system", "inside", "wheels"};
    for (const auto& row : bundled().framework_builds.rows()) {
        INFO(row.framework << ' ' << row.first.text << ' ' << row.os << ' ' << row.build);
        CHECK(frameworks.count(row.framework));
        CHECK(systems.count(row.os));
        CHECK(libraries.count(row.libraries));
        CHECK((row.libraries == "none") == !row.cuda);
        if (row.cudnn) CHECK(row.cuda);
        if (row.python_last) CHECK(*row.python_first <= *row.python_last);
        if (!row.install.empty()) CHECK(row.install.find("{version}") != std::string::npos);
        CHECK_FALSE(row.note.ends_with('.'));
    }
}

TEST_CASE("machine code is named as the toolkit names it, in a build with CUDA") {
    for (const auto& row : bundled().framework_builds.rows()) {
        if (row.targets.empty()) continue;
        INFO(row.framework << ' ' << row.first.text << ' ' << row.build << ' ' << row.targets);
        CHECK(row.cuda);
        for (const std::string& target : split(row.targets, ' ')) CHECK(parse_target(target));
    }
}
