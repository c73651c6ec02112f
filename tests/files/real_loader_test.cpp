// The prediction against the real loader: for the GPU libraries installed here, in several settings
// of LD_LIBRARY_PATH, a fresh process opens each soname and prints which file it got.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <set>

#include "files/loader/loader.hpp"
#include "support/catch.hpp"
#include "support/elf_builder.hpp"
#include "support/fake_root.hpp"
#include "support/loader_truth.hpp"
#include "support/skip.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

constexpr const char* requested = "RNNCHECK_TEST_DLOPEN";
const std::string marker = "dlopen-gave:";

/// The path that dlopen gives in a process started with this LD_LIBRARY_PATH; empty when it fails.
std::string really_opened(const std::string& name, const std::string& library_path) {
    const Environment environment(
        {{requested, name}, {"LD_LIBRARY_PATH", library_path}, {"ASAN_OPTIONS", "detect_leaks=0"}});
    return output_of_child("[.open-for-parent]", marker);
}

void check_agreement(const std::string& name, const std::string& library_path) {
    INFO(name << " with LD_LIBRARY_PATH=" << library_path);
    const loader::Lookup predicted =
        in_plain_program(loader::loader_of(Root(), {library_path}), name);
    const std::string real = really_opened(name, library_path);
    if (predicted.usable())
        CHECK(Root().real_path(*predicted.path) == Root().real_path(real));
    else
        CHECK(real.empty());
}

/// Sonames of GPU libraries in this machine's cache. Those of cuDNN's parts are left to cuDNN to
/// load, being slow.
std::set<std::string> installed_sonames() {
    std::set<std::string> names;
    const loader::LoaderCache cache = loader::read_loader_cache(Root());
    for (const auto& entry : cache.entries())
        for (const char* start :
             {"libcudart.so.",
              "libcudnn.so.",
              "libcudnn_graph.so.",
              "libcublasLt.so.",
              "libcublas.so.",
              "libnvrtc.so.",
              "libnvrtc-builtins.so.",
              "libcuda.so.",
              "libnvidia-ml.so."})
            if (entry.name.starts_with(start))
                names.emplace(entry.name);
    return names;
}

}  // namespace

TEST_CASE("opens for its parent", "[.open-for-parent]") {
    const char* name = std::getenv(requested);
    REQUIRE(name);
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(handle);
    link_map* map = nullptr;
    REQUIRE(dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0);
    std::printf("\n%s%s\n", marker.c_str(), map->l_name);
    std::fflush(stdout);
}

TEST_CASE("the real loader gives what was predicted for the GPU libraries here", "[optional]") {
    const auto names = installed_sonames();
    if (names.empty())
        return test::skip("no CUDA or cuDNN library in this machine's loader cache");
    for (const auto& name : names)
        check_agreement(name, "");
    for (const auto& name : names)
        if (name.starts_with("libcudart")) {
            check_agreement(name, "/usr/local/cuda/lib64");
            check_agreement(name, "/nowhere;/usr/local/cuda/lib64/");
        }
}

TEST_CASE("the real loader gives what was predicted for hand-made files", "[optional]") {
    FakeRoot root;
    root.file("/foreign/libz.so.1", foreign_bytes("libz.so.1"))
        .file("/text/libz.so.1", "no library")
        .directory("/directory/libz.so.1");
    root.link("/dead/libz.so.1", "gone").file("/empty/libz.so.1", "").directory("/nothing");
    const auto in = [&](const char* directory) { return root.outside(directory); };
    if (really_opened("libz.so.1", "").empty())
        return test::skip("no libz.so.1 on this machine");
    root.link("/circle/libz.so.1", "libz.so.1").socket("/socket/libz.so.1");
    for (const char* directory :
         {"/foreign", "/text", "/directory", "/dead", "/empty", "/nothing", "/circle", "/socket"}) {
        check_agreement("libz.so.1", in(directory));
        check_agreement("libz.so.1", in(directory) + ":" + in("/text"));
    }
    check_agreement("libz.so.1", in("/foreign") + ":" + in("/text"));
    check_agreement("libnothing.so.1", "");
    const loader::Loader stopped = loader::loader_of(Root(), {in("/text")});
    CHECK_FALSE(in_plain_program(stopped, "libz.so.1").usable());
}
