// Libraries are opened as Python opens extension modules, from their own
// directory, and driver libraries from Windows' own.
#include "vendor/library.hpp"

#include <windows.h>

#include <algorithm>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "windows/system.hpp"

namespace rnncheck::vendor {

// Windows' own directory has the driver's libraries, and CUDA looks for them there
// alone (LoadLibraryEx with LOAD_LIBRARY_SEARCH_SYSTEM32, seen in cudart 12.9 and 13).
const std::string driver_library = "nvcuda.dll", nvml_library = "nvml.dll";

std::string opening_of(const std::string& name) {
    return "LoadLibraryEx(" + name + ")";
}

void* Library::symbol(const char* name) const {
    if (!handle)
        return nullptr;
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle), name));
}

namespace {

std::function<std::optional<std::string>(const std::string&)> reason_to_reject;

std::string slashed(std::string path) {
    std::ranges::replace(path, '\\', '/');
    return path;
}

std::optional<std::string> rejection(const std::string& name) {
    const auto about = Root().status(name);
    if (about && !about->is_regular())
        return name + " is not a file";
    if (!reason_to_reject)
        return std::nullopt;
    return reason_to_reject(name);
}

/// What a library opens by its name alone, without a path or flags, is found
/// beside it and beside those opened before it: cuDNN opens its other libraries
/// so (seen in 8.9.7 to 9.28.1), and AddDllDirectory alone does not reach that.
void add_directory_of(const std::wstring& path) {
    SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    AddDllDirectory(path.substr(0, path.rfind(L'\\')).c_str());
}

/// cuDNN 8 before 8.9 opens this library by its name. Programs find it on PATH, which is not
/// searched here, but what is in the process already counts:
/// https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-860/install-guide/
void open_zlib_of_path() {
    wchar_t path[1 << 10];
    const DWORD size =
        SearchPathW(nullptr, L"zlibwapi.dll", nullptr, DWORD{std::size(path)}, path, nullptr);
    if (size > 0 && size < std::size(path))
        LoadLibraryExW(path, nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
}

/// A bare name is of a library of Windows' own directory; a path is opened as Python opens an
/// extension module:
/// https://learn.microsoft.com/en-us/windows/win32/api/libloaderapi/nf-libloaderapi-loadlibraryexw
HMODULE open(const std::string& name) {
    std::wstring path = windows::utf16(name);
    if (!contains(name, "/"))
        return LoadLibraryExW(path.c_str(), nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
    // which these flags demand
    std::ranges::replace(path, L'/', L'\\');
    if (lower(file_name(name)) == "cudnn64_8.dll")
        open_zlib_of_path();
    add_directory_of(path);
    return LoadLibraryExW(
        path.c_str(), nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
}

}  // namespace

void reject_openings(std::function<std::optional<std::string>(const std::string&)> reason) {
    reason_to_reject = std::move(reason);
}

Library open_library(ProbeWriter& writer, const std::string& name) {
    const std::string call_name = opening_of(name);
    writer.calling(call_name);
    Library library;
    if (const auto reason = rejection(name)) {
        library.failure = CallResult{"LoadLibraryEx", would_block, "not opened: " + *reason};
    } else if (const HMODULE module = open(name)) {
        library.handle = module;
        library.path = slashed(windows::file_of_module(module));
        return library;
    } else {
        const DWORD error = GetLastError();
        library.failure = CallResult{"LoadLibraryEx", missing_symbol, windows::error_text(error)};
    }
    writer.failed({call_name, library.failure->code, library.failure->text});
    return library;
}

/// Names are compared in lower case; the paths keep the case that Windows shows.
std::vector<std::string> mapped_files(const std::string& part) {
    constexpr DWORD most = 4096;
    std::vector<HMODULE> modules(most);
    DWORD bytes = 0;
    if (!K32EnumProcessModules(GetCurrentProcess(), modules.data(), most * sizeof(HMODULE), &bytes))
        return {};
    modules.resize(std::min<std::size_t>(bytes / sizeof(HMODULE), most));
    std::set<std::string> files;
    for (const HMODULE module : modules) {
        const std::string path = slashed(windows::file_of_module(module));
        if (contains(lower(file_name(path)), part))
            files.insert(path);
    }
    return {files.begin(), files.end()};
}

}  // namespace rnncheck::vendor
