// One started process of a pool.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <algorithm>

#include "process/pool.hpp"

namespace rnncheck::process {

using Clock = std::chrono::steady_clock;

/// A file descriptor that closes itself.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor() { close(); }

    int number() const { return number_; }
    bool open() const { return number_ >= 0; }
    void close();

  private:
    int number_ = -1;
};

/// Lines out of a stream of bytes; a line longer than 16 MiB is given up, so that memory stays bounded.
class LineBuffer {
  public:
    void add(std::string_view bytes, const std::function<void(std::string_view)>& on_line);

  private:
    std::string pending_;
    bool too_long_ = false;
};

struct Pool::Child {
    Child(int number, const Command& command, const Wire& wire, OnLine taker);
    ~Child();

    /// The descriptors to poll, in a fixed order; a closed one has fd -1.
    void add_to_poll(std::vector<pollfd>& polls) const;
    /// Reads and writes what it can without waiting.
    void exchange();
    /// The result, once it is known.
    std::optional<ProcessResult> check();
    bool is_slow() { return pid_ >= 0 && kill_reason_.empty() && 2 * clock_->elapsed() > quiet_limit_; }
    void shorten(std::chrono::milliseconds quiet_limit) { quiet_limit_ = std::min(quiet_limit_, quiet_limit); }
    /// It has ended as far as its work goes, and lives on.
    bool stays() const { return stays_ && pid_ >= 0; }
    /// It closed its answers, so it is about to leave: look often.
    bool leaving() const { return !answers_.open(); }
    /// It sends line upon line. It is not to wake us for each, which would cost both more than the lines are worth.
    bool chatters() const { return answered_ && lines_seen_ > 64; }

    int id;

  private:
    void start(const Command& command, const Wire& wire);
    void write_input();
    bool read_answers();  ///< whether there was anything
    void read_output();
    bool observe_exit();
    void kill_group();
    ProcessResult result(ExitKind kind, int code, std::string reason = {});
    ProcessResult reap();
    void enforce_limits();
    void end_for(ExitKind kind, std::string reason);
    bool is_stuck() const;

    OnLine on_line_;
    std::string input_;
    std::size_t written_ = 0;
    std::chrono::milliseconds quiet_limit_, exit_grace_, stuck_after_;
    std::optional<Clock::time_point> deadline_;
    Clock::time_point started_ = Clock::now();
    std::optional<RunClock> clock_;  ///< since the last line
    Clock::time_point killed_at_{};
    ExitKind killed_as_ = ExitKind::timed_out;
    std::string kill_reason_;
    std::optional<ProcessState> state_;
    std::string start_error_;
    std::size_t lines_seen_ = 0;
    bool answered_ = false;  ///< there were lines when it was last looked at
    bool last_word_said_ = false, stays_ = false;
    pid_t pid_ = -1;
    Descriptor to_, answers_, output_;
    LineBuffer lines_;
    std::string output_tail_;
};

}  // namespace rnncheck::process
