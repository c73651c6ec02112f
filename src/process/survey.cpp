// Long because a lost process changes what every later task may conclude.
// The order of everything: which task starts when, what a lost process means
// for the rest, and what is recorded about each.
#include "process/survey.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <utility>

#include "base/files.hpp"
#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/program.hpp"
#include "facts/facts.hpp"
#include "facts/queries.hpp"
#include "process/limits.hpp"
#include "process/probe.hpp"
#include "process/this_process.hpp"

namespace rnncheck {

namespace {

using Clock = std::chrono::steady_clock;

/// enough for a node of 8 GPUs; most children wait for a library or a GPU
constexpr int most_at_once = 16;
/// of a group of steps, before the rest of the group is given up
constexpr int most_losses = 2;

/// Processes in a row that ended before a step was done, a hang counting
/// twice: three hangs or six crashes.
constexpr int most_failed_starts = 6;

/// One probe on one target, over all the processes it takes.
struct Task {
    const Named<Probe>* probe;
    Job job;
    Facts found;
    Facts news = {};  ///< of the process under way
    int steps = 0;    ///< of a probe that has steps
    std::vector<ProbeRun> runs;
    WireReader reader;
    int failed_starts = 0;
    std::map<std::string, int> losses = {};  ///< by group of steps
    std::unique_ptr<process::Process> process = {};

    /// With what earlier processes found.
    Job job_now() const {
        Job now = job;
        merge(now.facts, found);
        return now;
    }
};

/// The facts collected so far go in through the wire, as an argument could be
/// read in /proc by everybody and is limited in size.
process::Command command_of(const Named<Probe>& probe, const Facts& facts_so_far) {
    process::Command command;
    const process::Wire& wire = process::wire();
    command.arguments = {
        process::own_program(),
        "probe",
        "--facts-from",
        std::to_string(wire.input),
        "--answer-to",
        std::to_string(wire.answer),
        std::string(probe.name)};
    command.input = facts_to_text(facts_so_far);
    command.quiet_limit = probe->limit;
    return command;
}

std::string exclusive_key(const Task& task) {
    if (!(*task.probe)->exclusive)
        return {};
    return (*task.probe)->exclusive(task.job.target);
}

ProbeRun record_of(const Task& task, ProbeRun run) {
    run.probe = task.probe->name;
    run.target = task.job.target;
    if (run.end != ProbeEnd::finished && !task.reader.last_call.empty())
        run.last_call = task.reader.last_call;
    run.failed_calls = task.reader.failed_calls;
    return run;
}

void record_unstarted(Task& task, ProbeEnd end, const char* reason) {
    ProbeRun& run = task.runs.emplace_back();
    run.probe = task.probe->name;
    run.target = task.job.target;
    run.end = end;
    run.reason = reason;
}

/// As the text of LostStep::result has it.
std::string how_it_ended(const ProbeRun& run) {
    switch (run.end) {
        case ProbeEnd::timed_out:
        case ProbeEnd::cut_off:
            return "did not return: " + run.reason.value_or("time limit");
        case ProbeEnd::quit_early:
            return "ended the process with exit code " + std::to_string(run.exit_code.value_or(0));
        case ProbeEnd::stuck:
            return "hangs inside the kernel";
        case ProbeEnd::not_started:
            return "could not be started: " + run.reason.value_or("no reason given");
        case ProbeEnd::limited:
            return "failed because of " + run.reason.value_or("a limit of this process");
        case ProbeEnd::killed:
            return "the process was killed from outside, for example because memory ran out";
        default:
            return "crashed" + if_any(" with ", run.signal);
    }
}

/// "case 17 of 809, rnn_forward GPU 0 v8 /usr/lib/libcudnn.so.9"
std::string under_way(const Task& task) {
    const std::string what = std::string(task.probe->name) + if_any(" ", task.job.target);
    if (!task.reader.step)
        return what;
    return "case " + std::to_string(*task.reader.step + 1) + " of " + std::to_string(task.steps) +
           ", " + what;
}

Facts so_far(Facts facts, const std::deque<Task>& tasks) {
    for (const Task& task : tasks) {
        merge(facts, task.found);
        merge(facts, task.news);
    }
    return facts;
}

/// The scheduler of one survey. Tasks of a stage wait, are active, or have ended.
class Stages {
  public:
    explicit Stages(const SurveyOptions& options) : options_(options) {
    }

    void run(Stage stage, Facts& facts) {
        run(plan(stage, facts), facts, stage == Stage::query ? options_.meanwhile : nullptr);
    }
    /// These tasks alone; what they learn joins `facts`.
    void run(
        std::deque<Task> tasks, Facts& facts, std::function<void(const Facts&)> meanwhile = {}) {
        tasks_ = std::move(tasks);
        for (auto& task : tasks_) {
            if (!task.runs.empty())
                continue;
            // Those that take longest (nvrtc_compile, library_files) are last;
            // a gate must stay before what it guards.
            if ((*task.probe)->stage == Stage::run)
                waiting_.push_back(&task);
            else
                waiting_.push_front(&task);
        }
        start_what_fits();
        while (!active_.empty()) {
            const auto ended =
                std::ranges::find_if(active_, [&](Task* task) { return has_ended(*task); });
            if (ended == active_.end()) {
                start_what_fits();
                start_witnesses(facts);
                if (options_.checkpoint)
                    options_.checkpoint([&] { return so_far(facts, tasks_); });
                process::poll_all(mapped(active_, [](const Task* task) -> const process::Process* {
                    return task->process.get();
                }));
            } else {
                Task& task = **ended;
                active_.erase(ended);
                finished(task);
                start_what_fits();
                if (meanwhile && !active_.empty())
                    std::exchange(meanwhile, nullptr)(facts);
            }
        }
        for (auto& task : tasks_) {
            merge(facts, std::move(task.found));
            for (auto& run : task.runs)
                facts.probe_runs.push_back(std::move(run));
        }
    }

    Task task_of(const Named<Probe>& probe, const Facts& facts, const std::string& target) const {
        Task task{&probe, {facts, Root(options_.root), target}, {}, {}, 0, {}, {}};
        if (probe->steps)
            task.steps = static_cast<int>(probe->steps->done(task.job).size());
        return task;
    }

  private:
    std::deque<Task> plan(Stage stage, const Facts& facts) const {
        std::deque<Task> tasks;
        for (const auto& probe : all_probes()) {
            if (probe->stage != stage || probe->hang_diagnostic)
                continue;
            std::vector<std::string> targets = {""};
            if (probe->targets)
                targets = probe->targets(facts);
            for (const auto& target : targets) {
                tasks.push_back(task_of(probe, facts, target));
                if (options_.skip.contains(std::string(probe.name)))
                    record_unstarted(tasks.back(), ProbeEnd::skipped, "excluded by --skip");
            }
        }
        return tasks;
    }

    void start(Task& task) {
        process::Command command = command_of(*task.probe, task.job_now().facts);
        if (!options_.root.empty())
            append(command.arguments, {"--root", options_.root});
        if (options_.make_nodes && (*task.probe)->stage != Stage::look)
            command.arguments.push_back("--make-nodes");
        if (!task.job.target.empty())
            append(command.arguments, {"--", task.job.target});
        command.extra_environment = environment_of(*task.probe->thing);
        command.deadline = options_.deadline;
        // it calls no driver
        if ((*task.probe)->stage == Stage::look)
            command.stuck_after = std::chrono::seconds(3);
        task.reader = {};
        task.process = process::start(command, [this, &task](std::string_view line) {
            LineMeaning meaning = task.reader.read(line, task.news);
            if (meaning.limit && options_.step_limit)
                meaning.limit = options_.step_limit;
            return meaning;
        });
        active_.push_back(&task);
    }

    /// In order; a target whose GPU is in use is passed over until that is free.
    void start_what_fits() {
        std::set<std::string> in_use;
        for (const Task* task : active_)
            in_use.insert(exclusive_key(*task));
        const int most = std::max(
            std::min(most_at_once, process::capacity() - static_cast<int>(staying_.size())), 1);
        std::deque<Task*> still_waiting;
        for (Task* task : waiting_) {
            const std::string key = exclusive_key(*task);
            const bool fits = std::ssize(active_) < most && (key.empty() || !in_use.contains(key));
            if (closed_.contains(key)) {
                record_unstarted(*task, ProbeEnd::skipped, "the test kernel did not finish there");
                give_up(
                    *task, SkipReason::gpu_unusable, "the test kernel did not finish on this GPU");
            } else if (is_over(options_.deadline)) {
                record_unstarted(*task, ProbeEnd::cut_off, "the deadline passed before it began");
                give_up(*task, SkipReason::deadline, "the deadline passed");
            } else if (fits) {
                start(*task);
                in_use.insert(key);
            } else
                still_waiting.push_back(task);
        }
        waiting_ = std::move(still_waiting);
        if (options_.progress && !active_.empty())
            options_.progress(
                under_way(*active_.front()) + ", " +
                std::to_string(active_.size() + waiting_.size()) + " of " +
                std::to_string(tasks_.size()) + " to go");
    }

    /// Once in a stage, while the first process that is silent for long still hangs.
    void start_witnesses(const Facts& facts) {
        const auto is_silent = [](const Task* task) {
            return (*task->probe)->stage != Stage::look && task->process->is_slow();
        };
        if (std::ranges::none_of(active_, is_silent) ||
            std::ranges::any_of(
                tasks_, [](const Task& task) { return (*task.probe)->hang_diagnostic; }))
            return;
        for (const auto& probe : all_probes())
            if (probe->hang_diagnostic && !options_.skip.contains(std::string(probe.name)))
                start(tasks_.emplace_back(task_of(probe, facts, "")));
    }

    bool has_ended(Task& task) {
        const auto run = task.process->look();
        if (!run)
            return false;
        ProbeRun& record = task.runs.emplace_back(record_of(task, *run));
        find_limit_behind(record);
        // What a library returned that lacked memory shows nothing of it.
        const bool is_void = record.end == ProbeEnd::limited && !record.failed_calls.empty();
        if (!is_void)
            merge(task.found, std::move(task.news));
        task.news = {};
        if (task.process->stays())
            staying_.push_back(std::move(task.process));
        task.process.reset();
        return true;
    }

    /// A limit of this process is no fault of the machine's driver: the
    /// run is recorded as `limited`.
    void find_limit_behind(ProbeRun& run) const {
        const auto limit = limits_.behind(run);
        if (!limit)
            return;
        run.limit = limit->kind;
        if (run.end == ProbeEnd::not_started)
            return;
        run.reason = in_words(*limit);
        run.end = ProbeEnd::limited;
    }

    void finished(Task& task) {
        shorten_other_starts(task, task.runs.back());
        if ((*task.probe)->blocks_gpu && !task.runs.back().completed())
            closed_.insert(exclusive_key(task));
        if (continues(task, task.runs.back()))
            waiting_.push_front(&task);
    }

    /// The other probes that wait for the driver's start at the same time wait
    /// for the same.
    void shorten_other_starts(const Task& task, const ProbeRun& run) {
        const auto start_limit = (*task.probe)->start_limit;
        if (!start_limit || !run.completed())
            return;
        const auto limit = start_limit(
            task.found, std::chrono::milliseconds(static_cast<long long>(run.elapsed_ms)));
        for (const Task* other : active_)
            if (limit && (*other->probe)->start_limit)
                other->process->shorten(*limit);
    }

    /// What a process left undone is done by another one, as long as steps get done at all.
    bool continues(Task& task, const ProbeRun& run) {
        if (!(*task.probe)->steps || (run.completed() && !task.reader.unusable))
            return false;
        if (run.end == ProbeEnd::limited) {
            give_up(task, SkipReason::host_memory, "the process " + how_it_ended(run));
            return false;
        }
        if (!task.reader.step) {
            give_up(
                task,
                SkipReason::process_lost,
                "the process " + how_it_ended(run) + " before the first case");
            return false;
        }
        lose_step(task, run);
        task.failed_starts += 1;
        if (run.end == ProbeEnd::timed_out)
            task.failed_starts += 1;
        if (task.reader.steps_begun > 1)
            task.failed_starts = 0;
        if (is_over(options_.deadline))
            give_up(task, SkipReason::deadline, "the deadline passed");
        else if (run.end == ProbeEnd::stuck)
            give_up(task, SkipReason::process_lost, "an earlier case hangs inside the kernel");
        else if (task.failed_starts >= most_failed_starts)
            give_up(
                task,
                SkipReason::process_lost,
                "too many processes in a row ended without completing a case");
        else
            return includes((*task.probe)->steps->done(task.job_now()), false);
        return false;
    }

    /// The step under way is on record as lost; after too many losses
    /// the rest of its group as well.
    void lose_step(Task& task, const ProbeRun& run) {
        const Steps& steps = *(*task.probe)->steps;
        const int step = *task.reader.step;
        const Job job = task.job_now();
        int code = missing_symbol;
        if (run.end == ProbeEnd::stuck)
            code = stuck_in_kernel;
        LostStep lost{step, {run.last_call.value_or("?"), code, how_it_ended(run)}};
        if (run.end == ProbeEnd::cut_off)
            lost.skipped = SkipReason::deadline;
        if (!steps.done(job).at(static_cast<std::size_t>(step)))
            merge(task.found, steps.lost(job, {lost}));
        const std::string group = steps.group(job, step);
        if (++task.losses[group] >= most_losses)
            give_up(
                task, SkipReason::group_lost, "two cases of its kind ended their process", group);
    }

    /// What is left of the task's steps, or of one group, is on record as not tried.
    void give_up(
        Task& task, SkipReason reason, const std::string& why, const std::string& group = {}) {
        if (!(*task.probe)->steps)
            return;
        const Steps& steps = *(*task.probe)->steps;
        const Job job = task.job_now();
        const std::vector<bool> done = steps.done(job);
        std::vector<LostStep> rest;
        for (int step = 0; step < task.steps; ++step)
            if (!done[static_cast<std::size_t>(step)] &&
                (group.empty() || steps.group(job, step) == group))
                rest.push_back({step, {"?", -1, "not tried: " + why}, reason});
        merge(task.found, steps.lost(job, rest));
    }

    /// Compiled kernels would stay behind in ~/.nv. Those of a GPU newer than the
    /// library take minutes to compile, so that the processes of the last stage share
    /// them; CUDA_MODULE_LOADING as the driver has it by default since CUDA 12.2.
    std::vector<std::string> environment_of(const Probe& probe) {
        if (probe.stage == Stage::look)
            return {};
        if (probe.stage != Stage::run || probe.hang_diagnostic)
            return {"CUDA_CACHE_DISABLE=1"};
        if (!compute_cache_)
            compute_cache_.emplace();
        if (!compute_cache_->path())
            return {"CUDA_CACHE_DISABLE=1"};
        std::vector<std::string> variables = {
            "CUDA_CACHE_DISABLE=0", "CUDA_CACHE_PATH=" + *compute_cache_->path()};
        if (!environment_variable("CUDA_MODULE_LOADING"))
            variables.emplace_back("CUDA_MODULE_LOADING=LAZY");
        return variables;
    }

    const SurveyOptions& options_;
    std::deque<Task> tasks_;  ///< of the stage under way
    std::vector<Task*> active_;
    std::vector<std::unique_ptr<process::Process>> staying_;
    std::set<std::string> closed_;  ///< exclusive keys whose gate was lost
    std::deque<Task*> waiting_;
    std::optional<process::PrivateDirectory> compute_cache_;
    process::LimitWatch limits_;
};

}  // namespace

Facts survey(const SurveyOptions& options) {
    Facts facts;
    facts.rnn_request = options.rnn_request;
    facts.tool.version = version_of_rnncheck();
    facts.tool.collected_at = utc_time(std::chrono::system_clock::now());
    facts.tool.stages = {"look"};
    facts.tool.python = options.python;
    if (options.make_nodes)
        facts.tool.make_nodes = true;
    if (options.query)
        facts.tool.stages.push_back("query");
    if (options.query && options.run)
        facts.tool.stages.push_back("run");
    Stages stages(options);
    stages.run(Stage::look, facts);
    if (options.query)
        stages.run(Stage::query, facts);
    if (!options.query || !options.run)
        return facts;
    if (options.before_run)
        options.before_run(facts);
    stages.run(Stage::run, facts);
    return facts;
}

/// Through the same scheduler as a survey, so that a lost process is continued
/// and recorded in the same way.
Facts run_probe(
    std::string_view name,
    const std::string& target,
    const Facts& facts,
    const SurveyOptions& options) {
    Stages stages(options);
    std::deque<Task> tasks;
    tasks.push_back(stages.task_of(*find_named(all_probes(), name), facts, target));
    Facts found;
    stages.run(std::move(tasks), found);
    return found;
}

RunningProbe::RunningProbe(std::string_view name)
    : process_(process::start(
          command_of(*find_named(all_probes(), name), {}),
          [this](std::string_view line) { return reader_.read(line, found_); })) {
}

std::optional<Facts> RunningProbe::look() {
    if (!process_->look())
        return std::nullopt;
    return found_;
}

/// Rights are given up before anything else: no vendor library is open yet.
int run_probe_here(const ProbeCall& call) {
    process::drop_privileges(call.make_nodes);
    const auto* probe = find_named(all_probes(), call.name);
    if (!probe)
        throw UsageError(
            "there is no probe '" + call.name + "'; 'rnncheck list probes' shows their names");
    Job job{{}, Root(call.root), call.target};
    if (call.facts_from) {
        std::string text;
        while (read_onto(text, *call.facts_from) > 0)
            continue;
        job.facts = facts_from_text(text, "the facts so far");
    }
    reject_blocking_files(job.facts);
    ProbeWriter writer(call.answer_to);
    (*probe)->run(job, writer);
    writer.done();
    if (writer.stays())
        process::stay_until_ended();
    return 0;
}

}  // namespace rnncheck
