#include "commands/log_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/program.hpp"

namespace rnncheck {

namespace {

[[noreturn]] void cannot_read(const std::string& name) {
    throw InputError("cannot read " + name + ": " + std::strerror(errno));
}

/// A compressed log looks like noise, in which nothing is wrong.
void refuse_compressed(const std::string& name, std::string_view begin) {
    constexpr std::pair<std::string_view, const char*> compressions[] = {{"\x1F\x8B", "gzip -dc"},
                                                                         {"\x28\xB5\x2F\xFD", "zstd -dc"},
                                                                         {"\xFD"
                                                                          "7zXZ",
                                                                          "xz -dc"},
                                                                         {"BZh9", "bzip2 -dc"},
                                                                         {"PK\x03\x04", "unzip -p"}};
    for (const auto& [magic, unpack] : compressions)
        if (begin.starts_with(magic))
            throw InputError(name + " is compressed: unpack it first, e.g. '" + unpack +
                             " FILE | rnncheck diagnose -'");
}

/// Open as long as the reader lives.
class File {
  public:
    explicit File(const std::string& path) : name_(path == "-" ? "standard input" : "'" + path + "'") {
        descriptor_ = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor_ < 0) cannot_read(name_);
    }
    ~File() { ::close(descriptor_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    std::size_t read(char* to, std::size_t size) {
        while (true) {
            const ssize_t got = ::read(descriptor_, to, size);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) cannot_read(name_);
            if (!begun_) refuse_compressed(name_, {to, static_cast<std::size_t>(got)});
            begun_ = true;
            return static_cast<std::size_t>(got);
        }
    }

  private:
    std::string name_;
    bool begun_ = false;
    int descriptor_ = -1;
};

}  // namespace

Log read_log_files(const std::vector<std::string>& paths, const Matrix& matrix) {
    std::vector<LogInput> inputs;
    for (const std::string& path : paths) {
        const auto file = std::make_shared<File>(path);
        inputs.push_back({path, [file](char* to, std::size_t size) { return file->read(to, size); }});
    }
    return read_logs(inputs, matrix);
}

}  // namespace rnncheck
