// Which copies get a process of their own, and what that process opens before cuDNN.
#include "support/libraries.hpp"

#include "support/catch.hpp"

using namespace rnncheck;
using Paths = std::vector<std::string>;

namespace {

void add(Facts& facts, LibraryKind kind, const std::string& path, bool picked = false) {
    Library& library = facts.libraries.emplace_back();
    library.kind = kind;
    library.path = path;
    library.picked_by_loader = picked;
}

Framework& add_framework(Facts& facts, const std::string& environment, bool active) {
    PythonEnvironment& python = facts.pythons.emplace_back();
    python.path = environment;
    python.active = active;
    Framework& framework = facts.frameworks.emplace_back();
    framework.name = "pytorch";
    framework.environment = environment;
    return framework;
}

const std::string wheels = "/env/lib/nvidia", cudnn = wheels + "/cudnn/lib/libcudnn.so.9";

Facts with_wheels() {
    Facts facts;
    add(facts, LibraryKind::cudnn, "/usr/lib/libcudnn.so.9", true);
    add(facts, LibraryKind::cudnn, cudnn);
    add(facts, LibraryKind::cublas, "/usr/lib/libcublas.so.12", true);
    add(facts, LibraryKind::cublas, wheels + "/cublas/lib/libcublas.so.12");
    add(facts, LibraryKind::cublaslt, wheels + "/cublas/lib/libcublasLt.so.12");
    add(facts, LibraryKind::nvrtc, wheels + "/cuda_nvrtc/lib/libnvrtc.so.12");
    return facts;
}

}  // namespace

TEST_CASE("a wheel's cuDNN has its fellow wheels opened before it, in the order of their needs") {
    const Facts facts = with_wheels();
    CHECK(
        probes::companions_of(facts, cudnn) == Paths{
                                                   wheels + "/cuda_nvrtc/lib/libnvrtc.so.12",
                                                   wheels + "/cublas/lib/libcublasLt.so.12",
                                                   wheels + "/cublas/lib/libcublas.so.12"});
    CHECK(probes::companions_of(facts, "/usr/lib/libcudnn.so.9").empty());
}

TEST_CASE("a framework that gets another cuBLAS than the wheel's has that one opened") {
    Facts facts = with_wheels();
    add_framework(facts, "/env", true).libraries = {
        {"libcudnn.so.9", cudnn, "rpath", {}, {}},
        {"libcublas.so.12", "/usr/lib/libcublas.so.12", "LD_LIBRARY_PATH", {}, {}},
        {"libcublasLt.so.12", {}, {}, {}, {}}};
    CHECK(
        probes::companions_of(facts, cudnn) ==
        Paths{wheels + "/cuda_nvrtc/lib/libnvrtc.so.12", "/usr/lib/libcublas.so.12"});
}

TEST_CASE(
    "of two frameworks that get one cuDNN the active environment's determines the companions") {
    Facts facts = with_wheels();
    for (const bool active : {false, true})
        add_framework(facts, active ? "/active" : "/other", active).libraries = {
            {"libcudnn.so.9", cudnn, {}, {}, {}},
            {"libcublas.so.12",
             active ? "/active/libcublas.so.12" : "/other/libcublas.so.12",
             {},
             {},
             {}}};
    CHECK(probes::companions_of(facts, cudnn).back() == "/active/libcublas.so.12");
}

TEST_CASE("a framework's installation is queried however many others there are") {
    Facts facts;
    for (int i = 0; i < 12; ++i)
        add(facts, LibraryKind::cudnn, "/old/" + std::to_string(i) + "/libcudnn.so.8");
    add(facts, LibraryKind::cudnn, "/usr/lib/libcudnn.so.9", true);
    add(facts, LibraryKind::cudnn, cudnn);
    add_framework(facts, "/env", true).libraries = {{"libcudnn.so.9", cudnn, {}, {}, {}}};
    const Paths requested = probes::installations_to_query(facts, LibraryKind::cudnn);
    REQUIRE(requested.size() == probes::most_installations);
    CHECK(requested[0] == "/usr/lib/libcudnn.so.9");
    CHECK(requested[1] == cudnn);
}
