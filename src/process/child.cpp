// One started command: its lines, its output, its limits, and how it ended.
// look() is called again and again and never waits.
#include "process/child.hpp"

#include <algorithm>
#include <utility>

#include "base/lists.hpp"
#include "process/spawned.hpp"

namespace rnncheck::process {

using Clock = std::chrono::steady_clock;

/// More than the facts of any machine; a library that writes onto the
/// descriptor without line ends must not fill the memory.
constexpr std::size_t longest_line = 16 << 20;
constexpr std::size_t tail_kept = 4096;

/// Lines out of a stream of bytes; a line longer than 16 MiB is given up,
/// so that memory stays bounded.
class LineBuffer {
  public:
    void add(std::string_view bytes, const std::function<void(std::string_view)>& on_line) {
        while (!bytes.empty()) {
            const auto end = bytes.find('\n');
            if (!too_long_)
                pending_ += bytes.substr(0, end);
            too_long_ |= pending_.size() > longest_line;
            if (end == std::string_view::npos)
                break;
            if (!too_long_)
                on_line(pending_);
            pending_.clear();
            too_long_ = false;
            bytes.remove_prefix(end + 1);
        }
        if (too_long_)
            pending_.clear();
    }

  private:
    std::string pending_;
    bool too_long_ = false;
};

namespace {

// No descriptor that wakes us when a child ends (pidfd): kernels too old for it
// are our public. A child that closed its answers is about to leave, so it is
// looked at more often; so is one whose lines do not wake us.
constexpr std::chrono::milliseconds usual_wait(20), short_wait(1);

class Child : public Process {
  public:
    Child(const Command& command, OnLine taker)
        : how_(command), on_line_(std::move(taker)), process_(command) {
        run_.reason = process_.failure();
    }

    std::optional<ProbeRun> look() override {
        process_.write_input();
        read_messages();
        read_output();
        if (!process_.is_known())
            return ended(ProbeEnd::not_started);
        if (stays_)
            return ended(ProbeEnd::finished);
        if (process_.has_exited())
            return reap();
        enforce_limits();
        if (killed_as_ && is_stuck())
            return ended(ProbeEnd::stuck);
        return std::nullopt;
    }

    bool is_slow() override {
        return process_.is_known() && !killed_as_ && 2 * process_.time_run() > how_.quiet_limit;
    }
    void shorten(std::chrono::milliseconds limit) override {
        how_.quiet_limit = std::min(how_.quiet_limit, limit);
    }
    bool stays() const override {
        return stays_ && process_.is_known();
    }

    Spawned::Awaited awaited() const {
        return {&process_, !is_flooding()};
    }
    std::chrono::milliseconds longest_wait() const {
        return process_.messages_are_open() && !is_flooding() ? usual_wait : short_wait;
    }

  private:
    /// It sends line upon line. It is not to wake us for each, which would cost
    /// both more than the lines are worth.
    bool is_flooding() const {
        return got_lines_ && lines_seen_ > 64;
    }

    /// Whether there was anything.
    bool read_messages() {
        const std::string bytes = process_.new_messages();
        lines_.add(bytes, [this](std::string_view line) {
            process_.restart_clock();
            ++lines_seen_;
            const LineMeaning meaning = on_line_(line);
            done_ |= meaning.done;
            stays_ |= meaning.stays;
            if (meaning.limit)
                how_.quiet_limit = *meaning.limit;
        });
        got_lines_ = !bytes.empty();
        return got_lines_;
    }

    void read_output() {
        output_tail_ += process_.new_output();
        if (output_tail_.size() > tail_kept)
            output_tail_.erase(0, output_tail_.size() - tail_kept);
    }

    /// It has ended so or, when its work was done, while it left.
    ProbeRun ended(ProbeEnd end) {
        if (done_ && end == ProbeEnd::stuck && killed_as_ == ProbeEnd::cut_off &&
            process_.is_exiting()) {
            forget_ending();
            end = ProbeEnd::finished;
        }
        if (!stays_)
            process_.forget();
        run_.end = end;
        if (done_ && end != ProbeEnd::finished)
            run_.end = ProbeEnd::crashed_at_exit;
        run_.elapsed_ms =
            std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
        if (!output_tail_.empty())
            run_.output_tail = output_tail_;
        return run_;
    }

    /// Observe, kill, reap, in this order: a grandchild that inherited a pipe cannot hold
    /// us, and while the process is not reaped its number cannot belong to anybody else.
    ProbeRun reap() {
        process_.kill();
        // what is still in the pipe; bounded, others may hold it
        constexpr int most_reads = 1000;
        for (int reads = 0; reads < most_reads && read_messages(); ++reads)
            continue;
        read_output();
        const Spawned::End how = process_.end();
        run_.peak_memory_mib = how.peak_memory_mib;
        // its last word may have come too late: the process number may soon be another's
        stays_ = false;
        // it was leaving by itself
        if (done_ && how.exit_code)
            forget_ending();
        if (killed_as_)
            return ended(*killed_as_);
        if (how.signal) {
            run_.signal = how.signal;
            return ended(how.was_killed ? ProbeEnd::killed : ProbeEnd::crashed);
        }
        if (done_)
            return ended(ProbeEnd::finished);
        run_.exit_code = how.exit_code;
        return ended(ProbeEnd::quit_early);
    }

    /// The deadline of the whole run first: it is no fault of this process,
    /// and is reported as `cut_off`.
    void enforce_limits() {
        if (killed_as_)
            return;
        if (how_.deadline && Clock::now() >= *how_.deadline)
            return end_for(ProbeEnd::cut_off, "the deadline passed");
        auto limit = how_.quiet_limit;
        if (done_)
            limit = std::min(how_.exit_grace, limit);
        if (!is_silent_for(limit))
            return;
        if (done_)
            return end_for(ProbeEnd::timed_out, "it did not exit after its final message");
        end_for(
            ProbeEnd::timed_out,
            "no progress for " + std::to_string(how_.quiet_limit.count() / 1000) + " s");
    }

    /// If we were kept from a processor, it may have waited for us: it has a
    /// moment from the first look on.
    bool is_silent_for(std::chrono::milliseconds limit) {
        constexpr std::chrono::milliseconds moment(100);
        const auto quiet = process_.time_run();
        if (quiet <= limit)
            silent_since_.reset();
        if (quiet > limit && !silent_since_)
            silent_since_ = quiet;
        return silent_since_ && quiet > *silent_since_ + moment;
    }

    /// What /proc shows of a hang is gone once the process is killed, so it is read before.
    void end_for(ProbeEnd end, std::string reason) {
        run_.hang = process_.inspect();
        run_.reason = std::move(reason);
        killed_as_ = end;
        killed_at_ = Clock::now();
        process_.kill();
    }

    void forget_ending() {
        killed_as_.reset();
        run_.reason.reset();
        run_.hang.reset();
    }

    bool is_stuck() const {
        constexpr std::chrono::seconds after_deadline(2);
        const auto now = Clock::now();
        const auto last = killed_at_ + how_.stuck_after;
        if (!how_.deadline)
            return now > last;
        return now > std::min(last, std::max(*how_.deadline, killed_at_) + after_deadline);
    }

    Command how_;
    OnLine on_line_;
    Spawned process_;
    Clock::time_point started_ = Clock::now();
    /// of its time_run: it was silent for too long
    std::optional<std::chrono::milliseconds> silent_since_;
    Clock::time_point killed_at_{};
    std::optional<ProbeEnd> killed_as_;
    ProbeRun run_;  ///< what is known of it
    std::size_t lines_seen_ = 0;
    bool got_lines_ = false;  ///< there were lines when it was last looked at
    bool done_ = false, stays_ = false;
    LineBuffer lines_;
    std::string output_tail_;
};

}  // namespace

std::unique_ptr<Process> start(const Command& command, OnLine on_line) {
    return std::make_unique<Child>(command, std::move(on_line));
}

/// A flood of lines must not wake us for each of them: then the wait is short
/// and by the clock.
void poll_all(const std::vector<const Process*>& processes) {
    std::vector<Spawned::Awaited> awaited;
    std::chrono::milliseconds longest = usual_wait;
    for (const Process* process : processes) {
        // start() creates no other
        const auto& child = static_cast<const Child&>(*process);
        awaited.push_back(child.awaited());
        longest = std::min(longest, child.longest_wait());
    }
    Spawned::wait(awaited, longest);
}

ProbeRun run(const Command& command, OnLine on_line) {
    const auto process = start(command, std::move(on_line));
    while (true) {
        if (auto run = process->look())
            return *run;
        poll_all({process.get()});
    }
}

}  // namespace rnncheck::process
