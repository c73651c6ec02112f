#include <algorithm>
#include <map>
#include <tuple>

#include "base/json.hpp"
#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/sha256.hpp"
#include "commands/input.hpp"
#include "commands/lstm.hpp"
#include "facts/facts.hpp"
#include "facts/queries.hpp"
#include "support/rnn.hpp"

namespace rnncheck {

namespace {

using Clock = std::chrono::steady_clock;
using Place = std::tuple<std::string, int, RnnApi, int, std::string>;

/// Two runs at one place are of the same case on the same GPU, cuDNN and API.
Place place_of(const RnnRun& run) {
    return {run.library, run.gpu, run.rnn_api, run.number, describe(run.rnn_case)};
}

/// All that results depend on: driver, GPUs, cuDNN installations, what the environment sets of
/// TF32, and rnncheck.
std::string machine_digest(const Facts& facts) {
    Json all = {
        {"rnncheck", version_of_rnncheck()},
        {"cuda_devices", to_json(facts.cuda_devices)},
        {"cudnns", to_json(facts.cudnns)}};
    all["driver"] = {
        to_json(facts.driver.library_version),
        to_json(facts.driver.kernel_version),
        to_json(facts.driver.cuda_version)};
    all["tf32"] = Json();
    if (const std::string* const tf32 = environment(facts, "NVIDIA_TF32_OVERRIDE"))
        all["tf32"] = to_json(*tf32);
    return sha256_hex(all.dump());
}

/// Every case that is to run on this machine, in order, as skipped: it may still be run.
std::vector<RnnRun> planned_cases(const Facts& facts) {
    std::vector<RnnRun> plan;
    for (const std::string& text : probes::wanted_rnn_targets(facts)) {
        const RnnTarget target = probes::rnn_target_of(text);
        int step = 0;
        for (const RnnCase& rnn_case : cases_of(facts, target))
            plan.emplace_back(probes::run_of(target, rnn_case, step++)).result = {
                "?", -1, "not yet run"};
    }
    return plan;
}

/// The runs in the order of the plan, which replaces a run where a case was not tried.
std::vector<RnnRun> by_plan(const std::vector<RnnRun>& plan, const std::vector<RnnRun>& runs) {
    std::map<Place, const RnnRun*> known;
    for (const RnnRun& run : runs)
        known.emplace(place_of(run), &run);
    return mapped(plan, [&](const RnnRun& planned) {
        if (const auto* ran = look_up(known, place_of(planned)))
            return **ran;
        return planned;
    });
}

/// The paths of this machine, by what a redacted document has in their place; those that look alike
/// are empty.
std::map<std::string, std::string> true_paths(
    const std::vector<Cudnn>& shown, const std::vector<Cudnn>& here) {
    std::map<std::string, std::string> paths;
    for (std::size_t i = 0; i < std::min(shown.size(), here.size()); ++i) {
        const auto [at, is_new] = paths.try_emplace(shown[i].library, here[i].library);
        if (!is_new)
            at->second.clear();  // which of them is meant cannot be known
    }
    return paths;
}

/// A cuDNN that was requested by a path of which the document hides a part.
void restore_library(
    const std::map<std::string, std::string>& paths, std::optional<RnnRequest>& request) {
    if (!request || !request->library)
        return;
    for (const auto& [shown, path] : paths)
        if (shown != path && !path.empty() && shown.find(*request->library) != std::string::npos)
            request->library = path;
}

/// What the file contains until the first case has run, so that --resume can continue from there.
Report not_begun(const Matrix& matrix, const RnnRequest& request) {
    Report report;
    report.tool = {.matrix_date = matrix.date(), .matrix_digest = matrix.digest()};
    report.sentence = "the run has not yet begun: nothing was computed";
    report.facts.tool.version = version_of_rnncheck();
    report.facts.rnn_request = request;
    report.lstm.emplace();
    return report;
}

[[noreturn]] void reject_resume(const std::string& path) {
    throw InputError(
        "'" + path + "' is not a document of 'rnncheck lstm --save', the only one that --resume " +
        "continues; a new run is 'rnncheck lstm --level standard --save FILE'");
}

}  // namespace

EarlierRun read_earlier_run(const std::string& path) {
    const std::string text = read_document(path);
    // A report of `doctor` has facts, too, but no plan that could be continued.
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("lstm") || !document.contains("facts"))
        reject_resume(path);
    EarlierRun earlier{facts_from_text(text, "'" + path + "'"), ""};
    const Json& lstm = document["lstm"];
    if (!lstm.is_object() || !earlier.facts.rnn_request)
        reject_resume(path);
    earlier.machine = quoted_text(lstm.value("machine", Json("")), "lstm.machine");
    return earlier;
}

LstmState::LstmState(
    std::string file,
    const Matrix& matrix,
    const RnnRequest& request,
    std::optional<EarlierRun> earlier,
    const ReportOptions& options)
    : file_(std::move(file)), matrix_(matrix), earlier_(std::move(earlier)), options_(options) {
    if (earlier_)
        return;  // its own document stays until there is a better one
    // Before minutes of computing: a file that cannot be written is reported at once.
    write(finished(not_begun(matrix, request), options));
}

void LstmState::plan(Facts& facts) {
    const bool begun = earlier_ && !earlier_->machine.empty();
    // Without all facts about the machine nothing may be compared with the earlier run.
    if (find_by(facts.probe_runs, &ProbeRun::end, ProbeEnd::cut_off)) {
        if (!begun)
            return;
        throw InputError(
            "the deadline passed before the machine was examined; the file is unchanged: "
            "give --deadline more seconds");
    }
    machine_ = machine_digest(facts);
    if (begun && earlier_->machine != machine_)
        throw InputError(
            "the driver, the GPUs, cuDNN or rnncheck are not what they were when the run to be "
            "resumed was "
            "started: old and new results cannot be mixed in one report; start a new run without "
            "--resume");
    if (earlier_) {
        // A document that ended before a GPU was used lists no cuDNN: its paths are redacted as
        // those of a report of now would be.
        std::vector<Cudnn> shown = earlier_->facts.cudnns;
        if (!begun) {
            Report now;
            now.facts = facts;
            shown = finished(std::move(now), options_).facts.cudnns;
        }
        const auto paths = true_paths(shown, facts.cudnns);
        restore_library(paths, facts.rnn_request);
        for (RnnRun& run : earlier_->facts.rnn_runs)
            if (const auto* path = look_up(paths, run.library))
                run.library = *path;
    }
    plan_ = planned_cases(facts);
    if (begun)
        facts.rnn_runs = by_plan(plan_, earlier_->facts.rnn_runs);
    // They are run now; those that ran, with whatever result, are not run again.
    std::erase_if(facts.rnn_runs, [](const RnnRun& run) { return run.end == RunEnd::skipped; });
    write(facts);
}

void LstmState::keep(const std::function<Facts()>& so_far) {
    constexpr int share = 20;  // one part of the time in so many goes into writing, at most
    const auto start = Clock::now();
    if (file_.empty() || plan_.empty() || start < due_)
        return;
    write(so_far());
    // Not more often than every 200 ms even where writing costs nothing.
    due_ = Clock::now() + std::max<Clock::duration>(
                              share * (Clock::now() - start), std::chrono::milliseconds(200));
}

Facts LstmState::in_order(Facts facts) const {
    facts.rnn_runs = by_plan(plan_, facts.rnn_runs);
    return facts;
}

Report LstmState::report(const Facts& facts, LstmExtras extras) const {
    Report report = judge_networks(facts, matrix_);
    const auto& runs = report.facts.rnn_runs;
    // Whether --resume has anything left to run.
    extras.complete = !runs.empty() && !find_by(runs, &RnnRun::end, RunEnd::skipped);
    extras.machine = machine_;
    report.lstm = std::move(extras);
    return finished(std::move(report), options_);
}

void LstmState::write(const Facts& facts) const {
    if (!file_.empty())
        write(report(in_order(facts)));
}

void LstmState::write(const Report& report) const {
    if (!file_.empty())
        write_file(file_, json_text(report, JsonLines::one));
}

}  // namespace rnncheck
