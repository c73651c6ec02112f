#include <algorithm>

#include "base/text.hpp"
#include "files/gpu_libraries.hpp"
#include "support/catch.hpp"
#include "support/elf_builder.hpp"
#include "support/fake_root.hpp"
#include "support/healthy_machine.hpp"
#include "support/loader_cache_builder.hpp"
#include "support/look.hpp"
#include "support/skip.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

using Variables = std::map<std::string, std::optional<std::string>>;

/// What the probe lists, in an environment with nothing set but `variables`.
std::vector<Library> libraries_in(const FakeRoot& root, Variables variables = {}) {
    for (const char* name :
         {"LD_LIBRARY_PATH",
          "LD_PRELOAD",
          "CUDA_HOME",
          "CUDA_PATH",
          "CUDA_ROOT",
          "VIRTUAL_ENV",
          "CONDA_PREFIX",
          "PATH",
          "HOME"})
        variables.try_emplace(name);
    const Environment environment(variables);
    return look("library_files", root.root()).facts.libraries;
}

std::vector<std::string> paths(const std::vector<Library>& libraries) {
    std::vector<std::string> found;
    for (const auto& library : libraries)
        found.push_back(library.path);
    return found;
}

Library only(const std::vector<Library>& libraries) {
    INFO(join(paths(libraries), " "));
    REQUIRE(libraries.size() == 1);
    return libraries.front();
}

Library at(const std::vector<Library>& libraries, const std::string& path) {
    INFO(path << " among " << join(paths(libraries), " "));
    const auto found = std::find_if(
        libraries.begin(), libraries.end(), [&](const Library& l) { return l.path == path; });
    REQUIRE(found != libraries.end());
    return *found;
}

const std::string system_directory = "/usr/lib64/";
const std::string toolkit = "/usr/local/cuda-12.4/";

}  // namespace

TEST_CASE("a library with all its names is one entry, by the name that programs open") {
    FakeRoot root;
    root.file(
        system_directory + "libcudnn.so.9.19.0", library_bytes("libcudnn.so.9", {"libc.so.6"}));
    root.link(system_directory + "libcudnn.so.9", "libcudnn.so.9.19.0")
        .link(system_directory + "libcudnn.so", "libcudnn.so.9");
    const Library cudnn = only(libraries_in(root));
    CHECK(cudnn.kind == LibraryKind::cudnn);
    CHECK(cudnn.path == system_directory + "libcudnn.so.9");
    CHECK(cudnn.real_path == system_directory + "libcudnn.so.9.19.0");
    CHECK(cudnn.found_via == FoundVia::default_directory);
    CHECK(cudnn.picked_by_loader);
    CHECK(cudnn.soname == "libcudnn.so.9");
    CHECK(cudnn.version_in_name == v("9.19.0"));
    CHECK(cudnn.needed == std::vector<std::string>{"libc.so.6"});
    CHECK(cudnn.missing_needs.empty());
    CHECK_FALSE(cudnn.stub);
    CHECK_FALSE(cudnn.compat);
    CHECK_FALSE(cudnn.problem);
}

TEST_CASE(
    "the same file is not listed again through another directory, and a development link gives "
    "way") {
    FakeRoot root;
    root.file(toolkit + "lib64/libcudart.so.12.4.99", library_bytes("libcudart.so.12"));
    root.link(toolkit + "lib64/libcudart.so.12", "libcudart.so.12.4.99")
        .link(toolkit + "lib", "lib64");
    root.link("/usr/local/cuda", "cuda-12.4")
        .link("/early/libcudart.so", toolkit + "lib64/libcudart.so.12");
    const Library cudart = only(libraries_in(root, {{"LD_LIBRARY_PATH", "/early"}}));
    CHECK(contains(cudart.path, "/lib64/libcudart.so.12"));
    CHECK(cudart.found_via == FoundVia::toolkit);
    CHECK_FALSE(cudart.picked_by_loader);
    CHECK(cudart.version_in_name == v("12.4.99"));
}

TEST_CASE("the stub is listed only where the loader reaches it") {
    FakeRoot root;
    root.file(toolkit + "lib64/stubs/libcuda.so", library_bytes("libcuda.so.1"));
    CHECK(libraries_in(root).empty());
    const std::string stubs = toolkit + "lib64/stubs";
    const Library linked = only(libraries_in(root, {{"LD_LIBRARY_PATH", stubs}}));
    CHECK(linked.path == stubs + "/libcuda.so");
    CHECK(linked.stub);
    CHECK_FALSE(linked.picked_by_loader);
    root.link(system_directory + "libcuda.so.1", stubs + "/libcuda.so");
    const Library picked = only(libraries_in(root));
    CHECK(picked.path == system_directory + "libcuda.so.1");
    CHECK(picked.stub);
    CHECK(picked.picked_by_loader);
}

TEST_CASE("a forward-compatibility driver library is listed, and picked only on the loader's way") {
    FakeRoot root;
    root.file(toolkit + "compat/libcuda.so.550.54.15", library_bytes("libcuda.so.1"));
    root.link(toolkit + "compat/libcuda.so.1", "libcuda.so.550.54.15");
    const Library compat = only(libraries_in(root));
    CHECK(compat.compat);
    CHECK(compat.found_via == FoundVia::toolkit);
    CHECK_FALSE(compat.picked_by_loader);
    CHECK(compat.version_in_name == v("550.54.15"));
    CHECK(only(libraries_in(root, {{"LD_LIBRARY_PATH", toolkit + "compat"}})).picked_by_loader);
}

TEST_CASE("of two copies the loader's is picked, of two majors each has its own") {
    FakeRoot root;
    root.file("/a/libcudnn.so.9", library_bytes("libcudnn.so.9"))
        .file("/b/libcudnn.so.9", library_bytes("libcudnn.so.9"));
    root.file("/b/libcudnn.so.8", library_bytes("libcudnn.so.8"));
    const auto found = libraries_in(root, {{"LD_LIBRARY_PATH", "/a:/b"}});
    CHECK(found.size() == 3);
    CHECK(at(found, "/a/libcudnn.so.9").picked_by_loader);
    CHECK_FALSE(at(found, "/b/libcudnn.so.9").picked_by_loader);
    CHECK(at(found, "/b/libcudnn.so.8").picked_by_loader);
    CHECK(at(found, "/b/libcudnn.so.8").found_via == FoundVia::ld_library_path);
}

TEST_CASE(
    "a file that is no library is listed with its problem, and stops the loader before the good "
    "copy") {
    FakeRoot root;
    root.file("/a/libcudnn.so.9", "version https://git-lfs\n")
        .file("/b/libcudnn.so.9", library_bytes("libcudnn.so.9"));
    const auto found = libraries_in(root, {{"LD_LIBRARY_PATH", "/a:/b"}});
    CHECK(at(found, "/a/libcudnn.so.9").problem == FileProblem::not_elf);
    CHECK(contains(*at(found, "/a/libcudnn.so.9").problem_detail, "is a text file"));
    CHECK(at(found, "/a/libcudnn.so.9").picked_by_loader);
    CHECK_FALSE(at(found, "/b/libcudnn.so.9").picked_by_loader);
}

TEST_CASE("a copy for another machine is listed and passed over") {
    FakeRoot root;
    root.file("/a/libcudnn.so.9", foreign_bytes("libcudnn.so.9"))
        .file("/b/libcudnn.so.9", library_bytes("libcudnn.so.9"));
    const auto found = libraries_in(root, {{"LD_LIBRARY_PATH", "/a:/b"}});
    CHECK(at(found, "/a/libcudnn.so.9").problem == FileProblem::other_machine);
    CHECK(at(found, "/a/libcudnn.so.9").machine == "64-bit S/390");
    CHECK_FALSE(at(found, "/a/libcudnn.so.9").picked_by_loader);
    CHECK(at(found, "/b/libcudnn.so.9").picked_by_loader);
}

TEST_CASE(
    "a toolkit's directories for other machines, backups, archives and dead development links are "
    "no copies") {
    FakeRoot root;
    root.file(
        toolkit + "targets/s390x-linux/lib/libcudart.so.12", foreign_bytes("libcudart.so.12"));
    root.file(system_directory + "libcudnn.so.9.bak", "x")
        .file(system_directory + "libcudart_static.a", "x")
        .file(system_directory + "libcudnn.so", "INPUT(x)");
    root.link(system_directory + "libcublas.so", "gone")
        .file(system_directory + "libnvrtc.alt.so.13", "x")
        .file(system_directory + "libcudadevrt.a", "x");
    root.file("/etc/ld.so.cache", cache_bytes({{"libcudnn.so.8", "/removed/libcudnn.so.8"}}));
    CHECK(paths(libraries_in(root)).empty());
}

TEST_CASE("a link to nowhere is reported") {
    FakeRoot root;
    root.link(system_directory + "libcuda.so.1", "libcuda.so.535.1");
    const Library dead = only(libraries_in(root));
    CHECK(dead.problem == FileProblem::dangling_link);
    CHECK_FALSE(dead.real_path);
    CHECK_FALSE(dead.picked_by_loader);
}

TEST_CASE("the bare 1 of a driver library's name is no release") {
    FakeRoot root;
    root.file("/usr/lib/wsl/lib/libcuda.so.1", library_bytes("libcuda.so.1"));
    const Library wsl = only(libraries_in(root));
    CHECK(wsl.found_via == FoundVia::wsl);
    CHECK_FALSE(wsl.version_in_name);
}

TEST_CASE("wheels and conda libraries are found where the environments lie") {
    FakeRoot root;
    const std::string cudnn = library_bytes("libcudnn.so.9");
    const std::string inside = "/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.9";
    root.file("/venv" + inside, cudnn)
        .file("/home/me/.local" + inside, cudnn)
        .file("/opt/python" + inside, cudnn);
    root.file("/opt/python/bin/python3.11", "")
        .link("/usr/bin/python3", "/opt/python/bin/python3.11");
    root.file(
        "/usr/lib/python3/dist-packages/torch/lib/libcudart-d0da41ae.so.11.0",
        library_bytes("libcudart-d0da41ae.so.11.0"));
    root.directory("/conda/conda-meta")
        .file("/conda/lib/libcublasLt.so.12", library_bytes("libcublasLt.so.12"));
    const auto found = libraries_in(
        root,
        {{"VIRTUAL_ENV", "/venv"},
         {"HOME", "/home/me"},
         {"PATH", "/nowhere:/usr/bin"},
         {"CONDA_PREFIX", "/conda"}});
    CHECK(found.size() == 5);
    CHECK(at(found, "/venv" + inside).found_via == FoundVia::wheel);
    at(found, "/home/me/.local" + inside);
    at(found, "/opt/python" + inside);
    const Library renamed =
        at(found, "/usr/lib/python3/dist-packages/torch/lib/libcudart-d0da41ae.so.11.0");
    CHECK(renamed.kind == LibraryKind::cudart);
    CHECK(renamed.version_in_name == v("11.0"));
    CHECK_FALSE(renamed.picked_by_loader);
    CHECK(at(found, "/conda/lib/libcublasLt.so.12").found_via == FoundVia::conda);
}

TEST_CASE("toolkits are found through the environment too") {
    FakeRoot root;
    root.file("/custom/lib64/libnvrtc.so.12", library_bytes("libnvrtc.so.12"));
    CHECK(libraries_in(root).empty());
    CHECK(only(libraries_in(root, {{"CUDA_HOME", "/custom"}})).found_via == FoundVia::toolkit);
}

TEST_CASE("what a library needs and the loader would not find is named") {
    FakeRoot root;
    ElfBuilder builder;
    builder.soname = "libcudnn_adv.so.9";
    builder.needed = {
        "libcudnn_ops.so.9",
        "libcudnn_graph.so.9",
        "libz.so.1",
        "libc.so.6",
        "ld-linux-x86-64.so.2"};
    builder.runpath = "$ORIGIN";
    root.file("/apart/libcudnn_adv.so.9", builder.bytes())
        .file("/apart/libcudnn_ops.so.9", library_bytes("libcudnn_ops.so.9"));
    root.file(system_directory + "libz.so.1", library_bytes("libz.so.1"));
    const Variables with_directory = {{"LD_LIBRARY_PATH", "/link"}};
    root.link("/link/libcudnn_adv.so.9", "/apart/libcudnn_adv.so.9");
    const Library through_link = only(libraries_in(root, with_directory));
    CHECK(through_link.kind == LibraryKind::cudnn_part);
    CHECK(
        through_link.missing_needs ==
        std::vector<std::string>{"libcudnn_ops.so.9", "libcudnn_graph.so.9"});
    const auto beside = libraries_in(root, {{"LD_LIBRARY_PATH", "/apart"}});
    CHECK(
        at(beside, "/apart/libcudnn_adv.so.9").missing_needs ==
        std::vector<std::string>{"libcudnn_graph.so.9"});
    CHECK(at(beside, "/apart/libcudnn_adv.so.9").run_path == std::vector<std::string>{"$ORIGIN"});
}

TEST_CASE("a flood of files is cut at 512") {
    FakeRoot root;
    for (int i = 0; i < 600; ++i)
        root.file("/many/libcudart.so." + std::to_string(i), "");
    CHECK(libraries_in(root, {{"LD_LIBRARY_PATH", "/many"}}).size() == 512);
}

TEST_CASE("names show the kind") {
    using loader::library_name;
    CHECK(loader::library_name("libcublasLt.so.12")->kind == LibraryKind::cublaslt);
    CHECK(loader::library_name("libcudnn_ops_infer.so.8.9.7")->kind == LibraryKind::cudnn_part);
    CHECK(loader::library_name("libnvrtc-builtins.so.12.4")->kind == LibraryKind::nvrtc_builtins);
    CHECK(loader::library_name("libnvidia-ml.so.1")->kind == LibraryKind::nvml);
    CHECK(loader::library_name("libcudnn.so")->development);
    for (const char* other :
         {"libcudadebugger.so.1",
          "libcudart.a",
          "libcudnn.so.",
          "libcudnn.so.9.old",
          "libcudnnx.so.9",
          "libcuda.so.1.2-3",
          ""})
        CHECK_FALSE(loader::library_name(other));
}

TEST_CASE("on this machine every pick is a file, and copies are listed once", "[optional]") {
    const Looked looked = look("library_files", Root());
    std::vector<std::string> real;
    for (const auto& library : looked.facts.libraries)
        if (library.real_path)
            real.push_back(*library.real_path);
    std::sort(real.begin(), real.end());
    CHECK(std::adjacent_find(real.begin(), real.end()) == real.end());
    if (looked.facts.libraries.empty())
        return test::skip("no GPU library on this machine");
    CHECK(looked.times > 0);
}

TEST_CASE("a preloaded copy answers for its name") {
    FakeRoot root;
    root.file(system_directory + "libcudnn.so.9", library_bytes("libcudnn.so.9"));
    root.file(toolkit + "lib64/libcudnn.so.9", library_bytes("libcudnn.so.9"));
    CHECK(at(libraries_in(root), system_directory + "libcudnn.so.9").picked_by_loader);
    const auto preloaded = libraries_in(root, {{"LD_PRELOAD", toolkit + "lib64/libcudnn.so.9"}});
    CHECK_FALSE(at(preloaded, system_directory + "libcudnn.so.9").picked_by_loader);
    CHECK(at(preloaded, toolkit + "lib64/libcudnn.so.9").picked_by_loader);
}
