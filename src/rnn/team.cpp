#include "rnn/team.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace rnncheck {

namespace {

/// Waking a thread takes some ten microseconds: as long as so many multiply-adds.
constexpr double worth_waking = 4e5;

}  // namespace

std::atomic<int> Team::pauses = 0;

Team::Team(int threads) : next_(0) {
    helpers_.reserve(static_cast<std::size_t>(std::max(threads, 1)) - 1);
    try {
        while (static_cast<int>(this->threads()) < threads)
            helpers_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {  // a limit of the system: whoever is there does the work
    }
}

Team::~Team() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    begun_.notify_all();
    for (std::thread& helper : helpers_)
        helper.join();
}

void Team::run(std::size_t count, double operations, const std::function<void(std::size_t)>& task) {
    if (helpers_.empty() || count < 2 || operations < worth_waking) {
        for (std::size_t number = 0; number < count; ++number)
            task(number);
        return;
    }
    const Job job{count, &task};
    next_ = 0;
    {
        const std::lock_guard lock(mutex_);
        job_ = job;
    }
    begun_.notify_all();
    work(job, false);
    std::unique_lock lock(mutex_);
    job_ = {};
    ended_.wait(lock, [this] { return at_work_ == 0; });
    if (failure_)
        std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Team::help() {
    std::unique_lock lock(mutex_);
    while (true) {
        begun_.wait(
            lock, [this] { return over_ || (job_.task && next_ < job_.count && pauses == 0); });
        if (over_)
            return;
        const Job job = job_;
        ++at_work_;
        lock.unlock();
        work(job, true);
        lock.lock();
        --at_work_;
        ended_.notify_all();
    }
}

void Team::work(const Job& job, bool helping) {
    try {
        while (!helping || pauses == 0) {
            const std::size_t number = next_++;
            if (number >= job.count)
                return;
            (*job.task)(number);
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        next_ = job.count;
    }
}

}  // namespace rnncheck
