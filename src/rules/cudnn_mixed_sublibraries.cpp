// The parts of cuDNN that one program would load come from different releases.
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

static bool same_version(const Version& one, const Version& other) {
    return std::equal(one.parts.begin(), one.parts.begin() + 3, other.parts.begin());
}

/// cuDNN's own check of its parts outweighs names and directories.
static bool passed_its_check(const CudnnCopy& copy) {
    return copy.answer && copy.answer->rnn_usable.value_or(false);
}

/// What speaks for a mixture, and whether anything speaks against one.
struct Signs {
    std::vector<Evidence> of_mixture;
    Confidence confidence = Confidence::certain;
    bool all_versions_known = true;
};

/// The cases that this copy did not compute because of a mixture.
static Runs mismatches(const Facts& facts, const CudnnCopy& copy) {
    Runs runs;
    for (const RnnRun& run : facts.rnn_runs)
        if (const CallResult* obstacle = run.library == copy.path ? obstacle_of(run) : nullptr;
            obstacle && is_version_mismatch(copy.major, *obstacle))
            runs.push_back(&run);
    return runs;
}

static void look_at_answers(const Facts& facts, const CudnnCopy& copy, Signs& signs) {
    const auto& failure = copy.answer ? copy.answer->failure : std::optional<CallResult>();
    if (failure && !passed_its_check(copy) && is_version_mismatch(copy.major, *failure))
        signs.of_mixture.push_back({"failed call", in_words(*failure), "cudnns"});
    else if (const Runs runs = mismatches(facts, copy); !runs.empty())
        signs.of_mixture.push_back(evidence_of(facts, *runs.front(), answer_of(*runs.front())));
}

/// The versions in its file names count unless that of the front library contradicts the version it returned.
static void look_at_names(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy, Signs& signs) {
    const auto name = copy.file ? full_version_in_name(*copy.file) : std::nullopt;
    signs.all_versions_known = copy.version && (!name || same_version(*copy.version, *name));
    if (!signs.all_versions_known) return;
    for (const auto& part : parts_needed(copy, matrix)) {
        const Library* file = part_of(facts, copy, part.soname);
        const auto release = file ? full_version_in_name(*file) : std::nullopt;
        signs.all_versions_known &= release.has_value();
        if (!release || same_version(*copy.version, *release)) continue;
        signs.of_mixture.push_back(
            {file->path, "version " + release->text + ", not " + copy.version->text, "libraries"});
        signs.confidence = Confidence::likely;
    }
}

static Signs signs_of(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy) {
    Signs signs;
    look_at_answers(facts, copy, signs);
    if (!signs.of_mixture.empty()) return signs;
    // Parts of another copy answer for the front library, so its check does not see them.
    if (borrows_parts(copy.answer)) {
        signs.of_mixture = {{"files loaded together", join_with_and(copy.answer->parts_mapped), "cudnns"}};
        signs.confidence = Confidence::likely;
    } else if (!passed_its_check(copy)) {
        look_at_names(facts, matrix, copy, signs);
    }
    return signs;
}

/// In the directories of LD_LIBRARY_PATH.
static bool in_library_path(const Facts& facts, const std::string& path) {
    const std::string* directories = environment(facts, "LD_LIBRARY_PATH");
    if (!directories) return false;
    for (std::string directory : split(*directories, ':')) {
        while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
        if (!directory.empty() && directory_of(path) == directory) return true;
    }
    return false;
}

/// The directory of LD_LIBRARY_PATH from which parts come that do not belong to this copy; empty when there is none.
static std::string foreign_directory(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy) {
    std::vector<std::string> files;
    if (copy.answer) files = copy.answer->parts_mapped;
    for (const auto& part : parts_needed(copy, matrix))
        if (const Library* file = part_of(facts, copy, part.soname)) files.push_back(file->path);
    for (const std::string& file : files)
        if (directory_of(file) != directory_of(copy.path) && in_library_path(facts, file)) return directory_of(file);
    return "";
}

/// What mixes the versions, as far as the environment shows it, and what to remove.
struct Origin {
    std::string message, to_remove;
};

/// Only LD_PRELOAD brings a second front library into a process.
static bool another_is_preloaded(const Facts& facts, const CudnnCopy& copy) {
    const std::string* const preload = environment(facts, "LD_PRELOAD");
    return preload && contains(*preload, "libcudnn.so") && copy.answer &&
           std::ranges::any_of(copy.answer->parts_mapped, [&](const std::string& part) {
               return file_name(part).starts_with("libcudnn.so") && directory_of(part) != directory_of(copy.path);
           });
}

static Origin origin_of(const Facts& facts, const CudnnCopy& copy, const std::string& directory) {
    if (another_is_preloaded(facts, copy))
        return {"; LD_PRELOAD is " + escaped(*environment(facts, "LD_PRELOAD"), 200), "libcudnn from LD_PRELOAD"};
    if (directory.empty()) return {"", "the directory of the other cuDNN from LD_LIBRARY_PATH"};
    return {"; LD_LIBRARY_PATH includes the directory of those, " + directory,
            "the directory " + directory + " from LD_LIBRARY_PATH"};
}

/// A program that opens cuDNN by its name gets it, or some framework does.
static bool is_loaded(const Facts& facts, const CudnnCopy& copy) {
    return copy.first_choice || std::ranges::any_of(facts.frameworks, [&](const Framework& framework) {
               const FrameworkLibrary* cudnn = opened(framework, "libcudnn");
               return cudnn && cudnn->path && directory_of(*cudnn->path) == directory_of(copy.path);
           });
}

static void judge(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy, VerdictBuilder& answers) {
    const std::string name = name_of(copy);
    if (copy.major == 7) return answers.passed(name + " is a single file");
    Signs signs = signs_of(facts, matrix, copy);
    if (!signs.of_mixture.empty()) {
        const std::string directory = foreign_directory(facts, matrix, copy);
        if (!is_loaded(facts, copy) && !directory.empty())
            return answers.irrelevant("nothing loads the cuDNN that LD_LIBRARY_PATH would mix");
        const Evidence& first = signs.of_mixture.front();
        const Origin origin = origin_of(facts, copy, directory);
        return answers.fault(
            {.severity = frameworks_that_get(facts, matrix, copy).empty() ? severity_of(copy) : Severity::error,
             .subject = copy.path,
             .message = name + " is mixed with libraries of another cuDNN version: " + first.what + ", " + first.value +
                        origin.message,
             .evidence = signs.of_mixture,
             .remedies = {remedy("cudnn_mixed_sublibraries", {origin.to_remove})},
             .confidence = signs.confidence,
             .explains = places_of(facts, mismatches(facts, copy))});
    }
    if (!failures_are_known(facts, copy.path))
        return answers.unknown("a case failed with " + name + " for an unknown reason");
    if (passed_its_check(copy) || ((!copy.answer || copy.answer->failure) && signs.all_versions_known))
        return answers.passed("all cuDNN libraries are of one version");
    answers.unknown("the versions of the libraries of " + name + " are unknown");
}

Verdict cudnn_mixed_sublibraries(const Facts& facts, const Matrix& matrix) {
    return over_copies(facts,
                       [&](const CudnnCopy& copy, VerdictBuilder& answers) { judge(facts, matrix, copy, answers); });
}

}  // namespace rnncheck::rules
