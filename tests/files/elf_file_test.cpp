#include "files/elf/elf_file.hpp"

#include <random>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/elf_builder.hpp"
#include "support/fake_root.hpp"

using namespace rnncheck;
using namespace rnncheck::test;
using elf::ElfFile;

namespace {

ElfFile read_bytes(FakeRoot& root, const std::string& bytes) {
    root.file("/lib.so", bytes);
    return elf::read_elf_file(root.root(), "/lib.so");
}

ElfFile read_bytes(const std::string& bytes) {
    FakeRoot root;
    return read_bytes(root, bytes);
}

template <class T>
std::string patched(std::string bytes, std::size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
}

constexpr std::size_t load_segment = sizeof(Elf64_Ehdr);
constexpr std::size_t dynamic_segment = load_segment + sizeof(Elf64_Phdr);
constexpr std::size_t first_entry = dynamic_segment + sizeof(Elf64_Phdr);

}  // namespace

TEST_CASE("a good library shows its name, needs and run path") {
    ElfBuilder builder;
    builder.needed = {"libcudnn_graph.so.9", "libc.so.6"};
    builder.rpath = "/old";
    builder.runpath = "$ORIGIN:$ORIGIN/../../cublas/lib";
    const ElfFile file = read_bytes(builder.bytes());
    INFO(file.problem_detail);
    CHECK_FALSE(file.problem);
    CHECK_FALSE(file.skipped);
    CHECK(file.soname == "libcudnn.so.9");
    CHECK(file.needed == std::vector<std::string>{"libcudnn_graph.so.9", "libc.so.6"});
    CHECK(file.rpath == std::vector<std::string>{"/old"});
    CHECK(file.runpath == std::vector<std::string>{"$ORIGIN", "$ORIGIN/../../cublas/lib"});
    CHECK(file.machine->starts_with("64-bit "));
}

TEST_CASE("names far apart in a large table of names are found") {
    ElfBuilder builder;
    builder.needed = {std::string(4000, 'a'), std::string(4000, 'b'), "libz.so.1"};
    const ElfFile file = read_bytes(builder.bytes());
    CHECK_FALSE(file.problem);
    CHECK(file.needed == builder.needed);
}

TEST_CASE("a run path may be as long as the file, and repeated entries count once") {
    // As in TensorFlow 2.21.0: 92 entries, 20,300 bytes, most of them the same few directories
    // again.
    ElfBuilder builder;
    std::vector<std::string> entries;
    for (int i = 0; i < 92; ++i) {
        const std::string entry = "$ORIGIN/" + std::string(200, 'x') + std::to_string(i % 23);
        builder.runpath += (i == 0 ? "" : ":") + entry;
        if (i < 23)
            entries.push_back(entry);
    }
    builder.needed = {"libcudnn.so.9"};
    CHECK(builder.runpath.size() > 18'000);
    const ElfFile file = read_bytes(builder.bytes());
    INFO(file.problem_detail);
    CHECK_FALSE(file.problem);
    CHECK(file.runpath == entries);
    CHECK(file.not_read.empty());

    builder.runpath = std::string(5'000'000, ':') + "/last";
    builder.rpath = std::string(5'000'000, 'x');
    const ElfFile longer = read_bytes(builder.bytes());
    CHECK_FALSE(longer.problem);
    CHECK(longer.runpath == std::vector<std::string>{"", "/last"});
    CHECK(longer.rpath == std::vector<std::string>{builder.rpath});
    CHECK(longer.needed == builder.needed);
    CHECK(longer.not_read.empty());
}

TEST_CASE("what a bound leaves unread is reported and is no damage") {
    ElfBuilder builder;
    for (int i = 0; i < 10'000; ++i)
        builder.runpath += "/" + std::to_string(i) + ":";
    const ElfFile many = read_bytes(builder.bytes());
    CHECK_FALSE(many.problem);
    CHECK(many.runpath.size() == 8192);
    CHECK(many.runpath.back() == "/8191");
    CHECK(many.not_read == "its run path has more than 8192 directories");

    builder.runpath = std::string(17 << 20, 'x');
    const ElfFile large = read_bytes(builder.bytes());
    CHECK_FALSE(large.problem);
    CHECK(contains(large.not_read, "16 MiB"));
}

TEST_CASE("what is no library is recognized") {
    CHECK(read_bytes("").problem_detail == "is empty");
    CHECK(read_bytes("").problem == FileProblem::not_elf);
    CHECK(read_bytes("<html>\nno\n").problem == FileProblem::not_elf);
    CHECK(read_bytes("<html>\nno\n").problem_detail == "is a text file that begins with '<html>'");
    CHECK(contains(
        read_bytes("/* GNU ld script */\nINPUT(libcudnn.so.9)\n").problem_detail,
        "is a text file"));
    CHECK(
        read_bytes(std::string("\x1f\x8b\x08\x00", 4)).problem_detail ==
        "is not an ELF file: it begins with the bytes 1f 8b 08 00");
    CHECK_FALSE(read_bytes("text").skipped);
}

TEST_CASE("files for other machines are passed over by the loader") {
    const ElfFile machine = read_bytes(foreign_bytes("libcuda.so.1"));
    CHECK(machine.problem == FileProblem::other_machine);
    CHECK(machine.machine == "64-bit S/390");
    CHECK(machine.skipped);
    ElfBuilder narrow;
    narrow.elf_class = ELFCLASS32;
    narrow.machine = EM_386;
    const ElfFile other_class = read_bytes(narrow.bytes());
    CHECK(other_class.problem == FileProblem::other_class);
    CHECK(other_class.machine == "32-bit x86");
    CHECK(other_class.skipped);
}

TEST_CASE("the loader stops at files of another byte order or system") {
    const std::string good = ElfBuilder().bytes();
    for (const auto& bytes :
         {patched<char>(good, EI_DATA, ELFDATA2MSB),
          patched<char>(good, EI_OSABI, ELFOSABI_FREEBSD)}) {
        const ElfFile file = read_bytes(bytes);
        CHECK(file.problem == FileProblem::other_machine);
        CHECK_FALSE(file.skipped);
    }
}

TEST_CASE("damaged tables are reported as damage") {
    const std::string good = ElfBuilder().bytes();
    constexpr std::uint64_t huge = ~std::uint64_t{0};
    const std::string damaged[] = {
        patched<std::uint16_t>(good, offsetof(Elf64_Ehdr, e_type), ET_REL),
        patched<std::uint16_t>(good, offsetof(Elf64_Ehdr, e_phentsize), 3),
        patched<std::uint16_t>(good, offsetof(Elf64_Ehdr, e_phnum), 0),
        patched<std::uint16_t>(good, offsetof(Elf64_Ehdr, e_phnum), 0xFFFF),
        patched(good, offsetof(Elf64_Ehdr, e_phoff), huge),
        patched(good, load_segment + offsetof(Elf64_Phdr, p_offset), huge),
        patched(good, load_segment + offsetof(Elf64_Phdr, p_memsz), std::uint64_t{1}),
        patched(good, load_segment + offsetof(Elf64_Phdr, p_vaddr), std::uint64_t{0x900000}),
        patched<std::uint32_t>(good, dynamic_segment, PT_NULL),
        patched(good, first_entry, std::uint64_t{DT_NULL}),
        patched(good, first_entry + 8, huge),
        patched(good, first_entry + 8, std::uint64_t{0x10000000}),
    };
    for (const auto& bytes : damaged) {
        const ElfFile file = read_bytes(bytes);
        INFO("number " << &bytes - damaged << ": " << file.problem_detail);
        CHECK(file.problem == FileProblem::damaged);
        CHECK_FALSE(file.problem_detail.empty());
    }
}

TEST_CASE("a table that claims more names than real files have is rejected") {
    ElfBuilder builder;
    builder.needed = std::vector<std::string>(600, "x");
    CHECK(read_bytes(builder.bytes()).problem == FileProblem::damaged);
}

TEST_CASE("a library cut off anywhere is reported as cut off") {
    ElfBuilder builder;
    builder.needed = {"libc.so.6"};
    const std::string good = builder.bytes();
    FakeRoot root;
    for (std::size_t length = 1; length < good.size(); ++length) {
        const ElfFile file = read_bytes(root, good.substr(0, length));
        INFO("length " << length << ": " << file.problem_detail);
        REQUIRE(file.problem == FileProblem::truncated);
        REQUIRE(contains(file.problem_detail, "is cut off"));
    }
    CHECK_FALSE(read_bytes(root, good).problem);
}

TEST_CASE("no flipped byte and no noise leads astray") {
    ElfBuilder builder;
    builder.needed = {"libcudnn_graph.so.9", "libc.so.6"};
    builder.runpath = "$ORIGIN";
    const std::string good = builder.bytes();
    FakeRoot root;
    const auto check_bounds = [&](const std::string& bytes) {
        const ElfFile file = read_bytes(root, bytes);
        REQUIRE(file.needed.size() <= 512);
        REQUIRE(file.runpath.size() <= 8192);
        REQUIRE((file.problem || file.machine));
        REQUIRE(file.problem.has_value() == !file.problem_detail.empty());
    };
    for (std::size_t i = 0; i < good.size(); ++i)
        for (const int mask : {0x01, 0x80, 0xFF}) {
            std::string bytes = good;
            bytes[i] = static_cast<char>(bytes[i] ^ mask);
            check_bounds(bytes);
        }
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        std::string bytes = good;
        for (std::size_t i = round % 2 ? 18 : 64; i < bytes.size(); ++i)
            if (round % 3 || random() % 16 == 0)
                bytes[i] = static_cast<char>(random());
        check_bounds(bytes);
    }
}

TEST_CASE("pipes, sockets and devices are never opened") {
    FakeRoot root;
    root.pipe("/pipe.so").socket("/socket.so").link("/linked.so", "pipe.so");
    const auto problem = [&](const char* path) {
        return elf::read_elf_file(root.root(), path).problem;
    };
    CHECK(problem("/pipe.so") == FileProblem::named_pipe);
    CHECK(problem("/linked.so") == FileProblem::named_pipe);
    CHECK(problem("/socket.so") == FileProblem::socket);
    CHECK(elf::read_elf_file(Root(), "/dev/null").problem == FileProblem::device);
}

TEST_CASE("links, directories and closed files are distinguished") {
    FakeRoot root;
    root.link("/dead.so", "nowhere.so")
        .directory("/directory.so")
        .link("/a.so", "b.so")
        .link("/b.so", "a.so");
    root.file("/closed.so", ElfBuilder().bytes()).mode("/closed.so", 0);
    const ElfFile dead = elf::read_elf_file(root.root(), "/dead.so");
    CHECK(dead.problem == FileProblem::dangling_link);
    CHECK(contains(dead.problem_detail, "'nowhere.so'"));
    const ElfFile circle = elf::read_elf_file(root.root(), "/a.so");
    CHECK(circle.problem == FileProblem::link_circle);
    CHECK(circle.problem_detail == "is a symbolic link to 'b.so', which leads into a loop");
    const ElfFile directory = elf::read_elf_file(root.root(), "/directory.so");
    CHECK(directory.problem == FileProblem::directory);
    CHECK(directory.problem_detail == "is a directory, not a file");
    CHECK_FALSE(directory.skipped);
    CHECK(elf::read_elf_file(root.root(), "/none.so").skipped);

    const OrdinaryUser user;
    const ElfFile closed = elf::read_elf_file(root.root(), "/closed.so");
    CHECK(closed.problem == FileProblem::unreadable);
    CHECK(closed.skipped);
}
