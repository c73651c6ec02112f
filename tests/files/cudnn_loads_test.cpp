// What a program of no known framework loads with a cuDNN of Windows, and how its files were built.
#include "base/lists.hpp"
#include "files/dll/frameworks.hpp"
#include "files/pe/cudnn_build.hpp"
#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/pe_builder.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

const std::string front_name = "cudnn64_9.dll", ops_name = "cudnn_ops64_9.dll";

std::string front_bytes() {
    PeBuilder builder;
    builder.texts = {ops_name};
    builder.version = {9, 10, 2, 21};
    return builder.bytes();
}

std::string ops_bytes(std::uint16_t ptx = 8) {
    PeBuilder builder;
    builder.name = ops_name;
    builder.ptx = ptx;
    builder.version = {9, 10, 2, 21};
    return builder.bytes();
}

/// A disk with the front of a cuDNN in C:\\cudnn.
struct CudnnDisk : FakeRoot {
    CudnnDisk() {
        file("/Windows/System32/nvcuda.dll", dll_bytes("nvcuda.dll"));
        file("/cudnn/" + front_name, front_bytes());
    }

    std::vector<DllLoad> loads(const std::string& path) const {
        const dll::Disk disk(root());
        return dll::cudnn_loads(disk, "C:\\cudnn\\" + front_name, {.path = path});
    }
};

const DllLoad& load_of(const std::vector<DllLoad>& loads, const std::string& name) {
    const DllLoad* const load = find_by(loads, &DllLoad::name, name);
    REQUIRE(load);
    return *load;
}

pe::CudnnBuild build_of(const PeBuilder& builder) {
    FakeRoot disk;
    disk.file("/a.dll", builder.bytes());
    return pe::cudnn_build(disk.root(), "/a.dll");
}

}  // namespace

TEST_CASE("a program that opens cuDNN by its name gets its libraries from PATH") {
    CudnnDisk disk;
    disk.file("/first/" + ops_name, ops_bytes());
    const auto loads = disk.loads("C:\\first;C:\\cudnn");
    REQUIRE(loads.size() == 2);
    CHECK(load_of(loads, front_name).path == "C:\\cudnn\\cudnn64_9.dll");
    CHECK(load_of(loads, front_name).framework.empty());
    CHECK(load_of(loads, front_name).environment == "C:\\cudnn");
    const DllLoad& ops = load_of(loads, ops_name);
    CHECK(ops.path == "C:\\first\\cudnn_ops64_9.dll");
    CHECK(ops.version == parse_version("9.10.2.21"));
    CHECK(ops.cuda_major == 12);
}

TEST_CASE("a cuDNN that is not found by its name is opened with its own directory") {
    CudnnDisk disk;
    disk.file("/first/" + ops_name, ops_bytes());
    const DllLoad missing = load_of(disk.loads("C:\\first"), ops_name);
    CHECK(missing.ending == DllEnding::not_found);
    disk.file("/cudnn/" + ops_name, ops_bytes());
    CHECK(load_of(disk.loads("C:\\first"), ops_name).path == "C:\\cudnn\\cudnn_ops64_9.dll");
}

TEST_CASE("libraries for another processor and a front that is none are named") {
    CudnnDisk disk;
    PeBuilder other;
    other.name = ops_name;
    other.machine = 0x14C;
    other.is_64_bit = false;
    disk.file("/cudnn/" + ops_name, other.bytes());
    for (const char* const path : {"C:\\cudnn", ""}) {
        const DllLoad ops = load_of(disk.loads(path), ops_name);
        CHECK(ops.ending == DllEnding::unusable);
        CHECK(ops.path == "C:\\cudnn\\cudnn_ops64_9.dll");
    }
    disk.file("/cudnn/" + front_name, "<html>");
    CHECK(load_of(disk.loads("C:\\cudnn"), front_name).ending == DllEnding::unusable);
}

TEST_CASE("files of cuDNN show their version and CUDA") {
    PeBuilder graph;
    graph.texts = {"cudnn_version_9_28_1_4_", "cudnn_nvrtc_version_13_5_37"};
    CHECK(build_of(graph).version == parse_version("9.28.1.4"));
    CHECK(build_of(graph).cuda_major == 13);
    graph.texts = {"cudnn_version_9_10_2_21_36061468_e0a1"};
    CHECK(build_of(graph).version == parse_version("9.10.2.21"));
    PeBuilder adv;
    adv.version = {9, 10, 2, 21};
    adv.texts = {"cublasLt64_11.dll"};
    CHECK(build_of(adv).cuda_major == 11);
    adv.ptx = 9;
    CHECK(build_of(adv).cuda_major == 13);
    adv.ptx = 6;  // before CUDA 11
    CHECK(build_of(adv).cuda_major == 11);
    CHECK(!build_of({}).version);
    CHECK(!build_of({}).cuda_major);
}
