// cuDNN was built for another CUDA major than the libraries or the driver here.
#include <set>

#include "rules/rule.hpp"
#include "rules/support/cases.hpp"
#include "rules/support/dlls.hpp"

namespace rnncheck::rules {

/// `wanted` is the CUDA major that cuDNN would have to be made for.
static Finding other_cuda(const Facts& facts, const CudnnCopy& copy, int wanted,
                          const std::string& but, Evidence evidence) {
    return {.severity = severity_of(copy),
            .subject = copy.path,
            .message = name_of(copy) + " was built for CUDA " + copy.answer->built_for_cuda->text +
                       ", but " + but,
            .evidence = {{"built for CUDA", copy.answer->built_for_cuda->text, "cudnns"},
                         std::move(evidence)},
            .remedies = {
                installing_cudnn(facts, &copy, wanted,
                                 remedy("cudnn_built_for_other_cuda/cudnn",
                                        {std::to_string(wanted),
                                         std::to_string(copy.answer->built_for_cuda->major())}))}};
}

/// Frameworks for the CUDA of this cuDNN get it: it is the right one for them, and must stay.
static std::vector<Framework> frameworks_suited(const Facts& facts, const Matrix& matrix,
                                                const CudnnCopy& copy) {
    auto users = frameworks_that_get(facts, matrix, copy);
    std::erase_if(users, [&](const Framework& framework) {
        return !framework.cuda || framework.cuda->major() != copy.answer->built_for_cuda->major();
    });
    return users;
}

/// cuDNN and framework belong together; what lacks is the cuBLAS of their CUDA.
static void judge_cublas_of(const Facts& facts, const Framework& framework, Finding finding,
                            VerdictBuilder& answers) {
    const FrameworkLibrary* cublas = opened(framework, "libcublas.so");
    if (cublas && cublas->path)
        return answers.passed(words_of(framework) + " finds the cuBLAS that its cuDNN needs");
    finding.severity = Severity::error;
    finding.symptoms = {words_of(framework)};
    finding.message +=
        "; " + words_of(framework) + " loads this cuDNN and is built for the same CUDA version";
    finding.remedies = {installing_cublas(
        facts, framework,
        remedy("cudnn_built_for_other_cuda/cublas", {std::to_string(framework.cuda->major())}))};
    answers.fault(std::move(finding));
}

/// cuDNN 8 and 9 open cuBLAS of their own CUDA major; 7 has its own inside.
static void judge_cublas(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy,
                         VerdictBuilder& answers) {
    const int cuda_major = copy.answer->built_for_cuda->major();
    std::set<int> majors;  // 0 of a file whose name does not tell; damaged files are told elsewhere
    for (const auto& library : facts.libraries)
        if (library.kind == LibraryKind::cublas || library.kind == LibraryKind::cublaslt)
            majors.insert(major_of_file(library).value_or(0));
    if (copy.major < 8 || majors.contains(cuda_major))
        return answers.passed("cuDNN matches CUDA and the driver");
    if (!libraries_listed(facts))
        return answers.unknown("the library directories could not be searched");
    if (majors.contains(0))
        return answers.unknown("the version of a cuBLAS library is unknown");
    if (majors.empty())
        return answers.no_pass("cuBLAS was not found");
    const std::string found =
        join_with_and(mapped(majors, [](int major) { return std::to_string(major); }));
    Finding finding =
        other_cuda(facts, copy, *majors.rbegin(), "only cuBLAS of CUDA " + found + " is installed",
                   {"libcublasLt.so." + std::to_string(cuda_major), "not found", "libraries"});
    const auto users = frameworks_suited(facts, matrix, copy);
    if (users.empty())
        return answers.fault(std::move(finding));
    for (const Framework& framework : users)
        judge_cublas_of(facts, framework, finding, answers);
}

/// Whether the driver is too old for this copy.
static bool driver_misses(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy,
                          VerdictBuilder& answers) {
    const auto& driver = facts.driver.cuda_version;
    const int cuda_major = copy.answer->built_for_cuda->major();
    if (!driver) {
        const auto why = lower_cause(facts);
        why ? answers.no_pass(*why)
            : answers.unknown("the CUDA version that the driver supports is unknown");
        return false;
    }
    if (cuda_major <= driver->major())
        return false;
    Finding finding = other_cuda(
        facts, copy, driver->major(), "the driver supports CUDA up to " + driver->text,
        {"newest CUDA version supported by the driver", driver->text, "driver.cuda_version"});
    finding.symptoms = {cuda_for_driver(cuda_major)};
    for (const Framework& framework : frameworks_suited(facts, matrix, copy)) {
        Remedy& remedy = finding.remedies.front();
        remedy.action = Action::install_driver;
        remedy.text = "Install a driver for CUDA " + std::to_string(cuda_major) +
                      ", or a build of " + framework.name + " for CUDA " +
                      std::to_string(driver->major()) + "; " + words_of(framework) +
                      " needs this cuDNN";
        remedy.commands.clear();
    }
    answers.fault(std::move(finding));
    return true;
}

/// The cuDNN that a framework gets is for another CUDA than the framework.
static void judge_frameworks_in_use(const Facts& facts, const Matrix& matrix,
                                    VerdictBuilder& answers) {
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        const std::string name = words_of(framework);
        const FrameworkLibrary* cudnn = opened(framework, "libcudnn");
        if (!opens_gpu_libraries(framework, answers) || !cudnn || !cudnn->path)
            continue;
        const auto made_for = cuda_of(facts, *cudnn);
        if (gets_mixed_parts(facts, *cudnn))
            answers.no_pass("the cuDNN that " + name + " loads is mixed with another cuDNN");
        else if (!made_for || !framework.cuda)
            answers.unknown("the CUDA versions that " + name +
                            " and its cuDNN were built for are unknown");
        else if (*made_for != framework.cuda->major())
            answers.fault(
                {.subject = name,
                 .part = part_of(framework),
                 .message = name + " was built for CUDA " + framework.cuda->text +
                            ", but the cuDNN that it loads from " + *cudnn->path +
                            " was built for CUDA " + std::to_string(*made_for),
                 .evidence = {{"cuDNN at " + *cudnn->path, "for CUDA " + std::to_string(*made_for),
                               "frameworks"},
                              built_for(framework, "CUDA " + framework.cuda->text)},
                 .remedies = {installing_cudnn(facts, framework,
                                               remedy("cudnn_built_for_other_cuda/framework",
                                                      {std::to_string(framework.cuda->major())}))},
                 .symptoms = {name + " with " + *cudnn->path}});
    }
}

Verdict cudnn_built_for_other_cuda(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dll_of_cudnn_for_other_cuda(facts);
    const auto copies = cudnn_copies(facts);
    if (copies.empty())
        return without_cudnn(facts);
    VerdictBuilder answers;
    judge_frameworks_in_use(facts, matrix, answers);
    for (const auto& copy : copies) {
        if (std::ranges::any_of(facts.rnn_runs, [&](const RnnRun& run) {
                return run.library == copy.path && was_computed(run);
            }))
            answers.passed("cuDNN ran on this machine");
        else if (never_answered(copy))
            answers.no_pass(name_of(copy) + " does not work");
        else if (borrows_parts(copy.answer))
            answers.no_pass(name_of(copy) + " is mixed with another cuDNN");
        else if (!copy.answer || !copy.answer->built_for_cuda)
            answers.unknown(name_of(copy) + " did not report which CUDA version it was built for");
        else if (!driver_misses(facts, matrix, copy, answers))
            judge_cublas(facts, matrix, copy, answers);
    }
    return answers.close();
}

}  // namespace rnncheck::rules
