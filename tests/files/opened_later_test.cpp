// dlopen from a library's own code, as cuDNN opens its parts: what the loader gives in a process of
// its own, and what was predicted for it.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>

#include "base/text.hpp"
#include "files/loader/process.hpp"
#include "support/catch.hpp"
#include "support/elf_builder.hpp"
#include "support/fake_root.hpp"
#include "support/loader_truth.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

constexpr const char* opener_variable = "RNNCHECK_TEST_OPENER";
constexpr const char* name_variable = "RNNCHECK_TEST_OPENED";
const std::string marker = "opener-got:";
const std::string x = "libx.so.1";

std::string really(const std::string& opener, const std::string& library_path) {
    const Environment environment(
        {{opener_variable, opener},
         {name_variable, x},
         {"LD_LIBRARY_PATH", library_path},
         {"ASAN_OPTIONS", "detect_leaks=0"}});
    return output_of_child("[.opens-by-a-library]", marker);
}

std::string predicted(const std::string& opener, const std::string& library_path) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const loader::Loader loader = loader::loader_of(Root(), {library_path});
    loader::Process process(loader, self, elf::read_elf_file(Root(), self, elf::ElfUse::program));
    process.start("");
    const loader::Answer library = process.open(opener, 0);
    REQUIRE(library.object);
    const loader::Answer answer = process.open(x, *library.object);
    return answer.object ? process.objects()[*answer.object].path : "";
}

}  // namespace

TEST_CASE("opens through a library for its parent", "[.opens-by-a-library]") {
    const char* opener = std::getenv(opener_variable);
    REQUIRE(opener);
    void* library = dlopen(opener, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library);
    const auto open = reinterpret_cast<void* (*)(const char*)>(dlsym(library, "open_by_name"));
    void* handle = open(std::getenv(name_variable));
    REQUIRE(handle);
    link_map* map = nullptr;
    REQUIRE(dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0);
    std::printf("\n%s%s\n", marker.c_str(), map->l_name);
    std::fflush(stdout);
}

TEST_CASE("what a library opens by name comes by its own run path") {
    FakeRoot root;
    // The loader maps these for good, so they must be what the linker makes; any library will do.
    root.file("/parts/libx.so.1", "").file("/env/libx.so.1", "");
    const auto copy = [&](const char* from, const std::string& to) {
        std::filesystem::copy_file(
            from, root.outside(to), std::filesystem::copy_options::overwrite_existing);
    };
    for (const char* path : {"/parts/libx.so.1", "/env/libx.so.1"})
        copy(OPENER_RPATH, path);
    for (const char* opener : {OPENER_RUNPATH, OPENER_RPATH}) {
        copy(opener, "/opener.so");
        for (const std::string& library_path :
             {std::string(), root.outside("/env"), root.outside("/nowhere")}) {
            INFO(opener << " with LD_LIBRARY_PATH=" << library_path);
            const std::string got = really(root.outside("/opener.so"), library_path);
            CHECK(got != "");
            CHECK(got == predicted(root.outside("/opener.so"), library_path));
        }
    }
    std::filesystem::remove_all(root.outside("/parts"));
    CHECK(really(root.outside("/opener.so"), "") == "");
    CHECK(predicted(root.outside("/opener.so"), "") == "");
}
