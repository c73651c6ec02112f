#include "files/loader/loader.hpp"

#include <sys/utsname.h>

#include "support/catch.hpp"
#include "support/elf_builder.hpp"
#include "support/fake_root.hpp"
#include "support/loader_cache_builder.hpp"
#include "support/loader_truth.hpp"
#include "support/skip.hpp"

using namespace rnncheck;
using namespace rnncheck::test;
using loader::Lookup;

namespace {

const std::string name = "libcudnn.so.9";
const std::string good = library_bytes("libcudnn.so.9");

loader::Loader loader_in(const FakeRoot& root, const std::string& library_path = "") {
    loader::Loader loader = loader::loader_of(root.root(), {library_path});
    return loader;
}

Lookup look_up(const FakeRoot& root, const std::string& library_path = "") {
    return in_plain_program(loader_in(root, library_path), name);
}

void check_found(const Lookup& lookup, const std::string& path) {
    CHECK(lookup.path == path);
    CHECK(lookup.usable());
}

}  // namespace

TEST_CASE("LD_LIBRARY_PATH comes before the cache, the cache before the default directories") {
    FakeRoot root;
    root.file("/usr/lib64/libcudnn.so.9", good);
    check_found(look_up(root), "/usr/lib64/libcudnn.so.9");
    root.file("/opt/cuda/libcudnn.so.9", good)
        .file("/etc/ld.so.cache", cache_bytes({{name, "/opt/cuda/libcudnn.so.9"}}));
    check_found(look_up(root), "/opt/cuda/libcudnn.so.9");
    root.file("/home/me/libcudnn.so.9", good);
    check_found(look_up(root, "/nowhere:/home/me/"), "/home/me/libcudnn.so.9");
}

TEST_CASE("the last of thousands of directories counts like the first") {
    FakeRoot root;
    std::string path;
    for (int i = 0; i < 3000; ++i) {
        root.directory("/many/" + std::to_string(i));
        path += "/many/" + std::to_string(i) + ':';
    }
    root.file("/many/2999/libcudnn.so.9", good);
    check_found(look_up(root, path), "/many/2999/libcudnn.so.9");
}

TEST_CASE("a pipe stops the search, a socket or a circle of links ends its list") {
    FakeRoot root;
    root.file("/usr/lib64/libcudnn.so.9", good).file("/more/libcudnn.so.9", good);
    root.pipe("/pipe/libcudnn.so.9")
        .socket("/socket/libcudnn.so.9")
        .link("/circle/libcudnn.so.9", "libcudnn.so.9");
    CHECK(look_up(root, "/pipe:/more").path == "/pipe/libcudnn.so.9");
    CHECK(look_up(root, "/pipe:/more").problem == FileProblem::named_pipe);
    check_found(look_up(root, "/socket:/more"), "/usr/lib64/libcudnn.so.9");
    check_found(look_up(root, "/circle:/more"), "/usr/lib64/libcudnn.so.9");
}

TEST_CASE("a cache older than the files is passed over") {
    FakeRoot root;
    root.file("/usr/lib64/libcudnn.so.9", good)
        .file("/etc/ld.so.cache", cache_bytes({{name, "/gone/libcudnn.so.9"}}));
    check_found(look_up(root), "/usr/lib64/libcudnn.so.9");
}

TEST_CASE("Debian's directories take the place of lib64") {
    FakeRoot root;
    utsname names{};
    REQUIRE(uname(&names) == 0);
    const std::string multiarch = "lib/" + std::string(names.machine) + "-linux-gnu";
    const std::string debian = "/usr/" + multiarch;
    root.file(debian + "/libcudnn.so.9", good).file("/usr/lib64/libcudnn.so.9", good);
    check_found(look_up(root), debian + "/libcudnn.so.9");
    CHECK(loader_in(root).library_directory == multiarch);
}

TEST_CASE("a file for another machine is passed over, a text file stops the loader") {
    FakeRoot root;
    root.file("/a/libcudnn.so.9", foreign_bytes(name)).file("/b/libcudnn.so.9", good);
    check_found(look_up(root, "/a:/b"), "/b/libcudnn.so.9");
    root.file("/a/libcudnn.so.9", "no library");
    const Lookup stopped = look_up(root, "/a:/b");
    CHECK(stopped.path == "/a/libcudnn.so.9");
    CHECK(stopped.problem == FileProblem::not_elf);
    CHECK_FALSE(stopped.usable());
}

TEST_CASE("nothing anywhere is nothing") {
    FakeRoot root;
    root.link("/a/libcudnn.so.9", "gone").directory("/usr/lib64");
    CHECK_FALSE(look_up(root, "/a").path);
}

TEST_CASE("a file that this user may not read is passed over") {
    FakeRoot root;
    root.file("/a/libcudnn.so.9", good).mode("/a/libcudnn.so.9", 0).file("/b/libcudnn.so.9", good);
    const OrdinaryUser user;
    check_found(look_up(root, "/a:/b"), "/b/libcudnn.so.9");
}

TEST_CASE(
    "subdirectories for better processors come first, those for too good ones not at all",
    "[optional]") {
    FakeRoot root;
    loader::Loader loader = loader_in(root, "");
    if (loader.hwcaps.empty())
        return test::skip("this processor has no glibc-hwcaps subdirectories");
    const std::string best = "/a/glibc-hwcaps/" + loader.hwcaps.front() + "/libcudnn.so.9";
    root.file("/a/libcudnn.so.9", good).file("/a/glibc-hwcaps/x86-64-v9/libcudnn.so.9", good);
    check_found(look_up(root, "/a"), "/a/libcudnn.so.9");
    CHECK(loader.hwcaps.back() == "x86-64-v2");
    root.file("/a/glibc-hwcaps/x86-64-v2/libcudnn.so.9", good);
    check_found(look_up(root, "/a"), "/a/glibc-hwcaps/x86-64-v2/libcudnn.so.9");
    root.file(best, good);
    check_found(look_up(root, "/a"), best);
}

TEST_CASE("absolute links of another file system lead to places inside it") {
    FakeRoot root;
    root.file("/opt/cudnn-9/libcudnn.so.9.1.0", good)
        .link("/opt/cudnn-9/libcudnn.so.9", "/opt/cudnn-9/libcudnn.so.9.1.0");
    root.link("/opt/cudnn", "/opt/cudnn-9").link("/a", "/opt/cudnn");
    check_found(look_up(root, "/a"), "/a/libcudnn.so.9");
    CHECK(root.root().real_path("/a/libcudnn.so.9") == "/opt/cudnn-9/libcudnn.so.9.1.0");
    root.link("/b/libcudnn.so.9", "/nowhere/libcudnn.so.9");
    check_found(look_up(root, "/b:/a"), "/a/libcudnn.so.9");
}

TEST_CASE("LD_LIBRARY_PATH is split as the loader does") {
    FakeRoot root;
    for (const char* directory : {"/a", "/b", "/c", "/here/libs"})
        root.directory(directory);
    const auto split = [&](const char* text) {
        return loader::loader_of(root.root(), {.library_path = text, .working_directory = "/here"})
            .library_path;
    };
    CHECK(split("").empty());
    CHECK(split("/a:/b;/c/") == std::vector<std::string>{"/a", "/b", "/c"});
    CHECK(split(":/a:") == std::vector<std::string>{"/here", "/a"});
    CHECK(split("libs:/") == std::vector<std::string>{"/here/libs", "/"});
}

TEST_CASE(
    "run paths are searched in their place, $ORIGIN is the directory of the name that was opened") {
    FakeRoot root;
    root.file("/real/sub/libcublas.so.12", good)
        .link("/opt/libcublas.so.12", "/real/sub/libcublas.so.12");
    root.file("/opt/parts/libcudnn.so.9", good)
        .file("/path/libcudnn.so.9", good)
        .file("/real/sub/parts/x", "");
    elf::ElfFile requester;
    const auto from = [&](const std::string& library_path) {
        const loader::Loader loader = loader_in(root, library_path);
        return loader::Process(loader, "/opt/libcublas.so.12", requester).look_up(name, 0).path;
    };
    CHECK_FALSE(from(""));
    requester.runpath = {"$ORIGIN/parts"};
    requester.has_runpath = true;
    CHECK(from("") == "/opt/parts/libcudnn.so.9");
    CHECK(from("/path") == "/path/libcudnn.so.9");
    requester.rpath = {"/nowhere"};
    CHECK(from("/path") == "/path/libcudnn.so.9");
    requester.runpath.clear();
    requester.has_runpath = false;
    requester.rpath = {"${ORIGIN}/parts"};
    CHECK(from("/path") == "/opt/parts/libcudnn.so.9");
}

TEST_CASE("a run path may name the library directory and the machine") {
    FakeRoot root;
    const loader::Loader loader = loader_in(root);
    CHECK(
        loader::expanded(loader, "/x/$LIB/${PLATFORM}", "/o") ==
        "/x/lib64/" + loader::processor_platform());
    CHECK(loader::expanded(loader, "$ORIGIN/../$ORIGIN", "/o") == "/o/..//o");
}

TEST_CASE("the C library's own files are known") {
    CHECK(loader::belongs_to_c_library("libc.so.6"));
    CHECK(loader::belongs_to_c_library("ld-linux-x86-64.so.2"));
    CHECK_FALSE(loader::belongs_to_c_library("libstdc++.so.6"));
    CHECK_FALSE(loader::belongs_to_c_library("libcudart.so.12"));
}
