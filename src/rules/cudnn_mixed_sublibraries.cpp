// The cuDNN libraries that one program would load come from different versions.
#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"
#include "rules/support/dlls.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules {

/// 9.1.0 of 9.1.0.70: the fourth number of a package is not in
/// cudnnGetVersion().
static bool same_version(const Version& one, const Version& other) {
    return std::equal(one.parts.begin(), one.parts.begin() + 3, other.parts.begin());
}

/// cuDNN's own check of its parts outweighs names and directories.
static bool passed_its_check(const CudnnInstallation& installation) {
    return installation.answer && installation.answer->rnn_usable.value_or(false);
}

/// What speaks for a mixture, and whether anything speaks against one.
struct MixEvidence {
    std::vector<Evidence> of_mixture;
    Confidence confidence = Confidence::certain;
    bool all_versions_known = true;
    std::string of = "of another cuDNN version";
    std::string when = {};     ///< the mixture is loaded only then
    bool still_works = false;  ///< its RNN API works in spite of it
};

/// The cases that this copy did not compute because of a mixture.
static Runs mismatches(const Facts& facts, const CudnnInstallation& installation) {
    Runs runs;
    for (const RnnRun& run : facts.rnn_runs) {
        const CallResult* obstacle = obstacle_of(run);
        const bool is_mismatch = obstacle && is_version_mismatch(installation.major, *obstacle);
        if (run.library == installation.path && is_mismatch)
            runs.push_back(&run);
    }
    return runs;
}

/// The process in which cuDNN 8 aborted because one of its libraries lacks what another needs:
/// "Could not load library libcudnn_adv_infer.so.8. Error: ... undefined symbol: ..., version
/// libcudnn_ops_infer.so.8" (8.9.7 with libcudnn_ops_infer of 8.9.2). cuDNN 9.1 and 9.10 abort
/// likewise.
static const ProbeRun* abort_by_mixture(const Facts& facts, const CudnnInstallation& installation) {
    return find_where(facts.probe_runs, [&](const ProbeRun& run) {
        const std::string tail = run.output_tail.value_or("");
        return run.probe == "cudnn_library" && run.target == installation.path &&
               run.end == ProbeEnd::crashed && contains(tail, "undefined symbol") &&
               contains(tail, "version libcudnn");
    });
}

/// What cuDNN itself did or returned because of a mixture.
static void add_returned_versions(
    const Facts& facts, const CudnnInstallation& installation, MixEvidence& mix) {
    // From the strongest witness on: an abort, then a status of cuDNN's own
    // check, then a case of a recurrent network that failed with that status.
    if (const ProbeRun* const run = abort_by_mixture(facts, installation))
        mix.of_mixture.push_back(
            {"process aborted" + if_any(" in ", escaped(run->last_call.value_or(""))),
             escaped(std::string(trim(*run->output_tail)), 400),
             "probe_runs"});
    std::optional<CallResult> failure;
    if (installation.answer)
        failure = installation.answer->failure;
    if (failure && !passed_its_check(installation) &&
        is_version_mismatch(installation.major, *failure))
        mix.of_mixture.push_back({"failed call", in_words(*failure), "cudnns"});
    else if (const Runs runs = mismatches(facts, installation); !runs.empty())
        mix.of_mixture.push_back(evidence_of(facts, *runs.front(), outcome_of(*runs.front())));
}

/// The versions in its file names count unless that of the front library contradicts the version it
/// returned.
static void look_at_names(
    const Facts& facts,
    const Matrix& matrix,
    const CudnnInstallation& installation,
    MixEvidence& mix) {
    std::optional<Version> name;
    if (installation.file)
        name = full_version_in_name(*installation.file);
    mix.all_versions_known =
        installation.version && (!name || same_version(*installation.version, *name));
    if (!mix.all_versions_known)
        return;
    for (const auto& part : parts_needed(installation, matrix)) {
        const Library* file = part_of(facts, installation, part.soname);
        std::optional<Version> version;
        if (file)
            version = full_version_in_name(*file);
        mix.all_versions_known &= version.has_value();
        if (!version || same_version(*installation.version, *version))
            continue;
        mix.of_mixture.push_back(
            {file->path,
             "version " + version->text + ", not " + installation.version->text,
             "libraries"});
        mix.confidence = Confidence::likely;
    }
}

/// Evidence in the order of its weight: what cuDNN did, how the mapped files
/// were built, another order of calls, directories, and last the names of
/// files.
static MixEvidence mix_of(
    const Facts& facts, const Matrix& matrix, const CudnnInstallation& installation) {
    MixEvidence mix;
    add_returned_versions(facts, installation, mix);
    if (!mix.of_mixture.empty())
        return mix;
    mix.of_mixture = differing_cuda(installation.answer);
    if (!mix.of_mixture.empty()) {
        mix.of = "for another CUDA version";
        return mix;
    }
    mix.of_mixture = differing_versions(installation.answer);
    if (!mix.of_mixture.empty()) {
        mix.still_works = passed_its_check(installation);
        return mix;
    }
    std::optional<CudnnRnnFirst> rnn_first;
    if (installation.answer)
        // The order of the first calls decides which library searches for the
        // others: the probe cudnn_rnn_first tried the order of JAX.
        rnn_first = installation.answer->rnn_first;
    if (rnn_first && rnn_first->failure && passed_its_check(installation)) {
        mix.of_mixture = {
            {"failed call", in_words(*rnn_first->failure), "cudnns"},
            {"files loaded then", join_with_and(rnn_first->parts_mapped), "cudnns"}};
        mix.when = " if a program calls a function for RNNs first, as JAX does";
        return mix;
    }
    // Parts of another copy answer for the front library, so its check does not see them.
    if (loads_other_directories(installation.answer)) {
        mix.of_mixture = {
            {"files loaded together", join_with_and(installation.answer->parts_mapped), "cudnns"}};
        mix.confidence = Confidence::likely;
    } else if (!passed_its_check(installation)) {
        look_at_names(facts, matrix, installation, mix);
    }
    return mix;
}

/// In the directories of LD_LIBRARY_PATH.
static bool in_library_path(const Facts& facts, const std::string& path) {
    const std::string* directories = environment(facts, "LD_LIBRARY_PATH");
    if (!directories)
        return false;
    for (std::string directory : split(*directories, ':')) {
        // LD_LIBRARY_PATH may have "/opt/cudnn/lib/", paths of files have no
        // such end.
        while (directory.size() > 1 && directory.back() == '/')
            directory.pop_back();
        if (!directory.empty() && directory_of(path) == directory)
            return true;
    }
    return false;
}

/// The directory of LD_LIBRARY_PATH from which parts come that do not belong to this copy; empty
/// when there is none.
static std::string foreign_directory(
    const Facts& facts, const Matrix& matrix, const CudnnInstallation& installation) {
    std::vector<std::string> files;
    if (installation.answer)
        files = installation.answer->parts_mapped;
    if (installation.answer && installation.answer->rnn_first)
        append(files, installation.answer->rnn_first->parts_mapped);
    for (const auto& part : parts_needed(installation, matrix))
        if (const Library* file = part_of(facts, installation, part.soname))
            files.push_back(file->path);
    for (const std::string& file : files)
        if (directory_of(file) != directory_of(installation.path) && in_library_path(facts, file))
            return directory_of(file);
    return "";
}

/// What mixes the versions, as far as the environment shows it, and what to remove.
struct MixCause {
    std::string message, to_remove;
};

/// Only LD_PRELOAD loads a second front library into a process.
static bool another_is_preloaded(const Facts& facts, const CudnnInstallation& installation) {
    const std::string* const preload = environment(facts, "LD_PRELOAD");
    return preload && contains(*preload, "libcudnn.so") && installation.answer &&
           std::ranges::any_of(installation.answer->parts_mapped, [&](const std::string& part) {
               return file_name(part).starts_with("libcudnn.so") &&
                      directory_of(part) != directory_of(installation.path);
           });
}

/// LD_PRELOAD before LD_LIBRARY_PATH, as the loader takes them.
static MixCause cause_of(
    const Facts& facts, const CudnnInstallation& installation, const std::string& directory) {
    if (another_is_preloaded(facts, installation))
        return {
            "; LD_PRELOAD is " + escaped(*environment(facts, "LD_PRELOAD"), 200),
            "libcudnn from LD_PRELOAD"};
    if (directory.empty())
        return {"", "the directory of the other cuDNN from LD_LIBRARY_PATH"};
    return {
        "; LD_LIBRARY_PATH includes the directory of those, " + directory,
        "the directory " + directory + " from LD_LIBRARY_PATH"};
}

/// A program that opens cuDNN by its name gets it, or some framework does.
static bool is_loaded(const Facts& facts, const CudnnInstallation& installation) {
    return installation.first_choice ||
           std::ranges::any_of(facts.frameworks, [&](const Framework& framework) {
               const FrameworkLibrary* cudnn = opened(framework, "libcudnn");
               return cudnn && cudnn->path &&
                      directory_of(*cudnn->path) == directory_of(installation.path);
           });
}

/// A mixture that every program loads in which its RNN API fails is an error where something loads
/// it.
static Severity severity_of(
    const Facts& facts,
    const Matrix& matrix,
    const CudnnInstallation& installation,
    const MixEvidence& mix) {
    const auto frameworks = frameworks_that_get(facts, matrix, installation);
    if (mix.still_works)
        return Severity::warning;
    if (!mix.when.empty())
        return error_if(find_by(frameworks, &Framework::name, "jax"));
    if (frameworks.empty())
        return severity_of(installation);
    return Severity::error;
}

/// Why it is not known whether its files were built alike, or what another order of calls loads;
/// empty when it is known or this cuDNN shows nothing of it.
static std::string what_is_unknown(const Facts& facts, const Cudnn& answer) {
    for (const CudnnFile& file : answer.files) {
        const bool is_front = file_name(file.path).starts_with("libcudnn.so");
        bool is_known = file.cuda_major.has_value() && answer.built_for_cuda;
        if (is_front)
            is_known = file.version && answer.version;
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

/// One finding for an installation; it explains the cases and crashes of cuDNN
/// that follow from the mixture.
static Finding mixed(
    const Facts& facts,
    const Matrix& matrix,
    const CudnnInstallation& installation,
    const MixEvidence& mix,
    const std::string& directory) {
    const Evidence& first = mix.of_mixture.front();
    const MixCause cause = cause_of(facts, installation, directory);
    auto explained = places_of(facts, mismatches(facts, installation));
    if (abort_by_mixture(facts, installation))
        append(explained, crashes_of_cudnn_in(facts, directory_of(installation.path)));
    return {
        .severity = severity_of(facts, matrix, installation, mix),
        .subject = installation.path,
        .message = name_of(installation) + " is mixed with libraries " + mix.of + mix.when + ": " +
                   first.what + ", " + first.value + cause.message,
        .evidence = mix.of_mixture,
        .remedies = {remedy("cudnn_mixed_sublibraries", {cause.to_remove})},
        .confidence = mix.confidence,
        .explains = std::move(explained),
    };
}

/// cuDNN 7 is one file and cannot be mixed. Without a sign of a mixture it passes
/// only if cuDNN's own check ran, or all names show the same version.
static void judge(
    const Facts& facts,
    const Matrix& matrix,
    const CudnnInstallation& installation,
    VerdictBuilder& result) {
    const std::string name = name_of(installation);
    if (installation.major == 7)
        return result.passed(name + " is a single file");
    const MixEvidence mix = mix_of(facts, matrix, installation);
    if (!mix.of_mixture.empty()) {
        const std::string directory = foreign_directory(facts, matrix, installation);
        if (!is_loaded(facts, installation) && !directory.empty())
            return result.not_applicable("nothing loads the cuDNN that LD_LIBRARY_PATH would mix");
        return result.fault(mixed(facts, matrix, installation, mix, directory));
    }
    std::string unknown;
    if (installation.answer)
        unknown = what_is_unknown(facts, *installation.answer);
    if (!unknown.empty())
        return result.unknown(unknown);
    if (!failures_are_known(facts, installation.path))
        return result.unknown("a case failed with " + name + " for an unknown reason");
    if (passed_its_check(installation) ||
        ((!installation.answer || installation.answer->failure) && mix.all_versions_known))
        return result.passed("all cuDNN libraries are of one version");
    result.unknown("the versions of the libraries of " + name + " are unknown");
}

/// The libraries of cuDNN 8 and 9 have to be of one version, built for one
/// CUDA. The loader resolves each by its name alone, so LD_LIBRARY_PATH,
/// LD_PRELOAD or a second package can put a file of another version among them.
Verdict cudnn_mixed_sublibraries(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dlls_of_cudnn_mixed(facts);
    return over_installations(
        facts, [&](const CudnnInstallation& installation, VerdictBuilder& result) {
            judge(facts, matrix, installation, result);
        });
}

}  // namespace rnncheck::rules
