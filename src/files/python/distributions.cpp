// Names, metadata and lists of files as installers write them: PEP 376, 503
// and 566, and conda's own lists.
#include "files/python/distributions.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "base/directory_list.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/elf/elf_file.hpp"

namespace rnncheck::python {

using re2::RE2;

constexpr std::size_t most_needs = 1024, longest_field = 512, most_metadata = 256 * 1024;
constexpr std::size_t most_libraries = 4096, longest_path = 4096,
                      most_record = std::size_t{32} << 20;

using Names = std::map<std::string, DistributionName, std::less<>>;

/// The rows of distributions.txt: distribution, framework, and, if the name
/// shows them, build and "plugin".
static Names published_names() {
    Names names;
    for (const std::string& row : split(page_named(python_texts(), "distributions"), '\n')) {
        std::vector<std::string> words = split(row, ' ');
        words.resize(4);
        if (!row.empty())
            names[words[0]] = {words[1], words[2], words[3] == "plugin"};
    }
    return names;
}

/// Names with the version that the build is for.
static std::optional<DistributionName> numbered(std::string_view name) {
    // mxnet-cu112, mxnet-cu102mkl
    static const RE2 cupy("cupy-(cuda.*|rocm).*"), mxnet("mxnet-(cu[0-9]*).*");
    static const RE2 jax("jax-(?:(cuda[^-]*)-(?:.*-)?(?:plugin|pjrt)|(rocm).*)");
    std::string build, rocm;
    if (RE2::FullMatch(name, cupy, &build))
        return DistributionName{"cupy", build};
    if (RE2::FullMatch(name, mxnet, &build))
        return DistributionName{"mxnet", build};
    if (RE2::FullMatch(name, jax, &build, &rocm))
        return DistributionName{"jax", build + rocm, true};
    return std::nullopt;
}

/// Those whose metadata in a directory have names of this form, which captures
/// the distribution's name and version.
static std::vector<Distribution> listed(
    const Root& root,
    const std::string& directory,
    const std::string& of_metadata,
    const RE2& form) {
    std::vector<Distribution> found;
    for (const std::string& name : root.names_in(of_metadata)) {
        Distribution one;
        if (!RE2::FullMatch(name, form, &one.name, &one.version))
            continue;
        one.name = normalised(one.name);
        one.directory = directory;
        one.metadata = of_metadata + '/' + name;
        one.conda = of_metadata != directory;
        found.push_back(std::move(one));
    }
    std::ranges::stable_sort(found, {}, &Distribution::name);
    return found;
}

std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

std::optional<Version> leading_version(std::string_view text) {
    auto end = std::min(text.find_first_not_of("0123456789."), text.size());
    while (end > 0 && text[end - 1] == '.')
        --end;
    return parse_version(text.substr(0, end));
}

std::string normalised(std::string_view name) {
    static const RE2 separators("[-_.]+", RE2::Latin1);
    std::string text = lower(name.substr(0, longest_field));
    RE2::GlobalReplace(&text, separators, "-");
    return text;
}

Requirement read_requirement(std::string_view text) {
    static const RE2 form(R"(\s*([-\w.]*)\s*(?:\[[^\]]*\])?([^;]*))", RE2::Latin1);
    Requirement need;
    RE2::PartialMatch(text.substr(0, longest_field), form, &need.name, &need.bounds);
    need.name = normalised(need.name);
    std::erase_if(need.bounds, [](char c) { return includes(std::string_view(" \t\r()"), c); });
    return need;
}

Metadata read_metadata(std::string_view text) {
    Metadata metadata;
    while (!text.empty()) {
        const std::string_view line = trim(take_line(text).substr(0, longest_field));
        if (line.empty())
            break;
        const auto colon = std::min(line.find(':'), line.size() - 1);
        const std::string_view field = line.substr(0, colon), value = trim(line.substr(colon + 1));
        if (field == "Name" && metadata.name.empty())
            metadata.name = normalised(value);
        else if (field == "Version" && metadata.version.empty())
            metadata.version = value;
        else if (field == "Requires-Dist" && metadata.needs.size() < most_needs)
            metadata.needs.push_back(read_requirement(value));
    }
    return metadata;
}

std::optional<DistributionName> parse_distribution_name(std::string_view distribution) {
    static const Names names = published_names();
    const DistributionName* const name = look_up(names, distribution);
    if (!name)
        return numbered(distribution);
    return *name;
}

bool is_library_wheel(std::string_view distribution) {
    constexpr std::string_view stems[] = {
        "nvidia-cudnn", "nvidia-cublas", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc"};
    return std::ranges::any_of(
        stems, [&](std::string_view stem) { return distribution.starts_with(stem); });
}

/// "-cu121" has two digits of CUDA's version, "-cu12" its major alone.
std::optional<int> cuda_major_of(std::string_view distribution) {
    const auto at = distribution.rfind("-cu");
    if (!distribution.starts_with("nvidia-") || at == std::string_view::npos)
        return std::nullopt;
    const auto major = number_from(distribution.substr(at + 3));
    if (major && *major > 100)
        return *major / 10;
    return major;
}

std::vector<Distribution> distributions_in(const Root& root, const std::string& directory) {
    // "torch-2.4.1.dist-info", "PyYAML-6.0-py3.11.egg-info", "foo.egg-info";
    // pip leaves ~orch behind when it was interrupted.
    static const RE2 form(
        R"(([^~-][^-]*)(?:-(.*?))?(?:\.dist-info|(?:-py[^-]*)?\.egg(?:-info)?))", RE2::Latin1);
    return listed(root, directory, directory, form);
}

std::vector<Distribution> conda_distributions(const Root& root, const std::string& prefix) {
    // 2.19.1-cuda128py311h9d5c7cf_250, with the build
    static const RE2 form(R"((.+)-([^-]*-[^-]*)\.json)", RE2::Latin1);
    return listed(root, prefix, prefix + "/conda-meta", form);
}

/// A wheel has METADATA, older installers write PKG-INFO; an
/// .egg-info may be the file itself.
std::optional<Metadata> metadata_of(
    const Root& root, const Distribution& distribution, std::vector<std::string>& left_out) {
    if (distribution.conda)
        return std::nullopt;
    for (const char* name : {"/METADATA", "/PKG-INFO", "/EGG-INFO/PKG-INFO", ""}) {
        const std::string path = distribution.metadata + name;
        const auto text = root.read(path, most_metadata);
        if (!text)
            continue;
        Metadata metadata = read_metadata(*text);
        if (metadata.name.empty())
            left_out.push_back(path + " contains no metadata");
        else if (text->size() == most_metadata && !contains(*text, "\n\n"))
            left_out.push_back(path + ": only the first 256 KiB were read");
        return metadata;
    }
    left_out.push_back("the metadata of " + distribution.metadata + " cannot be read");
    return std::nullopt;
}

/// Rows of CSV: a path, which is quoted where it contains a comma, then a hash and a size.
std::vector<RecordedFile> read_record(std::string_view text) {
    static const RE2 form(
        R"row((?:"((?:[^"]|"")*)"|([^",][^,]*))(?:,(?:.*,)?\s*([0-9]+)\s*|.*))row", RE2::Latin1);
    std::vector<RecordedFile> files;
    // the expression takes longer
    const auto may_name_library = [](std::string_view row) {
        return contains(row, ".so") || contains(row, ".dll") || contains(row, ".pyd");
    };
    while (!text.empty() && files.size() < most_libraries) {
        const std::string_view row = take_line(text);
        std::string quoted, path, bytes;
        if (!may_name_library(row) || row.size() > longest_path ||
            !RE2::FullMatch(row, form, &quoted, &path, &bytes))
            continue;
        replace_all(quoted, "\"\"", "\"");
        path += quoted;
        if (elf::is_shared_library(path) && !includes(path, '\0'))
            files.push_back({path, number_from<std::int64_t>(bytes)});
    }
    return files;
}

void compare_files(
    const Root& root, Distribution& distribution, std::vector<std::string>& left_out) {
    const std::string path = distribution.metadata + "/RECORD";
    const auto text = root.read(path, most_record);
    // not every installer writes one
    if (!text)
        return;
    if (text->size() == most_record)
        left_out.push_back(path + ": only the first 32 MiB were read");
    const auto add = [](std::vector<std::string>& list, const std::string& place) {
        constexpr std::size_t most = 32;
        if (list.size() < most)
            list.push_back(place);
    };
    for (const RecordedFile& file : read_record(*text)) {
        std::string place = file.path;
        if (!place.starts_with('/'))
            place = distribution.directory + '/' + place;
        const auto about = root.status(place);
        if (!about)
            add(distribution.missing_files, place);
        else if (file.bytes && about->is_regular() && about->size != *file.bytes)
            add(distribution.changed_files, place);
    }
}

}  // namespace rnncheck::python
