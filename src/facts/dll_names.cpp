// Windows compares file names without case, and so does everything here.
#include "facts/dll_names.hpp"

#include <algorithm>
#include <initializer_list>

#include "base/text.hpp"

namespace rnncheck::dll {

namespace {

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> beginnings) {
    const std::string small = lower(name);
    return std::ranges::any_of(
        beginnings, [&](std::string_view beginning) { return small.starts_with(beginning); });
}

}  // namespace

bool same_name(std::string_view one, std::string_view other) {
    return lower(one) == lower(other);
}

std::string dll_name(std::string_view path) {
    return std::string(path.substr(path.rfind('\\') + 1));
}

/// "C:\a.dll" is in "C:\", not in "C:", which would mean the current directory
/// of the drive.
std::string dll_directory(std::string_view path) {
    const auto end = path.rfind('\\');
    if (end == std::string_view::npos)
        return "";
    const bool is_root = path.substr(0, end).ends_with(':');
    return std::string(path.substr(0, is_root ? end + 1 : end));
}

/// The redistributable of Visual Studio 2015 to 2022, whose DLLs kept the number 140.
bool is_visual_cpp_runtime(std::string_view name) {
    return begins_with_any(name, {"vcruntime140", "msvcp140", "concrt140", "vcomp140"});
}

bool concerns_gpu(std::string_view name) {
    return is_visual_cpp_runtime(name) || begins_with_any(
                                              name,
                                              {"cudnn",
                                               "cublas",
                                               "cudart64",
                                               "cufft64",
                                               "curand64",
                                               "cusolver",
                                               "cusparse64",
                                               "nvcuda.dll",
                                               "nvrtc",
                                               "nvml.dll",
                                               "nvinfer",
                                               "zlibwapi.dll"});
}

/// The front, which programs open by name; the libraries that it opens
/// itself are is_part_of_cudnn.
bool is_cudnn(std::string_view name) {
    return begins_with_any(name, {"cudnn64_"});
}

bool is_part_of_cudnn(std::string_view name) {
    return begins_with_any(name, {"cudnn_"});
}

}  // namespace rnncheck::dll
