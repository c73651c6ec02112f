// What was found, layer by layer: one line each, with a mark.
#include <algorithm>
#include <map>
#include <set>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/checklist_rows.hpp"
#include "report/sweep.hpp"

namespace rnncheck {

namespace {

using Words = std::vector<std::string>;

/// "frameworks" is no layer: what the rules of CUDA state of a framework is shown beside the
/// framework.
bool is_about_framework(const Finding& finding) {
    return finding.part.kind == stack::PartKind::framework;
}

/// How a layer is, by what the rules found in it.
struct State {
    Mark mark;
    std::string because;  ///< "see driver_missing"
};

/// The worst finding of the layer decides; without one, an undecided rule does.
/// A note changes nothing. `works` is whether something of the layer responded.
State state_of(const Report& report, Layer layer, bool works, bool of_frameworks = false) {
    Severity worst = Severity::note;
    Words rules;
    const auto add_rule = [&](const std::string& rule) {
        if (rules.size() < 3)
            add_once(rules, rule);
    };
    for (const Finding& finding : report.findings) {
        const bool is_of_layer = of_frameworks || finding.layer == layer;
        const bool here = is_about_framework(finding) == of_frameworks && is_of_layer;
        if (!here || finding.severity == Severity::note)
            continue;
        worst = std::min(worst, finding.severity);
        add_rule(shown(finding.rule));
    }
    if (worst == Severity::note && !of_frameworks)
        for (const RuleVerdict& verdict : report.verdicts)
            if (verdict.outcome == Outcome::undecided && verdict.layer == layer)
                add_rule(shown(verdict.rule));
    const std::string list = join(rules, ", ");
    if (worst == Severity::error)
        return {Mark::failed, "see " + list};
    if (worst == Severity::warning)
        return {Mark::warning, "see " + list};
    if (!rules.empty())
        return {Mark::undetermined, "undetermined: " + list};
    if (works)
        return {Mark::passed, ""};
    return {Mark::not_run, ""};
}

/// "LSTM in fp32, fp16; GRU in fp32".
std::string networks_computed(const Facts& facts) {
    std::map<Cell, std::set<Dtype>> types;
    for (const RnnRun& run : facts.rnn_runs)
        if (run.end == RunEnd::ok)
            types[run.rnn_case.cell].insert(run.rnn_case.dtype);
    Words cells;
    for (const auto& [cell, dtypes] : types) {
        const Words names = mapped(dtypes, [](Dtype dtype) { return std::string(name_of(dtype)); });
        cells.push_back(network_name(cell) + " in " + join(names, ", "));
    }
    return join(cells, "; ");
}

/// Of no case at all: the user's choice, no GPU in the machine, or the first
/// error that has to be fixed before.
std::string why_not_run(const Report& report) {
    if (!stage_was_run(report.facts, Stage::run))
        return "not run, as requested";
    const Finding* const error = find_by(report.findings, &Finding::severity, Severity::error);
    const bool has_cause = error && error->layer <= Layer::gpu;
    if (!has_cause && report.facts.cuda_devices.empty() &&
        report.facts.host.pci_listed.value_or(false) && report.facts.host.pci_gpus.empty())
        return "not run: no NVIDIA device is on the PCI bus";
    if (!error || error->layer == Layer::rnn)
        return "not run";
    return "not run: fix " + shown(error->rule) + " first";
}

/// "45 cases: 43 ok, 2 not supported; LSTM in fp32, fp16", or why there are
/// none.
std::string networks_line(const Report& report) {
    if (report.facts.rnn_runs.empty())
        return why_not_run(report);
    if (const Finding* const cause = cause_below_all_cases(report))
        return pluralized(report.facts.rnn_runs.size(), "case", "cases") +
               ": none could be computed: fix " + shown(cause->rule) + " first";
    Cases cases;
    std::set<int> failed_on, not_run_on;
    for (const RnnRun& run : report.facts.rnn_runs) {
        cases.push_back(&run);
        if (run.end == RunEnd::incorrect || run.end == RunEnd::failed)
            failed_on.insert(run.gpu);
        if (run.end == RunEnd::skipped)
            not_run_on.insert(run.gpu);
    }
    std::string line =
        pluralized(cases.size(), "case", "cases") + ": " + counts_of(report.facts, cases);
    for (const auto& [what, gpus] :
         {std::pair("; failures on ", &failed_on), {"; some not run on ", &not_run_on}})
        if (!gpus->empty() && report.facts.cuda_devices.size() > 1)
            line += what + gpus_in_words({gpus->begin(), gpus->end()});
    const std::string types = networks_computed(report.facts);
    return line + if_any("; ", types);
}

/// What ran out of memory was requested, too.
State networks_state(const Report& report) {
    const auto count = [&](RunEnd end) {
        return std::ranges::count(report.facts.rnn_runs, end, &RnnRun::end);
    };
    State state = state_of(report, Layer::rnn, count(RunEnd::ok) > 0);
    if (state.mark == Mark::passed && count(RunEnd::out_of_memory) > 0)
        state.mark = Mark::warning;
    return state;
}

/// A framework does not work with a cuDNN that does not, whatever finding has it.
State frameworks_state(const Report& report) {
    const bool works = report.about == About::versions || some_framework_finds_cudnn(report.facts);
    State state = state_of(report, Layer::runtime, works, true);
    const bool has_finding = state.mark == Mark::failed || state.mark == Mark::warning;
    if (!has_finding && some_cudnn_is_unusable(report.facts))
        state.mark = Mark::failed;
    return state;
}

/// Why the mark is so is behind the only row, or has a row of its own.
void add_rows(
    std::vector<ChecklistLine>& checklist, std::string_view word, const State& state, Rows rows) {
    if (rows.empty())
        return;
    const bool is_long = rows.size() > 1 || !rows.front().place.empty();
    if (!state.because.empty() && is_long)
        rows.emplace_back(state.because);
    if (!state.because.empty() && !is_long)
        rows.front().text += " (" + state.because + ')';
    checklist.push_back({std::string(word), state.mark, std::move(rows)});
}

/// A log beside a machine or versions: how long it is, and its first error.
void add_log(std::vector<ChecklistLine>& checklist, const Log& log) {
    std::string error = "no error";
    if (log.first_error_line)
        error = concat("first error in line ", *log.first_error_line);
    const std::string row = concat(
        pluralized(log.lines, "line", "lines"),
        " of ",
        shown(join_with_and(log.files)),
        ", ",
        error);
    Mark mark = Mark::passed;
    if (log.first_error_line)
        mark = Mark::warning;
    add_rows(checklist, "Log", {mark, ""}, {row});
}

/// "float16, masked": of the network that versions were specified with.
std::string given_network(const Network& network) {
    std::string masked;
    if (network.masked == true)
        masked = "masked";
    if (network.masked == false)
        masked = "not masked";
    return listed({if_any("", network.dtype), masked});
}

bool some_runtime_works(const Facts& facts) {
    return std::ranges::any_of(
        facts.runtimes, [](const Runtime& runtime) { return !runtime.failure; });
}

bool some_rnn_api_works(const Facts& facts) {
    return std::ranges::any_of(
        facts.cudnns, [](const Cudnn& cudnn) { return cudnn.rnn_usable.value_or(false); });
}

/// By the name that programs of the system open.
std::string no_runtime_in_words(const Facts& facts) {
    if (on_windows(facts))
        return "no CUDA runtime (cudart64_*.dll)";
    return "no CUDA runtime (libcudart)";
}

/// To a person, "~" is the home directory, for which the facts have another word.
void write_own_home(std::string& text, const std::string& in_facts) {
    if (in_facts.empty())
        return;
    const auto is_in_word = [&](std::size_t at) {
        return at < text.size() && is_letter_or_digit(text[at]);
    };
    for (auto at = text.find(in_facts); at != std::string::npos; at = text.find(in_facts, at + 1))
        if (!is_in_word(at - 1) && !is_in_word(at + in_facts.size()))
            text.replace(at, in_facts.size(), "~");
}

}  // namespace

/// Only where every case has the same cause: then each of them would repeat it.
const Finding* cause_below_all_cases(const Report& report) {
    const std::vector<RnnRun>& runs = report.facts.rnn_runs;
    const auto accounts_for_all = [&](const Finding& finding) {
        const auto is_explained = [&](const RnnRun& run) {
            return includes(finding.explains, place_of(report.facts, run));
        };
        return finding.severity == Severity::error && finding.layer < Layer::gpu &&
               std::ranges::all_of(runs, is_explained);
    };
    if (runs.empty() || find_by(runs, &RnnRun::end, RunEnd::ok))
        return nullptr;
    return find_where(report.findings, accounts_for_all);
}

/// From the lowest layer up, as repairs have to be made. Versions that were
/// specified have lines for what was specified alone.
std::vector<ChecklistLine> checklist_of(const Report& report) {
    std::vector<ChecklistLine> checklist;
    const Facts& facts = report.facts;
    const bool given = report.about == About::versions;
    const auto state = [&](Layer layer, bool responds) {
        const auto passed = [&](const RuleVerdict& v) {
            return v.layer == layer && v.outcome == Outcome::pass;
        };
        bool works = responds;
        if (given)
            works = std::ranges::any_of(report.verdicts, passed);
        return state_of(report, layer, works);
    };
    const auto add_layer =
        [&](std::string_view word, Layer layer, bool responds, Rows rows, const Rows& otherwise) {
            // What was not given has no line.
            if (rows.empty() && !given)
                rows = otherwise;
            add_rows(checklist, word, state(layer, responds), std::move(rows));
        };
    const std::string system = system_line(facts.host);
    Rows system_rows, driver;
    if (!system.empty())
        system_rows = {system};
    if (!given || facts.driver.library_version)
        driver = driver_rows(facts);
    add_layer("System", Layer::host, !system.empty(), system_rows, {std::string("unknown")});
    add_layer("Driver", Layer::driver, facts.driver.init && facts.driver.init->ok(), driver, {});
    add_layer(
        "GPU", Layer::gpu, !facts.cuda_devices.empty(), gpu_lines(facts), no_gpu_lines(facts));
    add_layer(
        "CUDA",
        Layer::runtime,
        some_runtime_works(facts),
        cuda_lines(facts),
        files_of(facts, LibraryKind::cudart, no_runtime_in_words(facts)));
    add_layer(
        "cuDNN",
        Layer::cudnn,
        some_rnn_api_works(facts),
        cudnn_lines(facts, given),
        files_of(facts, LibraryKind::cudnn, "no cuDNN"));
    if (!given)
        add_rows(checklist, "Networks", networks_state(report), {networks_line(report)});
    if (facts.network)
        add_layer("Networks", Layer::rnn, false, {given_network(*facts.network)}, {});
    add_rows(checklist, "Frameworks", frameworks_state(report), framework_rows(facts, given));
    if (facts.log)
        add_log(checklist, *facts.log);
    for (const std::string& restriction : facts.tool.restrictions)
        add_rows(
            checklist,
            "Limits",
            {Mark::warning, ""},
            {ChecklistRow("rnncheck was restricted here: " + shown(restriction))});
    for (ChecklistLine& line : checklist)
        for (ChecklistRow& row : line.rows) {
            write_own_home(row.text, report.own_home);
            write_own_home(row.place, report.own_home);
        }
    return checklist;
}

/// Further rows of a line are below its first one, at the same column.
void write_checklist(Page& page, const std::vector<ChecklistLine>& checklist) {
    for (const ChecklistLine& line : checklist) {
        std::string begin = " " + page.mark(line.mark) + ' ' + padded(line.word, 11);
        for (const ChecklistRow& row : line.rows) {
            page.wrap(begin, row.whole());
            begin = std::string(columns_of(begin), ' ');
        }
    }
}

}  // namespace rnncheck
