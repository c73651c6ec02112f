// Whatever a person names is read to its end or rejected in one sentence.
#include "base/named_file.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/program.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"

using namespace rnncheck;
namespace fs = std::filesystem;

namespace {

class Place {
  public:
    Place() : path_(fs::temp_directory_path() / ("rnncheck-named-" + std::to_string(getpid()))) {
        fs::create_directories(path_);
    }
    ~Place() {
        fs::remove_all(path_);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    std::string operator/(const char* name) const {
        return path_ / name;
    }

  private:
    fs::path path_;
};

std::string content(const std::string& path, std::size_t most = 1 << 20) {
    return NamedFile(path).content(most);
}

std::string refusal(const std::string& path, NamedFile::Fifo fifo = NamedFile::Fifo::read) {
    try {
        NamedFile(path, fifo).content(1 << 20);
        return "read";
    } catch (const InputError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("a regular file is read whole, and what is appended meanwhile is left") {
    const Place place;
    std::ofstream(place / "file") << "first";
    NamedFile file(place / "file");
    std::ofstream(place / "file", std::ios::app) << " and more";
    CHECK(file.content(100) == "first");
    CHECK(content(place / "file") == "first and more");
    CHECK(contains(content("/proc/self/status"), "Name:"));  // the kernel gives its size as 0
    CHECK(content("/dev/null").empty());
}

TEST_CASE("what is no file is rejected with its kind") {
    const Place place;
    CHECK(contains(refusal(place / "none"), "No such file"));
    CHECK(contains(refusal("/"), "it is a directory; give a file"));
    CHECK(contains(refusal("/dev/zero"), "it is a device; give a file"));
    fs::create_symlink(place / "loop", place / "loop");
    CHECK(contains(refusal(place / "loop"), "symbolic links"));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, (place / "socket").c_str(), sizeof address.sun_path - 1);
    const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    if (bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        CHECK(contains(refusal(place / "socket"), "it is a socket; give a file"));
}

TEST_CASE(
    "a file larger than allowed is rejected before it is read, and its holes are not read at all") {
    const Place place;
    std::ofstream(place / "sparse") << "text";
    fs::resize_file(place / "sparse", std::uintmax_t{3} << 30);
    CHECK(contains(refusal(place / "sparse"), "is larger than the limit of 1 MiB"));
    NamedFile file(place / "sparse");
    std::string block(1 << 16, '\0');
    std::size_t read = 0;
    while (const std::size_t got = file.read(block.data(), block.size()))
        read += got;
    CHECK(read < (1 << 20));
}

TEST_CASE("a pipe is read while somebody writes, and not waited for without end") {
    const Place place;
    REQUIRE(mkfifo((place / "pipe").c_str(), 0600) == 0);
    CHECK(contains(refusal(place / "pipe", NamedFile::Fifo::reject), "it is a pipe; give a file"));
    const Descriptor both_ends(open((place / "pipe").c_str(), O_RDWR | O_CLOEXEC));
    NamedFile file(place / "pipe");
    char text[8] = {};
    REQUIRE(write(both_ends.number(), "hello", 5) == 5);
    CHECK(file.read(text, sizeof text) == 5);
    CHECK(std::string(text) == "hello");
    CHECK_THROWS_AS(file.read(text, sizeof text), InputError);  // a writer that is silent
}

TEST_CASE("a pipe of a shell's process substitution is read by its number") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const Descriptor from(ends[0]);
    Descriptor to(ends[1]);
    const std::string name = "/dev/fd/" + std::to_string(from.number());
    CHECK(is_inherited(name));
    CHECK_FALSE(is_inherited("/dev/fd"));
    REQUIRE(write(to.number(), "answer", 6) == 6);
    to.close();
    CHECK(content(name) == "answer");
}
