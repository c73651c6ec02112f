// cuDNN on Windows ends the process where a library is missing, so its files
// are read before it is called.
#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/pe/cudnn_build.hpp"
#include "support/cudnn.hpp"
#include "windows/pythons.hpp"

namespace rnncheck::probes {

/// The version resource has four numbers, the version that cuDNN returns three.
std::vector<CudnnFile> builds_of(const std::vector<std::string>& paths) {
    std::vector<CudnnFile> files;
    for (const std::string& path : paths) {
        const pe::CudnnBuild build = pe::cudnn_build(Root(), path);
        if (build.version)
            files.push_back(
                {.path = path,
                 .version = shortened(*build.version, 3),
                 .cuda_major = build.cuda_major});
    }
    return files;
}

/// Without one of these the first call that needs it ends the process with
/// 0xC0000409: seen with cuDNN 8.9.7, 9.1.0, 9.10.2 and 9.28.1.
static std::vector<std::string> needed_for_rnns(const std::string& front) {
    if (front == "cudnn64_9.dll")
        return {"cudnn_graph64_9.dll", "cudnn_ops64_9.dll", "cudnn_adv64_9.dll"};
    if (front == "cudnn64_8.dll")
        return {"cudnn_ops_infer64_8.dll", "cudnn_cnn_infer64_8.dll", "cudnn_adv_infer64_8.dll"};
    return {};
}

std::optional<CallResult> why_not_to_call(const Root&, const std::string& path) {
    const auto front = dll::absolute_windows_path(path);
    if (!front)
        return std::nullopt;
    const auto needed = needed_for_rnns(lower(file_name(path)));
    for (const DllLoad& load : dll::loads_from_own_directory(windows::disk_of_machine(), *front))
        if (includes(needed, lower(load.name)) && load.ending != DllEnding::loaded)
            return CallResult{
                "cudnnGetVersion",
                missing_symbol,
                "not called, for " + load.path.value_or(load.name) + ' ' +
                    load.problem.value_or("is not loaded") +
                    ", so that cuDNN would end the process of a program"};
    return std::nullopt;
}

}  // namespace rnncheck::probes
