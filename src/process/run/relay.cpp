// Passing on must not slow the command down: small writes are copied, a flood
// is moved as pages by splice(2) and tee(2).
#include "process/run/relay.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>
#include <vector>

namespace rnncheck::process {

namespace {

/// what an ordinary user may have, /proc/sys/fs/pipe-max-size
constexpr int large_pipe = 1 << 20;

/// tee(2) takes pipes alone.
bool is_pipe(int descriptor) {
    struct stat about {};
    return fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}

int waiting_in(int descriptor) {
    int bytes = 0;
    if (ioctl(descriptor, FIONREAD, &bytes) != 0)
        return 0;
    return bytes;
}

/// The newest output as pages inside the kernel, which cost no copying:
/// tee(2) fills a pipe, and another pipe has what came before. Only what is
/// left at the end of a flood is read.
class PageQueue {
  public:
    /// False where no pipe of this process may be large.
    bool prepare() {
        for (Pages& pages : queues_) {
            int ends[2];
            if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
                return false;
            pages.out = Descriptor(ends[0]);
            pages.in = Descriptor(ends[1]);
            if (fcntl(ends[1], F_SETPIPE_SZ, large_pipe) < large_pipe)
                return false;
        }
        nowhere_ = Descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC));
        return nowhere_.open();
    }

    /// Keeps the next bytes of `source` without taking them; returns how
    /// many, 0 if none can be kept.
    std::size_t see(int source, KeptOutput& kept) {
        for (int attempt = 0; attempt < 2; ++attempt) {
            const ssize_t seen = tee(source, newest().in.number(), large_pipe, SPLICE_F_NONBLOCK);
            if (seen > 0) {
                newest().bytes += static_cast<std::size_t>(seen);
                return static_cast<std::size_t>(seen);
            }
            make_room(kept);
        }
        return 0;
    }

    /// Reads what was only kept as pages.
    void give_back(KeptOutput& kept) {
        // the older one first
        std::swap(queues_[0], queues_[1]);
        for (Pages& pages : queues_)
            read_into(kept, pages);
    }

  private:
    struct Pages {
        Descriptor in, out;
        std::size_t bytes = 0;
    };

    Pages& newest() {
        return queues_[0];
    }

    /// A pipe has room for a number of pages, which may have a few bytes each.
    void make_room(KeptOutput& kept) {
        constexpr std::size_t enough = large_pipe / 2;
        if (newest().bytes < enough)
            return give_back(kept);
        kept.skip(queues_[1].bytes);
        drop(queues_[1]);
        std::swap(queues_[0], queues_[1]);
    }

    void drop(Pages& pages) const {
        while (pages.bytes > 0) {
            const ssize_t gone = splice(
                pages.out.number(),
                nullptr,
                nowhere_.number(),
                nullptr,
                pages.bytes,
                SPLICE_F_NONBLOCK);
            if (gone <= 0)
                break;
            pages.bytes -= static_cast<std::size_t>(gone);
        }
        pages.bytes = 0;
    }

    static void read_into(KeptOutput& kept, Pages& pages) {
        std::string bytes;
        while (read_onto(bytes, pages.out.number(), 1 << 16) > 0) {
            kept.add(bytes);
            bytes.clear();
        }
        pages.bytes = 0;
    }

    Pages queues_[2];
    Descriptor nowhere_;
};

/// The work of the relay's process.
class Passing {
  public:
    Passing(int source, int target, KeptOutput& kept)
        : source_(source), target_(target), kept_(kept) {
        const int capacity = fcntl(source, F_GETPIPE_SZ);
        flood_ = capacity / 4;
        can_pass_pages_ = capacity >= large_pipe && is_pipe(target) && pages_.prepare();
        if (can_pass_pages_)
            fcntl(target, F_SETPIPE_SZ, large_pipe);
    }

    /// Closes `drained` once `command_runs` was closed and all that was
    /// written before is passed on.
    void run(Descriptor command_runs, Descriptor drained) {
        while (true) {
            const More more = wait_for_more(command_runs, drained.open());
            if (more == More::never)
                break;
            if (more == More::nothing_now) {
                settle();
                drained.close();
            } else if (!pass()) {
                break;
            }
        }
        settle();
    }

  private:
    enum class More { some, nothing_now, never };

    /// Never: the reader is gone, and the command is to notice it at its next
    /// write, as it would without this process.
    More wait_for_more(Descriptor& command_runs, bool is_draining) const {
        // The kernel hands on what was written to a pseudo-terminal a moment later.
        constexpr int pipe_patience_ms = 0, terminal_patience_ms = 20;
        const int patience = is_pipe(source_) ? pipe_patience_ms : terminal_patience_ms;
        while (true) {
            pollfd all[] = {{source_, POLLIN, 0}, {target_, 0, 0}, {command_runs.number(), 0, 0}};
            const int ready = poll(all, 3, !command_runs.open() && is_draining ? patience : -1);
            if (ready < 0)
                continue;
            if (all[1].revents != 0)
                return More::never;
            if (all[0].revents != 0)
                return More::some;
            if (ready == 0)
                return More::nothing_now;
            if (all[2].revents != 0)
                command_runs.close();
        }
    }

    bool pass() {
        const bool floods = can_pass_pages_ && kept_.has_head() && waiting_in(source_) >= flood_;
        if (floods)
            return pass_pages();
        return pass_bytes();
    }

  private:
    bool pass_bytes() {
        settle();
        bytes_.clear();
        constexpr std::size_t most = 1 << 16;
        const ssize_t got = read_onto(bytes_, source_, most);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        // a pseudo-terminal that nobody has open gives EIO
        if (got <= 0)
            return false;
        kept_.add(bytes_);
        return write_all(bytes_);
    }

    bool write_all(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t written = write(target_, bytes.data(), bytes.size());
            // somebody set it to not block
            if (written < 0 && errno == EAGAIN) {
                pollfd ready{target_, POLLOUT, 0};
                poll(&ready, 1, -1);
            } else if (written < 0 && errno != EINTR) {
                return false;
            }
            bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
        }
        return true;
    }

    bool pass_pages() {
        std::size_t left = pages_.see(source_, kept_);
        if (left == 0)
            return pass_bytes();
        has_pages_ = true;
        while (left > 0) {
            const ssize_t moved = splice(source_, nullptr, target_, nullptr, left, SPLICE_F_MOVE);
            if (moved < 0 && errno == EAGAIN) {
                pollfd ready{target_, POLLOUT, 0};
                poll(&ready, 1, -1);
            } else if (moved <= 0 && errno != EINTR) {
                return false;
            }
            left -= static_cast<std::size_t>(std::max<ssize_t>(moved, 0));
        }
        return true;
    }

    /// From now on `kept_` has everything that was passed on.
    void settle() {
        if (has_pages_)
            pages_.give_back(kept_);
        has_pages_ = false;
    }

    int source_, target_, flood_ = 0;
    KeptOutput& kept_;
    PageQueue pages_;
    bool can_pass_pages_ = false, has_pages_ = false;
    std::string bytes_;
};

}  // namespace

void close_all_but(std::initializer_list<int> kept) {
    std::vector<int> all;
    if (DIR* const directory = opendir("/proc/self/fd")) {
        while (const dirent* entry = readdir(directory))
            if (entry->d_name[0] != '.')
                all.push_back(std::atoi(entry->d_name));
        closedir(directory);
    } else {
        constexpr int most_inherited = 256;  // where /proc is hidden
        for (int descriptor = 0; descriptor < most_inherited; ++descriptor)
            all.push_back(descriptor);
    }
    for (const int descriptor : all)
        if (std::ranges::find(kept, descriptor) == kept.end())
            close(descriptor);
}

PipeEnds new_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "no pipe");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Relay::Relay(Descriptor source, int target, int held) {
    PipeEnds runs = new_pipe(), drained = new_pipe();
    fcntl(source.number(), F_SETPIPE_SZ, large_pipe);
    const pid_t process = fork();
    if (process < 0)
        throw std::system_error(errno, std::generic_category(), "no process");
    if (process > 0) {
        command_runs_ = std::move(runs.write);
        drained_ = std::move(drained.read);
        return;
    }
    sigset_t all;
    sigfillset(&all);
    // a write whose reader is gone gives an error
    sigprocmask(SIG_SETMASK, &all, nullptr);
    close_all_but({source.number(), target, runs.read.number(), drained.write.number(), held});
    Passing(source.number(), target, kept_).run(std::move(runs.read), std::move(drained.write));
    _exit(0);
}

void Relay::drain() {
    command_runs_.close();
    char nothing;
    while (read(drained_.number(), &nothing, 1) < 0 && errno == EINTR) {
    }
}

}  // namespace rnncheck::process
