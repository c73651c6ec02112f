#include "process/run/kept_output.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

using rnncheck::process::KeptOutput;
using rnncheck::process::Output;

namespace {

/// Numbered lines, each of ten bytes, from `first` on, with about `size` bytes.
std::string lines_from(std::size_t first, std::size_t size) {
    std::string text;
    for (std::size_t number = first; text.size() < size; ++number) {
        const std::string digits = std::to_string(number);
        text += std::string(9 - digits.size(), '0') + digits + '\n';
    }
    return text;
}

}  // namespace

TEST_CASE("of what is kept, little is whole and much has its beginning and its end") {
    for (const std::size_t size :
         {std::size_t{0},
          std::size_t{10},
          KeptOutput::head_size - 6,
          KeptOutput::head_size + 4,
          KeptOutput::head_size + KeptOutput::tail_size,
          5 * KeptOutput::tail_size}) {
        INFO(size);
        const std::string all = lines_from(1, size);
        KeptOutput kept;
        constexpr std::size_t block = 65'521;  // as a reader gets it: no multiple of anything
        for (std::size_t at = 0; at < all.size(); at += block)
            kept.add(std::string_view(all).substr(at, block));
        const Output output = kept.output();
        const bool begins_and_ends =
            all.starts_with(output.head) && all.ends_with(output.tail);  // too long to print
        CHECK(begins_and_ends);
        CHECK(output.head.size() + output.skipped + output.tail.size() == all.size());
        CHECK(output.head.size() == std::min(all.size(), KeptOutput::head_size));
        CHECK(output.tail.size() <= KeptOutput::tail_size);
        CHECK(
            (output.skipped == 0) == (all.size() <= KeptOutput::head_size + KeptOutput::tail_size));
    }
}

TEST_CASE("what passed without being read is counted, and the tail begins after it") {
    KeptOutput kept;
    kept.add(lines_from(1, KeptOutput::head_size + 1000));
    const std::size_t before = kept.output().tail.size();
    kept.skip(1'000'000);
    kept.add("the end\n");
    const Output output = kept.output();
    CHECK(output.tail == "the end\n");
    CHECK(output.skipped == before + 1'000'000);
}

TEST_CASE("what another process kept is seen by this one") {
    KeptOutput kept;
    const pid_t other = fork();
    if (other == 0) {
        kept.add("from the other process\n");
        _exit(0);
    }
    CHECK(waitpid(other, nullptr, 0) == other);
    CHECK(kept.output().head == "from the other process\n");
}
