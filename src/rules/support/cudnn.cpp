#include "rules/support/cudnn.hpp"

#include <algorithm>
#include <set>

#include "base/if_any.hpp"

namespace rnncheck::rules {

bool is_first_choice(const Facts& facts, LibraryKind kind, const std::string& path) {
    const Library* library = library_at(facts, path);
    return !library || library->picked_by_loader || !picked(facts, kind);
}

/// In the directory by which they were found, or in that of the files
/// themselves.
static bool in_one_directory(const Library& one, const Library& other) {
    return directory_of(one.path) == directory_of(other.path) ||
           directory_of(one.real_path.value_or(one.path)) ==
               directory_of(other.real_path.value_or(other.path));
}

bool is_shadowed(const Facts& facts, const std::string& path) {
    const Library* library = library_at(facts, path);
    if (!library || library->picked_by_loader || !library->soname ||
        file_name(path) == *library->soname)
        return false;
    return std::ranges::any_of(facts.libraries, [&](const Library& other) {
        return other.kind == library->kind && in_one_directory(other, *library) &&
               file_name(other.path) == *library->soname;
    });
}

CudnnInstallation cudnn_installation(const Facts& facts, const std::string& path) {
    CudnnInstallation installation;
    installation.path = path;
    installation.file = library_at(facts, path);
    installation.answer = find_by(facts.cudnns, &Cudnn::library, path);
    installation.first_choice = is_first_choice(facts, LibraryKind::cudnn, path);
    if (installation.answer)
        installation.version = installation.answer->version;
    else if (installation.file)
        installation.version = full_version_in_name(*installation.file);
    // A library's name and its version always agree in the major.
    auto major = major_in_name(path);
    if (!major && installation.file)
        major = major_of_file(*installation.file);
    if (!major && installation.version)
        major = installation.version->major();
    installation.major = major.value_or(0);
    return installation;
}

std::vector<CudnnInstallation> cudnn_installations(const Facts& facts) {
    std::vector<CudnnInstallation> installations;
    for (const Library* library : usable_copies(facts, LibraryKind::cudnn))
        if (!is_shadowed(facts, library->path))
            installations.push_back(cudnn_installation(facts, library->path));
    for (const auto& cudnn : facts.cudnns) {
        const Library* file = library_at(facts, cudnn.library);
        const bool listed =
            std::ranges::any_of(installations, [&](const CudnnInstallation& installation) {
                return installation.path == cudnn.library || (file && installation.file == file);
            });
        if (!listed && !is_shadowed(facts, cudnn.library))
            installations.push_back(cudnn_installation(facts, cudnn.library));
    }
    return installations;
}

std::string name_of(const CudnnInstallation& installation) {
    const std::string place =
        if_any(" at ", installation.path);  // a specified version has no place
    return "cuDNN" + if_any(" ", installation.version) + place;
}

Severity severity_of(const CudnnInstallation& installation) {
    return error_if(installation.first_choice);
}

bool only_failed(const CudnnInstallation& installation) {
    return installation.answer && installation.answer->failure && !installation.answer->version;
}

bool was_not_opened(const CallResult& failure) {
    return failure.code == would_block;
}

Verdict without_cudnn(const Facts& facts) {
    if (!libraries_listed(facts))
        return undecided("the library directories could not be searched");
    return not_applicable("no usable cuDNN was found");
}

template <class Answers>
static std::vector<std::string> queried_paths(const Answers& result) {
    std::vector<std::string> paths;
    for (const auto& answer : result)
        if (answer.version || answer.failure)
            paths.push_back(answer.library);
    return paths;
}

static std::vector<std::string> queried_paths_of_kind(const Facts& facts, LibraryKind kind) {
    if (kind == LibraryKind::cudart)
        return queried_paths(facts.runtimes);
    if (kind == LibraryKind::nvrtc)
        return queried_paths(facts.nvrtcs);
    return queried_paths(facts.cudnns);
}

std::string unresponsive_library(const Facts& facts, LibraryKind kind) {
    const auto queried = queried_paths_of_kind(facts, kind);
    for (const Library* library : usable_copies(facts, kind)) {
        const bool is_queried = std::ranges::any_of(
            queried, [&](const std::string& path) { return library == library_at(facts, path); });
        if (is_queried || is_shadowed(facts, library->path))
            continue;
        // Beyond the first few installations none is queried, so silence shows
        // nothing.
        const bool was_queried = find_by(facts.probe_runs, &ProbeRun::target, library->path);
        if (library->picked_by_loader || was_queried || queried.empty())
            return library->path;
    }
    return "";
}

Verdict over_installations(const Facts& facts, const JudgeInstallation& judge) {
    const auto installations = cudnn_installations(facts);
    if (installations.empty())
        return without_cudnn(facts);
    VerdictBuilder result;
    for (const auto& installation : installations)
        judge(installation, result);
    return result.finish();
}

std::optional<Finding> note_several(
    const std::string& what,
    const std::vector<std::pair<std::string, Version>>& installed,
    const std::vector<std::string>& given,
    const std::string& source,
    Remedy advice) {
    std::set<Version> versions;
    std::vector<Evidence> evidence;
    for (const auto& [path, version] : installed) {
        versions.insert(version);
        evidence.push_back({path, version.text, source});
    }
    if (versions.size() < 2)
        return std::nullopt;
    const std::string all = join_with_and(mapped(versions, &Version::text));
    std::string found = "none of them by default";
    if (!given.empty())
        found = join_with_and(given);
    return Finding{
        .severity = Severity::note,
        .subject = what,
        .message = std::to_string(versions.size()) + " versions of " + what + " are installed (" +
                   all + "); the loader finds " + found,
        .evidence = std::move(evidence),
        .remedies = {std::move(advice)},
    };
}

std::optional<int> major_in_name(const std::string& path) {
    constexpr std::string_view mark = ".so.";
    const std::string name = file_name(path);
    const auto at = name.find(mark);
    if (at == std::string::npos)
        return std::nullopt;
    return leading_number(std::string_view(name).substr(at + mark.size()));
}

std::optional<int> major_of_file(const Library& library) {
    if (const auto major = major_in_name(library.path))
        return major;
    if (const auto major = major_in_name(library.soname.value_or("")))
        return major;
    return major_in_name(library.real_path.value_or(""));
}

std::optional<Version> full_version_in_name(const Library& library) {
    const auto& version = library.version_in_name;
    if (version && std::ranges::count(version->text, '.') >= 2)
        return version;
    return std::nullopt;
}

const Library* part_of(
    const Facts& facts, const CudnnInstallation& installation, const std::string& soname) {
    const Library *given = nullptr, *beside = nullptr;
    for (const auto& library : facts.libraries) {
        // The loader searches for names, whatever the file's own is.
        const bool goes_by = file_name(library.path) == soname ||
                             (library.picked_by_loader && library.soname == soname);
        if (library.kind != LibraryKind::cudnn_part || !goes_by)
            continue;
        if (library.picked_by_loader && !given)
            given = &library;
        if (installation.file && in_one_directory(library, *installation.file) && !beside)
            beside = &library;
    }
    // LD_LIBRARY_PATH is searched before the run path of cuDNN ($ORIGIN), the
    // system's directories after it: man 8 ld.so.
    const bool chosen_by_path = given && given->found_via == FoundVia::ld_library_path;
    if (beside && !chosen_by_path)
        return beside;
    return given;
}

std::vector<CudnnPart> parts_needed(const CudnnInstallation& installation, const Matrix& matrix) {
    std::vector<CudnnPart> parts;
    for (auto& part : matrix.cudnn_parts(installation.major)) {
        const bool is_there = !installation.version || part.since <= *installation.version;
        if (part.needed_by_rnn && is_there && !part.soname.starts_with("libcudnn.so"))
            parts.push_back(std::move(part));
    }
    return parts;
}

/// What a mapped file of a cuDNN shows of how it was built; null when it shows nothing.
static const CudnnFile* build_of(const Cudnn& answer, const std::string& path) {
    return find_by(answer.files, &CudnnFile::path, path);
}

static bool same_version_numbers(const Version& one, const Version& other) {
    return std::equal(one.parts.begin(), one.parts.begin() + 3, other.parts.begin());
}

std::vector<Evidence> differing_versions(const Cudnn* answer) {
    std::vector<Evidence> differing;
    if (!answer)
        return differing;
    for (const CudnnFile& file : answer->files)
        if (file.version && answer->version &&
            !same_version_numbers(*file.version, *answer->version))
            differing.push_back(
                {file.path,
                 "version " + file.version->text +
                     ", but the libraries that it loads are of version " + answer->version->text,
                 "cudnns"});
    return differing;
}

std::vector<Evidence> differing_cuda(const Cudnn* answer) {
    std::vector<Evidence> differing;
    if (!answer)
        return differing;
    for (const CudnnFile& file : answer->files)
        if (file.cuda_major && answer->built_for_cuda &&
            *file.cuda_major != answer->built_for_cuda->major())
            differing.push_back(
                {file.path,
                 concat(
                     "built for CUDA ",
                     *file.cuda_major,
                     ", but libcudnn_graph for CUDA ",
                     answer->built_for_cuda->major()),
                 "cudnns"});
    return differing;
}

/// Every mapped file that has a version or GPU code of its own shows it, and they agree.
static bool builds_agree(const Cudnn& answer) {
    const auto is_known = [&](const std::string& path) {
        const CudnnFile* const file = build_of(answer, path);
        const std::string name = file_name(path);
        if (name.starts_with("libcudnn.so"))
            return file && file->version && file->cuda_major;
        return name.starts_with("libcudnn_graph") || (file && file->cuda_major);
    };
    return answer.version && answer.built_for_cuda &&
           std::ranges::all_of(answer.parts_mapped, is_known) &&
           differing_versions(&answer).empty() && differing_cuda(&answer).empty();
}

bool loads_other_directories(const Cudnn* answer) {
    return answer &&
           std::ranges::any_of(
               answer->parts_mapped,
               [&](const std::string& path) {
                   return directory_of(path) != directory_of(answer->parts_mapped.front());
               }) &&
           !builds_agree(*answer);
}

bool is_version_mismatch(int cudnn_major, const CallResult& result) {
    if (!result.call.starts_with("cudnn"))
        return false;
    // CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH of cuDNN 9 and
    // CUDNN_STATUS_VERSION_MISMATCH of cuDNN 8 (cudnn.h, cudnn_graph.h).
    return (cudnn_major >= 9 && result.code == 1002) || (cudnn_major == 8 && result.code == 14) ||
           contains(result.text, "VERSION_MISMATCH");
}

}  // namespace rnncheck::rules
