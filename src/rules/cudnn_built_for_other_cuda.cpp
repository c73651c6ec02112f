// cuDNN was built for another CUDA major than the libraries or the driver here.
#include <set>

#include "rules/rule.hpp"
#include "rules/support/cases.hpp"
#include "rules/support/dlls.hpp"

namespace rnncheck::rules {

/// `wanted` is the CUDA major that cuDNN would have to be made for.
static Finding other_cuda(
    const Facts& facts,
    const CudnnInstallation& installation,
    int wanted,
    const std::string& but,
    Evidence evidence) {
    return {
        .severity = severity_of(installation),
        .subject = installation.path,
        .message = name_of(installation) + " was built for CUDA " +
                   installation.answer->built_for_cuda->text + ", but " + but,
        .evidence =
            {{"built for CUDA", installation.answer->built_for_cuda->text, "cudnns"},
             std::move(evidence)},
        .remedies = {installing_cudnn(
            facts,
            &installation,
            wanted,
            remedy(
                "cudnn_built_for_other_cuda/cudnn",
                {std::to_string(wanted),
                 std::to_string(installation.answer->built_for_cuda->major())}))},
    };
}

/// Frameworks for the CUDA of this cuDNN get it: it is the right one for them, and must stay.
static std::vector<Framework> frameworks_suited(
    const Facts& facts, const Matrix& matrix, const CudnnInstallation& installation) {
    auto users = frameworks_that_get(facts, matrix, installation);
    std::erase_if(users, [&](const Framework& framework) {
        return !framework.cuda ||
               framework.cuda->major() != installation.answer->built_for_cuda->major();
    });
    return users;
}

/// cuDNN and framework belong together; what lacks is the cuBLAS of their CUDA.
static void judge_cublas_of(
    const Facts& facts, const Framework& framework, Finding finding, VerdictBuilder& result) {
    const FrameworkLibrary* cublas = opened(framework, "libcublas.so");
    if (cublas && cublas->path)
        return result.passed(words_of(framework) + " finds the cuBLAS that its cuDNN needs");
    finding.severity = Severity::error;
    finding.symptoms = {words_of(framework)};
    finding.message +=
        "; " + words_of(framework) + " loads this cuDNN and is built for the same CUDA version";
    finding.remedies = {installing_cublas(
        facts,
        framework,
        remedy("cudnn_built_for_other_cuda/cublas", {std::to_string(framework.cuda->major())}))};
    result.fault(std::move(finding));
}

/// cuDNN 8 and 9 open cuBLAS of their own CUDA major; 7 has its own inside.
static void judge_cublas(
    const Facts& facts,
    const Matrix& matrix,
    const CudnnInstallation& installation,
    VerdictBuilder& result) {
    const int cuda_major = installation.answer->built_for_cuda->major();
    std::set<int> majors;  // 0 of a file whose name does not show it
    for (const auto& library : facts.libraries)
        if (library.kind == LibraryKind::cublas || library.kind == LibraryKind::cublaslt)
            majors.insert(major_of_file(library).value_or(0));
    if (installation.major < 8 || majors.contains(cuda_major))
        return result.passed("cuDNN matches CUDA and the driver");
    if (!libraries_listed(facts))
        return result.unknown("the library directories could not be searched");
    if (majors.contains(0))
        return result.unknown("the version of a cuBLAS library is unknown");
    if (majors.empty())
        return result.block_pass("cuBLAS was not found");
    // Several majors are named together: which of them programs get does not
    // matter, because none is the one that this cuDNN opens.
    const std::string found =
        join_with_and(mapped(majors, [](int major) { return std::to_string(major); }));
    Finding finding = other_cuda(
        facts,
        installation,
        *majors.rbegin(),
        "only cuBLAS of CUDA " + found + " is installed",
        {"libcublasLt.so." + std::to_string(cuda_major), "not found", "libraries"});
    const auto users = frameworks_suited(facts, matrix, installation);
    if (users.empty())
        return result.fault(std::move(finding));
    for (const Framework& framework : users)
        judge_cublas_of(facts, framework, finding, result);
}

/// Whether the driver is too old for this copy.
/// Whether the driver is too old for this cuDNN. A driver runs what was built
/// for its own or an older CUDA major; minor versions do not count, because CUDA
/// keeps them compatible from 11 on.
static bool driver_misses(
    const Facts& facts,
    const Matrix& matrix,
    const CudnnInstallation& installation,
    VerdictBuilder& result) {
    const auto& driver = facts.driver.cuda_version;
    const int cuda_major = installation.answer->built_for_cuda->major();
    if (!driver) {
        const auto why = lower_cause(facts);
        if (why)
            result.block_pass(*why);
        else
            result.unknown("the CUDA version that the driver supports is unknown");
        return false;
    }
    if (cuda_major <= driver->major())
        return false;
    Finding finding = other_cuda(
        facts,
        installation,
        driver->major(),
        "the driver supports CUDA up to " + driver->text,
        {"newest CUDA version supported by the driver", driver->text, "driver.cuda_version"});
    finding.symptoms = {cuda_for_driver(cuda_major)};
    // Where a framework needs exactly this cuDNN another one would break it:
    // then the driver is what has to change.
    for (const Framework& framework : frameworks_suited(facts, matrix, installation)) {
        Remedy& remedy = finding.remedies.front();
        remedy.action = Action::install_driver;
        remedy.text = "Install a driver for CUDA " + std::to_string(cuda_major) +
                      ", or a build of " + framework.name + " for CUDA " +
                      std::to_string(driver->major()) + "; " + words_of(framework) +
                      " needs this cuDNN";
        remedy.commands.clear();
    }
    result.fault(std::move(finding));
    return true;
}

/// The cuDNN that a framework gets is for another CUDA than the framework: it
/// then needs a cuBLAS of its own CUDA, which the framework does not bundle.
static void judge_frameworks_in_use(
    const Facts& facts, const Matrix& matrix, VerdictBuilder& result) {
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        const std::string name = words_of(framework);
        const FrameworkLibrary* cudnn = opened(framework, "libcudnn");
        if (!opens_gpu_libraries(framework, result) || !cudnn || !cudnn->path)
            continue;
        const auto made_for = cuda_of(facts, *cudnn);
        if (has_mixed_sublibraries(facts, *cudnn))
            result.block_pass("the cuDNN that " + name + " loads is mixed with another cuDNN");
        else if (!made_for || !framework.cuda)
            result.unknown(
                "the CUDA versions that " + name + " and its cuDNN were built for are unknown");
        else if (*made_for != framework.cuda->major())
            result.fault({
                .subject = name,
                .part = part_of(framework),
                .message = name + " was built for CUDA " + framework.cuda->text +
                           ", but the cuDNN that it loads from " + *cudnn->path +
                           " was built for CUDA " + std::to_string(*made_for),
                .evidence =
                    {{"cuDNN at " + *cudnn->path,
                      "for CUDA " + std::to_string(*made_for),
                      "frameworks"},
                     built_for(framework, "CUDA " + framework.cuda->text)},
                .remedies = {installing_cudnn(
                    facts,
                    framework,
                    remedy(
                        "cudnn_built_for_other_cuda/framework",
                        {std::to_string(framework.cuda->major())}))},
                .symptoms = {name + " with " + *cudnn->path},
            });
    }
}

/// The CUDA major that cuDNN was built for has to be that of its cuBLAS and of
/// the framework, and none newer than the driver's. A recurrent network that
/// this cuDNN computed here outweighs what the files suggest.
Verdict cudnn_built_for_other_cuda(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dll_of_cudnn_for_other_cuda(facts);
    const auto installations = cudnn_installations(facts);
    if (installations.empty())
        return without_cudnn(facts);
    VerdictBuilder result;
    judge_frameworks_in_use(facts, matrix, result);
    for (const auto& installation : installations) {
        if (std::ranges::any_of(facts.rnn_runs, [&](const RnnRun& run) {
                return run.library == installation.path && was_computed(run);
            }))
            result.passed("cuDNN ran on this machine");
        else if (only_failed(installation))
            result.block_pass(name_of(installation) + " does not work");
        else if (loads_other_directories(installation.answer))
            result.block_pass(name_of(installation) + " is mixed with another cuDNN");
        else if (!installation.answer || !installation.answer->built_for_cuda)
            result.unknown(
                name_of(installation) + " did not report which CUDA version it was built for");
        else if (!driver_misses(facts, matrix, installation, result))
            judge_cublas(facts, matrix, installation, result);
    }
    return result.finish();
}

}  // namespace rnncheck::rules
