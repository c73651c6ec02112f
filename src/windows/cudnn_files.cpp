#include "base/text.hpp"
#include "files/pe/pe_file.hpp"
#include "support/cudnn.hpp"

namespace rnncheck::probes {

/// By their version resources, which cudnn_graph64_9.dll and cudnn_heuristic64_9.dll
/// lack: 9.10.2.21.
std::vector<CudnnFile> builds_of(const std::vector<std::string>& paths) {
    std::vector<CudnnFile> files;
    for (const std::string& path : paths)
        if (const auto resource = pe::version_resource(Root(), path))
            files.push_back(
                {.path = path, .version = shortened(resource->file, 3), .cuda_major = {}});
    return files;
}

/// Without one of these the first call that needs it ends the process with 0xC0000409: seen with
/// cuDNN 8.9.7, 9.1.0, 9.10.2 and 9.28.1.
static std::vector<std::string> needed_for_rnns(const std::string& front) {
    if (front == "cudnn64_9.dll")
        return {"cudnn_graph64_9.dll", "cudnn_ops64_9.dll", "cudnn_adv64_9.dll"};
    if (front == "cudnn64_8.dll")
        return {"cudnn_ops_infer64_8.dll", "cudnn_cnn_infer64_8.dll", "cudnn_adv_infer64_8.dll"};
    return {};
}

/// "is missing", or what is wrong with the file; empty where nothing is.
static std::string problem_of(const Root& root, const std::string& path) {
    if (!root.exists(path))
        return "is missing";
    const pe::PeFile file = pe::read_pe_file(root, path);
    return file.problem ? file.problem_detail : "";
}

std::optional<CallResult> why_not_to_call(const Root& root, const std::string& path) {
    for (const std::string& name : needed_for_rnns(lower(file_name(path)))) {
        const std::string library = directory_of(path) + '/' + name;
        if (const std::string problem = problem_of(root, library); !problem.empty())
            return CallResult{"cudnnGetVersion", missing_symbol,
                              "not called, for " + library + ' ' + problem +
                                  ", so that cuDNN would end the process of a program"};
    }
    return std::nullopt;
}

}  // namespace rnncheck::probes
