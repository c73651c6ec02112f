#include "matrix/shells.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck {

namespace {

constexpr std::string_view unix_words[] = {"$(",      "/dev/",   "/usr/",     "LD_",    "cat /",    "dpkg",
                                           "env -u ", "export ", "find /",    "grep",   "ldconfig", "ls -",
                                           "rm -",    "sudo ",   "systemctl", "unset ", "~/"};

/// The text without what stands in double quotes or, as a placeholder, in braces.
std::string outside_quotes(std::string_view text) {
    std::string out;
    bool quoted = false, braced = false;
    for (const char c : text) {
        if (c == '"') quoted = !quoted;
        if (c == '{' || c == '}') braced = c == '{';
        if (!quoted && !braced && c != '"') out += c;
    }
    return out;
}

/// "CUDA_LAUNCH_BLOCKING=1 python ..."
bool begins_with_assignment(std::string_view command) {
    const auto end =
        std::ranges::find_if_not(command, [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; });
    return end != command.begin() && end != command.end() && *end == '=';
}

/// The value that begins at `at`, to the next blank outside of $(...) and quotes.
std::string_view value_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    for (int depth = 0; end < text.size(); ++end) {
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
        if (depth == 0 && (text[end] == ' ' || text[end] == '`')) break;
    }
    return text.substr(at, end - at);
}

/// "export LD_LIBRARY_PATH=DIR" takes from the variable what it had: in containers and WSL the driver's own directory.
bool overwrites_a_path(std::string_view text) {
    if (contains(text, "unset LD_LIBRARY_PATH") || contains(text, "unset PATH") || contains(text, "setx PATH"))
        return true;
    for (auto at = text.find("PATH="); at != std::string_view::npos; at = text.find("PATH=", at + 1)) {
        std::size_t start = at;
        while (start > 0 && (is_letter(text[start - 1]) || text[start - 1] == '_')) --start;
        const std::string name(text.substr(start, at + 4 - start));
        const bool is_list = name == "PATH" || name == "LD_LIBRARY_PATH" || name == "PYTHONPATH";
        const std::string_view value = value_at(text, at + 5);
        if (is_list && !contains(value, "$" + name) && !contains(value, "${" + name) && !contains(value, "%" + name))
            return true;
    }
    return false;
}

/// What a shell would take for a redirection: "pip install tensorflow<2.11".
bool redirects(std::string_view text) {
    const std::string bare = outside_quotes(text);
    const auto install = bare.find("pip install ");
    if (install == std::string::npos) return false;
    const auto sign = bare.find_first_of("<>", install);
    return sign != std::string::npos && sign > 0 && bare[sign - 1] != ' ' && bare.find(' ', install + 12) >= sign;
}

/// "pip install --upgrade torch": whatever is the newest that day.
bool upgrades_without_bound(std::string_view text) {
    constexpr std::string_view upgrade = "install --upgrade ";
    const auto at = text.find(upgrade);
    if (at == std::string_view::npos) return false;
    const std::string_view what = value_at(text, at + upgrade.size());
    return what != "pip" && what.find_first_of("<=") == std::string_view::npos;
}

}  // namespace

bool is_for_unix(std::string_view command) {
    const std::string bare = outside_quotes(command);
    return begins_with_assignment(command) || bare.find(';') != std::string::npos ||
           std::ranges::any_of(unix_words, [&](std::string_view word) { return contains(command, word); });
}

bool only_looks(std::string_view command) {
    constexpr std::string_view programs[] = {"cat ",           "dkms status",
                                             "dpkg --list",    "dpkg --search",
                                             "echo $",         "echo get_server_list |",
                                             "env | grep",     "free ",
                                             "grep ",          "id",
                                             "ldconfig -p",    "ls -",
                                             "lspci",          "lxc config show",
                                             "nvcc --version", "nvidia-smi",
                                             "printenv ",      "rpm --query ",
                                             "sudo dmesg",     "sudo fuser -v",
                                             "ulimit -v",      "uname "};
    return std::ranges::any_of(programs, [&](std::string_view program) { return command.starts_with(program); });
}

std::vector<std::string> faults_of_commands(std::string_view text) {
    std::vector<std::string> faults;
    if (contains(text, "install '"))
        faults.emplace_back("cmd.exe does not know single quotes; write version specifiers in double ones");
    else if (redirects(text))
        faults.emplace_back("a shell takes < and > for redirections; quote the version specifier");
    if (overwrites_a_path(text))
        faults.emplace_back(
            "it replaces a search path that other libraries need; extend it: "
            "export LD_LIBRARY_PATH=DIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
    if (upgrades_without_bound(text))
        faults.emplace_back("--upgrade without a bound may install another major version; name the version");
    if (contains(text, "x86_64-linux-gnu"))
        faults.emplace_back("other distributions and machines have another library directory; use ldconfig -p");
    if (contains(text, "pdate the driver") && !contains(text, "support"))
        faults.emplace_back("newer drivers no longer support old GPUs; write to one that still supports the GPU");
    if (contains(text, " where ") && contains(text, ".dll"))
        faults.emplace_back("'where' is another command in PowerShell; write where.exe");
    return faults;
}

std::string fault_of_link(std::string_view url) {
    constexpr std::string_view moving[] = {"/deeplearning/sdk/", "/deeplearning/cudnn/latest/support-matrix",
                                           "/deeplearning/cudnn/support-matrix"};
    for (const std::string_view pattern : moving)
        if (contains(url, pattern))
            return "an old address that leads to another page with every version of cuDNN; link to "
                   "deeplearning/cudnn/archives/ or deeplearning/cudnn/backend/";
    return "";
}

}  // namespace rnncheck
