#include "process/apart.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/text.hpp"
#include "process/child.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
using namespace rnncheck::process;

namespace {

/// A pipe nobody writes into: opening it as a plain file waits in the same call as on a file system
/// that is gone.
class SilentPipe {
  public:
    SilentPipe() {
        REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    }
    ~SilentPipe() {
        unlink(path.c_str());
    }
    SilentPipe(const SilentPipe&) = delete;
    SilentPipe& operator=(const SilentPipe&) = delete;

    const std::string path =
        std::filesystem::temp_directory_path() / ("rnncheck-pipe-" + std::to_string(getpid()));
};

std::string message_of(const std::function<std::string()>& work) {
    try {
        return apart(work);
    } catch (const NoResponse& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("work apart gives what it returns, of any size and with any bytes") {
    const std::string bytes = std::string("a\0b\n", 4) + std::string(3'000'000, 'x') + "\n";
    CHECK(apart([&] { return bytes; }) == bytes);
    CHECK(apart([] { return std::string(); }).empty());
    CHECK(fields_from_apart<std::vector<std::string>>([] {
              return std::vector<std::string>{"\xff", ""};
          }) == std::vector<std::string>{"\xff", ""});
}

TEST_CASE("what work apart throws is thrown here, with its kind") {
    CHECK_THROWS_AS(apart([]() -> std::string { throw InputError("no file"); }), InputError);
    CHECK_THROWS_AS(apart([]() -> std::string { throw UsageError("no word"); }), UsageError);
    CHECK_THROWS_AS(
        apart([]() -> std::string { throw std::logic_error("a bug"); }), std::runtime_error);
    CHECK_THROWS_AS(apart([]() -> std::string { _exit(0); }), InputError);
}

TEST_CASE("work apart that waits for a file is left behind, and the file is named") {
    const SilentPipe pipe;
    end_work_apart_at(std::chrono::steady_clock::now());
    const std::string message = message_of([&] {
        const Descriptor never(open(pipe.path.c_str(), O_RDONLY));
        return std::string("opened");
    });
    end_work_apart_at(std::nullopt);
    CHECK(contains(message, "does not respond"));
    if (std::filesystem::exists("/proc/self/syscall"))
        CHECK(contains(message, "'" + pipe.path + "'"));
}

TEST_CASE("without a deadline it is left behind when nothing moves") {
    const SilentPipe pipe;
    if (!std::filesystem::exists("/proc/self/syscall"))
        return;
    CHECK(contains(
        message_of([&] {
            const Descriptor never(open(pipe.path.c_str(), O_RDONLY));
            return std::string("opened");
        }),
        pipe.path));
}
