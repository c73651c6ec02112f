// The parts of cuDNN that one program would load come from different releases.
#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"
#include "rules/support/dlls.hpp"
#include "rules/support/probes.hpp"

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
    std::string of = "of another cuDNN version";
    std::string when = {};     ///< the mixture is loaded only then
    bool still_works = false;  ///< its RNN API works in spite of it
};

/// The cases that this copy did not compute because of a mixture.
static Runs mismatches(const Facts& facts, const CudnnCopy& copy) {
    Runs runs;
    for (const RnnRun& run : facts.rnn_runs) {
        const CallResult* obstacle = obstacle_of(run);
        const bool is_mismatch = obstacle && is_version_mismatch(copy.major, *obstacle);
        if (run.library == copy.path && is_mismatch)
            runs.push_back(&run);
    }
    return runs;
}

/// The process in which cuDNN 8 aborted because one of its libraries lacks what another needs:
/// "Could not load library libcudnn_adv_infer.so.8. Error: ... undefined symbol: ..., version
/// libcudnn_ops_infer.so.8" (8.9.7 with libcudnn_ops_infer of 8.9.2). cuDNN 9.1 and 9.10 abort
/// likewise.
static const ProbeRun* abort_by_mixture(const Facts& facts, const CudnnCopy& copy) {
    return find_where(facts.probe_runs, [&](const ProbeRun& run) {
        const std::string tail = run.output_tail.value_or("");
        return run.probe == "cudnn_library" && run.target == copy.path &&
               run.end == ProbeEnd::crashed && contains(tail, "undefined symbol") &&
               contains(tail, "version libcudnn");
    });
}

static void look_at_answers(const Facts& facts, const CudnnCopy& copy, Signs& signs) {
    if (const ProbeRun* const run = abort_by_mixture(facts, copy))
        signs.of_mixture.push_back(
            {"process aborted" + if_any(" in ", escaped(run->last_call.value_or(""))),
             escaped(std::string(trim(*run->output_tail)), 400), "probe_runs"});
    std::optional<CallResult> failure;
    if (copy.answer)
        failure = copy.answer->failure;
    if (failure && !passed_its_check(copy) && is_version_mismatch(copy.major, *failure))
        signs.of_mixture.push_back({"failed call", in_words(*failure), "cudnns"});
    else if (const Runs runs = mismatches(facts, copy); !runs.empty())
        signs.of_mixture.push_back(evidence_of(facts, *runs.front(), answer_of(*runs.front())));
}

/// The versions in its file names count unless that of the front library contradicts the version it
/// returned.
static void look_at_names(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy,
                          Signs& signs) {
    std::optional<Version> name;
    if (copy.file)
        name = full_version_in_name(*copy.file);
    signs.all_versions_known = copy.version && (!name || same_version(*copy.version, *name));
    if (!signs.all_versions_known)
        return;
    for (const auto& part : parts_needed(copy, matrix)) {
        const Library* file = part_of(facts, copy, part.soname);
        std::optional<Version> release;
        if (file)
            release = full_version_in_name(*file);
        signs.all_versions_known &= release.has_value();
        if (!release || same_version(*copy.version, *release))
            continue;
        signs.of_mixture.push_back(
            {file->path, "version " + release->text + ", not " + copy.version->text, "libraries"});
        signs.confidence = Confidence::likely;
    }
}

static Signs signs_of(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy) {
    Signs signs;
    look_at_answers(facts, copy, signs);
    if (!signs.of_mixture.empty())
        return signs;
    signs.of_mixture = differing_cuda(copy.answer);
    if (!signs.of_mixture.empty()) {
        signs.of = "for another CUDA version";
        return signs;
    }
    signs.of_mixture = differing_versions(copy.answer);
    if (!signs.of_mixture.empty()) {
        signs.still_works = passed_its_check(copy);
        return signs;
    }
    std::optional<CudnnRnnFirst> rnn_first;
    if (copy.answer)
        rnn_first = copy.answer->rnn_first;
    if (rnn_first && rnn_first->failure && passed_its_check(copy)) {
        signs.of_mixture = {
            {"failed call", in_words(*rnn_first->failure), "cudnns"},
            {"files loaded then", join_with_and(rnn_first->parts_mapped), "cudnns"}};
        signs.when = " if a program calls a function for RNNs first, as JAX does";
        return signs;
    }
    // Parts of another copy answer for the front library, so its check does not see them.
    if (borrows_parts(copy.answer)) {
        signs.of_mixture = {
            {"files loaded together", join_with_and(copy.answer->parts_mapped), "cudnns"}};
        signs.confidence = Confidence::likely;
    } else if (!passed_its_check(copy)) {
        look_at_names(facts, matrix, copy, signs);
    }
    return signs;
}

/// In the directories of LD_LIBRARY_PATH.
static bool in_library_path(const Facts& facts, const std::string& path) {
    const std::string* directories = environment(facts, "LD_LIBRARY_PATH");
    if (!directories)
        return false;
    for (std::string directory : split(*directories, ':')) {
        while (directory.size() > 1 && directory.back() == '/')
            directory.pop_back();
        if (!directory.empty() && directory_of(path) == directory)
            return true;
    }
    return false;
}

/// The directory of LD_LIBRARY_PATH from which parts come that do not belong to this copy; empty
/// when there is none.
static std::string foreign_directory(const Facts& facts, const Matrix& matrix,
                                     const CudnnCopy& copy) {
    std::vector<std::string> files;
    if (copy.answer)
        files = copy.answer->parts_mapped;
    if (copy.answer && copy.answer->rnn_first)
        append(files, copy.answer->rnn_first->parts_mapped);
    for (const auto& part : parts_needed(copy, matrix))
        if (const Library* file = part_of(facts, copy, part.soname))
            files.push_back(file->path);
    for (const std::string& file : files)
        if (directory_of(file) != directory_of(copy.path) && in_library_path(facts, file))
            return directory_of(file);
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
               return file_name(part).starts_with("libcudnn.so") &&
                      directory_of(part) != directory_of(copy.path);
           });
}

static Origin origin_of(const Facts& facts, const CudnnCopy& copy, const std::string& directory) {
    if (another_is_preloaded(facts, copy))
        return {"; LD_PRELOAD is " + escaped(*environment(facts, "LD_PRELOAD"), 200),
                "libcudnn from LD_PRELOAD"};
    if (directory.empty())
        return {"", "the directory of the other cuDNN from LD_LIBRARY_PATH"};
    return {"; LD_LIBRARY_PATH includes the directory of those, " + directory,
            "the directory " + directory + " from LD_LIBRARY_PATH"};
}

/// A program that opens cuDNN by its name gets it, or some framework does.
static bool is_loaded(const Facts& facts, const CudnnCopy& copy) {
    return copy.first_choice ||
           std::ranges::any_of(facts.frameworks, [&](const Framework& framework) {
               const FrameworkLibrary* cudnn = opened(framework, "libcudnn");
               return cudnn && cudnn->path && directory_of(*cudnn->path) == directory_of(copy.path);
           });
}

/// A mixture that every program loads in which its RNN API fails is an error where something loads
/// it.
static Severity severity_of(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy,
                            const Signs& signs) {
    const auto frameworks = frameworks_that_get(facts, matrix, copy);
    if (signs.still_works)
        return Severity::warning;
    if (!signs.when.empty())
        return error_if(find_by(frameworks, &Framework::name, "jax"));
    if (frameworks.empty())
        return severity_of(copy);
    return Severity::error;
}

/// Why it is not known whether its files were built alike, or what another order of calls loads;
/// empty when it is known or this cuDNN shows nothing of it.
static std::string what_is_unknown(const Facts& facts, const Cudnn& answer) {
    for (const CudnnFile& file : answer.files) {
        const bool is_front = file_name(file.path).starts_with("libcudnn.so");
        const bool is_known = is_front ? file.version && answer.version
                                       : file.cuda_major.has_value() && answer.built_for_cuda;
        if (!is_known)
            return "how " + file.path + " or the libraries loaded with it were built is unknown";
    }
    const ProbeRun* const run = find_where(facts.probe_runs, [&](const ProbeRun& one) {
        return one.probe == "cudnn_rnn_first" && one.target == answer.library;
    });
    const auto& result = answer.rnn_first;
    const bool is_open = run && (!result || (!result->failure && !run->failed_calls.empty()));
    if (!is_open)
        return "";
    return "what a program loads that calls a function for RNNs first is unknown";
}

static void judge(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy,
                  VerdictBuilder& answers) {
    const std::string name = name_of(copy);
    if (copy.major == 7)
        return answers.passed(name + " is a single file");
    Signs signs = signs_of(facts, matrix, copy);
    if (!signs.of_mixture.empty()) {
        const std::string directory = foreign_directory(facts, matrix, copy);
        if (!is_loaded(facts, copy) && !directory.empty())
            return answers.irrelevant("nothing loads the cuDNN that LD_LIBRARY_PATH would mix");
        const Evidence& first = signs.of_mixture.front();
        const Origin origin = origin_of(facts, copy, directory);
        auto explained = places_of(facts, mismatches(facts, copy));
        if (abort_by_mixture(facts, copy))
            append(explained, crashes_of_cudnn_in(facts, directory_of(copy.path)));
        return answers.fault({.severity = severity_of(facts, matrix, copy, signs),
                              .subject = copy.path,
                              .message = name + " is mixed with libraries " + signs.of +
                                         signs.when + ": " + first.what + ", " + first.value +
                                         origin.message,
                              .evidence = signs.of_mixture,
                              .remedies = {remedy("cudnn_mixed_sublibraries", {origin.to_remove})},
                              .confidence = signs.confidence,
                              .explains = std::move(explained)});
    }
    if (const std::string unknown = copy.answer ? what_is_unknown(facts, *copy.answer) : "";
        !unknown.empty())
        return answers.unknown(unknown);
    if (!failures_are_known(facts, copy.path))
        return answers.unknown("a case failed with " + name + " for an unknown reason");
    if (passed_its_check(copy) ||
        ((!copy.answer || copy.answer->failure) && signs.all_versions_known))
        return answers.passed("all cuDNN libraries are of one version");
    answers.unknown("the versions of the libraries of " + name + " are unknown");
}

Verdict cudnn_mixed_sublibraries(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dlls_of_cudnn_mixed(facts);
    return over_copies(facts, [&](const CudnnCopy& copy, VerdictBuilder& answers) {
        judge(facts, matrix, copy, answers);
    });
}

}  // namespace rnncheck::rules
