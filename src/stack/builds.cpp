// A framework's name and version rarely name one build: which rows they may mean, and when one of
// them answers for the rest.
#include "stack/builds.hpp"

#include <algorithm>
#include <set>

#include "base/if_any.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"

namespace rnncheck::stack {

/// Two tables, because hardly any package is for both.
const std::vector<FrameworkBuild>& published_builds(bool arm, const Matrix& matrix) {
    if (arm)
        return matrix.framework_builds_arm();
    return matrix.framework_builds();
}

/// A row without an end is of a single version.
static const Version& last_of(const FrameworkBuild& row) {
    if (row.last)
        return *row.last;
    return row.first;
}

/// Of a version that no row has: on which side of the rows it is.
static Coverage coverage_of(const Framework& framework, bool arm, const Matrix& matrix) {
    const Version *first = nullptr, *last = nullptr;
    for (const FrameworkBuild& row : published_builds(arm, matrix)) {
        if (row.framework != framework.name)
            continue;
        const Version& end = last_of(row);
        if (!first || row.first < *first)
            first = &row.first;
        if (!last || *last < end)
            last = &end;
    }
    if (!first)
        return Coverage::silent;
    if (*framework.version < *first)
        return Coverage::older_than_data;
    if (within(*framework.version, *last))
        return Coverage::silent;
    return Coverage::newer_than_data;
}

/// The same package: a row for each CUDA of the system that its files are used with. Rows without a
/// command are packages of their own: old versions of PyTorch came from pages that are gone.
static bool same_package(const FrameworkBuild& a, const FrameworkBuild& b) {
    if (a.build == b.build)
        return a.first == b.first && a.os == b.os && a.package == b.package;
    return a.first == b.first && a.os == b.os && a.package == b.package && !a.install.empty() &&
           a.install == b.install;
}

/// Who names no build of conda-forge, "conda-cuda129", means one of the project's own, if there is
/// any.
static void leave_out_conda(
    std::vector<FrameworkBuild>& builds, const std::optional<std::string>& flavour) {
    const bool is_named = flavour && flavour->starts_with("conda");
    if (!is_named && !std::ranges::all_of(builds, is_of_conda))
        std::erase_if(builds, is_of_conda);
}

/// Those of a flavour; of "cu129", which the build string of a conda package names, too, else
/// conda-forge's.
static std::vector<FrameworkBuild> of_flavour(
    const std::vector<FrameworkBuild>& builds, const std::string& flavour) {
    const bool is_there = find_by(builds, &FrameworkBuild::build, flavour) != nullptr;
    std::string name = flavour;
    if (!is_there && flavour.starts_with("cu"))
        name = "conda-cuda" + flavour.substr(2);
    std::vector<FrameworkBuild> exact = builds;
    std::erase_if(exact, [&](const FrameworkBuild& row) { return row.build != name; });
    return exact;
}

/// "cuda" is TensorFlow's build with the system's CUDA; without one of that name, any whose
/// packages contain CUDA.
static void keep_flavour(std::vector<FrameworkBuild>& builds, const std::string& flavour) {
    const std::vector<FrameworkBuild> exact = of_flavour(builds, flavour);
    if (exact.empty()) {
        std::erase_if(builds, [&](const FrameworkBuild& row) { return !is_called(row, flavour); });
        return;
    }
    std::erase_if(builds, [&](const FrameworkBuild& row) {
        return std::ranges::none_of(
            exact, [&](const FrameworkBuild& one) { return same_package(one, row); });
    });
}

/// Of the rows of one package, that of the newest CUDA that is not newer than the specified one:
/// with CUDA 12.8, CuPy has more code than with 12.0.
static void keep_rows_of_cuda(std::vector<FrameworkBuild>& builds, const Version* cuda) {
    if (!cuda || parts_written(*cuda) < 2)
        return;
    const std::vector<FrameworkBuild> all = builds;
    std::erase_if(builds, [&](const FrameworkBuild& row) {
        return std::ranges::any_of(all, [&](const FrameworkBuild& other) {
            if (other.build == row.build || !row.cuda || !other.cuda || !same_package(other, row))
                return false;
            const bool row_fits = *row.cuda <= *cuda, other_fits = *other.cuda <= *cuda;
            return other_fits && (!row_fits || *other.cuda > *row.cuda);
        });
    });
}

static Builds builds_of(
    const Framework& framework,
    const std::optional<std::string>& os,
    bool arm,
    const Version* cuda,
    const Matrix& matrix) {
    Builds builds;
    if (!framework.version)
        return builds;
    // Nothing but what contradicts what is known is left out.
    std::vector<FrameworkBuild> of_version;
    for (const FrameworkBuild& row : published_builds(arm, matrix)) {
        if (row.framework != framework.name)
            continue;
        const bool is_meant =
            covers(row.first, row.last, *framework.version) || agree(row.first, *framework.version);
        if (is_meant && (!os || row.os == *os))
            of_version.push_back(row);
    }
    if (framework.build)
        keep_flavour(of_version, *framework.build);
    leave_out_conda(of_version, framework.build);
    keep_rows_of_cuda(of_version, cuda);
    for (FrameworkBuild& row : of_version) {
        if (row.cuda)
            builds.with_cuda.push_back(std::move(row));
        else
            builds.without_cuda.push_back(std::move(row));
    }
    if (builds.with_cuda.empty() && builds.without_cuda.empty())
        builds.coverage = coverage_of(framework, arm, matrix);
    return builds;
}

Builds builds_of(
    const Framework& framework,
    const std::optional<std::string>& os,
    bool arm,
    const Matrix& matrix) {
    return builds_of(framework, os, arm, nullptr, matrix);
}

Builds builds_of(const Stack& stack, const Framework& framework, const Matrix& matrix) {
    return builds_of(framework, stack.os, on_arm(stack, matrix), version_in(stack.cuda), matrix);
}

Part framework_part(const Framework& framework) {
    return {PartKind::framework, framework.name, words_of(framework)};
}

std::string libraries_of(const FrameworkBuild& build) {
    if (!build.cuda)
        return "no CUDA";
    std::string words = "CUDA " + build.cuda->text;
    if (build.cudnn)
        return words + ", cuDNN " + build.cudnn->text;
    if (build.without_cudnn)
        return words + ", no cuDNN";
    return words;
}

bool is_default(const FrameworkBuild& build) {
    return build.install == "pip install " + build.package + "=={version}";
}

namespace {

/// As their makers write them.
std::string system_words(const std::string& os) {
    if (os == "linux")
        return "Linux";
    if (os == "windows")
        return "Windows";
    return "macOS";
}

/// Whether both are good, both bad or both unknown.
bool alike(int answer, int other) {
    return (answer > 0) == (other > 0) && (answer < 0) == (other < 0);
}

/// The builds with an answer of this kind, "cu126 and cu130"; with their systems if there are
/// several.
std::string names_of(
    const std::vector<FrameworkBuild>& builds,
    const std::vector<int>& answers,
    int kind,
    const std::string& os) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < builds.size(); ++i) {
        const FrameworkBuild& build = builds[i];
        if (!alike(answers[i], kind) || (!os.empty() && build.os != os))
            continue;
        const bool several =
            std::ranges::any_of(builds, [&](const auto& other) { return other.os != build.os; });
        // MXNet's builds are packages of their own, of which none is the default.
        const auto defaults = std::ranges::count_if(
            builds, [&](const auto& other) { return other.os == build.os && is_default(other); });
        std::string name = build.build;
        if (os.empty() && several)
            name += " on " + system_words(build.os);
        if (os.empty() && defaults == 1 && is_default(build))
            name += " (the default)";
        add_once(names, name);
    }
    return join_with_and(names);
}

/// The build of one system that answers for the others there; none where they differ and none is
/// the default.
std::optional<std::size_t> decides_on(
    const std::string& os,
    const std::vector<FrameworkBuild>& builds,
    const std::vector<int>& answers) {
    std::vector<std::size_t> all, defaults;
    for (std::size_t i = 0; i < builds.size(); ++i) {
        if (builds[i].os != os)
            continue;
        all.push_back(i);
        if (is_default(builds[i]))
            defaults.push_back(i);
    }
    const auto agree_on = [&](const std::vector<std::size_t>& some) {
        return !some.empty() &&
               std::ranges::all_of(some, [&](auto i) { return answers[i] == answers[some[0]]; });
    };
    if (agree_on(all) && defaults.empty())
        return all.front();
    if (agree_on(all))
        return defaults.front();
    if (agree_on(defaults) && answers[defaults.front()] != 0)
        return defaults.front();
    return std::nullopt;
}

/// What is known of each build, and how to name one.
std::string depends_on_build(
    const Framework& framework,
    const std::vector<FrameworkBuild>& builds,
    const std::vector<int>& answers) {
    std::vector<std::string> parts;
    for (const auto& [kind, words] :
         {std::pair(1, "no problem with "),
          std::pair(-1, "a problem with "),
          std::pair(0, "not in the data for ")})
        if (const std::string names = names_of(builds, answers, kind, ""); !names.empty())
            parts.push_back(words + names);
    const bool one_system = std::ranges::all_of(
        builds, [&](const FrameworkBuild& build) { return build.os == builds.front().os; });
    const std::string depends =
        "it depends on the build of " + words_of(framework) + ", and the build ";
    if (one_system)
        return depends + "was not specified: " + join(parts, "; ") +
               " (example: pytorch=2.4+cu124)";
    return depends + "or os= was not specified: " + join(parts, "; ") +
           " (example: pytorch=2.4+cu124 os=linux)";
}

}  // namespace

/// Without a system Linux is meant, unless another system would make it worse:
/// a problem that Linux alone has is no certain one.
RepresentativeBuild deciding_build(
    const Framework& framework,
    const std::vector<FrameworkBuild>& builds,
    const std::vector<int>& answers) {
    std::set<std::string> systems;
    for (const FrameworkBuild& build : builds)
        systems.insert(build.os);
    std::string first = *systems.begin();
    if (systems.contains("linux"))
        first = "linux";
    const auto decides = decides_on(first, builds, answers);
    int answer = 0;
    if (decides)
        answer = answers[*decides];
    const bool agreed = decides && std::ranges::all_of(systems, [&](const std::string& os) {
                            const auto there = decides_on(os, builds, answers);
                            const bool as_good = there && alike(answers[*there], answer);
                            return as_good || (answer <= 0 && (!there || answers[*there] <= 0));
                        });
    if (!agreed)
        return {nullptr, depends_on_build(framework, builds, answers)};
    const FrameworkBuild& build = builds[*decides];
    std::string on_system;
    if (systems.size() > 1)
        on_system = "on " + system_words(first);
    std::string others;
    if (answer != 0)
        others = names_of(builds, answers, -answer, first);
    if (std::ranges::adjacent_find(answers, std::not_equal_to()) == answers.end())
        return {&build, ""};
    if (others.empty())
        return {&build, on_system};
    return {
        &build,
        "its default build" + if_any(" ", on_system) + ", " + build.build + ", unlike " + others};
}

/// The framework itself, and of the system what does not suit the build.
std::vector<GivenValue> changes_to(
    const FrameworkBuild& build, const Version& version, const Stack& stack) {
    std::vector<GivenValue> changes = {{build.framework, version.text + if_any("+", build.build)}};
    if (!takes_system_libraries(build))
        return changes;
    const Known *cuda = version_in(stack.cuda), *cudnn = version_in(stack.cudnn);
    // What is installed stays if it has the files that the build opens.
    if (cuda && (*cuda < *build.cuda || !cuda_serves(*cuda, *build.cuda)))
        changes.push_back({"cuda", build.cuda->text});
    if (cudnn && build.cudnn &&
        cudnn_match(*cudnn, *build.cudnn, build.framework) != CudnnMatch::compatible)
        changes.push_back(
            {"cudnn", build.cudnn->text + "+cu" + std::to_string(build.cuda->major())});
    return changes;
}

/// Every build is judged; the one that decides gives the answer, worded with
/// how it was chosen.
void judge_builds(
    const std::vector<FrameworkBuild>& builds,
    const Framework& framework,
    JudgementBuilder& judgements,
    const JudgeBuild& judge) {
    if (builds.empty())
        return;
    auto all = mapped(builds, judge);
    const auto numbers = mapped(all, [](const Judgement& answer) {
        if (answer.outcome == Outcome::fault)
            return -1;
        return static_cast<int>(answer.outcome == Outcome::pass);
    });
    const RepresentativeBuild deciding = deciding_build(framework, builds, numbers);
    if (!deciding.build)
        return judgements.depends(deciding.words);
    const auto at = static_cast<std::size_t>(deciding.build - builds.data());
    Judgement& decided = all[at];
    const std::string which = if_any(" (", deciding.words, ")");
    const bool is_choice =
        decided.outcome == Outcome::undecided && decided.missing == MissingInput::choice;
    if (is_choice)
        return judgements.depends(decided.reason + which);
    if (numbers[at] == 0)
        return judgements.unknown("the data do not cover every build of " + words_of(framework));
    if (numbers[at] > 0)
        return judgements.passed(
            decided.reason + which, {evidence_of(builds[at], libraries_of(builds[at]))});
    Conflict conflict = std::move(decided.conflicts.front());
    conflict.why += which;
    judgements.conflict(std::move(conflict));
}

bool takes_system_libraries(const FrameworkBuild& build) {
    return build.cuda && build.libraries == "system";
}

bool bundles_libraries(const FrameworkBuild& build) {
    return build.cuda && build.libraries != "system";
}

/// What no framework of the stack is affected by does not apply to it.
Judgement judge_frameworks(
    const Stack& stack,
    const Matrix& matrix,
    bool (*is_meant)(const FrameworkBuild&),
    const std::function<Judgement(const FrameworkBuild&, const Framework&)>& judge) {
    if (stack.frameworks.empty())
        return undecided("no framework was specified");
    JudgementBuilder judgements;
    for (const Framework& framework : stack.frameworks) {
        const Builds builds = builds_of(stack, framework, matrix);
        std::vector<FrameworkBuild> meant = builds.with_cuda;
        append(meant, builds.without_cuda);
        std::erase_if(meant, [&](const FrameworkBuild& build) { return !is_meant(build); });
        judge_builds(meant, framework, judgements, [&](const FrameworkBuild& build) {
            return judge(build, framework);
        });
    }
    judgements.not_applicable("it does not apply to the specified frameworks' builds");
    return judgements.close();
}

}  // namespace rnncheck::stack
