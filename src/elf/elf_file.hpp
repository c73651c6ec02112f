// Reads the few facts of a shared object that decide whether and how the dynamic loader would take it. Made for files
// nobody vouches for: every offset and size is checked, little is read however large the file is. Opens no library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/files.hpp"
#include "facts/libraries.hpp"

namespace rnncheck::elf {

/// ELF class (32 or 64 bit) and e_machine.
struct Machine {
    int bits = 64;
    int number = 0;

    friend bool operator==(const Machine&, const Machine&) = default;
};

/// "64-bit x86-64", "32-bit machine 3".
std::string machine_name(const Machine& machine);

/// What this program itself was built for.
Machine our_machine();

struct ElfFile {
    Machine machine;
    std::string soname;                  ///< DT_SONAME, empty when there is none
    std::vector<std::string> needed;     ///< DT_NEEDED, in order
    std::vector<std::string> run_path;   ///< DT_RUNPATH, else DT_RPATH, split at ':'
    bool rpath_only = false;             ///< the run path is a DT_RPATH: it also serves the libraries' own needs
};

struct ElfProblem {
    FileProblem problem = FileProblem::unreadable;
    std::string detail;  ///< one clause: "is a text file, not a library"
};

/// Of a path inside the root. A file for another machine is an ElfFile: whether that matters is the reader's business.
std::variant<ElfFile, ElfProblem> read_elf(const Root& root, const std::string& path);

}  // namespace rnncheck::elf
