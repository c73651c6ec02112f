#include "rules/support/versions.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "rules/rule.hpp"

namespace rnncheck::rules {

const Version* given_cuda(const Facts& facts) {
    return facts.runtimes.empty() || !facts.runtimes.front().version ? nullptr : &*facts.runtimes.front().version;
}

const Version* given_cudnn(const Facts& facts) {
    return facts.cudnns.empty() || !facts.cudnns.front().version ? nullptr : &*facts.cudnns.front().version;
}

const Gpu* given_gpu(const Facts& facts) {
    return facts.cuda_devices.empty() || !facts.cuda_devices.front().compute_capability ? nullptr
                                                                                        : &facts.cuda_devices.front();
}

std::vector<std::string> systems_of_driver(const Facts& facts) {
    if (on_wsl(facts)) return {"windows"};  // WSL has the driver of Windows
    if (facts.host.platform) return {*facts.host.platform};
    if (parts_written(*driver_version(facts)) == 2) return {"linux", "windows"};
    return {"linux"};
}

std::string words_of(const Gpu& gpu) {
    const std::string capability = "compute capability " + gpu.compute_capability->text;
    return gpu.name ? *gpu.name + " (" + capability + ")" : capability;
}

std::string words_of(const Framework& framework) {
    static constexpr std::pair<std::string_view, std::string_view> names[] = {{"tensorflow", "TensorFlow"},
                                                                              {"keras", "Keras"},
                                                                              {"pytorch", "PyTorch"},
                                                                              {"jax", "JAX"},
                                                                              {"onnxruntime", "ONNX Runtime"},
                                                                              {"paddlepaddle", "PaddlePaddle"},
                                                                              {"ctranslate2", "CTranslate2"},
                                                                              {"cupy", "CuPy"},
                                                                              {"mxnet", "MXNet"}};
    const auto* name = find_where(names, [&](const auto& one) { return one.first == framework.name; });
    return std::string(name ? name->second : framework.name) +
           (framework.version ? ' ' + framework.version->text : "") +
           (framework.build ? " (" + *framework.build + ")" : "");
}

static Coverage coverage_of(const std::vector<FrameworkBuild>& rows, const Version& version) {
    if (rows.empty()) return Coverage::silent;
    const auto end_of = [](const FrameworkBuild& row) { return row.last.value_or(row.first); };
    if (version < std::ranges::min(rows, {}, &FrameworkBuild::first).first) return Coverage::older_than_data;
    return within(version, end_of(std::ranges::max(rows, {}, end_of))) ? Coverage::silent : Coverage::newer_than_data;
}

/// The same package: a row for each CUDA of the system that its files are used with. Rows without a command are
/// packages of their own: old versions of PyTorch came from pages that are gone.
static bool same_package(const FrameworkBuild& a, const FrameworkBuild& b) {
    if (a.build == b.build) return a.first == b.first && a.os == b.os && a.package == b.package;
    return a.first == b.first && a.os == b.os && a.package == b.package && !a.install.empty() && a.install == b.install;
}

/// "cuda" is TensorFlow's build with the system's CUDA; without one of that name, any whose packages contain CUDA.
static void keep_flavour(std::vector<FrameworkBuild>& builds, const std::string& flavour) {
    std::vector<FrameworkBuild> exact = builds;
    std::erase_if(exact, [&](const FrameworkBuild& row) { return row.build != flavour; });
    if (exact.empty()) {
        std::erase_if(builds, [&](const FrameworkBuild& row) { return !stack::is_called(row, flavour); });
        return;
    }
    std::erase_if(builds, [&](const FrameworkBuild& row) {
        return std::ranges::none_of(exact, [&](const FrameworkBuild& one) { return same_package(one, row); });
    });
}

/// Of the rows of one package, that of the newest CUDA that is not newer than the specified one: with CUDA 12.8, CuPy
/// has more code than with 12.0.
static void keep_rows_of_cuda(std::vector<FrameworkBuild>& builds, const Version* cuda) {
    if (!cuda || parts_written(*cuda) < 2) return;
    const std::vector<FrameworkBuild> all = builds;
    std::erase_if(builds, [&](const FrameworkBuild& row) {
        return std::ranges::any_of(all, [&](const FrameworkBuild& other) {
            if (other.build == row.build || !row.cuda || !other.cuda || !same_package(other, row)) return false;
            const bool row_fits = *row.cuda <= *cuda, other_fits = *other.cuda <= *cuda;
            return other_fits && (!row_fits || *other.cuda > *row.cuda);
        });
    });
}

Builds builds_of(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    Builds builds;
    if (!framework.version) return builds;
    // Nothing but what contradicts what was given is left out.
    std::vector<FrameworkBuild> of_release;
    for (const FrameworkBuild& row : matrix.framework_builds()) {
        if (row.framework != framework.name) continue;
        const bool release = covers(row.first, row.last, *framework.version) || agree(row.first, *framework.version);
        if (release && (!facts.host.platform || row.os == *facts.host.platform)) of_release.push_back(row);
    }
    if (framework.build) keep_flavour(of_release, *framework.build);
    if (only_given(facts)) keep_rows_of_cuda(of_release, given_cuda(facts));
    for (FrameworkBuild& row : of_release)
        (row.cuda ? builds.with_cuda : builds.without_cuda).push_back(std::move(row));
    if (builds.with_cuda.empty() && builds.without_cuda.empty())
        builds.coverage = coverage_of(matrix.framework_builds(framework.name), *framework.version);
    return builds;
}

std::string libraries_of(const FrameworkBuild& build) {
    if (!build.cuda) return "no CUDA";
    return "CUDA " + build.cuda->text +
           (build.cudnn           ? ", cuDNN " + build.cudnn->text
            : build.without_cudnn ? ", no cuDNN"
                                  : "");
}

bool is_default(const FrameworkBuild& build) {
    return build.install == "pip install " + build.package + "=={version}";
}

namespace {

std::string system_words(const std::string& os) {
    return os == "linux" ? "Linux" : os == "windows" ? "Windows" : "macOS";
}

/// Whether both are good, both bad or both unknown.
bool alike(int answer, int other) {
    return (answer > 0) == (other > 0) && (answer < 0) == (other < 0);
}

/// The builds with an answer of this kind, "cu126 and cu130"; with their systems if there are several.
std::string names_of(const std::vector<FrameworkBuild>& builds, const std::vector<int>& answers, int kind,
                     const std::string& os) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < builds.size(); ++i) {
        const FrameworkBuild& build = builds[i];
        if (!alike(answers[i], kind) || (!os.empty() && build.os != os)) continue;
        const bool several = std::ranges::any_of(builds, [&](const auto& other) { return other.os != build.os; });
        // MXNet's builds are packages of their own, of which none is the default.
        const auto defaults =
            std::ranges::count_if(builds, [&](const auto& other) { return other.os == build.os && is_default(other); });
        add_once(names, os.empty() ? build.build + (several ? " on " + system_words(build.os) : "") +
                                         (defaults == 1 && is_default(build) ? " (the default)" : "")
                                   : build.build);
    }
    return join_with_and(names);
}

/// The build of one system that answers for the others there; none where they differ and none is the default.
std::optional<std::size_t> decides_on(const std::string& os, const std::vector<FrameworkBuild>& builds,
                                      const std::vector<int>& answers) {
    std::vector<std::size_t> all, defaults;
    for (std::size_t i = 0; i < builds.size(); ++i) {
        if (builds[i].os != os) continue;
        all.push_back(i);
        if (is_default(builds[i])) defaults.push_back(i);
    }
    const auto agree_on = [&](const std::vector<std::size_t>& some) {
        return !some.empty() && std::ranges::all_of(some, [&](auto i) { return answers[i] == answers[some[0]]; });
    };
    if (agree_on(all)) return defaults.empty() ? all.front() : defaults.front();
    return agree_on(defaults) && answers[defaults.front()] != 0 ? std::optional(defaults.front()) : std::nullopt;
}

std::string depends_on_build(const Framework& framework, const std::vector<FrameworkBuild>& builds,
                             const std::vector<int>& answers) {
    std::vector<std::string> parts;
    for (const auto& [kind, words] :
         {std::pair(1, "no problem with "), std::pair(-1, "a problem with "), std::pair(0, "not in the data for ")})
        if (const std::string names = names_of(builds, answers, kind, ""); !names.empty())
            parts.push_back(words + names);
    const bool one_system =
        std::ranges::all_of(builds, [&](const FrameworkBuild& build) { return build.os == builds.front().os; });
    return "it depends on the build of " + words_of(framework) + ", and the build " + (one_system ? "" : "or os= ") +
           "was not specified: " + join(parts, "; ") +
           (one_system ? " (example: pytorch=2.4+cu124)" : " (example: pytorch=2.4+cu124 os=linux)");
}

}  // namespace

DecidingBuild deciding_build(const Framework& framework, const std::vector<FrameworkBuild>& builds,
                             const std::vector<int>& answers) {
    std::set<std::string> systems;
    for (const FrameworkBuild& build : builds) systems.insert(build.os);
    const std::string first = systems.contains("linux") ? "linux" : *systems.begin();
    const auto decides = decides_on(first, builds, answers);
    const int answer = decides ? answers[*decides] : 0;
    const bool agreed = decides && std::ranges::all_of(systems, [&](const std::string& os) {
                            const auto there = decides_on(os, builds, answers);
                            const bool as_good = there && alike(answers[*there], answer);
                            return as_good || (answer <= 0 && (!there || answers[*there] <= 0));
                        });
    if (!agreed) return {nullptr, depends_on_build(framework, builds, answers)};
    const FrameworkBuild& build = builds[*decides];
    const std::string on_system = systems.size() > 1 ? "on " + system_words(first) : "";
    const std::string others = answer == 0 ? "" : names_of(builds, answers, -answer, first);
    if (std::ranges::adjacent_find(answers, std::not_equal_to()) == answers.end()) return {&build, ""};
    if (others.empty()) return {&build, on_system};
    return {&build, "its default build" + (on_system.empty() ? "" : ' ' + on_system) + ", " + build.build +
                        ", unlike " + others};
}

std::vector<GivenValue> changes_to(const FrameworkBuild& build, const Version& version, const Facts& given) {
    std::vector<GivenValue> changes = {
        {build.framework, version.text + (build.build.empty() ? "" : "+" + build.build)}};
    if (!takes_system_libraries(build)) return changes;
    const Version *cuda = given_cuda(given), *cudnn = given_cudnn(given);
    // What is installed stays if it has the files that the build opens.
    if (cuda && (*cuda < *build.cuda || !stack::cuda_serves(*cuda, *build.cuda)))
        changes.push_back({"cuda", build.cuda->text});
    if (cudnn && build.cudnn && stack::cudnn_serves(*cudnn, *build.cudnn) != stack::Serves::well)
        changes.push_back({"cudnn", build.cudnn->text + "+cu" + std::to_string(build.cuda->major())});
    return changes;
}

void judge_builds(const std::vector<FrameworkBuild>& builds, const Framework& framework, VerdictBuilder& answers,
                  const Judge& judge) {
    if (builds.empty()) return;
    auto verdicts = mapped(builds, judge);
    const auto numbers = mapped(verdicts, [](const Verdict& verdict) {
        return verdict.outcome == Outcome::fault ? -1 : verdict.outcome == Outcome::pass ? 1 : 0;
    });
    const DecidingBuild deciding = deciding_build(framework, builds, numbers);
    if (!deciding.build) return answers.depends(deciding.words);
    const auto at = static_cast<std::size_t>(deciding.build - builds.data());
    const std::string which = deciding.words.empty() ? "" : " (" + deciding.words + ")";
    const bool is_choice = verdicts[at].outcome == Outcome::undecided && verdicts[at].missing == MissingInput::choice;
    if (is_choice) return answers.depends(verdicts[at].reason + which);
    if (numbers[at] == 0) return answers.unknown("the data do not cover every build of " + words_of(framework));
    if (numbers[at] > 0)
        return answers.passed(verdicts[at].reason + which, {evidence_of(builds[at], libraries_of(builds[at]))});
    Finding finding = std::move(verdicts[at].findings.front());
    finding.message += which;
    answers.fault(std::move(finding));
}

std::optional<Facts> asked_versions(const Facts& facts) {
    Facts about;
    about.tool.stages = {"given"};
    about.host.platform = facts.host.platform;
    const auto* python = active_environment(facts);
    about.pythons = {python ? *python : PythonEnvironment()};
    std::ranges::copy_if(facts.frameworks, std::back_inserter(about.frameworks), &Framework::asked);
    return about.frameworks.empty() ? std::nullopt : std::optional(about);
}

Verdict judge_asked(const Facts& asked, const Matrix& matrix, Verdict (*function)(const Facts&, const Matrix&)) {
    const Verdict verdict = function(asked, matrix);
    const bool needs_more = verdict.outcome == Outcome::undecided && verdict.missing != MissingInput::data;
    return needs_more ? not_applicable(verdict.reason) : verdict;
}

bool takes_system_libraries(const FrameworkBuild& build) {
    return build.cuda && build.libraries == "system";
}

bool brings_libraries(const FrameworkBuild& build) {
    return build.cuda && build.libraries != "system";
}

Verdict judge_frameworks(const Facts& facts, const Matrix& matrix, bool (*speaks_of)(const FrameworkBuild&),
                         const std::function<Verdict(const FrameworkBuild&, const Framework&)>& judge) {
    if (facts.frameworks.empty()) return undecided("no framework was specified");
    VerdictBuilder answers;
    for (const Framework& framework : facts.frameworks) {
        const Builds builds = builds_of(facts, matrix, framework);
        std::vector<FrameworkBuild> spoken_of = builds.with_cuda;
        append(spoken_of, builds.without_cuda);
        std::erase_if(spoken_of, [&](const FrameworkBuild& build) { return !speaks_of(build); });
        judge_builds(spoken_of, framework, answers,
                     [&](const FrameworkBuild& build) { return judge(build, framework); });
    }
    answers.irrelevant("it does not apply to the specified frameworks' builds");
    return answers.close();
}

namespace {

std::vector<Version> cudas_meant(const Facts& facts, const Matrix& matrix) {
    std::vector<Version> meant;
    const Version* cuda = given_cuda(facts);
    for (const DriverForCuda& row : matrix.driver_for_cuda())
        if (cuda && parts_written(*cuda) == 1 && agree(row.cuda, *cuda)) meant.push_back(row.cuda);
    return meant;
}

/// The ends of each row of builds and of each defect: what lies between them is alike.
std::vector<Version> cudnns_meant(const Facts& facts, const Matrix& matrix) {
    std::set<Version> meant;
    const Version* cudnn = given_cudnn(facts);
    if (!cudnn || parts_written(*cudnn) > 2) return {};
    for (const CudnnBuild& build : matrix.cudnn_builds())
        for (const Version& release : {build.cudnn, build.cudnn_last.value_or(build.cudnn)})
            if (agree(release, *cudnn)) meant.insert(release);
    for (const RnnDefect& defect : matrix.rnn_defects())
        for (const Version& release : {defect.first, defect.fixed.value_or(defect.first)})
            if (agree(release, *cudnn) && matrix.cudnn_build(release, 0).coverage == Coverage::silent)
                meant.insert(release);
    // Whose CUDA is told is one that was made for it.
    if (const auto& cuda = facts.cudnns.front().built_for_cuda)
        std::erase_if(meant, [&](const Version& release) { return !matrix.cudnn_build(release, cuda->major()); });
    return {meant.begin(), meant.end()};
}

template <class Set>
std::vector<Facts> for_each_of(const std::vector<Facts>& all, const std::vector<Version>& meant, Set&& set) {
    if (meant.empty()) return all;
    std::vector<Facts> more;
    for (const Facts& facts : all)
        for (const Version& release : meant) set(more.emplace_back(facts), release);
    return more;
}

}  // namespace

std::vector<Facts> as_full_versions(const Facts& facts, const Matrix& matrix) {
    const auto with_cuda = for_each_of({facts}, cudas_meant(facts, matrix), [](Facts& one, const Version& release) {
        one.runtimes.front().version = release;
    });
    return for_each_of(with_cuda, cudnns_meant(facts, matrix),
                       [](Facts& one, const Version& release) { one.cudnns.front().version = release; });
}

/// The version that was asked about stands for all that were meant.
static Verdict in_their_words(Verdict verdict, const Facts& told, const Facts& asked) {
    const auto reword = [&](std::string& text, const Version* meant, const Version* exact) {
        if (meant && exact) replace_all(text, exact->text, version_in_words(*meant));
    };
    const auto reword_all = [&](std::string& text) {
        reword(text, given_cudnn(told), given_cudnn(asked));
        reword(text, given_cuda(told), given_cuda(asked));
    };
    reword_all(verdict.reason);
    for (Finding& finding : verdict.findings) reword_all(finding.message);
    return verdict;
}

/// ": a problem with cuDNN 9.11.0 to 9.28.0; no problem with cuDNN 9.0.0 to 9.10.2"; "" where neither version alone
/// decides.
static std::string versions_by_outcome(const std::vector<Facts>& possible, const std::vector<Outcome>& outcomes) {
    constexpr std::pair<const char*, const Version* (*)(const Facts&)> asked[] = {{"cuDNN ", given_cudnn},
                                                                                  {"CUDA ", given_cuda}};
    for (const auto& [name, version_in] : asked) {
        std::map<Version, Outcome> by_version;
        bool decides = version_in(possible.front()) != nullptr;
        for (std::size_t i = 0; decides && i < possible.size(); ++i)
            decides = by_version.emplace(*version_in(possible[i]), outcomes[i]).first->second == outcomes[i];
        if (!decides) continue;
        std::map<Outcome, std::vector<std::string>> ranges;
        for (auto first = by_version.begin(), next = first; first != by_version.end(); first = next) {
            next = std::find_if(first, by_version.end(), [&](const auto& one) { return one.second != first->second; });
            const std::string last = std::prev(next)->first.text;
            ranges[first->second].push_back(name +
                                            (first->first.text == last ? last : first->first.text + " to " + last));
        }
        std::vector<std::string> words;
        for (const auto& [outcome, what] :
             {std::pair(Outcome::fault, "a problem with "), std::pair(Outcome::pass, "no problem with "),
              std::pair(Outcome::undecided, "undetermined with ")})
            if (ranges.contains(outcome)) words.push_back(what + join_with_and(ranges[outcome]));
        return ": " + join(words, "; ");
    }
    return "";
}

Verdict judge_possible(const Rule& rule, const Facts& told, const std::vector<Facts>& possible, const Matrix& matrix) {
    Verdict in_part = rule.check(told, matrix);
    if (possible.size() == 1) return in_part;
    auto verdicts = mapped(possible, [&](const Facts& one) { return rule.check(one, matrix); });
    const auto outcomes = mapped(verdicts, &Verdict::outcome);
    if (std::ranges::adjacent_find(outcomes, std::not_equal_to()) != outcomes.end()) {
        const std::string depends = "it depends on the exact version, and CUDA or cuDNN was specified only in part" +
                                    versions_by_outcome(possible, outcomes);
        return rule.max_severity == Severity::note ? undecided(depends) : depends_on_choice(depends);
    }
    if (in_part.outcome == outcomes.back()) return in_part;
    return in_their_words(std::move(verdicts.back()), told, possible.back());
}

stack::DriverAsked driver_asked(const Facts& facts) {
    return {driver_version(facts), facts.driver.cuda_version,
            on_wsl(facts) ? "windows" : facts.host.platform.value_or("linux")};
}

}  // namespace rnncheck::rules
