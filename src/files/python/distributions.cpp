#include "files/python/distributions.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "files/elf/elf_file.hpp"

namespace rnncheck::python {

namespace {

constexpr std::size_t most_needs = 1024, longest_field = 512;

/// extra == 'and-cuda', wherever it is in the marker.
std::string extra_in(std::string_view marker) {
    const auto at = marker.find("extra");
    if (at == std::string_view::npos) return "";
    const auto begin = marker.find_first_of("'\"", at);
    if (begin == std::string_view::npos) return "";
    const auto end = marker.find(marker[begin], begin + 1);
    return end == std::string_view::npos ? "" : std::string(marker.substr(begin + 1, end - begin - 1));
}

struct PublishedName {
    std::string_view distribution, framework, build;
    bool plugin = false;
};

constexpr auto published_names = std::to_array<PublishedName>({
    {"tensorflow", "tensorflow", ""},
    {"tensorflow-gpu", "tensorflow", "cuda"},
    {"tensorflow-cpu", "tensorflow", "cpu"},
    {"tensorflow-cpu-aws", "tensorflow", "cpu"},
    {"tensorflow-aarch64", "tensorflow", "cpu"},
    {"tensorflow-intel", "tensorflow", "cpu"},
    {"intel-tensorflow", "tensorflow", "cpu"},
    {"tensorflow-macos", "tensorflow", "cpu"},
    {"tensorflow-rocm", "tensorflow", "rocm"},
    {"tensorflow-directml", "tensorflow", "directml"},
    {"tf-nightly", "tensorflow", ""},
    {"tf-nightly-gpu", "tensorflow", "cuda"},
    {"tf-nightly-cpu", "tensorflow", "cpu"},
    {"tf-nightly-intel", "tensorflow", "cpu"},
    {"tensorflow-directml-plugin", "tensorflow", "directml", true},
    {"tensorflow-metal", "tensorflow", "metal", true},
    {"keras", "keras", ""},
    {"keras-nightly", "keras", ""},
    {"torch", "pytorch", ""},
    {"jaxlib", "jax", ""},
    {"jax-metal", "jax", "metal", true},
    {"onnxruntime", "onnxruntime", "cpu"},
    {"ort-nightly", "onnxruntime", "cpu"},
    {"onnxruntime-gpu", "onnxruntime", "cuda"},
    {"ort-nightly-gpu", "onnxruntime", "cuda"},
    {"onnxruntime-directml", "onnxruntime", "directml"},
    {"onnxruntime-rocm", "onnxruntime", "rocm"},
    {"onnxruntime-openvino", "onnxruntime", "openvino"},
    {"paddlepaddle", "paddlepaddle", "cpu"},
    {"paddlepaddle-gpu", "paddlepaddle", ""},
    {"ctranslate2", "ctranslate2", ""},
    {"cupy", "cupy", ""},
    {"mxnet", "mxnet", "cpu"},
});

std::optional<DistributionName> numbered(std::string_view name) {
    constexpr std::string_view cupy = "cupy-cuda", mxnet = "mxnet-cu", jax = "jax-cuda", jax_rocm = "jax-rocm";
    if (name.starts_with(cupy)) return DistributionName{"cupy", std::string(name.substr(5))};
    if (name.starts_with("cupy-rocm")) return DistributionName{"cupy", "rocm"};
    if (name.starts_with(mxnet))  // mxnet-cu112, mxnet-cu102mkl
        return DistributionName{"mxnet", std::string(name.substr(6, name.find_first_not_of("0123456789", 8) - 6))};
    if (name.starts_with(jax) && (name.ends_with("-plugin") || name.ends_with("-pjrt")))
        return DistributionName{"jax", std::string(name.substr(4, name.find('-', 4) - 4)), true};
    if (name.starts_with(jax_rocm)) return DistributionName{"jax", "rocm", true};
    return std::nullopt;
}

constexpr std::size_t most_metadata = 256 * 1024;

std::string_view without_end(std::string_view text, std::string_view end) {
    return text.substr(0, text.size() - end.size());
}

/// "torch-2.4.1.dist-info", "PyYAML-6.0-py3.11.egg-info", "foo.egg-info".
std::optional<Distribution> from_metadata_name(std::string_view name, const std::string& directory) {
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
    found.directory = directory;
    found.metadata = directory + '/' + std::string(name);
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
    found.directory = prefix;
    found.metadata = prefix + "/conda-meta/" + std::string(name);
    found.conda = true;
    return found;
}

template <class From>
std::vector<Distribution> listed(const Root& root, const std::string& names_in, const std::string& directory,
                                 From from) {
    std::vector<Distribution> found;
    for (const std::string& name : root.names_in(names_in))
        if (auto distribution = from(name, directory)) found.push_back(std::move(*distribution));
    std::ranges::stable_sort(found, {}, &Distribution::name);
    return found;
}

constexpr std::size_t most_libraries = 4096, longest_path = 4096;

/// The first value of a row, its quotes off; `rest` is what follows.
std::optional<std::string> first_value(std::string_view row, std::string_view& rest) {
    if (!row.starts_with('"')) {
        const auto comma = std::min(row.find(','), row.size());
        rest = row.substr(comma);
        return std::string(row.substr(0, comma));
    }
    std::string value;
    for (std::size_t at = 1; at < row.size(); ++at) {
        if (row[at] != '"') {
            value += row[at];
        } else if (at + 1 < row.size() && row[at + 1] == '"') {
            value += row[++at];
        } else {
            rest = row.substr(at + 1);
            return value;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> last_number(std::string_view rest) {
    const auto number = number_from<std::int64_t>(trim(rest.substr(std::min(rest.rfind(',') + 1, rest.size()))));
    return number && *number >= 0 ? number : std::nullopt;
}

constexpr std::size_t most_record = std::size_t{32} << 20;

}  // namespace

std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

std::optional<Version> leading_version(std::string_view text) {
    auto end = std::min(text.find_first_not_of("0123456789."), text.size());
    while (end > 0 && text[end - 1] == '.') --end;
    return parse_version(text.substr(0, end));
}

std::string normalised(std::string_view name) {
    std::string text;
    for (const char c : lower(name.substr(0, longest_field))) {
        const bool separator = c == '-' || c == '_' || c == '.';
        if (!separator)
            text += c;
        else if (!text.empty() && text.back() != '-')
            text += '-';
    }
    return text;
}

Requirement read_requirement(std::string_view text) {
    text = trim(text.substr(0, longest_field));
    const auto belongs_to_name = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; };
    const auto length = static_cast<std::size_t>(std::ranges::find_if_not(text, belongs_to_name) - text.begin());
    Requirement need;
    need.name = normalised(text.substr(0, length));
    text.remove_prefix(length);
    if (const auto end = text.find(']'); trim(text).starts_with('[') && end != std::string_view::npos)
        text.remove_prefix(end + 1);
    const auto marker = std::min(text.find(';'), text.size());
    need.bounds = text.substr(0, marker);
    std::erase_if(need.bounds, [](char c) { return c == ' ' || c == '\t' || c == '(' || c == ')'; });
    need.extra = extra_in(text.substr(marker));
    return need;
}

Metadata read_metadata(std::string_view text) {
    Metadata metadata;
    while (!text.empty()) {
        const std::string_view line = trim(take_line(text).substr(0, longest_field));
        if (line.empty()) break;
        const auto colon = std::min(line.find(':'), line.size());
        const std::string_view field = line.substr(0, colon);
        const std::string_view value = colon < line.size() ? trim(line.substr(colon + 1)) : std::string_view();
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
    for (const PublishedName& name : published_names)
        if (name.distribution == distribution)
            return DistributionName{std::string(name.framework), std::string(name.build), name.plugin};
    return numbered(distribution);
}

std::string_view module_of(std::string_view framework) {
    if (framework == "pytorch") return "torch";
    if (framework == "jax") return "jaxlib";
    if (framework == "paddlepaddle") return "paddle";
    return framework;
}

bool is_library_wheel(std::string_view distribution) {
    constexpr std::string_view stems[] = {"nvidia-cudnn", "nvidia-cublas", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc"};
    return std::ranges::any_of(stems, [&](std::string_view stem) { return distribution.starts_with(stem); });
}

std::optional<int> cuda_major_of(std::string_view distribution) {
    const auto at = distribution.rfind("-cu");
    if (!distribution.starts_with("nvidia-") || at == std::string_view::npos) return std::nullopt;
    const auto major = number_from(distribution.substr(at + 3));
    return major && *major > 100 ? *major / 10 : major;
}

std::vector<Distribution> distributions_in(const Root& root, const std::string& directory) {
    return listed(root, directory, directory, from_metadata_name);
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
            left_out.push_back(path + " contains no metadata");
        else if (const auto about = root.status(path); text->size() == most_metadata &&
                                                       text->find("\n\n") == std::string::npos && about &&
                                                       static_cast<std::size_t>(about->st_size) > most_metadata)
            left_out.push_back(path + ": only the first 256 KiB were read");
        return metadata;
    }
    left_out.push_back("the metadata of " + distribution.metadata + " cannot be read");
    return std::nullopt;
}

void read_record(std::string_view text, const std::function<void(const RecordedFile&)>& found) {
    std::size_t count = 0;
    while (!text.empty() && count < most_libraries) {
        const std::string_view row = take_line(text);
        if (row.find(".so") == std::string_view::npos || row.size() > longest_path) continue;
        std::string_view rest;
        const auto path = first_value(row, rest);
        if (!path || !elf::is_shared_library(*path) || path->find('\0') != std::string::npos) continue;
        ++count;
        found({*path, last_number(rest)});
    }
}

void compare_files(const Root& root, const Distribution& distribution, PythonPackage& package,
                   std::vector<std::string>& left_out) {
    const std::string path = distribution.metadata + "/RECORD";
    const auto text = root.read(path, most_record);
    if (!text) return;  // not every installer writes one
    if (text->size() == most_record) left_out.push_back(path + ": only the first 32 MiB were read");
    const auto add = [](std::vector<std::string>& list, const std::string& place) {
        constexpr std::size_t most = 32;
        if (list.size() < most) list.push_back(place);
    };
    read_record(*text, [&](const RecordedFile& file) {
        const std::string place = file.path.starts_with('/') ? file.path : distribution.directory + '/' + file.path;
        const auto about = root.status(place);
        if (!about)
            add(package.missing_files, place);
        else if (file.bytes && S_ISREG(about->st_mode) && about->st_size != *file.bytes)
            add(package.changed_files, place);
    });
}

}  // namespace rnncheck::python
