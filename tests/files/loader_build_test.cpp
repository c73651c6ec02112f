#include <cstdio>

#include "base/text.hpp"
#include "files/loader/loader.hpp"
#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/skip.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// The directories that the loader itself names in its help (since glibc 2.33): "  /lib64 (system
/// search path)".
std::vector<std::string> directories_in_help() {
    std::vector<std::string> directories;
    FILE* help =
        popen((std::string(loader::usual_interpreter()) + " --help 2>/dev/null").c_str(), "r");
    char line[4096];
    while (help && std::fgets(line, sizeof line, help))
        if (const std::string_view text = line; contains(text, "(system search path)"))
            directories.emplace_back(trim(text.substr(0, text.find('('))));
    if (help)
        pclose(help);
    return directories;
}

std::string interpreter_bytes(const std::string& texts) {
    return std::string("\x7f") + "ELF" + '\0' + "GLIBC_PRIVATE" + '\0' + texts;
}

}  // namespace

TEST_CASE("the loader's file shows the directories that its help names", "[optional]") {
    const auto build = loader::read_loader_build(Root(), loader::usual_interpreter());
    const auto output = directories_in_help();
    if (output.empty())
        return test::skip("this loader has no help that names its directories");
    REQUIRE(build);
    CHECK(build->default_directories == output);
    CHECK(build->cache == "/etc/ld.so.cache");
    CHECK(build->preload_file == "/etc/ld.so.preload");
    CHECK(build->hwcaps);
}

TEST_CASE("a loader of another place has its own directories and cache") {
    using namespace std::string_literals;
    FakeRoot root;
    root.file(
        "/nix/ld.so",
        interpreter_bytes("/nix/glibc/etc/ld.so.cache\0/nix/glibc/lib/\0glibc-hwcaps\0"s));
    const auto build = loader::read_loader_build(root.root(), "/nix/ld.so");
    REQUIRE(build);
    CHECK(build->default_directories == std::vector<std::string>{"/nix/glibc/lib"});
    CHECK(build->cache == "/nix/glibc/etc/ld.so.cache");
    CHECK_FALSE(build->legacy);
    root.file("/old/ld.so", interpreter_bytes("/etc/ld.so.cache\0/lib64/\0/usr/lib64/\0"s));
    const auto old = loader::read_loader_build(root.root(), "/old/ld.so");
    REQUIRE(old);
    CHECK(old->default_directories == std::vector<std::string>{"/lib64", "/usr/lib64"});
    CHECK_FALSE(old->hwcaps);
    CHECK(old->legacy);
}

TEST_CASE("what is not glibc's loader is recognized") {
    FakeRoot root;
    root.file(
        "/lib/ld-musl-x86_64.so.1",
        "\x7f"
        "ELF /etc/ld-musl-x86_64.path");
    CHECK_FALSE(loader::read_loader_build(root.root(), "/lib/ld-musl-x86_64.so.1"));
    CHECK_FALSE(loader::read_loader_build(root.root(), "/nowhere"));
}
