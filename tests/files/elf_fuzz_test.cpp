// Mutated ELF files and loader caches: whatever they hold, reading them ends, in bounds and in
// little memory. RNNCHECK_FUZZ=1000000 test_files "[fuzz]" runs as many of each; by default a few,
// so that the test stays quick.
#include "files/elf/cudnn_builds.hpp"
#include "files/elf/elf_file.hpp"
#include "files/loader/process.hpp"
#include "support/catch.hpp"
#include "support/elf_builder.hpp"
#include "support/fake_root.hpp"
#include "support/file_mutator.hpp"
#include "support/loader_cache_builder.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

std::vector<std::string> elf_seeds() {
    std::vector<std::string> seeds;
    ElfBuilder builder;
    seeds.push_back(builder.bytes());
    builder.needed = {"libx.so.1", "liby.so", "$ORIGIN/libx.so.1"};
    builder.runpath = "$ORIGIN/${LIB}:/good:";
    builder.interpreter = "/lib64/ld-linux-x86-64.so.2";
    builder.auxiliary = {"libz.so"};
    builder.flags = DF_1_NODEFLIB;
    seeds.push_back(builder.bytes() + std::string("\0libcudnn_ops.so\0", 17));
    builder.runpath = "";
    builder.rpath = "/good:$PLATFORM";
    builder.filters = {"libx.so.1"};
    seeds.push_back(builder.bytes());
    builder.runpath = "/good:" + std::string(9000, ':') + "$ORIGIN/" + std::string(5000, 'x');
    seeds.push_back(builder.bytes());
    return seeds;
}

}  // namespace

TEST_CASE("mutated ELF files do no harm", "[fuzz]") {
    FakeRoot root;
    root.file("/good/libx.so.1", library_bytes("libx.so.1", {"liby.so"}))
        .file("/good/liby.so", library_bytes("liby.so"));
    const RewrittenFile target(root.outside("/good/target"));
    root.link("/good/libz.so", "target");
    FileMutator mutator(elf_seeds(), {"$ORIGIN", "${LIB}", "/", ":", "libx.so.1", "../"});
    const loader::Loader loader = loader::loader_of(root.root(), {"/good"});
    for (long round = 0; round < fuzz_rounds(); ++round) {
        target.holds(mutator.next());
        elf::ElfFile file = elf::read_elf_file(root.root(), "/good/target", elf::ElfUse::program);
        bool sane = file.problem.has_value() == !file.problem_detail.empty() &&
                    file.needed.size() <= 512 && file.runpath.size() <= 8192 &&
                    file.rpath.size() <= 8192;
        sane &= elf::embedded_library_names(root.root(), "/good/target").size() <= 1024;
        sane &= elf::read_elf_file(root.root(), "/good/libz.so").needed.size() <= 512;
        if (!file.problem && file.has_dynamic_section) {
            loader::Process process(loader, "/good/target", std::move(file));
            process.start("libz.so");
            sane &= process.objects().size() < 600;
        }
        if (!sane)
            FAIL("round " << round);
    }
    SUCCEED();
}

TEST_CASE("mutated files of cuDNN do no harm", "[fuzz]") {
    FakeRoot root;
    const RewrittenFile target(root.outside("/target"));
    const std::string made = FAKE_CUDNN;
    FileMutator mutator(
        {Root().read(made + "/fake_adv/libcudnn_adv.so.9").value(),
         Root().read(made + "/fake_rpath_9.28.0/libcudnn.so.9").value()});
    std::size_t known = 0;
    for (long round = 0; round < fuzz_rounds(); ++round) {
        target.holds(mutator.next());
        const auto cuda = elf::cuda_major_of_gpu_code(root.root(), "/target");
        const auto version = elf::version_of_parts_opened(root.root(), "/target");
        known += cuda || version;
        if (version && version->major() != 9)
            FAIL("round " << round);
    }
    CHECK(known > 0);
}

TEST_CASE("mutated loader caches do no harm", "[fuzz]") {
    constexpr std::uint64_t subset = std::uint64_t{1} << 62;
    const std::string made = cache_bytes(
        {{"libx.so.1", "/a/libx.so.1", subset},
         {"libx.so.1", "/b/libx.so.1"},
         {"liby.so", "/c/liby.so"}},
        {"x86-64-v2", "x86-64-v3"});
    std::string old = "ld.so-1.7.0";
    old += '\0';
    append_number(old, 1, 4);
    old += std::string(12, 'x');
    old.resize((old.size() + 7) / 8 * 8);
    FileMutator mutator({made, made, old + made});
    for (long round = 0; round < fuzz_rounds(); ++round) {
        const loader::LoaderCache cache(mutator.next());
        bool sane = true;
        for (const auto& entry : cache.entries())
            sane &= entry.path.size() <= 4096;
        for (const char* name : {"libx.so.1", "liby.so", ""}) {
            const auto found = cache.find(name, {"x86-64-v3", "x86-64-v2"});
            sane &= !found || found->size() <= 4096;
        }
        if (!sane)
            FAIL("round " << round);
    }
    SUCCEED();
}

TEST_CASE("mutated interpreters do no harm", "[fuzz]") {
    FakeRoot root;
    const RewrittenFile target(root.outside("/ld.so"));
    using namespace std::string_literals;
    FileMutator mutator(
        {"\x7f"
         "ELF\0GLIBC_PRIVATE\0/etc/ld.so.cache\0/lib/\0/usr/lib/\0glibc-hwcaps\0/etc/ld.so.preload\0"s});
    std::size_t output = 0;
    for (long round = 0; round < fuzz_rounds(); ++round) {
        target.holds(mutator.next());
        const auto build = loader::read_loader_build(root.root(), "/ld.so");
        if (!build)
            continue;
        ++output;
        if (build->default_directories.empty() || build->cache.empty())
            FAIL("round " << round);
    }
    CHECK(output > 0);
}
