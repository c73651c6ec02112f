// Threads that share the work of one computation.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rnncheck {

/// The calling thread and helpers, which end with the team. What is computed must not depend on who
/// computes it.
class Team {
  public:
    /// One thread is the caller alone. Where the system starts fewer threads, the team is smaller.
    explicit Team(int threads = 1);
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team();

    std::size_t threads() const {
        return helpers_.size() + 1;
    }

    /// task(0), task(1), ... task(count - 1), in any order and at the same time; returns when all
    /// have ended. The caller works alone where `operations`, about as many multiply-adds, are not
    /// worth waking anybody. Throws what a task has thrown.
    void run(std::size_t count, double operations, const std::function<void(std::size_t)>& task);

    /// use(begin, end) for ranges that cover 0 to `count`, as run() runs tasks; `operations` are
    /// those of one place.
    template <class Use>
    void run_ranges(std::size_t count, double operations, const Use& use) {
        if (helpers_.empty())
            return use(std::size_t{0}, count);
        const std::size_t ranges = std::min(count, 4 * threads());
        run(ranges, static_cast<double>(count) * operations, [&](std::size_t number) {
            use(count * number / ranges, count * (number + 1) / ranges);
        });
    }

    /// While one exists, helpers of all teams of the process begin no further task: what is timed
    /// has the processors to itself, but for the threads that call run().
    class Pause {
      public:
        Pause() {
            ++pauses;
        }
        ~Pause() {
            --pauses;
        }
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;
    };

  private:
    struct Job {
        std::size_t count = 0;
        const std::function<void(std::size_t)>* task = nullptr;
    };

    void help();
    void work(const Job& job, bool helping);

    static std::atomic<int> pauses;
    std::mutex mutex_;
    std::condition_variable begun_, ended_;
    Job job_;                        ///< without a task between two runs
    std::size_t at_work_ = 0;        ///< helpers
    bool over_ = false;              ///< the team ends
    std::exception_ptr failure_;     ///< of a task
    std::atomic<std::size_t> next_;  ///< task that nobody has begun
    std::vector<std::thread> helpers_;
};

}  // namespace rnncheck
