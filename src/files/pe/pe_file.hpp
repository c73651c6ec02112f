// What Windows' loader would read from a DLL or program: a few headers and tables. Written for
// hostile files; loads nothing. Format:
// https://learn.microsoft.com/en-us/windows/win32/debug/pe-format
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/version.hpp"
#include "files/file_pieces.hpp"

namespace rnncheck::pe {

/// With a problem set, the other members hold what could be read in spite of it.
struct PeFile {
    /// "64-bit x86-64"
    std::optional<std::string> machine;
    /// of a DLL, by its own table of exports; empty without one
    std::string name;
    /// DLLs that are loaded with it, in order, as written
    std::vector<std::string> imports;
    /// DLLs that are loaded at the first call of one of their functions
    std::vector<std::string> delayed;
    /// made to be started
    bool is_program = false;
    std::optional<FileProblem> problem;
    /// reads after the path: "is a text file that begins with '<html>'"
    std::string problem_detail;
};

/// A file for any machine: which one the process is for decides whether that fits.
PeFile read_pe_file(const Root& root, std::string_view path);

/// Each DLL that is loaded with the file, in lower case, with the functions that
/// are taken from it by name; those taken by number are left out. Nothing for a
/// file that cannot be read completely within 65536 functions and 32 MiB of names.
std::optional<std::map<std::string, std::set<std::string>>> imported_functions(
    const Root& root, std::string_view path);

/// What others can take from the DLL by name. Nothing for a file that cannot be
/// read completely within the same bounds.
std::optional<std::set<std::string>> exported_functions(const Root& root, std::string_view path);

/// What the version resource of a file states of it, as its maker wrote it.
struct VersionResource {
    /// four numbers: 9.10.2.21 of cuDNN, 6.14.11.12090 of cudart for CUDA 12.9
    Version file;
    /// ProductName: "NVIDIA CUDA 12.9.79 Runtime"
    std::string product;
    /// FileDescription
    std::string description;
};

/// Nothing for a file without one, as cudnn_graph64_9.dll.
std::optional<VersionResource> version_resource(const Root& root, std::string_view path);

/// Texts of the form NAME.dll in the file's read-only data, each once: what it
/// may open while it runs. A list "cublas64_118.dll;cublas64_11.dll" gives
/// both. Looks at 64 MiB at most; 1024 names at most.
std::vector<std::string> embedded_library_names(const Root& root, std::string_view path);

}  // namespace rnncheck::pe
