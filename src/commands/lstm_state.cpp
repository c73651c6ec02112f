#include "commands/lstm_state.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/errors.hpp"
#include "base/json.hpp"
#include "base/program.hpp"
#include "base/sha256.hpp"
#include "commands/identity.hpp"
#include "commands/input.hpp"
#include "commands/lstm_verdict.hpp"
#include "commands/output.hpp"
#include "probe.hpp"
#include "report/redact.hpp"

namespace rnncheck {

namespace {

using Clock = std::chrono::steady_clock;
using Place = std::tuple<std::string, int, Dialect, int>;

Place place_of(const RnnRun& run) {
    return {run.library, run.gpu, run.dialect, run.number};
}

/// What the document tells of, and nothing else: hiding what is private takes its time.
Facts what_counts(const Facts& facts) {
    Facts part;
    part.tool = facts.tool;
    part.host.environment = facts.host.environment;
    part.gpus = facts.gpus;
    part.boards = facts.boards;
    part.cudnns = facts.cudnns;
    part.rnn_request = facts.rnn_request;
    part.rnn_runs = facts.rnn_runs;
    part.rnn_dropouts = facts.rnn_dropouts;
    for (const ProbeRun& run : facts.probe_runs)
        if (run.probe == "rnn_dropout" || !run.completed()) part.probe_runs.push_back(run);
    return part;
}

Facts hidden(Facts facts) {
    Report report;
    report.facts = std::move(facts);
    return redact(std::move(report), this_machine()).facts;
}

/// Paths of cuDNN as a document for others shows them, with the true ones; those that would look alike are left out.
std::map<std::string, std::string> shown_paths(const Facts& facts) {
    const Facts shown = hidden(what_counts(facts));
    std::map<std::string, std::string> paths;
    for (std::size_t i = 0; i < facts.cudnns.size(); ++i) {
        const auto [at, is_new] = paths.try_emplace(shown.cudnns[i].library, facts.cudnns[i].library);
        if (!is_new) at->second.clear();
    }
    return paths;
}

/// A copy of cuDNN that was asked for by a path which the document hides.
void restore_library(const std::map<std::string, std::string>& paths, std::optional<RnnRequest>& request) {
    if (!request || !request->library) return;
    for (const auto& [shown, path] : paths)
        if (shown != path && !path.empty() && shown.find(*request->library) != std::string::npos)
            request->library = path;
}

}  // namespace

EarlierRun read_earlier_run(const std::string& path) {
    const Json json = Json::parse(read_document(path), nullptr, false);
    const auto wrong_file = [&](const std::string& why) {
        return InputError("'" + path + "' is no document of 'rnncheck lstm --output': " + why);
    };
    if (!json.is_object() || json.value("kind", Json()) != "lstm" || !json.contains("request"))
        throw wrong_file("it has no kind \"lstm\" or no request");
    if (json.value("schema", Json()) != 1) throw wrong_file("its schema is not 1");
    EarlierRun earlier;
    try {
        from_json(json["request"], earlier.request, "request");
        earlier.machine = json.value("machine", "");
        const Json cases = json.value("cases", Json::array());
        for (std::size_t i = 0; i < cases.size(); ++i)
            from_json(cases[i], earlier.runs.emplace_back(), "cases[" + std::to_string(i) + "]");
    } catch (const InputError& error) {
        throw wrong_file(error.what());
    } catch (const Json::exception&) {
        throw wrong_file("a member is of another type");
    }
    return earlier;
}

std::string machine_digest(const Facts& facts) {
    Json all = {{"rnncheck", version_of_rnncheck()}, {"gpus", to_json(facts.gpus)}, {"cudnns", to_json(facts.cudnns)}};
    all["driver"] = {to_json(facts.driver.library_version), to_json(facts.driver.kernel_version),
                     to_json(facts.driver.cuda_version)};
    const auto tf32 = facts.host.environment.find("NVIDIA_TF32_OVERRIDE");
    all["tf32"] = tf32 == facts.host.environment.end() ? Json() : to_json(tf32->second);
    return sha256_hex(all.dump());
}

std::vector<RnnRun> planned_cases(const Facts& facts, const std::string& root) {
    const auto* const probe = find_named(all_probes(), "rnn_forward");
    Job job{facts, Root(root), ""};
    job.facts.rnn_runs.clear();
    std::vector<RnnRun> plan;
    for (const std::string& target : (*probe)->targets(job.facts)) {
        job.target = target;
        std::vector<LostStep> all;
        const int steps = static_cast<int>((*probe)->steps->done(job).size());
        for (int step = 0; step < steps; ++step)
            all.push_back({step, {"?", -1, "not yet run"}, SkipReason::deadline});
        for (RnnRun& run : (*probe)->steps->lost(job, all).rnn_runs) {
            run.skip_reason.reset();  // it may still be run
            plan.push_back(std::move(run));
        }
    }
    return plan;
}

std::vector<RnnRun> by_plan(const std::vector<RnnRun>& plan, const std::vector<RnnRun>& runs) {
    std::map<Place, const RnnRun*> known;
    for (const RnnRun& run : runs) known.emplace(place_of(run), &run);
    std::vector<RnnRun> ordered;
    for (const RnnRun& planned : plan) {
        const auto at = known.find(place_of(planned));
        ordered.push_back(at == known.end() ? planned : *at->second);
    }
    return ordered;
}

std::vector<RnnRun> taken_over(const std::vector<RnnRun>& earlier, const std::vector<RnnRun>& plan) {
    std::map<Place, const RnnRun*> planned;
    for (const RnnRun& run : plan) planned.emplace(place_of(run), &run);
    std::vector<RnnRun> taken;
    for (const RnnRun& run : earlier) {
        const auto at = planned.find(place_of(run));
        if (run.end == RunEnd::skipped || at == planned.end()) continue;
        if (describe(run.rnn_case) == describe(at->second->rnn_case)) taken.push_back(run);
    }
    return taken;
}

LstmState::LstmState(std::string file, const RnnRequest& request, std::optional<EarlierRun> earlier, bool show_private)
    : file_(std::move(file)), earlier_(std::move(earlier)), show_private_(show_private) {
    if (earlier_) return;  // its own document stays until there is a better one
    Facts nothing_yet;
    nothing_yet.tool.version = version_of_rnncheck();
    nothing_yet.rnn_request = request;
    write(nothing_yet);
}

void LstmState::plan(Facts& facts, const std::string& root) {
    const bool begun = earlier_ && !earlier_->machine.empty();
    if (cut_by_deadline(facts)) {
        if (!begun) return;
        throw InputError(
            "the deadline passed before this machine was known, so nothing was resumed and the file is as it was: "
            "give --deadline more seconds");
    }
    machine_ = machine_digest(facts);
    if (begun && earlier_->machine != machine_)
        throw InputError(
            "the driver, the GPUs, cuDNN or rnncheck are not what they were when the run to be resumed was "
            "begun: old and new results cannot stand in one report; begin anew without --resume");
    const auto paths = shown_paths(facts);
    if (earlier_) restore_library(paths, facts.rnn_request);
    plan_ = planned_cases(facts, root);
    if (begun) {
        for (RnnRun& run : earlier_->runs)
            if (const auto at = paths.find(run.library); at != paths.end()) run.library = at->second;
        facts.rnn_runs = taken_over(earlier_->runs, plan_);
    }
    write(facts);
}

void LstmState::keep(const std::function<Facts()>& so_far) {
    if (file_.empty() || plan_.empty() || Clock::now() < due_) return;
    write(so_far());
}

Facts LstmState::in_order(Facts facts) const {
    facts.rnn_runs = by_plan(plan_, facts.rnn_runs);
    return facts;
}

Facts LstmState::shown(const Facts& facts, LstmBesides& besides) const {
    besides.machine = machine_;
    if (besides.smallest && !show_private_) {
        Facts alone;
        alone.rnn_runs = {besides.smallest->run};
        besides.smallest->run = hidden(std::move(alone)).rnn_runs.front();
    }
    return presentable(facts);
}

void LstmState::finish(const Facts& shown, const LstmBesides& besides) const {
    if (!file_.empty()) write_file(file_, lstm_json(shown, besides));
}

Facts LstmState::presentable(const Facts& facts) const {
    const Facts part = in_order(what_counts(facts));
    return show_private_ ? part : hidden(part);
}

void LstmState::write(const Facts& facts) {
    constexpr int share = 20;  // one part of the time in so many goes into writing, at most
    if (file_.empty()) return;
    const auto start = Clock::now();
    write_file(file_, lstm_json(presentable(facts), {machine_, {}, !machine_.empty()}));
    const Clock::duration pause =
        std::max<Clock::duration>(share * (Clock::now() - start), std::chrono::milliseconds(200));
    due_ = Clock::now() + pause;
}

}  // namespace rnncheck
