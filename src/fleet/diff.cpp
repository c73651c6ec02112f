// Two machines, or one at two times: which of the values that differ can explain why their findings
// differ.
#include <algorithm>
#include <map>

#include "base/lists.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "facts/facts.hpp"
#include "facts/queries.hpp"
#include "fleet/fleet.hpp"
#include "fleet/values.hpp"
#include "report/outline.hpp"
#include "report/redact.hpp"

namespace rnncheck {

namespace {

/// What follows from other facts: it explains nothing.
constexpr std::string_view results =
    " driver.cuda_version driver.nvml_version driver.nvml_cuda_version driver.init "
    "driver.nvml_init "
    "cudnns[].rnn_usable cudnns[].failure runtimes[].driver_version_seen runtimes[].failure "
    "nvrtcs[].compiles "
    "nvrtcs[].failure kernel_runs[] kernel_runs[].correct kernel_runs[].result rnn_runs[].cases "
    "rnn_runs[].results "
    "rnn_runs[].numbers libraries[].missing_needs ";

using Places = std::map<std::string, std::string>;  ///< with their values

/// `places` between blanks; a place of a list's element by itself or as its
/// list.
bool is_one_of(std::string_view places, const std::string& place) {
    return contains(places, " " + place + " ") ||
           contains(places, " " + without_names(place) + " ");
}

/// With one cuDNN each, it is the same thing in another version: "cudnns[].version".
Places places_of(const Facts& facts, bool has_one_cudnn) {
    rapidjson::Document json;
    const std::string text = facts_to_text(facts);
    json.Parse(text.data(), text.size());
    Places places;
    for (const auto& [place, value] : values_of(json, false)) {
        std::string here = place;
        if (has_one_cudnn && place.starts_with("cudnns["))
            here = "cudnns[" + place.substr(place.find(']'));
        places[here] = value;
    }
    return places;
}

/// Nothing where it is unknown.
std::optional<std::string> value_at(
    const std::string& place, const Places& values, const Facts& facts) {
    if (const auto* found = look_up(values, place))
        return *found;
    if (!probe_completed(facts, probe_that_shows_absence(place)))
        return std::nullopt;
    return std::string(absent);
}

/// Equal bits can be expected of the same GPU model and cuDNN.
bool are_alike(const Facts& a, const Facts& b, int gpu) {
    const Gpu *in_a = gpu_at(a, gpu), *in_b = gpu_at(b, gpu);
    return in_a && in_b && in_a->name == in_b->name &&
           std::ranges::equal(a.cudnns, b.cudnns, {}, &Cudnn::version, &Cudnn::version);
}

using Runs = std::map<std::string, const RnnRun*>;  ///< of one GPU, by interface and case

/// By GPU, without the cases that were skipped.
std::map<int, Runs> runs_of(const Facts& facts) {
    std::map<int, Runs> runs;
    for (const RnnRun& run : facts.rnn_runs) {
        std::string key = concat(run.rnn_api, ' ', describe(run.rnn_case));
        while (run.end != RunEnd::skipped && !runs[run.gpu].emplace(key, &run).second)
            key += '#';  // of another cuDNN
    }
    return runs;
}

/// Of the cases in `runs` that the other machine computed as well.
struct Results {
    std::string ends, numbers;
    double ms = 0;

    Results(const Facts& facts, const Runs& runs, const Runs& others) {
        Cases cases;
        std::string digests;
        double largest_error = 0;
        for (const auto& [key, run] : runs) {
            if (!others.contains(key))
                continue;
            cases.push_back(run);
            digests += run->digest.value_or("") + ' ';
            if (run->limit.value_or(0) > 0)
                largest_error =
                    std::max(largest_error, run->largest_error.value_or(0) / *run->limit);
            ms += run->repeat_ms.value_or(0);
        }
        ends = counts_of(facts, cases);
        numbers = "bits " + sha256_hex(digests).substr(0, 8) + ", largest error " +
                  short_number(largest_error) + " of its limit";
    }
};

/// The results of both as values that can differ. Numbers and times only of
/// GPUs on which the common cases ended alike; a time differs only beyond its
/// noise.
void add_results(Places& in_a, Places& in_b, const Facts& a, const Facts& b) {
    constexpr double noise_factor = 3, noise_ms = 50;
    // Every GPU of either machine.
    std::map<int, Runs> of_a = runs_of(a), of_b = runs_of(b);
    for (const auto& [gpu, runs] : of_a)
        of_b[gpu];
    for (const auto& [gpu, runs] : of_b) {
        const std::string place = "rnn_runs[" + std::to_string(gpu) + "].";
        const Results one(a, of_a[gpu], runs), other(b, runs, of_a[gpu]);
        if (one.ends.empty()) {
            if (!of_a[gpu].empty())
                in_a[place + "cases"] = Results(a, of_a[gpu], of_a[gpu]).ends;
            if (!runs.empty())
                in_b[place + "cases"] = Results(b, runs, runs).ends;
            continue;
        }
        in_a[place + "results"] = one.ends;
        in_b[place + "results"] = other.ends;
        if (one.ends != other.ends)
            continue;
        in_a[place + "numbers"] = one.numbers;
        in_b[place + "numbers"] = other.numbers;
        // Times differ by chance, and by much where they are short.
        const auto [least, most] = std::minmax(one.ms, other.ms);
        if (most <= noise_factor * least || most - least <= noise_ms)
            continue;
        in_a[place + "time"] = short_number(one.ms) + " ms";
        in_b[place + "time"] = short_number(other.ms) + " ms";
    }
}

/// Those that have the same values in the same member of a section are one, "GPU 0, 1"; from the
/// lowest layer up.
std::vector<Difference> joined(const std::vector<Difference>& differences) {
    std::vector<Difference> list;
    for (const auto& [key, alike] : grouped(differences, [](const Difference& one) {
             const std::string& place = one.facts.front();
             return std::tuple(
                 section_of(place).begin,
                 name_and_member(place).second,
                 one.first,
                 one.second,
                 one.significant);
         })) {
        Difference& whole = list.emplace_back(*alike.front());
        for (std::size_t i = 1; i < alike.size(); ++i)
            whole.facts.push_back(alike[i]->facts.front());
        whole.layer = section_of(whole.facts.front()).layer;
        whole.what = label_of(whole.facts);
    }
    std::ranges::stable_sort(
        list, {}, [](const Difference& one) { return std::pair(one.layer, !one.significant); });
    return list;
}

/// Whether both are known and, but for numbers such as names of devices, the same.
bool is_the_same(const Difference& difference) {
    if (!difference.first || !difference.second)
        return difference.first == difference.second;
    return without_numbers(*difference.first) == without_numbers(*difference.second);
}

/// Every place that either of the two has. What is known of one side only is no
/// difference.
void compare(Diff& diff, const Facts& a, const Facts& b) {
    const bool have_one_cudnn = a.cudnns.size() == 1 && b.cudnns.size() == 1;
    Places in_a = places_of(a, have_one_cudnn), in_b = places_of(b, have_one_cudnn);
    add_results(in_a, in_b, a, b);
    Places places = in_a;
    places.insert(in_b.begin(), in_b.end());
    // The places are sorted: the members of an element follow it.
    std::string skipped = "\n";  // what is in an element that only one of them has
    for (const auto& [place, any] : places) {
        if (place.starts_with(skipped))
            continue;
        if (place.ends_with(']') && in_a.contains(place) != in_b.contains(place))
            skipped = place + '.';
        Difference difference{
            .facts = {place},
            .first = value_at(place, in_a, a),
            .second = value_at(place, in_b, b),
        };
        if (is_the_same(difference))
            continue;
        const auto [name, member] = name_and_member(place);
        if (place.starts_with("rnn_runs["))
            difference.significant =
                member != "time" && (member != "numbers" || are_alike(a, b, std::stoi(name)));
        if (place == "host.boot_id_hash")
            difference.significant = false;  // every boot has another
        if (difference.first && difference.second)
            diff.differences.push_back(std::move(difference));
        else
            diff.unknown.push_back(std::move(difference));
    }
    diff.differences = joined(diff.differences);
    diff.unknown = joined(diff.unknown);
}

/// Errors and warnings of the one alone. Where a file is, is not compared: the same
/// cuDNN may be elsewhere on the other machine.
std::vector<Finding> without_those_of(const Report& other, const Report& one) {
    std::vector<Finding> left;
    for (const Finding& finding : one.findings) {
        const auto is_same = [&](const Finding& known) {
            const auto what = [](const Finding& of) {
                return std::tie(of.rule, of.part.kind, of.part.id, of.gpu);
            };
            return what(known) == what(finding);
        };
        if (finding.severity != Severity::note && std::ranges::none_of(other.findings, is_same))
            left.push_back(finding);
    }
    return left;
}

/// A variable of the environment, which may change anything.
bool is_variable(const Difference& difference) {
    return difference.facts.front().starts_with("host.environment[");
}

/// How well a difference may explain a finding: 0 for not at all. A fact that
/// the finding names as its evidence explains it best; else a cause is in the
/// same layer or in a lower one, and the nearer the likelier.
int explains(const Difference& difference, const Finding& finding) {
    const std::string& place = difference.facts.front();
    const int distance = static_cast<int>(finding.layer) - static_cast<int>(difference.layer);
    if (!difference.significant || is_one_of(results, place))
        return 0;
    const auto is_its_source = [&](const Evidence& evidence) {
        return without_names(evidence.source) == without_names(place);
    };
    if (std::ranges::any_of(finding.evidence, is_its_source))
        return 100;
    if (is_variable(difference))
        return 1;  // it may explain anything
    if (difference.layer == DiffLayer::frameworks)
        return 10;
    const bool is_absent = difference.first == absent || difference.second == absent;
    if (distance < 0)
        return 0;
    if (place.ends_with("version"))
        return 22 - 2 * distance;
    if (is_absent)
        return 21 - 2 * distance;
    return 20 - 2 * distance;
}

/// Versions and what is there show more than settings, and any cause more than what follows from
/// it.
int relevance(const Difference& difference) {
    const std::string& place = difference.facts.front();
    if (!difference.significant || is_one_of(results, place))
        return difference.significant;
    if (is_variable(difference))
        return 2;
    if (place.ends_with("version") || place.ends_with(']'))
        return 4;
    return 3;
}

/// "driver version is 535.104.05 in A, 550.54.14 in B".
std::string in_words(const Difference& difference) {
    const auto value = [](const std::optional<std::string>& text) {
        if (text->empty())
            return std::string("empty");
        return *text;
    };
    const bool is_yes_or_no = difference.first == "true" || difference.first == "false";
    const bool are_several = difference.facts.size() > 1 && difference.facts.front().ends_with(']');
    std::string_view verb = " is ";
    if (are_several)
        verb = " are ";
    if (is_yes_or_no)
        verb = ": ";
    return concat(
        difference.what,
        verb,
        value(difference.first),
        " in A, ",
        value(difference.second),
        " in B");
}

/// " on GPU 2", " (torch)", where the title does not show which.
std::string whose(const Finding& finding) {
    if (finding.gpu)
        return concat(" on GPU ", *finding.gpu);
    if (finding.part.kind != stack::PartKind::framework)
        return "";
    return " (" + finding.subject + ")";
}

/// Whether the loader finds a cuDNN of `one` by an LD_LIBRARY_PATH that the other has not.
bool is_found_by_path(const Facts& one, const Facts& other) {
    const auto is_in_path = [](const Facts& facts, const std::string& directory) {
        const std::string* const path = environment(facts, "LD_LIBRARY_PATH");
        return path && contains(':' + *path + ':', ':' + directory + ':');
    };
    return std::ranges::any_of(one.cudnns, [&](const Cudnn& installed) {
        const std::string directory = directory_of(installed.library);
        const auto is_there = [&](const Cudnn& known) {
            return directory_of(known.library) == directory;
        };
        return is_in_path(one, directory) && !is_in_path(other, directory) &&
               std::ranges::none_of(other.cudnns, is_there);
    });
}

/// A difference between two cuDNNs behind that of the variable that selects them.
std::string with_cause(const Difference& difference, const Diff& diff, bool cudnn_by_path) {
    const auto* const path = find_by(
        diff.differences,
        &Difference::facts,
        std::vector<std::string>{"host.environment[LD_LIBRARY_PATH]"});
    const bool is_caused = cudnn_by_path && difference.layer == DiffLayer::cudnn && path;
    if (is_caused)
        return in_words(*path) + ", so " + in_words(difference);
    return in_words(difference);
}

/// Which of the two has the problem, and the difference that explains it best;
/// without other findings the difference that is most likely to matter.
std::string sentence_of(const Diff& diff, bool cudnn_by_path) {
    const auto has_problem = [](const auto& findings) {
        return !findings.empty() && findings.front().severity == Severity::error;
    };
    const bool is_of_b = has_problem(diff.only_in_second) ||
                         (!diff.only_in_second.empty() && !has_problem(diff.only_in_first));
    const auto &findings = is_of_b ? diff.only_in_second : diff.only_in_first,
               &others = is_of_b ? diff.only_in_first : diff.only_in_second;
    const auto& list = diff.differences;
    if (!findings.empty()) {
        const Finding& first = findings.front();
        const bool has_other = !others.empty() && others.front().severity == first.severity;
        // Of several that explain it equally well, the one in the lowest layer.
        const auto how_well = [&](const Difference& difference) {
            return explains(difference, first);
        };
        const auto best = std::ranges::max_element(list, {}, how_well);
        std::string_view one = "A", other = "B";
        if (is_of_b)
            std::swap(one, other);
        std::string_view kind = "warning: ";
        if (first.severity == Severity::error)
            kind = "problem: ";
        const std::string what = concat(one, " has the ", kind, first.title, whose(first));
        std::string sentence = "only " + what;
        if (has_other)
            sentence = concat(what, "; ", other, " has another: ", others.front().title);
        if (best != list.end() && how_well(*best) > 0)
            return sentence + "; " + with_cause(*best, diff, cudnn_by_path);
        return sentence + "; no difference in versions or settings explains it";
    }
    const auto first = std::ranges::max_element(list, {}, relevance);
    if (first != list.end() && first->significant) {
        std::string_view more;
        if (list.size() > 1)
            more = " (more below)";
        return concat(
            "the findings are the same, but ", with_cause(*first, diff, cudnn_by_path), more);
    }
    if (diff.unknown.empty())
        return "nothing that matters differs";
    return "nothing known differs, but " + pluralized(diff.unknown.size(), "fact is", "facts are") +
           " unknown on one side";
}

/// A difference that is to be expected does not count.
DiffOutcome outcome_of(const Diff& diff) {
    const bool differs = diff.only_in_first.size() + diff.only_in_second.size() > 0 ||
                         std::ranges::count(diff.differences, true, &Difference::significant) > 0;
    if (differs)
        return DiffOutcome::different;
    if (!diff.unknown.empty())
        return DiffOutcome::undetermined;
    return DiffOutcome::same;
}

}  // namespace

/// The stamp is that of B, the later of the two if they are one machine.
Diff diff(
    const Report& a, const std::string& name_of_a, const Report& b, const std::string& name_of_b) {
    Diff diff;
    diff.tool = b.tool;
    diff.first = {name_of_a, a.verdict, a.sentence};
    diff.second = {name_of_b, b.verdict, b.sentence};
    diff.only_in_first = without_those_of(b, a);
    diff.only_in_second = without_those_of(a, b);
    compare(diff, a.facts, b.facts);
    diff.outcome = outcome_of(diff);
    diff.sentence =
        sentence_of(diff, is_found_by_path(a.facts, b.facts) || is_found_by_path(b.facts, a.facts));
    return diff;
}

}  // namespace rnncheck
