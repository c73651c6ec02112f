// The GPU libraries: which file names mean which, and where their files are
// beside the loader's own places.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "facts/libraries.hpp"

namespace rnncheck::loader {

/// What the name of a file shows of the library in it.
struct LibraryName {
    LibraryKind kind;
    /// libcudart.so.12.4.99 gives 12.4.99, libcudnn.so.9 gives 9
    std::optional<Version> version;
    /// libcudnn.so: for linking, no program names it at run time
    bool development = false;

    /// Without the number of an interface. A driver's library has its version in its
    /// name alone: libcuda.so.535.247.01. On Jetson and WSL it is libcuda.so.1.1,
    /// and everywhere there is libcuda.so.1: no driver version was ever so low.
    std::optional<Version> product_version() const;
};

/// Takes libNAME.so and libNAME.so.NUMBERS, with the eight hexadecimal digits
/// that wheels put behind a name (libcudart-d0da41ae.so.11.0) or without.
/// Static libraries and backups (libcudnn.so.9.bak) are no names.
std::optional<LibraryName> library_name(std::string_view file_name);

/// The name by which programs open a file of this name: that of its kind,
/// else its soname, else its own.
std::string opened_as(
    LibraryKind kind, const std::optional<std::string>& soname, const std::string& file_name);

/// The driver's libraries, CUDA's, cuDNN and its parts, NCCL and TensorRT, as
/// libNAME.so[.NUMBERS]; zlib too, without which cuDNN does not load.
bool concerns_gpu(std::string_view name);

/// One of those that programs open by name: libcuda, libnvidia-ml, libcudart,
/// libcudnn, libcublas, libcublasLt, libnvrtc; with a number behind .so.
bool is_opened_by_programs(std::string_view name);

/// "libcudnn.so.9", not one of its parts, and "libcudnn_ops.so.9".
bool is_cudnn(std::string_view name);
bool is_part_of_cudnn(std::string_view name);

/// What cuDNN `name`, opened as `path`, opens by name: its parts, by the files
/// beside it and by the names inside it. cuDNN 9 holds them without the
/// number, which is its own then.
std::vector<std::string> parts_of_cudnn(
    const Root& root,
    const std::string& name,
    const std::string& path,
    const std::vector<std::string>& names_inside);

/// Where else GPU libraries are on this machine: below every CUDA toolkit with
/// its forward-compatibility directories, in wheels of the Python installations
/// that would be used here (of the one requested first), in the active conda
/// environment or the one requested, and of WSL. Directories need not exist,
/// and several names may mean one.
std::map<FoundVia, std::vector<std::string>> other_library_directories(
    const Root& root, const std::optional<std::string>& requested_python = {});

}  // namespace rnncheck::loader
