// What the cuDNN was built for that a framework of Windows loads.
#include <algorithm>
#include <set>

#include "rules/rule.hpp"
#include "rules/support/dll_loads.hpp"

namespace rnncheck::rules {

namespace {

/// The cuDNN that was queried at this path of Windows; null for one that was not.
const Cudnn* queried_cudnn(const Facts& facts, std::string path) {
    std::ranges::replace(path, '\\', '/');
    return find_where(
        facts.cudnns, [&](const Cudnn& cudnn) { return dll::same_name(cudnn.library, path); });
}

using JudgeCudnn = std::function<void(const Framework&, const DllLoad&, VerdictBuilder&)>;

/// Over the cuDNN DLL that each framework was predicted to load, where one is
/// found; a DLL whose file is unknown leaves the verdict open.
Verdict over_loaded_cudnns(const Facts& facts, const JudgeCudnn& judge) {
    return over_loads(facts, is_front, [&](const DllLoad& load, VerdictBuilder& result) {
        const Framework* const framework = framework_of(facts, load);
        if (load.ending != DllEnding::loaded)
            return;
        if (!load.path || !framework)
            return result.unknown("the file of " + load.name + " is unknown");
        judge(*framework, load, result);
    });
}

/// A fault where cuDNN is for the framework what `fault` names.
Verdict loaded_cudnn_match(
    const Facts& facts,
    stack::CudnnMatch fault,
    const std::function<Remedy(const std::string& major)>& remedy_for) {
    const auto judge =
        [&](const Framework& framework, const DllLoad& load, VerdictBuilder& result) {
            const std::string name = words_of(facts, load);
            if (!load.version || !framework.cudnn)
                return result.unknown(
                    "the version of the cuDNN at " + *load.path + ", or the one that " + name +
                    " was built with, is unknown");
            // The version resource of a DLL has a fourth number, the build:
            // 9.10.2.21.
            const Version cudnn = shortened(*load.version, 3);
            if (stack::cudnn_match(cudnn, *framework.cudnn, framework.name) != fault)
                return;
            Finding finding = about(
                facts,
                load,
                name + " was built with cuDNN " + framework.cudnn->text + ", but " + *load.path +
                    ", which it loads, is cuDNN " + cudnn.text,
                {remedy_for(std::to_string(framework.cudnn->major()))});
            finding.symptoms = {name + " with " + *load.path};
            result.fault(std::move(finding));
        };
    return over_loaded_cudnns(facts, judge);
}

}  // namespace

/// cudnn_newer_than_framework_supports on Windows.
Verdict dll_of_newer_cudnn(const Facts& facts) {
    return loaded_cudnn_match(facts, stack::CudnnMatch::too_new, [](const std::string& major) {
        return remedy("cudnn_newer_than_framework_supports/windows", {major});
    });
}

/// cudnn_runtime_older_than_built on Windows.
Verdict dll_of_older_cudnn(const Facts& facts) {
    return loaded_cudnn_match(facts, stack::CudnnMatch::too_old, [](const std::string& major) {
        return remedy("cudnn_runtime_older_than_built/windows", {major});
    });
}

namespace {

/// The CUDA versions that a cuDNN was built for: as it returned, else as the files show that are
/// loaded with this front. Several where those are mixed.
std::set<std::string> cuda_of_cudnn(const Facts& facts, const DllLoad& front) {
    const Cudnn* const cudnn = queried_cudnn(facts, *front.path);
    if (cudnn && cudnn->built_for_cuda)
        return {cudnn->built_for_cuda->text};
    std::set<std::string> versions;
    for (const DllLoad& load : facts.dll_loads)
        if (key_of(load) == key_of(front) && load.cuda_major)
            versions.insert(std::to_string(*load.cuda_major));
    return versions;
}

}  // namespace

/// cudnn_built_for_other_cuda on Windows, for the CUDA of the framework alone:
/// the DLLs of cuDNN have the same names for every CUDA, so PATH can mix them
/// up.
Verdict dll_of_cudnn_for_other_cuda(const Facts& facts) {
    const auto judge = [&](const Framework& framework,
                           const DllLoad& load,
                           VerdictBuilder& result) {
        const std::string name = words_of(facts, load);
        const auto versions = cuda_of_cudnn(facts, load);
        if (versions.size() > 1)
            return result.block_pass("cuDNN libraries for different CUDA versions are mixed");
        if (versions.empty() || !framework.cuda)
            return result.unknown(
                "the CUDA versions that " + name + " and its cuDNN were built for are unknown");
        const std::string& other = *versions.begin();
        if (parse_version(other)->major() == framework.cuda->major())
            return;
        Finding finding = about(
            facts,
            load,
            name + " was built for CUDA " + framework.cuda->text + ", but the cuDNN at " +
                *load.path + ", which it loads, was built for CUDA " + other,
            {remedy(
                "cudnn_built_for_other_cuda/windows", {std::to_string(framework.cuda->major())})});
        finding.symptoms = {name + " with " + *load.path};
        result.fault(std::move(finding));
    };
    return over_loaded_cudnns(facts, judge);
}

}  // namespace rnncheck::rules
