#include "base/text.hpp"
#include "files/elf/cudnn_builds.hpp"
#include "files/gpu_libraries.hpp"
#include "support/cudnn.hpp"

namespace rnncheck::probes {

/// The front has no GPU code of its own: the CUDA it is built for is
/// that of libcudnn_ops beside it.
std::vector<CudnnFile> builds_of(const std::vector<std::string>& paths) {
    const Root here;
    std::vector<CudnnFile> files;
    for (const auto& path : paths) {
        CudnnFile file{.path = path, .version = {}, .cuda_major = {}};
        const bool is_front = loader::is_cudnn(file_name(path));
        if (is_front) {
            file.version = elf::version_of_parts_opened(here, path);
            file.cuda_major =
                elf::cuda_major_of_gpu_code(here, directory_of(path) + "/libcudnn_ops.so.9");
        } else {
            file.cuda_major = elf::cuda_major_of_gpu_code(here, path);
        }
        const bool is_known = is_front ? file.version.has_value() : file.cuda_major.has_value();
        if (is_known)
            files.push_back(std::move(file));
    }
    return files;
}

/// A cuDNN that lacks a library returns a status.
std::optional<CallResult> why_not_to_call(const Root&, const std::string&) {
    return std::nullopt;
}

}  // namespace rnncheck::probes
