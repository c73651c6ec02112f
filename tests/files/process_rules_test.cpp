// Every rule of the loader on hand-made files, each case compared with what the loader itself does.
#include <algorithm>

#include "base/text.hpp"
#include "files/loader/process.hpp"
#include "support/catch.hpp"
#include "support/elf_builder.hpp"
#include "support/fake_root.hpp"
#include "support/loader_truth.hpp"
#include "support/skip.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// A directory with a main library that needs the others.
struct Case {
    FakeRoot root = {};
    ElfBuilder main = {.soname = "main.so"};
    LoaderVariables variables = {};

    Case& library(const std::string& path, ElfBuilder builder = {}) {
        if (builder.soname == ElfBuilder().soname)
            builder.soname = file_name(path);
        root.file(path, builder.bytes());
        return *this;
    }
    std::string in(const std::string& path) const {
        return root.outside(path);
    }

    /// Where the loader and the prediction, which must agree, find this name; "" for nowhere, "?"
    /// when it fails.
    std::string find(const std::string& name) {
        root.file("/app/main.so", main.bytes());
        const Truth truth = loader_result(in("/app/main.so"), variables);
        const Truth predicted = prediction(in("/app/main.so"), variables);
        INFO("the loader: " << truth.in_words() << "\npredicted:  " << predicted.in_words());
        CHECK(truth == predicted);
        if (truth.fails)
            return "?";
        for (const auto& [requested, path] : truth.libraries)
            if (requested == name)
                return path.starts_with(in("")) ? path.substr(in("").size()) : path;
        return "not requested";
    }
};

ElfBuilder needing(
    const std::vector<std::string>& needed,
    const std::string& rpath = "",
    const std::string& runpath = "") {
    ElfBuilder builder;
    builder.needed = needed;
    builder.rpath = rpath;
    builder.runpath = runpath;
    return builder;
}

const std::string x = "libx.so.1";

}  // namespace

TEST_CASE("run paths: RPATH before LD_LIBRARY_PATH before RUNPATH, RUNPATH in place of RPATH") {
    Case c;
    c.library("/r/libx.so.1").library("/l/libx.so.1");
    c.main.needed = {x};
    CHECK(c.find(x) == "");
    c.main.rpath = "$ORIGIN/../r";
    CHECK(c.find(x) == "/r/libx.so.1");
    c.variables.library_path = c.in("/l");
    CHECK(c.find(x) == "/r/libx.so.1");
    c.main.runpath = "${ORIGIN}/../r";
    c.main.rpath = "";
    CHECK(c.find(x) == "/l/libx.so.1");
    c.variables.library_path = "";
    CHECK(c.find(x) == "/r/libx.so.1");
    c.main.rpath = c.in("/l");
    CHECK(c.find(x) == "/r/libx.so.1");
    c.main.runpath = "/nowhere";
    CHECK(c.find(x) == "");
    c.main.runpath = "";
    c.main.empty_runpath = true;
    CHECK(c.find(x) == "");
}

TEST_CASE("run paths of any length and number of entries") {
    Case c;
    c.library("/last/libx.so.1").root.directory("/here");
    c.main.needed = {x};
    // TensorFlow 2.21.0 has one of 92 entries and 20,300 bytes.
    for (int i = 0; i < 92; ++i)
        c.main.runpath += "$ORIGIN/" + std::string(100, '/') + std::string(110, 'x') + ":";
    c.main.runpath += "$ORIGIN/../last";
    CHECK(c.main.runpath.size() > 20'000);
    CHECK(c.find(x) == "/last/libx.so.1");
    std::string many;
    for (int i = 0; i < 5000; ++i)
        many += c.in("/nowhere/") + std::to_string(i) + ":$ORIGIN/../here:";
    c.main.runpath = many + "$ORIGIN/../last";
    CHECK(c.find(x) == "/last/libx.so.1");
    c.main.runpath = many;
    CHECK(c.find(x) == "");
}

TEST_CASE("RPATH is inherited along the chain of loaders, RUNPATH is not") {
    Case c;
    c.library("/r/liba.so", needing({x})).library("/r/libx.so.1");
    c.main.needed = {"liba.so"};
    c.main.rpath = c.in("/r");
    CHECK(c.find(x) == "/r/libx.so.1");
    c.library("/r/liba.so", needing({x}, "/nowhere"));
    CHECK(c.find(x) == "/r/libx.so.1");
    c.library("/r/liba.so", needing({x}, "", "/nowhere"));
    CHECK(c.find(x) == "");
    c.library("/r/liba.so", needing({x}));
    c.main.runpath = c.main.rpath;
    c.main.rpath = "";
    CHECK(c.find(x) == "");
}

TEST_CASE("a chain of three, the nearest RPATH first") {
    Case c;
    c.library("/m/libb.so", needing({"libc1.so"}, c.in("/near")))
        .library("/near/libc1.so", needing({x}));
    c.library("/near/libx.so.1").library("/m/libx.so.1");
    c.main.needed = {"libb.so"};
    c.main.rpath = c.in("/m");
    CHECK(c.find(x) == "/near/libx.so.1");
    c.library("/near/libc1.so", needing({x}, c.in("/own"))).library("/own/libx.so.1");
    CHECK(c.find(x) == "/own/libx.so.1");
}

TEST_CASE("who loads a library first decides for all: soname, name requested, same file") {
    Case c;
    c.library("/a/liba.so", needing({x}, "", c.in("/a")))
        .library("/b/libb.so", needing({x}, "", c.in("/b")));
    c.library("/a/libx.so.1").library("/b/libx.so.1");
    c.main.needed = {"libb.so", "liba.so"};
    c.main.runpath = c.in("/a") + ":" + c.in("/b");
    CHECK(c.find(x) == "/b/libx.so.1");
    c.main.needed = {"liba.so", "libb.so"};
    CHECK(c.find(x) == "/a/libx.so.1");
    c.main.needed = {"libother.so", "liba.so"};  // a file of another name with that soname
    ElfBuilder builder;
    builder.soname = x;
    c.library("/a/libother.so", builder);
    CHECK(c.find(x) == "not requested");
    c.root.link("/a/liby.so", "libx.so.1");
    c.main.needed = {"liba.so", "liby.so"};
    CHECK(c.find("liby.so") == "/a/libx.so.1");
    CHECK(c.find(x) == "not requested");
}

TEST_CASE("needs are met breadth first") {
    Case c;
    c.library("/r/liba.so", needing({x}, "", c.in("/deep")))
        .library("/deep/libx.so.1")
        .library("/r/libx.so.1");
    c.main.needed = {"liba.so", x};
    c.main.runpath = c.in("/r");
    CHECK(c.find(x) == "/r/libx.so.1");
    c.main.needed = {"liba.so"};
    CHECK(c.find(x) == "/deep/libx.so.1");
}

TEST_CASE("names with a slash are opened as they are, with tokens") {
    Case c;
    c.library("/r/libx.so.1").library("/app/libx.so.1");
    c.main.needed = {c.in("/r/libx.so.1")};
    CHECK(c.find(c.in("/r/libx.so.1")) == "/r/libx.so.1");
    c.main.needed = {"$ORIGIN/../r/libx.so.1"};
    CHECK(c.find(c.in("/app/../r/libx.so.1")) == "/r/libx.so.1");
    c.main.needed = {"./libx.so.1"};
    c.variables.working_directory = c.in("/r");
    CHECK(c.find("./libx.so.1") == "/r/libx.so.1");
    c.main.needed = {"./none.so"};
    CHECK(c.find("./none.so") == "");
}

TEST_CASE("LD_LIBRARY_PATH: empty and relative entries, semicolons, tokens") {
    Case c;
    c.library("/w/libx.so.1").library("/w/sub/libx.so.1").library("/app/libs/libx.so.1");
    c.main.needed = {x};
    c.variables.working_directory = c.in("/w");
    c.variables.library_path = ":/nowhere";
    CHECK(c.find(x) == "/w/libx.so.1");
    c.variables.library_path = "/nowhere;sub";
    CHECK(c.find(x) == "/w/sub/libx.so.1");
    c.variables.library_path = "$ORIGIN/libs/";
    CHECK(c.find(x) == "/app/libs/libx.so.1");
    c.variables.library_path = "$ORIGINAL/libs:$NOTHING:${ORIGIN";
    CHECK(c.find(x) == "");
}

TEST_CASE("run paths with empty entries, $LIB and $PLATFORM") {
    Case c;
    const loader::Loader loader = loader::loader_of(Root(), {});
    c.library("/w/libx.so.1")
        .library(
            "/t/" + loader.library_directory + "/" + loader::processor_platform() + "/libx.so.1");
    c.main.needed = {x};
    c.main.runpath = c.in("/t/$LIB/${PLATFORM}");
    CHECK(
        c.find(x) ==
        "/t/" + loader.library_directory + "/" + loader::processor_platform() + "/libx.so.1");
    c.main.runpath = "/nowhere::";
    c.variables.working_directory = c.in("/w");
    CHECK(c.find(x) == "/w/libx.so.1");
}

TEST_CASE("LD_PRELOAD comes first and answers for its soname") {
    Case c;
    c.library("/p/libx.so.1", needing({"liby.so"}, "", c.in("/p")))
        .library("/p/liby.so")
        .library("/r/libx.so.1");
    c.main.needed = {x};
    c.main.runpath = c.in("/r");
    c.variables.preload = c.in("/p/libx.so.1");
    CHECK(c.find(x) == "not requested");
    CHECK(c.find("liby.so") == "/p/liby.so");
    c.variables.preload = "libnone.so libx.so.1";
    c.variables.library_path = c.in("/p");
    CHECK(c.find(x) == "/p/libx.so.1");
    c.root.file("/r/text.so", "no library");
    c.variables.preload = c.in("/r/text.so") + ":" + c.in("/p/libx.so.1");
    CHECK(c.find("liby.so") == "/p/liby.so");
}

TEST_CASE("subdirectories for better processors, in their order") {
    Case c;
    c.library("/r/libx.so.1");
    c.main.needed = {x};
    c.main.runpath = c.in("/r");
    const loader::Loader loader = loader::loader_of(Root(), {});
    for (auto next = loader.subdirectories.rbegin(); next != loader.subdirectories.rend(); ++next) {
        const std::string path = "/r/" + *next + "/libx.so.1";
        c.library(path);
        CHECK(c.find(x) == path);
    }
    c.library("/r/glibc-hwcaps/x86-64-v9/libx.so.1");
    CHECK(c.find(x) != "/r/glibc-hwcaps/x86-64-v9/libx.so.1");
}

TEST_CASE("no default directories for a library that rejects them", "[optional]") {
    Case c;
    c.main.needed = {"libz.so.1"};
    const std::string here = c.find("libz.so.1");
    if (here.empty())
        return test::skip("no libz.so.1 on this machine");
    c.main.flags = DF_1_NODEFLIB;
    CHECK(c.find("libz.so.1") == "");
    c.library("/r/libz.so.1");
    c.main.runpath = c.in("/r");
    CHECK(c.find("libz.so.1") == "/r/libz.so.1");
}

TEST_CASE("filters and auxiliary libraries are loaded") {
    Case c;
    ElfBuilder filter;
    filter.filters = {x};
    filter.auxiliary = {"liby.so"};
    filter.runpath = c.in("/r");
    c.library("/r/liba.so", filter).library("/r/libx.so.1").library("/r/liby.so");
    c.main.needed = {"liba.so"};
    c.main.runpath = c.in("/r");
    c.root.file("/app/main.so", c.main.bytes());
    Truth truth = loader_result(c.in("/app/main.so"), {}),
          predicted = prediction(c.in("/app/main.so"), {});
    CHECK(predicted.libraries.size() == 3);
    for (Truth* one : {&truth, &predicted})
        std::sort(one->libraries.begin(), one->libraries.end());
    INFO("the loader: " << truth.in_words() << "\npredicted:  " << predicted.in_words());
    CHECK(truth == predicted);  // the loader lists them in another order
}

TEST_CASE("unusable files are passed over or end everything") {
    Case c;
    c.library("/good/libx.so.1")
        .root.file("/foreign/libx.so.1", foreign_bytes(x))
        .link("/dead/libx.so.1", "gone");
    c.root.file("/text/libx.so.1", "no library")
        .directory("/directory/libx.so.1")
        .file("/empty/libx.so.1", "");
    c.root.link("/circle/libx.so.1", "libx.so.1").socket("/socket/libx.so.1");
    ElfBuilder program;
    program.flags = DF_1_PIE;
    program.soname = x;
    c.library("/program/libx.so.1", program);
    c.main.needed = {x};
    const auto with = [&](const std::string& bad) {
        c.main.runpath = c.in(bad) + ":" + c.in("/good");
        return c.find(x);
    };
    CHECK(with("/foreign") == "/good/libx.so.1");
    CHECK(with("/dead") == "/good/libx.so.1");
    for (const char* bad : {"/text", "/directory", "/empty", "/program"})
        CHECK(with(bad) == "?");
    for (const char* bad : {"/circle", "/socket"})
        CHECK(with(bad) == "");
}
