#include "files/which.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/program.hpp"
#include "base/text.hpp"
#include "files/gpu_libraries.hpp"
#include "support/catch.hpp"
#include "support/elf_builder.hpp"
#include "support/fake_root.hpp"
#include "support/skip.hpp"

using namespace rnncheck;
using namespace rnncheck::test;
using loader::Which;

namespace {

const std::string packages = "/venv/lib/python3.11/site-packages";
const std::string torch = packages + "/torch/lib/libtorch_cuda.so";
const std::string wheel = packages + "/nvidia/cudnn/lib";
const std::string name = "libcudnn.so.9";

const LibraryChoice& choice(const Which& which, const std::string& soname) {
    const auto found =
        std::find_if(which.libraries.begin(), which.libraries.end(), [&](const auto& library) {
            return library.soname == soname;
        });
    REQUIRE(found != which.libraries.end());
    return *found;
}

bool has(const Which& which, const std::string& soname) {
    return std::any_of(which.libraries.begin(), which.libraries.end(), [&](const auto& library) {
        return library.soname == soname;
    });
}

/// cuDNN 9 with the names of its parts inside, as the real one has them: without the number.
std::string cudnn_bytes(const std::vector<std::string>& parts) {
    ElfBuilder builder;
    builder.runpath = "$ORIGIN";
    std::string bytes = builder.bytes();
    for (const auto& part : parts)
        bytes += '\0' + part + '\0';
    return bytes;
}

struct Machine : FakeRoot {
    Machine() {
        ElfBuilder library;
        library.soname = "libtorch_cuda.so";
        library.needed = {name, "libc10.so"};
        library.rpath = "$ORIGIN:$ORIGIN/../../nvidia/cudnn/lib";
        file(torch, library.bytes())
            .file(packages + "/torch/lib/libc10.so", library_bytes("libc10.so"));
        file(wheel + "/libcudnn.so.9", cudnn_bytes({"libcudnn_ops.so"}));
        file(wheel + "/libcudnn_ops.so.9", library_bytes("libcudnn_ops.so.9"));
        file(wheel + "/libcudnn_adv.so.9", library_bytes("libcudnn_adv.so.9"));
        file("/opt/cudnn/libcudnn.so.9", cudnn_bytes({"libcudnn_ops.so", "libcudnn_adv.so"}));
        file("/opt/cudnn/libcudnn_ops.so.9", library_bytes("libcudnn_ops.so.9"));
    }
    Which query(const std::string& path, const std::string& library_path = "", bool all = false) {
        return loader::which_for_file(root(), path, {library_path, "", all});
    }
};

std::string refusal(FakeRoot& root, const std::string& path) {
    try {
        loader::which_for_file(root.root(), path, {});
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE(
    "a framework's library gets the wheel's cuDNN by its RPATH, whatever LD_LIBRARY_PATH is") {
    Machine machine;
    const Which which = machine.query(torch, "/opt/cudnn");
    const LibraryChoice& cudnn = choice(which, name);
    CHECK(cudnn.path == packages + "/torch/lib/../../nvidia/cudnn/lib/libcudnn.so.9");
    CHECK(cudnn.rule == LoaderRule::rpath);
    CHECK(cudnn.needed_by == torch);
    CHECK(contains(cudnn.why, "RPATH of libtorch_cuda.so"));
    REQUIRE(cudnn.candidates.size() == 1);
    CHECK(cudnn.candidates[0].path == "/opt/cudnn/libcudnn.so.9");
    CHECK(cudnn.candidates[0].rule == LoaderRule::ld_library_path);
    CHECK(cudnn.candidates[0].why_not == "RPATH of libtorch_cuda.so comes before LD_LIBRARY_PATH");
    CHECK_FALSE(has(which, "libc10.so"));
    CHECK(has(machine.query(torch, "", true), "libc10.so"));
    REQUIRE_FALSE(which.notes.empty());
    CHECK(contains(which.notes[0], "Python package"));
}

TEST_CASE("directories of a run path that are not searched are noted") {
    Machine machine;
    ElfBuilder library;
    library.soname = "libtorch_cuda.so";
    library.needed = {name};
    for (int i = 0; i < 9000; ++i)
        library.runpath += "/" + std::to_string(i) + ":";
    machine.file(torch, library.bytes());
    CHECK(contains(
        join(machine.query(torch).notes, "\n"),
        torch +
            ": its run path has more than 8192 directories; those after that are not searched"));
}

TEST_CASE("a file that conda installed is named as such, with conda's commands") {
    Machine machine;
    machine.file("/opt/conda/envs/ml/conda-meta/libcudnn-9.10.2.21-h0_0.json", "{}");
    machine.file("/opt/conda/envs/ml/lib/libcudnn.so.9", cudnn_bytes({}));
    const Which which =
        loader::which_for_plain_program(machine.root(), {"/opt/conda/envs/ml/lib", "", false});
    CHECK(contains(join(which.notes, "\n"), "conda list --prefix /opt/conda/envs/ml "));
    CHECK_FALSE(contains(
        join(
            loader::which_for_plain_program(machine.root(), {"/opt/cudnn", "", false}).notes, "\n"),
        "conda"));
}

TEST_CASE("with RUNPATH the variable wins, and the parts come from beside the winner") {
    Machine machine;
    ElfBuilder library;
    library.soname = "libtorch_cuda.so";
    library.needed = {name};
    library.runpath = "$ORIGIN/../../nvidia/cudnn/lib";
    machine.file(torch, library.bytes());
    const Which which = machine.query(torch, "/opt/cudnn");
    const LibraryChoice& cudnn = choice(which, name);
    CHECK(cudnn.path == "/opt/cudnn/libcudnn.so.9");
    CHECK(cudnn.rule == LoaderRule::ld_library_path);
    REQUIRE(cudnn.candidates.size() == 1);
    CHECK(cudnn.candidates[0].rule == LoaderRule::runpath);
    CHECK(contains(
        cudnn.candidates[0].why_not, "LD_LIBRARY_PATH comes before RUNPATH of libtorch_cuda.so"));
    CHECK(choice(which, "libcudnn_ops.so.9").path == "/opt/cudnn/libcudnn_ops.so.9");
    CHECK(choice(which, "libcudnn_ops.so.9").by_dlopen);
    const LibraryChoice& missing = choice(which, "libcudnn_adv.so.9");
    CHECK_FALSE(missing.path);
    CHECK_FALSE(missing.rule);
    CHECK(missing.needed_by == "/opt/cudnn/libcudnn.so.9");
}

TEST_CASE("a cuDNN by RPATH whose parts LD_LIBRARY_PATH takes from elsewhere is noted") {
    Machine machine;
    CHECK_FALSE(contains(join(machine.query(torch).notes, " "), "of the same version"));
    const Which which = machine.query(torch, "/opt/cudnn");
    CHECK(contains(*choice(which, name).path, "nvidia/cudnn/lib"));
    CHECK(choice(which, "libcudnn_ops.so.9").path == "/opt/cudnn/libcudnn_ops.so.9");
    CHECK(contains(
        join(which.notes, " "),
        "libcudnn.so.9 lies in " + wheel + ", but parts of it come from /opt/cudnn"));
}

TEST_CASE("the parts of a cuDNN are those that it names and those beside it") {
    Machine machine;
    const Which which = machine.query(torch);
    CHECK(contains(
        *choice(which, "libcudnn_ops.so.9").path, wheel.substr(1 + wheel.find("nvidia") - 1)));
    CHECK(choice(which, "libcudnn_adv.so.9").path);
    const std::vector<std::string> parts = loader::parts_of_cudnn(
        machine.root(),
        "libcudnn.so.8",
        wheel + "/libcudnn.so.8",
        {"libcudnn_new.so", "libcudnn_x.so.7"});
    CHECK(parts == std::vector<std::string>{"libcudnn_new.so.8", "libcudnn_x.so.7"});
}

TEST_CASE("who came first is reported with what the other would have found") {
    Machine machine;
    ElfBuilder second;
    second.soname = "libsecond.so";
    second.needed = {name};
    second.runpath = "/opt/cudnn";
    ElfBuilder main;
    main.soname = "main.so";
    main.needed = {"libtorch_cuda.so", "libsecond.so"};
    main.rpath = directory_of(torch) + ":/second";
    machine.file("/second/libsecond.so", second.bytes()).file("/main.so", main.bytes());
    const Which which = machine.query("/main.so");
    const LibraryChoice& cudnn = choice(which, name);
    CHECK(cudnn.needed_by == torch);
    REQUIRE(cudnn.candidates.size() == 1);
    CHECK(cudnn.candidates[0].path == "/opt/cudnn/libcudnn.so.9");
}

TEST_CASE("a bad copy at which the loader stops is no copy") {
    Machine machine;
    machine.file(packages + "/torch/lib/libcudnn.so.9", "<html>");
    const LibraryChoice cudnn = choice(machine.query(torch), name);
    CHECK_FALSE(cudnn.path);
    CHECK(contains(cudnn.why, "the loader stops at " + packages + "/torch/lib/libcudnn.so.9"));
    CHECK(contains(cudnn.why, "is a text file"));
    machine.file(packages + "/torch/lib/libcudnn.so.9", foreign_bytes(name));
    const LibraryChoice passed = choice(machine.query(torch), name);
    CHECK(contains(*passed.path, "nvidia/cudnn"));
    REQUIRE(passed.candidates.size() == 1);
    CHECK(contains(passed.candidates[0].why_not, "skipped: it is built for another architecture"));
}

TEST_CASE("what the loader does not look at is reported as lying elsewhere") {
    Machine machine;
    machine.file("/usr/local/cuda-12.4/lib64/libcudnn.so.9", cudnn_bytes({}));
    const LibraryChoice cudnn = choice(machine.query(torch), name);
    REQUIRE(cudnn.candidates.size() == 1);
    CHECK(cudnn.candidates[0].rule == LoaderRule::elsewhere);
    const Which plain = loader::which_for_plain_program(machine.root(), {});
    CHECK_FALSE(choice(plain, name).path);
    CHECK(choice(plain, name).candidates.size() == 1);
    CHECK_FALSE(choice(plain, "libcuda.so.1").path);
    CHECK_FALSE(choice(plain, "libnvrtc.so").path);
    const Which with_path =
        loader::which_for_plain_program(machine.root(), {"/opt/cudnn", "", false});
    CHECK(choice(with_path, name).path == "/opt/cudnn/libcudnn.so.9");
    CHECK(choice(with_path, "libcudnn_ops.so.9").path == "/opt/cudnn/libcudnn_ops.so.9");
}

TEST_CASE("a library in the run path that no text names is reported as what dlopen gives") {
    Machine machine;
    ElfBuilder library;
    library.soname = "libtensorflow_framework.so.2";
    library.runpath = "$ORIGIN/../nvidia/cudnn/lib";
    const std::string path = packages + "/tensorflow/libtensorflow_framework.so.2";
    machine.file(path, library.bytes());
    const LibraryChoice cudnn = choice(machine.query(path), name);
    CHECK(cudnn.by_dlopen);
    CHECK(cudnn.rule == LoaderRule::runpath);
    CHECK(cudnn.needed_by == path);
}

TEST_CASE("what cannot be predicted is rejected in plain words") {
    Machine machine;
    ElfBuilder narrow;
    narrow.elf_class = ELFCLASS32;
    narrow.machine = EM_386;
    machine.file("/narrow", narrow.bytes())
        .file("/script", "#!/usr/bin/env python3\n")
        .file("/text", "hello")
        .directory("/d");
    CHECK(contains(refusal(machine, "/narrow"), "32-bit x86"));
    CHECK(contains(refusal(machine, "/narrow"), "another loader"));
    CHECK(contains(refusal(machine, "/script"), "a script that 'python3' runs"));
    CHECK(contains(refusal(machine, "/text"), "is a text file"));
    CHECK(contains(refusal(machine, "/d"), "is a directory"));
    CHECK(contains(refusal(machine, "/none"), "does not exist"));
}

TEST_CASE("a program with rights of its own does not heed the variables", "[optional]") {
    Machine machine;
    ElfBuilder program;
    program.soname = "";
    program.needed = {name};
    program.interpreter = "/lib64/ld.so";
    machine.file("/bin/tool", program.bytes());
    CHECK(
        choice(machine.query("/bin/tool", "/opt/cudnn"), name).path == "/opt/cudnn/libcudnn.so.9");
    if (geteuid() != 0 || chown(machine.outside("/bin/tool").c_str(), 65534, 65534) != 0)
        return test::skip("only root can give files away");
    machine.mode("/bin/tool", 04755);
    const Which which = machine.query("/bin/tool", "/opt/cudnn");
    CHECK_FALSE(choice(which, name).path);
    CHECK(contains(join(which.notes, " "), "LD_LIBRARY_PATH and LD_PRELOAD do not count"));
}

TEST_CASE("static programs and other loaders") {
    Machine machine;
    ElfBuilder program;
    program.flags = DF_1_PIE;
    program.soname = "";
    machine.file("/static", program.bytes());
    CHECK(contains(join(machine.query("/static").notes, " "), "static program"));
    program.interpreter = "/lib/ld-musl-x86_64.so.1";
    machine.file("/musl", program.bytes());
    CHECK(contains(
        join(machine.query("/musl").notes, " "), "/lib/ld-musl-x86_64.so.1 does not exist"));
    machine.file("/lib/ld-musl-x86_64.so.1", library_bytes("libc.so"));
    CHECK(contains(refusal(machine, "/musl"), "not glibc's loader"));
}

TEST_CASE("a memory map is read whatever its files are called") {
    const auto files = loader::files_of_map(
        "7f00-7f01 r--p 00000000 08:01 12 /usr/lib/libcudnn.so.9\n"
        "7f01-7f02 r-xp 00001000 08:01 12 /usr/lib/libcudnn.so.9\n"
        "7f02-7f03 r--p 00000000 08:01 13 /opt/a b/lib\\012x.so (deleted)\n"
        "7f03-7f04 rw-p 00000000 00:00 0 [heap]\n7f04-7f05 rw-s 00000000 00:01 5 "
        "/dev/nvidia0\nnonsense\n/");
    REQUIRE(files.size() == 3);
    CHECK(files[0].path == "/usr/lib/libcudnn.so.9");
    CHECK_FALSE(files[0].deleted);
    CHECK(files[1].path == "/opt/a b/lib\nx.so");
    CHECK(files[1].deleted);
}

TEST_CASE("a running process shows what it has mapped and what it would open") {
    const Which own = loader::which_for_process(getpid(), true);
    CHECK(contains(own.target, "process " + std::to_string(getpid())));
    const LibraryChoice& libc = choice(own, "libc.so.6");
    CHECK(libc.rule == LoaderRule::mapped);
    Dl_info about{};
    REQUIRE(dladdr(reinterpret_cast<const void*>(&getpid), &about) != 0);
    CHECK(Root().real_path(*libc.path) == Root().real_path(about.dli_fname));
    CHECK(has(own, "libcuda.so.1"));
    CHECK_THROWS_AS(loader::which_for_process(999999999, false), InputError);
}

TEST_CASE("a part with the full version in its name is used before the one beside libcudnn") {
    Machine machine;
    machine.link(packages + "/nvidia/link/libcudnn.so.9", "../cudnn/lib/libcudnn.so.9.28.0");
    machine.file(wheel + "/libcudnn.so.9.28.0", cudnn_bytes({"libcudnn_ops.so"}));
    machine.file("/system/libcudnn_ops.so.9.28.0", library_bytes("libcudnn_ops.so.9"));
    const Which which = machine.query(packages + "/nvidia/link/libcudnn.so.9", "/system");
    const LibraryChoice& ops = choice(which, "libcudnn_ops.so.9");
    CHECK(ops.path == "/system/libcudnn_ops.so.9.28.0");
    CHECK(contains(ops.why, "(opened as libcudnn_ops.so.9.28.0)"));
    CHECK_FALSE(contains(join(which.notes, "\n"), "could not be read"));
    const Which unknown = machine.query(wheel + "/libcudnn.so.9", "/system");
    CHECK(choice(unknown, "libcudnn_ops.so.9").path == wheel + "/libcudnn_ops.so.9");
    CHECK(contains(join(unknown.notes, "\n"), "if it is that of /system/libcudnn_ops.so.9.28.0"));
}
