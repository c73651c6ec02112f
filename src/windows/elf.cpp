// The readers of files of Linux on Windows, where none is loaded: every file is
// none of these.
#include "base/text.hpp"
#include "files/elf/elf_file.hpp"

namespace rnncheck::elf {

ElfFile read_elf_file(const Root&, std::string_view, ElfUse) {
    ElfFile none;
    none.problem = FileProblem::not_elf;
    none.problem_detail = "is no library of Linux";
    return none;
}

std::vector<std::string> embedded_library_names(const Root&, std::string_view) {
    return {};
}

bool defines_symbol(const Root&, std::string_view, const std::string&) {
    return false;
}

bool is_shared_library(std::string_view path) {
    const std::string name = lower(path);
    return name.ends_with(".dll") || name.ends_with(".pyd");
}

}  // namespace rnncheck::elf
