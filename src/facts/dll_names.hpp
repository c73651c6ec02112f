// What the names and paths of DLLs of Windows show. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rnncheck::dll {

/// Whether two paths or names are the same where case does not count.
bool same_name(std::string_view one, std::string_view other);

/// "C:\a\b.dll" is the file b.dll in the directory C:\a.
std::string dll_name(std::string_view path);
std::string dll_directory(std::string_view path);

/// vcruntime140.dll, msvcp140.dll and the others of Microsoft's Visual C++ runtime.
bool is_visual_cpp_runtime(std::string_view name);

/// The GPU libraries, their parts, zlib for cuDNN, and Microsoft's runtime,
/// without which none of them loads.
bool concerns_gpu(std::string_view name);

/// "cudnn64_9.dll", and "cudnn_ops64_9.dll".
bool is_cudnn(std::string_view name);
bool is_part_of_cudnn(std::string_view name);

}  // namespace rnncheck::dll
