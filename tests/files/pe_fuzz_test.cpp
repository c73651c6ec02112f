// Mutated DLLs: whatever they hold, reading and loading them ends, in bounds and in little memory.
// RNNCHECK_FUZZ=1000000 test_files "[fuzz]" reads as many; by default a few, so that the test stays
// quick.
#include "files/dll/process.hpp"
#include "files/pe/cudnn_build.hpp"
#include "files/pe/pe_file.hpp"
#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/file_mutator.hpp"
#include "support/pe_builder.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

std::vector<std::string> dll_seeds() {
    std::vector<std::string> seeds{dll_bytes("cudart64_12.dll")};
    PeBuilder builder;
    builder.imports = {
        {"cudnn_graph64_9.dll", {"cudnnAbort", "cudnnCreate"}},
        {"KERNEL32.dll"},
        {"cublas64_12.dll"}};
    builder.delayed = {"nvcuda.dll", "zlibwapi.dll"};
    builder.exports = {"cudnnCreate", "cudnnGetVersion", "cudnnRNNForward"};
    builder.version = {9, 10, 2, 21};
    builder.texts = {"cudnn_ops64_9.dll", "cublas64_118.dll;cublas64_11.dll"};
    seeds.push_back(builder.bytes());
    builder.ptx = 8;
    builder.texts.push_back("cudnn_nvrtc_version_12_9_86");
    seeds.push_back(builder.bytes());
    builder.is_64_bit = false;
    builder.machine = 0x14C;
    builder.is_dll = false;
    seeds.push_back(builder.bytes());
    return seeds;
}

}  // namespace

TEST_CASE("mutated DLLs do no harm", "[fuzz]") {
    FakeRoot root;
    root.file("/good/cudnn_graph64_9.dll", dll_bytes("cudnn_graph64_9.dll", {"target.dll"}));
    root.file("/Windows/System32/kernel32.dll", dll_bytes("kernel32.dll"));
    const RewrittenFile target(root.outside("/good/target.dll"));
    const dll::Disk disk(root.root());
    FileMutator mutator(
        dll_seeds(),
        {"PE\0\0", "MZ", ".dll", "x.dll;", std::string(8, '\0'), std::string(8, '\xff')});
    std::size_t read = 0;
    for (long round = 0; round < fuzz_rounds(); ++round) {
        target.holds(mutator.next());
        const pe::PeFile file = pe::read_pe_file(root.root(), "/good/target.dll");
        bool sane = file.problem.has_value() == !file.problem_detail.empty();
        sane &= file.imports.size() <= 513 && file.delayed.size() <= 513;
        const auto imported = pe::imported_functions(root.root(), "/good/target.dll");
        const auto exported = pe::exported_functions(root.root(), "/good/target.dll");
        sane &= !exported || exported->size() <= 65'536;
        const bool unusable = file.problem && file.problem != FileProblem::damaged;
        sane &= !unusable || (!imported && !exported);
        const auto version = pe::version_resource(root.root(), "/good/target.dll");
        sane &= !version || version->product.size() < 65'536;
        sane &= pe::embedded_library_names(root.root(), "/good/target.dll").size() <= 1024;
        const pe::CudnnBuild build = pe::cudnn_build(root.root(), "/good/target.dll");
        sane &= !build.cuda_major || !unusable;
        dll::Process process(disk, {.application_directory = "C:\\good"});
        const dll::Answer answer = process.load("target.dll", dll::no_flags);
        sane &= process.modules().size() <= 3 &&
                (answer.ending == DllEnding::loaded) == answer.problem.empty();
        read += imported && exported && version && !file.problem;
        if (!sane)
            FAIL("round " << round);
    }
    CHECK(read > 0);
}
