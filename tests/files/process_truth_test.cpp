// The prediction against the loader itself: LD_TRACE_LOADED_OBJECTS makes it show what it would
// load. As many files as fit into some seconds; with RNNCHECK_WHOLE_MACHINE all, and under that
// LD_LIBRARY_PATH when it begins with '/'.
#include <chrono>
#include <cstdlib>
#include <random>
#include <set>

#include "base/text.hpp"
#include "files/loader/process.hpp"
#include "support/catch.hpp"
#include "support/loader_truth.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

std::vector<std::string> elf_files_here() {
    std::set<std::string> files;
    for (const char* top :
         {"/usr/lib", "/usr/lib64", "/usr/bin", "/usr/sbin", "/usr/libexec", "/usr/local", "/opt"})
        collect_elf_files(top, files);
    return {files.begin(), files.end()};
}

struct Score {
    std::size_t files = 0, libraries = 0, rejected = 0, wrong = 0;
};

void compare(const std::string& path, const LoaderVariables& variables, Score& score) {
    const Truth truth = loader_result(path, variables);
    const Truth predicted = prediction(path, variables);
    ++score.files;
    score.libraries += truth.libraries.size();
    score.rejected += truth.fails;
    if (truth == predicted)
        return;
    ++score.wrong;
    UNSCOPED_INFO(
        path << "\nthe loader: " << truth.in_words() << "\npredicted:  " << predicted.in_words());
}

}  // namespace

TEST_CASE("what the loader would load for the files of this machine is predicted in every case") {
    const char* wish = std::getenv("RNNCHECK_WHOLE_MACHINE");
    const LoaderVariables variables{.library_path = wish && *wish == '/' ? wish : ""};
    std::vector<std::string> files = elf_files_here();
    std::shuffle(files.begin(), files.end(), std::mt19937(20261121));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(12);
    constexpr std::size_t fewest = 500;  // however slow the machine is
    Score score;
    for (const auto& path : files)
        if (wish || score.files < fewest || std::chrono::steady_clock::now() < end)
            compare(path, variables, score);
    std::printf(
        "%zu libraries of %zu of %zu files compared, %zu files rejected by the loader, %zu wrong\n",
        score.libraries,
        score.files,
        files.size(),
        score.rejected,
        score.wrong);
    CHECK(score.wrong == 0);
    CHECK(score.files >= std::min(files.size(), fewest));
}
