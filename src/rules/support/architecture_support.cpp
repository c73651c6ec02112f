#include "rules/support/architecture_support.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rules/support/board_support.hpp"
#include "rules/support/installed.hpp"

namespace rnncheck::rules {

bool cases_went_well(const Facts& facts, int gpu, const CudnnCopy& copy) {
    if (sweep_of(facts, copy.path, gpu).all_well()) return true;
    const auto is_twin = [&](const Cudnn& other) {
        return copy.answer && other.version && other.version == copy.answer->version && other.built_for_cuda &&
               other.built_for_cuda == copy.answer->built_for_cuda;
    };
    return std::any_of(facts.cudnns.begin(), facts.cudnns.end(), [&](const Cudnn& other) {
        return is_twin(other) && sweep_of(facts, other.library, gpu).all_well();
    });
}

/// cuDNN brings the runtime's and cuBLAS's code of its CUDA major into play.
static bool shown_by_cases(const Facts& facts, int gpu, int cuda_major) {
    return std::any_of(facts.cudnns.begin(), facts.cudnns.end(), [&](const Cudnn& cudnn) {
        return cudnn.built_for_cuda && cudnn.built_for_cuda->major() == cuda_major &&
               sweep_of(facts, cudnn.library, gpu).all_well();
    });
}

/// Machine code for an earlier minor of the GPU's own major runs on it.
static bool has_code_of_its_major(const Matrix& matrix, const Version& capability, const Version& cuda) {
    for (int minor = 0; minor <= capability.minor(); ++minor) {
        const auto row = matrix.architecture(make_version({capability.major(), minor}));
        if (row && row->first_cuda <= cuda && (!row->last_cuda || cuda <= *row->last_cuda)) return true;
    }
    return false;
}

static Compared unknown(Compared compared, std::string why) {
    compared.fit = CodeMatch::unknown;
    compared.why = std::move(why);
    return compared;
}

static Compared outside(Compared compared, std::string why) {
    compared.outside = true;
    return unknown(std::move(compared), std::move(why));
}

static Compared shown(Compared compared) {
    compared.fit = CodeMatch::fits;
    compared.shown = true;
    return compared;
}

static Compared misfit(Compared compared, CodeMatch fit, const std::string& known, const Row& row) {
    compared.fit = fit;
    compared.evidence.push_back({compared.thing, known, row.source.url});
    return compared;
}

Compared by_architecture(const Matrix& matrix, const Version& capability, const Version& cuda, Compared compared) {
    const auto row = matrix.architecture(capability);
    if (!row) return outside(compared, outside_data("compute capability " + capability.text, row.coverage, matrix));
    if (row->last_cuda && cuda > *row->last_cuda)
        return misfit(std::move(compared), CodeMatch::too_old,
                      "CUDA " + row->last_cuda->text + " was the last with code for " + row->name, *row);
    if (cuda < row->first_cuda && !has_code_of_its_major(matrix, capability, cuda))
        return misfit(std::move(compared), CodeMatch::too_new,
                      "CUDA " + row->first_cuda.text + " was the first with code for " + row->name, *row);
    const auto release = matrix.driver_for_cuda(cuda);
    if (release.coverage == Coverage::newer_than_data)
        return outside(compared, outside_data("CUDA " + cuda.text, release.coverage, matrix));
    compared.fit = CodeMatch::fits;
    return compared;
}

static Compared against_runtime(const Facts& facts, const Matrix& matrix, const Gpu& gpu, const Runtime& runtime) {
    Compared compared;
    compared.thing = "CUDA " + (runtime.version ? runtime.version->text + ' ' : "") + "at " + runtime.library;
    // Networks that run there show that programs have another runtime to take.
    const bool others_work = std::any_of(facts.cudnns.begin(), facts.cudnns.end(), [&](const Cudnn& cudnn) {
        return sweep_of(facts, cudnn.library, gpu.index).all_well();
    });
    if (others_work || !is_first_choice(facts, LibraryKind::cudart, runtime.library))
        compared.severity = Severity::warning;
    if (!runtime.version) {
        if (!runtime.failure) return unknown(compared, "the version of " + compared.thing + " is not known");
        compared.fit = CodeMatch::unusable;
        return compared;
    }
    const Version cuda = make_version({runtime.version->major(), runtime.version->minor()});
    if (shown_by_cases(facts, gpu.index, cuda.major()))
        compared = shown(std::move(compared));
    else if (!gpu.compute_capability)
        return unknown(compared, "the compute capability of " + subject_of(gpu) + " is not known");
    else
        return by_architecture(matrix, *gpu.compute_capability, cuda, std::move(compared));
    return compared;
}

/// From cuDNN 9 on, builds for CUDA 12 and later hold PTX as well, which the driver compiles for a newer GPU.
/// https://docs.nvidia.com/deeplearning/cudnn/backend/latest/developer/forward-compatibility.html
static bool holds_ptx(const CudnnCopy& copy) {
    return copy.major >= 9 && copy.answer->built_for_cuda && copy.answer->built_for_cuda->major() >= 12;
}

static Compared newer_than(const CudnnCopy& copy, Compared compared, const Version& newest, const std::string& source) {
    compared.fit = CodeMatch::too_new;
    if (holds_ptx(copy)) compared.severity = Severity::warning;
    compared.evidence.push_back({compared.thing, "knows GPUs up to compute capability " + newest.text, source});
    return compared;
}

static Compared by_build(const Matrix& matrix, const Version& capability, const CudnnCopy& copy, Compared compared) {
    const auto& answer = *copy.answer;
    const auto& newest = answer.newest_capability;
    if (newest && capability.major() > newest->major()) return newer_than(copy, std::move(compared), *newest, "cudnns");
    if (!answer.version || !answer.built_for_cuda)
        return unknown(compared, compared.thing + " did not tell its version and CUDA");
    const auto row = matrix.cudnn_build(*answer.version, answer.built_for_cuda->major());
    if (!row)
        return outside(compared,
                       outside_data("cuDNN " + answer.version->text + " built for CUDA " + answer.built_for_cuda->text,
                                    row.coverage, matrix));
    if (capability < row->capability_min)
        return misfit(std::move(compared), CodeMatch::too_old,
                      "needs compute capability " + row->capability_min.text + " or later", *row);
    const bool tells_itself = *answer.version >= make_version({8, 6, 0});
    if (tells_itself && !newest) return unknown(compared, compared.thing + " did not tell the newest GPU it knows");
    if (!newest && capability.major() > row->capability_max.major())
        return newer_than(copy, std::move(compared), row->capability_max, row->source.url);
    compared.fit = CodeMatch::fits;
    return compared;
}

/// A call on this GPU that answered that there is no code for it.
static const RnnRun* refusal(const Facts& facts, int gpu, const CudnnCopy& copy) {
    for (const auto& run : facts.rnn_runs) {
        const CallResult* obstacle = run.gpu == gpu && run.library == copy.path ? obstacle_of(run) : nullptr;
        if (obstacle && is_arch_mismatch(copy.major, *obstacle)) return &run;
    }
    return nullptr;
}

static Compared against_cudnn(const Facts& facts, const Matrix& matrix, const Gpu& gpu, const CudnnCopy& copy) {
    Compared compared;
    compared.thing = name_of(copy);
    compared.severity = severity_of(copy);
    if (cases_went_well(facts, gpu.index, copy)) return shown(std::move(compared));
    const RnnRun* refused = refusal(facts, gpu.index, copy);
    if (never_answered(copy))
        compared.fit = CodeMatch::unusable;
    else if (!gpu.compute_capability)
        compared = unknown(compared, "the compute capability of " + subject_of(gpu) + " is not known");
    else
        compared = by_build(matrix, *gpu.compute_capability, copy, std::move(compared));
    if (refused) {
        if (compared.fit != CodeMatch::too_old) compared.fit = CodeMatch::too_new;
        compared.severity = severity_of(copy);
        compared.evidence.push_back(evidence_of(facts, *refused, told(*refused->result)));
    } else if (compared.fit == CodeMatch::fits && !failures_are_known(facts, copy.path)) {
        return unknown(compared, "a case failed with " + compared.thing + " without telling why");
    }
    return compared;
}

static void add_test_kernel(const Facts& facts, const Gpu& gpu, std::vector<Compared>& all) {
    for (const auto& run : facts.kernel_runs) {
        if (run.gpu != gpu.index || run.right.value_or(false)) continue;
        Compared compared;
        compared.thing = "a tiny test kernel that the driver was to compile";
        if (!run.result)
            all.push_back(unknown(compared, "how the test kernel ended is not known"));
        else if (is_arch_mismatch(0, *run.result)) {
            compared.fit = CodeMatch::too_new;
            compared.evidence.push_back({compared.thing, told(*run.result), "kernel_runs"});
            all.push_back(std::move(compared));
        }
    }
}

static Compared against_framework(const Gpu& gpu, const Framework& framework) {
    if (gpu.compute_capability) return framework_against(framework, *gpu.compute_capability);
    Compared compared;
    compared.thing = words_of(framework);
    return unknown(compared, "the compute capability of " + subject_of(gpu) + " is not known");
}

static std::vector<Compared> compare(const Facts& facts, const Matrix& matrix, const Gpu& gpu) {
    if (only_given(facts)) return compare_versions(facts, matrix, gpu);
    std::vector<Compared> all;
    for (const auto& runtime : facts.runtimes)
        if (!is_shadowed(facts, runtime.library)) all.push_back(against_runtime(facts, matrix, gpu, runtime));
    for (const auto& copy : cudnn_copies(facts))
        if (copy.answer) all.push_back(against_cudnn(facts, matrix, gpu, copy));
    for (const Framework& framework : judged_frameworks(facts, matrix))
        if (framework.uses_cuda.value_or(true) && framework.targets) all.push_back(against_framework(gpu, framework));
    add_test_kernel(facts, gpu, all);
    return all;
}

static Finding about(const Facts& facts, const Gpu& gpu, const std::vector<Compared>& all, CodeMatch misfit_looked_for,
                     void (*describe)(Finding&, const Gpu&, const std::string&)) {
    Finding finding;
    finding.subject = subject_of(gpu);
    finding.severity = Severity::note;
    finding.evidence = {{"compute capability", gpu.compute_capability ? gpu.compute_capability->text : "not known",
                         "gpus[" + std::to_string(&gpu - facts.gpus.data()) + "].compute_capability"}};
    std::vector<std::string> things;
    for (const auto& compared : all) {
        if (compared.fit != misfit_looked_for) continue;
        things.push_back(compared.thing);
        finding.severity = std::min(finding.severity, compared.severity);
        finding.evidence.insert(finding.evidence.end(), compared.evidence.begin(), compared.evidence.end());
    }
    describe(finding, gpu, listing(things));
    return finding;
}

/// Programs that choose no GPU take the first: what does not fit another one stops none of them.
static bool stands_aside(const Facts& facts, const Matrix& matrix, const Gpu& gpu) {
    if (only_given(facts) || gpu.index == 0 || facts.gpus.front().index != 0) return false;
    const auto first = compare(facts, matrix, facts.gpus.front());
    return std::all_of(first.begin(), first.end(), [](const Compared& compared) { return compared.fit == CodeMatch::fits; });
}

/// Copies on disk that had to answer and did not.
static void note_silent_copies(const Facts& facts, Answers& answers) {
    for (const LibraryKind kind : {LibraryKind::cudart, LibraryKind::cudnn})
        if (const std::string silent = silent_copy(facts, kind); !silent.empty())
            answers.unknown(silent + " did not answer");
    if (!libraries_listed(facts)) answers.unknown("the library folders could not be searched");
    answers.no_matter("neither a CUDA runtime nor cuDNN was found");
}

/// What is known of a GPU that nothing is wrong with. What ran counts, whether or not the tables know the GPU.
static std::string fit_words(const Facts& facts, const Matrix& matrix, const Gpu& gpu,
                             const std::vector<Compared>& all) {
    if (only_given(facts)) return "what was given has code for " + subject_of(gpu);
    if (std::none_of(all.begin(), all.end(), [](const Compared& compared) { return compared.shown; }))
        return "every CUDA and cuDNN found has code for " + subject_of(gpu);
    std::string words = "networks ran right on " + subject_of(gpu);
    if (gpu.compute_capability && !matrix.architecture(*gpu.compute_capability))
        words +=
            "; the tables of " + matrix.date() + " do not know its compute capability " + gpu.compute_capability->text;
    return words;
}

Verdict judge_architecture(const Facts& facts, const Matrix& matrix, CodeMatch misfit_looked_for,
                           void (*describe)(Finding&, const Gpu&, const std::string&)) {
    Answers answers;
    if (only_given(facts)) {
        if (facts.gpus.empty()) return undecided("no GPU was given");
    } else {
        if (const auto verdict = without_gpu(facts)) return *verdict;
        note_silent_copies(facts, answers);
    }
    for (const auto& gpu : facts.gpus) {
        const auto all = compare(facts, matrix, gpu);
        const auto is_misfit = [&](const Compared& compared) { return compared.fit == misfit_looked_for; };
        if (std::any_of(all.begin(), all.end(), is_misfit)) {
            Finding finding = about(facts, gpu, all, misfit_looked_for, describe);
            if (stands_aside(facts, matrix, gpu)) set_aside(facts, gpu, finding);
            answers.fault(std::move(finding));
        }
        for (const auto& compared : all) {
            if (compared.outside)
                answers.outside(compared.why);
            else if (compared.fit == CodeMatch::unknown)
                answers.unknown(compared.why);
            else if (compared.fit == CodeMatch::unusable)
                answers.told_elsewhere(compared.thing + " does not work at all");
            else if (compared.fit == CodeMatch::fits)
                answers.good(fit_words(facts, matrix, gpu, all),
                             only_given(facts) ? compared.evidence : std::vector<Evidence>());
            else if (only_given(facts))
                answers.told_elsewhere(compared.thing + " does not fit in another way");
            else
                answers.no_matter(compared.thing + " does not fit in another way");
        }
    }
    return answers.close();
}

}  // namespace rnncheck::rules
