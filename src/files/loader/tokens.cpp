// $ORIGIN, $LIB and $PLATFORM (glibc elf/dl-load.c: is_dst, _dl_dst_substitute).
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "files/loader/loader.hpp"

namespace rnncheck::elf {

namespace {

constexpr std::size_t longest_result = 1 << 16;

bool continues_name(std::string_view text, std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
}

/// How many characters behind the '$' are this token; 0 when it is none.
std::size_t length_of(std::string_view behind, std::string_view token) {
    const bool braces = behind.starts_with('{');
    const std::string_view name = behind.substr(braces ? 1 : 0);
    if (!name.starts_with(token)) return 0;
    if (braces) return name.substr(token.size()).starts_with('}') ? token.size() + 2 : 0;
    return continues_name(name, token.size()) ? 0 : token.size();
}

bool below_a_built_in_folder(const Loader& loader, const std::string& path) {
    const std::string normal = std::filesystem::path(path).lexically_normal().string() + '/';
    for (const auto& folder : loader.built_in_folders)
        if (normal.starts_with(folder + '/')) return true;
    return false;
}

}  // namespace

std::string with_tokens(const Loader& loader, std::string_view text, std::string_view origin, bool of_program) {
    const std::pair<std::string_view, std::string_view> tokens[] = {
        {"ORIGIN", origin}, {"LIB", loader.library_folder}, {"PLATFORM", loader.platform}};
    std::string result;
    bool by_origin = false;
    while (!text.empty() && result.size() < longest_result) {
        std::size_t length = 0;
        for (const auto& [token, value] : tokens) {
            if (text.front() == '$') length = length_of(text.substr(1), token);
            if (length == 0) continue;
            const bool is_origin = token == "ORIGIN";
            const bool stands_alone = result.empty() && (text.size() == length + 1 || text[length + 1] == '/');
            if (value.empty() || (is_origin && loader.secure && !stands_alone)) return "";
            by_origin |= is_origin;
            result += value;
            break;
        }
        if (length == 0) result += text.front();
        text.remove_prefix(length + 1);
    }
    // Who starts a set-user-id program must not choose its libraries by a link to it.
    if (loader.secure && of_program && by_origin && !below_a_built_in_folder(loader, result)) return "";
    return result;
}

std::string expanded(const Loader& loader, std::string_view entry, std::string_view origin, bool of_program) {
    const std::string text = with_tokens(loader, entry, origin, of_program);
    if (text.empty() && !entry.empty()) return "";
    if (text.empty()) return loader.working_folder;
    return text.front() == '/' ? text : loader.working_folder + '/' + text;
}

std::string_view origin_of(std::string_view path) {
    return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

}  // namespace rnncheck::elf
