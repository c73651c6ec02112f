#include "base/text.hpp"
#include "files/dll/process.hpp"
#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/pe_builder.hpp"

using namespace rnncheck;
using namespace rnncheck::test;
using Ending = DllEnding;

namespace {

using Strings = std::vector<std::string>;

/// A disk of Windows with a Python and a project.
struct WindowsDisk : FakeRoot {
    WindowsDisk() {
        dll("/Windows/System32/nvcuda.dll").dll("/Python/python311.dll");
    }

    WindowsDisk& dll(const std::string& path, const Strings& needed = {}) {
        file(path, dll_bytes(file_name(path), needed));
        return *this;
    }
};

dll::Setting with_path(Strings path) {
    return {
        .application_directory = "C:\\Python",
        .current_directory = "C:\\project",
        .path = std::move(path)};
}

/// How a load of the name ends, and where.
dll::Answer load(
    const WindowsDisk& disk, const std::string& name, unsigned flags, Strings path = {}) {
    const dll::Disk drive(disk.root());
    return dll::Process(drive, with_path(std::move(path))).load(name, flags);
}

std::string found(
    const WindowsDisk& disk, const std::string& name, unsigned flags, Strings path = {}) {
    return load(disk, name, flags, std::move(path)).path.value_or("");
}

}  // namespace

TEST_CASE("paths of Windows are found in any case") {
    WindowsDisk root;
    root.file("/Program Files/NVIDIA/a.txt", "");
    const dll::Disk disk(root.root());
    CHECK(disk.inside("c:\\program files\\nvidia\\A.TXT") == "/Program Files/NVIDIA/a.txt");
    CHECK(disk.inside("C:/Program Files/./x/../NVIDIA") == "/Program Files/NVIDIA");
    CHECK(disk.inside("C:\\") == "/");
    CHECK_FALSE(disk.inside("D:\\Program Files"));
    CHECK_FALSE(disk.inside("\\\\server\\share\\a.txt"));
    CHECK_FALSE(disk.inside("C:\\absent"));
    CHECK(disk.as_written("c:\\PROGRAM FILES\\nvidia") == "C:\\Program Files\\NVIDIA");
    CHECK(dll::dll_directory("C:\\a.dll") == "C:\\");
    CHECK(dll::dll_name("C:\\b\\a.dll") == "a.dll");
}

TEST_CASE("a machine's drives are read by their letters, and Windows where it was installed") {
    FakeRoot root;
    root.file("/D:/Win/System32/nvcuda.dll", dll_bytes("nvcuda.dll", {}));
    root.file("/e:/Users/a.dll", "").file("/E:/Long Name/a.dll", "");
    const dll::Disk disk(root.root(), dll::Drives::of_machine, {.windows = "D:\\Win"});
    CHECK(disk.inside("e:\\LONG NAME\\A.DLL") == "E:/Long Name/a.dll");
    CHECK(disk.as_written("e:\\long name\\A.DLL") == "E:\\Long Name\\a.dll");
    CHECK(dll::windows_path("E:/") == "E:\\");
    CHECK(disk.names_in("E:\\") == Strings{"Long Name"});
    CHECK(!disk.exists("C:\\Long Name"));
    CHECK(!disk.exists("E:\\Users\\a.dll"));
    const auto answer = dll::Process(disk, with_path({})).load("nvcuda", dll::search_system32);
    CHECK(answer.path == "D:\\Win\\System32\\nvcuda.dll");
}

TEST_CASE(
    "LoadLibrary searches the program, Windows, the current directory and PATH, in this order") {
    const Strings places = {
        "/Python", "/Windows/System32", "/Windows/System", "/Windows", "/project", "/one", "/two"};
    const LoaderRule rules[] = {
        LoaderRule::application_directory,
        LoaderRule::system_directory,
        LoaderRule::system_directory,
        LoaderRule::system_directory,
        LoaderRule::current_directory,
        LoaderRule::path_variable,
        LoaderRule::path_variable};
    for (std::size_t first = 0; first < places.size(); ++first) {
        WindowsDisk disk;
        for (std::size_t i = first; i < places.size(); ++i)
            disk.dll(places[i] + "/cudnn64_9.dll");
        for (const unsigned flags : {dll::no_flags, dll::altered_search_path}) {
            const dll::Answer answer = load(disk, "cudnn64_9", flags, {"C:\\one", "C:\\two"});
            INFO(places[first]);
            CHECK(answer.path == dll::windows_path(places[first]) + "\\cudnn64_9.dll");
            CHECK(answer.rule == rules[first]);
            CHECK(answer.ending == Ending::loaded);
        }
    }
}

TEST_CASE("the search flags search neither the current directory nor PATH") {
    WindowsDisk disk;
    disk.dll("/one/cudnn64_9.dll").dll("/project/cudnn64_9.dll");
    const dll::Answer answer = load(disk, "cudnn64_9.dll", dll::search_default, {"C:\\one"});
    CHECK(answer.ending == Ending::not_found);
    CHECK(answer.problem == "is not found");
    CHECK(found(disk, "nvcuda.dll", dll::search_system32) == "C:\\Windows\\System32\\nvcuda.dll");
    CHECK(found(disk, "python311.dll", dll::search_system32).empty());
    CHECK(found(disk, "python311.dll", dll::search_application) == "C:\\Python\\python311.dll");
}

TEST_CASE(
    "directories of AddDllDirectory are searched by the flags that name them, and by no other "
    "load") {
    WindowsDisk disk;
    disk.dll("/user/cudnn64_9.dll");
    const dll::Disk drive(disk.root());
    dll::Process process(drive, with_path({}));
    process.add_user_directory("c:\\USER");
    process.add_user_directory("C:\\absent");
    CHECK(process.load("cudnn64_9.dll", dll::no_flags).ending == Ending::not_found);
    const dll::Answer answer = process.load("cudnn64_9.dll", dll::search_default);
    CHECK(answer.path == "C:\\user\\cudnn64_9.dll");
    CHECK(answer.rule == LoaderRule::user_directory);
    CHECK(process.load("CUDNN64_9.DLL", dll::no_flags).rule == LoaderRule::already_loaded);
}

TEST_CASE("what a DLL needs is searched by the rule of the load that loads it") {
    WindowsDisk disk;
    disk.dll(
        "/lib/torch.dll", {"cudnn_ops64_9.dll", "KERNEL32.dll", "api-ms-win-crt-heap-l1-1-0.dll"});
    disk.dll("/lib/cudnn_ops64_9.dll").dll("/one/cudnn_ops64_9.dll");
    const auto needed = [&](unsigned flags, Strings path) {
        const dll::Disk drive(disk.root());
        dll::Process process(drive, with_path(std::move(path)));
        const dll::Answer answer = process.load("C:\\lib\\torch.dll", flags);
        return answer.ending == Ending::loaded ? process.answers().front().path.value_or("")
                                               : answer.problem;
    };
    const std::string beside = "C:\\lib\\cudnn_ops64_9.dll";
    CHECK(needed(dll::python_flags, {"C:\\one"}) == beside);
    CHECK(needed(dll::altered_search_path, {"C:\\one"}) == beside);
    CHECK(needed(dll::no_flags, {"C:\\one"}) == "C:\\one\\cudnn_ops64_9.dll");
    CHECK(needed(dll::no_flags, {}) == "needs cudnn_ops64_9.dll, which is not found");
    CHECK(
        needed(dll::search_default, {"C:\\one"}) == "needs cudnn_ops64_9.dll, which is not found");
}

TEST_CASE("a DLL whose needs fail is not in the process, nor is what came with it") {
    WindowsDisk disk;
    disk.dll("/lib/a.dll", {"b.dll", "absent.dll"}).dll("/lib/b.dll");
    disk.dll("/lib/c.dll", {"d.dll"}).dll("/lib/d.dll", {"c.dll"});
    const dll::Disk drive(disk.root());
    dll::Process process(drive, with_path({}));
    CHECK(process.load("C:\\lib\\a.dll", dll::python_flags).ending == Ending::not_found);
    CHECK(process.modules().empty());
    CHECK(process.load("C:\\lib\\c.dll", dll::python_flags).ending == Ending::loaded);
    CHECK(process.modules().size() == 2);
}

TEST_CASE("a file of another machine is passed over, a damaged one ends the search") {
    WindowsDisk disk;
    PeBuilder narrow;
    narrow.is_64_bit = false;
    narrow.machine = 0x14C;
    disk.dll("/two/zlibwapi.dll").file("/one/zlibwapi.dll", narrow.bytes());
    CHECK(
        found(disk, "zlibwapi.dll", dll::no_flags, {"C:\\one", "C:\\two"}) ==
        "C:\\two\\zlibwapi.dll");
    const dll::Answer answer = load(disk, "zlibwapi.dll", dll::no_flags, {"C:\\one"});
    CHECK(answer.ending == Ending::unusable);
    CHECK(
        answer.problem ==
        "is built for another architecture: 32-bit x86, the program is 64-bit x86-64");
    disk.file("/one/zlibwapi.dll", "<html>");
    const dll::Answer text = load(disk, "zlibwapi.dll", dll::no_flags, {"C:\\one", "C:\\two"});
    CHECK(text.ending == Ending::unusable);
    CHECK(text.path == "C:\\one\\zlibwapi.dll");
    CHECK(contains(text.problem, "is a text file"));
}

TEST_CASE("functions that the other DLL does not have are named") {
    WindowsDisk disk;
    PeBuilder ops;
    ops.name = "cudnn_ops64_9.dll";
    ops.imports = {{"cudnn_graph64_9.dll", {"cudnnAbort", "cudnnGetLibConfig"}}};
    PeBuilder graph;
    graph.name = "cudnn_graph64_9.dll";
    graph.exports = {"cudnnAbort", "cudnnGetLibConfig"};
    disk.file("/lib/cudnn_ops64_9.dll", ops.bytes())
        .file("/lib/cudnn_graph64_9.dll", graph.bytes());
    CHECK(load(disk, "C:\\lib\\cudnn_ops64_9.dll", dll::python_flags).ending == Ending::loaded);
    graph.exports = {"cudnnAbort"};
    disk.file("/lib/cudnn_graph64_9.dll", graph.bytes());
    const dll::Answer answer = load(disk, "C:\\lib\\cudnn_ops64_9.dll", dll::python_flags);
    CHECK(answer.ending == Ending::lacks_function);
    CHECK(answer.lacking == "C:\\lib\\cudnn_graph64_9.dll");
    CHECK(answer.functions == Strings{"cudnnGetLibConfig"});
    CHECK(
        answer.problem ==
        "needs cudnnGetLibConfig from C:\\lib\\cudnn_graph64_9.dll, which does not have it");
}

TEST_CASE("what is not found is unknown where PATH is not known, or the disk has no Windows") {
    WindowsDisk disk;
    const dll::Disk drive(disk.root());
    dll::Process process(drive, {.application_directory = "C:\\Python", .path_known = false});
    CHECK(process.load("cudnn64_9.dll", dll::no_flags).ending == Ending::unknown);
    CHECK(process.load("cudnn64_9.dll", dll::search_default).ending == Ending::not_found);
    FakeRoot part;
    part.file("/lib/a.dll", dll_bytes("a.dll", {"b.dll"}));
    const dll::Disk without(part.root());
    dll::Process other(without, with_path({}));
    CHECK(other.load("C:\\lib\\a.dll", dll::python_flags).ending == Ending::unknown);
}

TEST_CASE("a program that loads more DLLs than any real one is not examined to its end") {
    WindowsDisk disk;
    for (int i = 0; i < 1100; ++i)
        disk.dll("/lib/d" + std::to_string(i) + ".dll", {"d" + std::to_string(i + 1) + ".dll"});
    disk.dll("/lib/d1100.dll");
    const dll::Disk drive(disk.root());
    dll::Process process(drive, with_path({}));
    const dll::Answer answer = process.load("C:\\lib\\d0.dll", dll::python_flags);
    CHECK(answer.ending == Ending::unknown);
    CHECK(process.modules().size() == 1024);
}
