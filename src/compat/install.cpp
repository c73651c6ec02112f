#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "compat/judge_build.hpp"

namespace rnncheck::planning {

namespace {

constexpr std::string_view placeholder = "{version}";

std::string newest_release(const FrameworkBuild& build) {
    return build.last.value_or(build.first).text;
}

/// "2.4" stands for the newest 2.4.x, which pip finds by a pattern. A pattern cannot carry a local version (+cu118, PEP
/// 440); there the first release of the range is meant.
std::string release_for_pip(const FrameworkBuild& build, bool before_local_version) {
    const std::string release = newest_release(build);
    if (parts_written(build.last.value_or(build.first)) >= 3) return release;
    return release + (before_local_version ? ".0" : ".*");
}

/// Quoted, so that no shell takes a pattern or brackets for its own.
std::string filled(const std::string& word, const FrameworkBuild& build) {
    const auto at = word.find(placeholder);
    if (at == std::string::npos) return word;
    const auto behind = at + placeholder.size();
    const bool local = behind < word.size() && word[behind] == '+';
    std::string text = word;
    text.replace(at, placeholder.size(), release_for_pip(build, local));
    const bool bare = text.find_first_of("\"'") == std::string::npos && text.find_first_of("*[<>") != std::string::npos;
    return bare ? "'" + text + "'" : text;
}

/// A wheel that asks for its cuDNN or newer gets the newest, which may have left the GPU behind.
std::string bound_on_cudnn(const FrameworkBuild& build, const Version& gpu, const Matrix& matrix) {
    if (build.libraries != "wheels" || !build.cudnn) return "";
    for (const CudnnBuild& row : matrix.cudnn_builds()) {
        if (row.cuda_major != build.cuda->major() || row.cudnn < *build.cudnn || gpu >= row.capability_min) continue;
        const std::string minor = std::to_string(row.cudnn.major()) + "." + std::to_string(row.cudnn.minor());
        return " 'nvidia-cudnn-cu" + std::to_string(row.cuda_major) + "<" +
               (row.cudnn.parts[2] == 0 ? minor : row.cudnn.text) + "'";
    }
    return "";
}

}  // namespace

std::string install_command(const FrameworkBuild& build, const std::optional<Version>& gpu, const Matrix& matrix) {
    std::vector<std::string> words = split(build.install, ' ');
    for (std::string& word : words) word = filled(word, build);
    std::string command = join(words, " ");
    if (gpu && !command.empty()) command += bound_on_cudnn(build, *gpu, matrix);
    return command;
}

}  // namespace rnncheck::planning
