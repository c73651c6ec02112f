#include "files/python/distributions.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck::packages {

namespace {

constexpr std::size_t most_metadata = 256 * 1024;

std::string_view without_end(std::string_view text, std::string_view end) {
    return text.substr(0, text.size() - end.size());
}

/// "torch-2.4.1.dist-info", "PyYAML-6.0-py3.11.egg-info", "foo.egg-info".
std::optional<Distribution> from_metadata_name(std::string_view name, const std::string& folder) {
    std::string_view stem;
    for (const std::string_view end : {".dist-info", ".egg-info", ".egg"})
        if (name.size() > end.size() && name.ends_with(end)) stem = without_end(name, end);
    if (stem.empty() || stem.front() == '~') return std::nullopt;  // pip leaves ~orch behind when it was interrupted
    if (const auto tag = stem.rfind("-py"); tag != std::string_view::npos && !name.ends_with(".dist-info"))
        stem = stem.substr(0, tag);
    Distribution found;
    const auto dash = stem.find('-');
    found.name = normalised(stem.substr(0, dash));
    if (dash != std::string_view::npos) found.version = stem.substr(dash + 1);
    found.folder = folder;
    found.metadata = folder + '/' + std::string(name);
    return found;
}

std::optional<Distribution> from_conda_name(std::string_view name, const std::string& prefix) {
    constexpr std::string_view end = ".json";
    if (!name.ends_with(end)) return std::nullopt;
    const std::string_view stem = without_end(name, end);
    const auto build = stem.rfind('-');
    if (build == std::string_view::npos || build == 0) return std::nullopt;
    const auto version = stem.rfind('-', build - 1);
    if (version == std::string_view::npos || version == 0) return std::nullopt;
    Distribution found;
    found.name = normalised(stem.substr(0, version));
    found.version = stem.substr(version + 1);  // with the build: 2.19.1-cuda128py311h9d5c7cf_250
    found.folder = prefix;
    found.metadata = prefix + "/conda-meta/" + std::string(name);
    found.conda = true;
    return found;
}

template <class From>
std::vector<Distribution> listed(const Root& root, const std::string& names_in, const std::string& folder, From from) {
    std::vector<Distribution> found;
    for (const std::string& name : root.names_in(names_in))
        if (auto distribution = from(name, folder)) found.push_back(std::move(*distribution));
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return found;
}

bool is_longer(const Root& root, const std::string& path, std::size_t bytes) {
    struct stat about {};
    const auto real = root.real_path(path);
    return real && stat(root.outside(*real).c_str(), &about) == 0 && static_cast<std::size_t>(about.st_size) > bytes;
}

}  // namespace

std::vector<Distribution> distributions_in(const Root& root, const std::string& folder) {
    return listed(root, folder, folder, from_metadata_name);
}

std::vector<Distribution> conda_distributions(const Root& root, const std::string& prefix) {
    return listed(root, prefix + "/conda-meta", prefix, from_conda_name);
}

std::optional<Metadata> metadata_of(const Root& root, const Distribution& distribution,
                                    std::vector<std::string>& left_out) {
    if (distribution.conda) return std::nullopt;
    for (const char* name : {"/METADATA", "/PKG-INFO", "/EGG-INFO/PKG-INFO", ""}) {
        const std::string path = distribution.metadata + name;
        const auto text = root.read(path, most_metadata);
        if (!text) continue;
        Metadata metadata = read_metadata(*text);
        if (metadata.name.empty())
            left_out.push_back(path + " holds no metadata");
        else if (text->size() == most_metadata && text->find("\n\n") == std::string::npos &&
                 is_longer(root, path, most_metadata))
            left_out.push_back(path + ": only the first 256 KiB were read");
        return metadata;
    }
    left_out.push_back("the metadata of " + distribution.metadata + " cannot be read");
    return std::nullopt;
}

std::optional<Version> release_of(std::string_view version) {
    auto end = std::min(version.find_first_not_of("0123456789."), version.size());
    while (end > 0 && version[end - 1] == '.') --end;
    return parse_version(version.substr(0, end));
}

}  // namespace rnncheck::packages
