// An index by name, as a framework requests hundreds of DLLs and each could
// be in any of these directories.
#include "files/dll/files_elsewhere.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck::dll {

using Strings = std::vector<std::string>;

namespace {

constexpr std::size_t most_candidates = 32;

/// The number of "cudnn64_9.dll", and what is in front of it.
struct NumberedName {
    std::string stem;
    std::optional<int> number;
};

/// The first of those at this key.
Strings files_in(const std::map<std::string, Strings>& index, const std::string& key) {
    const auto found = index.find(key);
    if (found == index.end())
        return {};
    Strings files = found->second;
    files.resize(std::min(files.size(), most_candidates));
    return files;
}

NumberedName numbered(std::string_view name) {
    const auto at = name.find("64_");
    if (at == std::string_view::npos)
        return {lower(name), std::nullopt};
    return {lower(name.substr(0, at)), leading_number(name.substr(at + 3))};
}

}  // namespace

FilesElsewhere::FilesElsewhere(const Disk& disk, const Strings& directories) {
    for (const std::string& directory : directories)
        for (const std::string& name : disk.names_in(directory)) {
            if (!concerns_gpu(name))
                continue;
            by_name_[lower(name)].push_back(directory + "\\" + name);
            const NumberedName numbers = numbered(name);
            if (numbers.number)
                by_stem_[numbers.stem].push_back(directory + "\\" + name);
        }
}

Strings FilesElsewhere::of(const Answer& answer) const {
    Strings same = files_in(by_name_, lower(answer.name));
    if (answer.path)
        std::erase_if(same, [&](const auto& path) { return same_name(path, *answer.path); });
    if (!same.empty())
        return same;
    const NumberedName wanted = numbered(answer.name);
    Strings other;
    if (wanted.number)
        other = files_in(by_stem_, wanted.stem);
    std::erase_if(other, [&](const std::string& path) {
        return same_name(dll_name(path), answer.name) ||
               (answer.path && same_name(path, *answer.path));
    });
    return other;
}

}  // namespace rnncheck::dll
