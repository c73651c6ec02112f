#include "base/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/catch.hpp"

using namespace rnncheck;
namespace fs = std::filesystem;

namespace {

/// A small root below the working directory, removed at the end.
struct Tree {
    fs::path top = fs::current_path() / "files_test_root";
    Root root{top.string() + "/"};

    Tree() {
        fs::remove_all(top);
        fs::create_directories(top / "etc/deep");
        std::ofstream(top / "etc/os-release") << "NAME=x\n";
        fs::create_symlink("/etc/os-release", top / "absolute");
        fs::create_symlink("../../etc/../etc/os-release", top / "etc/deep/relative");
        fs::create_symlink("loop_b", top / "loop_a");
        fs::create_symlink("loop_a", top / "loop_b");
        fs::create_symlink("nowhere", top / "dangling");
        mkfifo((top / "pipe").c_str(), 0600);
    }
    ~Tree() {
        fs::remove_all(top);
    }
};

}  // namespace

TEST_CASE("links stay inside the root") {
    const Tree tree;
    CHECK(tree.root.real_path("/absolute") == "/etc/os-release");
    CHECK(tree.root.real_path("/etc/deep/relative") == "/etc/os-release");
    CHECK(tree.root.read("/absolute") == "NAME=x\n");
    CHECK(tree.root.real_path("/../../etc") == "/etc");
}

TEST_CASE("circles, dangling links, directories and pipes are no files") {
    const Tree tree;
    CHECK_FALSE(tree.root.real_path("/loop_a"));
    CHECK_FALSE(tree.root.exists("/dangling"));
    CHECK(tree.root.link("/dangling") == "nowhere");
    CHECK_FALSE(tree.root.read("/etc"));
    CHECK_FALSE(tree.root.read("/pipe"));  // must not block either
    CHECK_FALSE(tree.root.read("/missing"));
}

TEST_CASE("reading is bounded, listing sorted") {
    const Tree tree;
    CHECK(tree.root.read("/etc/os-release", 4) == "NAME");
    CHECK(tree.root.names_in("/etc") == std::vector<std::string>{"deep", "os-release"});
    CHECK(tree.root.names_in("/etc", 1).size() == 1);
    CHECK(tree.root.names_in("/missing").empty());
}

TEST_CASE("pseudo files whose size is 0 are read") {
    CHECK_FALSE(Root().read("/proc/self/status")->empty());
}
