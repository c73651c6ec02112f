#include "files/loader/loader_build.hpp"

#include "base/text.hpp"
#include "files/elf/machine_names.hpp"

namespace rnncheck::elf {

namespace {

constexpr std::size_t largest_interpreter = 8 << 20;  // with its debug information 2 MB
constexpr std::size_t most_folders = 16;

/// The text that ends with `ending` and a NUL, from the NUL before it on.
std::string text_ending(std::string_view bytes, std::string_view ending) {
    const auto at = bytes.find(std::string(ending) + '\0');
    if (at == std::string_view::npos) return "";
    const auto before = bytes.rfind('\0', at);
    const auto start = before == std::string_view::npos ? 0 : before + 1;
    return std::string(bytes.substr(start, at + ending.size() - start));
}

bool is_folder_text(std::string_view text) {
    return text.size() > 2 && text.front() == '/' && text.back() == '/' &&
           text.find_first_of(" %:\n") == std::string_view::npos;
}

/// glibc keeps its default folders as texts one behind the other, each with a '/' at both ends (elf/dl-load.c,
/// system_dirs): the longest such row.
std::vector<std::string> folders_in(std::string_view bytes) {
    std::vector<std::string> best, row;
    const auto end_row = [&] {
        if (row.size() > best.size()) best = row;
        row.clear();
    };
    std::size_t at = 0;
    while (at < bytes.size()) {
        if (row.empty()) at = bytes.find(std::string_view("\0/", 2), at);
        if (at == std::string_view::npos) break;
        if (row.empty()) ++at;
        const auto end = bytes.find('\0', at);
        if (end == std::string_view::npos) break;
        const std::string_view text = bytes.substr(at, end - at);
        if (is_folder_text(text) && row.size() < most_folders)
            row.emplace_back(text.substr(0, text.size() - 1));
        else
            end_row();
        at = row.empty() ? end : end + 1;
    }
    end_row();
    return best;
}

}  // namespace

std::optional<LoaderBuild> read_loader_build(const Root& root, std::string_view interpreter) {
    const auto bytes = root.read(interpreter, largest_interpreter);
    if (!bytes || !contains(*bytes, "GLIBC_PRIVATE")) return std::nullopt;
    LoaderBuild build;
    build.cache = text_ending(*bytes, "/ld.so.cache");
    build.preload_file = text_ending(*bytes, "/ld.so.preload");
    build.default_folders = folders_in(*bytes);
    if (build.cache.empty() || build.default_folders.empty()) return std::nullopt;
    build.hwcaps = contains(*bytes, "glibc-hwcaps");
    build.legacy = !build.hwcaps || contains(*bytes, "Legacy HWCAP");
    return build;
}

std::string_view usual_interpreter() {
    switch (own_machine) {
        case EM_AARCH64:
            return "/lib/ld-linux-aarch64.so.1";
        case EM_PPC64:
            return "/lib64/ld64.so.2";
        case EM_RISCV:
            return "/lib/ld-linux-riscv64-lp64d.so.1";
        default:
            return "/lib64/ld-linux-x86-64.so.2";
    }
}

}  // namespace rnncheck::elf
