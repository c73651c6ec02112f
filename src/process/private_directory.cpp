#include "process/private_directory.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace rnncheck::process {

namespace {

std::optional<std::string> make_directory() {
    std::string path = temporary_directory() + "/rnncheck-XXXXXX";
    if (!mkdtemp(path.data())) return std::nullopt;
    return path;
}

/// Waits until the other end is closed, by whatever ended the process that has it. That process's own children end with
/// it (confine_this_process) and may still be writing for a moment.
[[noreturn]] void remove_at_the_end(const std::string& path, int other_end) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    for (const int stream : {0, 1, 2}) close(stream);  // whoever reads our output is not to wait for this process
    char nothing;
    while (read(other_end, &nothing, 1) < 0 && errno == EINTR) {
    }
    std::error_code failed;
    for (int attempt = 0; attempt < 20; ++attempt) {
        std::filesystem::remove_all(path, failed);
        if (!std::filesystem::exists(path, failed)) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    _exit(0);
}

}  // namespace

std::string temporary_directory() {
    const char* const variable = std::getenv("TMPDIR");
    return variable && *variable == '/' ? variable : "/tmp";
}

PrivateDirectory::PrivateDirectory() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    path_ = make_directory();
    if (path_) remover_ = fork();
    if (path_ && remover_ == 0) {
        close(ends[1]);
        remove_at_the_end(*path_, ends[0]);
    }
    close(ends[0]);
    open_while_needed_ = ends[1];
    if (!path_ || remover_ > 0) return;
    rmdir(path_->c_str());
    path_.reset();
}

PrivateDirectory::~PrivateDirectory() {
    if (open_while_needed_ >= 0) close(open_while_needed_);
    if (remover_ > 0)
        while (waitpid(remover_, nullptr, 0) < 0 && errno == EINTR) {
        }
}

}  // namespace rnncheck::process
