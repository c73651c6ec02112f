#include "files/pe/pe_file.hpp"

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/pe_builder.hpp"

using namespace rnncheck;
using namespace rnncheck::test;
using pe::PeFile;

namespace {

constexpr std::string_view dll = "/cudnn.dll";

/// One file on a disk of its own.
struct Disk : FakeRoot {
    explicit Disk(const std::string& bytes) {
        file(std::string(dll), bytes);
    }
    PeFile read() const {
        return pe::read_pe_file(root(), dll);
    }
};

PeFile read_bytes(const std::string& bytes) {
    return Disk(bytes).read();
}

template <class T>
std::string patched(std::string bytes, std::size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
}

PeBuilder cudnn() {
    PeBuilder builder;
    builder.imports = {
        {"cudnn_graph64_9.dll", {"cudnnGetLibConfig", "cudnnAbort"}}, {"KERNEL32.dll"}};
    builder.delayed = {"nvcuda.dll"};
    builder.exports = {"cudnnCreate", "cudnnGetVersion"};
    builder.version = {9, 10, 2, 21};
    builder.product = "NVIDIA CUDA 12.9.79 CUDNN Library";
    builder.texts = {
        "cudnn_ops64_9.dll",
        "cublas64_118.dll;cublas64_11.dll",
        "Could not load %s.dll",
        "NVRTC.DLL",
        "nvrtc64_%d_0.dll"};
    return builder;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a good DLL shows its name, machine and what it imports") {
    for (const bool is_64_bit : {true, false}) {
        PeBuilder builder = cudnn();
        builder.is_64_bit = is_64_bit;
        builder.machine = is_64_bit ? 0x8664 : 0x14C;
        const PeFile file = read_bytes(builder.bytes());
        INFO(file.problem_detail);
        CHECK_FALSE(file.problem);
        CHECK(file.machine == (is_64_bit ? "64-bit x86-64" : "32-bit x86"));
        CHECK(file.name == "cudnn64_9.dll");
        CHECK(file.imports == Strings{"cudnn_graph64_9.dll", "KERNEL32.dll"});
        CHECK(file.delayed == Strings{"nvcuda.dll"});
        CHECK_FALSE(file.is_program);
    }
}

TEST_CASE("functions that a DLL takes and gives by name are read") {
    for (const bool is_64_bit : {true, false}) {
        PeBuilder builder = cudnn();
        builder.is_64_bit = is_64_bit;
        const Disk disk(builder.bytes());
        const auto imported = pe::imported_functions(disk.root(), dll);
        REQUIRE(imported);
        CHECK(imported->size() == 2);
        CHECK(
            imported->at("cudnn_graph64_9.dll") ==
            std::set<std::string>{"cudnnAbort", "cudnnGetLibConfig"});
        CHECK(imported->at("kernel32.dll") == std::set<std::string>{"function"});
        CHECK(
            pe::exported_functions(disk.root(), dll) ==
            std::set<std::string>{"cudnnCreate", "cudnnGetVersion"});
    }
    CHECK(pe::exported_functions(Disk("text").root(), dll) == std::nullopt);
    PeBuilder program;
    program.name = "";
    program.is_dll = false;
    const Disk disk(program.bytes());
    CHECK(pe::exported_functions(disk.root(), dll) == std::set<std::string>{});
    CHECK(pe::imported_functions(disk.root(), dll)->empty());
    CHECK(disk.read().is_program);
    CHECK_FALSE(disk.read().problem);
}

TEST_CASE("the version resource shows the file's version and its product") {
    const Disk disk(cudnn().bytes());
    const auto version = pe::version_resource(disk.root(), dll);
    REQUIRE(version);
    CHECK(version->file.text == "9.10.2.21");
    CHECK(version->product == "NVIDIA CUDA 12.9.79 CUDNN Library");
    CHECK(version->description.empty());
    PeBuilder without;
    CHECK_FALSE(pe::version_resource(Disk(without.bytes()).root(), dll));
}

TEST_CASE("names of DLLs among the texts are found, each once, also those of a list") {
    const Disk disk(cudnn().bytes());
    CHECK(
        pe::embedded_library_names(disk.root(), dll) == Strings{
                                                            "cudnn_graph64_9.dll",
                                                            "KERNEL32.dll",
                                                            "nvcuda.dll",
                                                            "cudnn64_9.dll",
                                                            "cudnn_ops64_9.dll",
                                                            "cublas64_118.dll",
                                                            "cublas64_11.dll"});
}

TEST_CASE("what is no DLL is recognized") {
    CHECK(read_bytes("").problem == FileProblem::not_pe);
    CHECK(read_bytes("").problem_detail == "is empty");
    CHECK(read_bytes("<html>\nno\n").problem_detail == "is a text file that begins with '<html>'");
    CHECK(contains(
        read_bytes("version https://git-lfs.github.com/spec/v1\noid").problem_detail,
        "is a text file"));
    CHECK(
        read_bytes("\x7f"
                   "ELF\x02")
            .problem_detail ==
        "is not a DLL or program of Windows: it begins with the bytes 7f 45 4c 46");
    CHECK(read_bytes("MZ").problem == FileProblem::truncated);
    const PeFile dos = read_bytes(patched(cudnn().bytes(), PeBuilder::pe_header, 'X'));
    CHECK(dos.problem == FileProblem::not_pe);
    CHECK(dos.problem_detail == "is a program for DOS, not for Windows");
    FakeRoot root;
    root.directory("/a.dll").pipe("/b.dll").link("/c.dll", "nowhere");
    CHECK(pe::read_pe_file(root.root(), "/a.dll").problem == FileProblem::directory);
    CHECK(pe::read_pe_file(root.root(), "/b.dll").problem == FileProblem::named_pipe);
    CHECK(pe::read_pe_file(root.root(), "/c.dll").problem == FileProblem::unreadable);
    CHECK(pe::read_pe_file(root.root(), "/d.dll").problem_detail == "does not exist");
}

TEST_CASE("a DLL that is cut off anywhere is truncated and shows nothing beyond its end") {
    const std::string good = cudnn().bytes();
    for (std::size_t length = 1; length < good.size(); length += 7) {
        INFO(length);
        const Disk disk(good.substr(0, length));
        const auto problem = disk.read().problem;
        CHECK((length < 2 ? problem == FileProblem::not_pe : problem == FileProblem::truncated));
        CHECK_FALSE(pe::exported_functions(disk.root(), dll));
        CHECK_FALSE(pe::imported_functions(disk.root(), dll));
        CHECK_FALSE(pe::version_resource(disk.root(), dll));
    }
    CHECK(contains(
        read_bytes(good.substr(0, good.size() - 1)).problem_detail, "is cut off: it ends after"));
}

TEST_CASE("invalid headers and tables are damage") {
    const std::string good = cudnn().bytes();
    constexpr std::size_t optional = PeBuilder::optional_header, tables = optional + 112;
    CHECK(read_bytes(patched<std::uint16_t>(good, optional, 0x10)).problem == FileProblem::damaged);
    CHECK(
        read_bytes(patched<std::uint16_t>(good, PeBuilder::pe_header + 6, 97)).problem ==
        FileProblem::damaged);
    // The table of imports is among other contents of the file, whose numbers are no addresses.
    const PeFile file =
        read_bytes(patched<std::uint32_t>(good, tables + 8, PeBuilder::address + 17));
    CHECK(file.problem == FileProblem::damaged);
    CHECK(contains(file.problem_detail, "outside the file"));
    CHECK(file.machine == "64-bit x86-64");
    const Disk exports(patched<std::uint32_t>(good, tables, PeBuilder::address + 1'000'000));
    CHECK_FALSE(pe::exported_functions(exports.root(), dll));
}

TEST_CASE("a file without tables is a DLL that needs nothing") {
    const std::string bytes =
        patched<std::uint32_t>(cudnn().bytes(), PeBuilder::optional_header + 108, 0);
    const PeFile file = read_bytes(bytes);
    CHECK_FALSE(file.problem);
    CHECK(file.imports.empty());
    CHECK(file.name.empty());
}

TEST_CASE("more functions than any real file has are not read") {
    PeBuilder builder;
    for (int i = 0; i < 65'537; ++i)
        builder.exports.push_back("f" + std::to_string(i));
    CHECK_FALSE(pe::exported_functions(Disk(builder.bytes()).root(), dll));
    builder.exports.pop_back();
    CHECK(pe::exported_functions(Disk(builder.bytes()).root(), dll)->size() == 65'536);
}
