// Installed libraries that nobody named: an answer is certain only if it holds for every version
// that they may have.
#include "base/text.hpp"
#include "stack/conflicts.hpp"
#include "stack/given.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

stack::Judgement code_for_gpu(std::vector<GivenValue> values) {
    values.push_back({"gpu", "RTX 5090"});
    values.push_back({"os", "linux"});
    const stack::Given read = stack::read_given(values, test::bundled_matrix());
    REQUIRE(read.not_understood.empty());
    return stack::judgement(
        stack::ConflictKind::gpu_arch_not_in_build, read.stack, test::bundled_matrix());
}

}  // namespace

TEST_CASE(
    "whether a build with PTX alone runs depends on the installed libraries, while they are not "
    "known") {
    const stack::Judgement open = code_for_gpu({{"ctranslate2", "4.6.0"}});
    CHECK(open.outcome == Outcome::undecided);
    CHECK(contains(open.reason, "those of CUDA 12.8 or later"));
    CHECK(code_for_gpu({{"ctranslate2", "4.6.0"}, {"cuda", "12.8"}}).outcome == Outcome::undecided);
    CHECK(code_for_gpu({{"ctranslate2", "4.6.0"}, {"cuda", "12.2"}}).outcome == Outcome::fault);
    CHECK(
        code_for_gpu({{"ctranslate2", "4.6.0"}, {"cudnn", "9.1.0+cu12"}}).outcome ==
        Outcome::fault);
}

TEST_CASE(
    "no library that may be installed helps where none of its major has code for the GPU, or the "
    "build cannot") {
    CHECK(code_for_gpu({{"ctranslate2", "4.4"}}).outcome == Outcome::fault);  // cuDNN 8
    CHECK(
        code_for_gpu({{"tensorflow", "2.18+cuda"}}).outcome ==
        Outcome::fault);  // its own kernels fail
}

TEST_CASE("a driver that cannot compile the PTX code is too old whatever the libraries are") {
    const stack::Given read = stack::read_given(
        {{"ctranslate2", "4.8.5+cuda"}, {"gpu", "9.0"}, {"driver", "535.104.05"}, {"os", "linux"}},
        test::bundled_matrix());
    const auto judged = stack::judgement(
        stack::ConflictKind::gpu_arch_not_in_build, read.stack, test::bundled_matrix());
    CHECK(judged.outcome == Outcome::fault);
}
