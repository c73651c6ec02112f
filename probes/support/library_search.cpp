#include "support/library_search.hpp"

#include "base/text.hpp"
#include "support/environment.hpp"

namespace rnncheck::probes {

namespace {

constexpr std::size_t most_candidates = 2048;

/// ".so", ".so.9" and ".so.9.19.0", but not ".so.bak".
bool is_library_suffix(std::string_view rest) {
    if (!rest.starts_with(".so")) return false;
    rest.remove_prefix(3);
    return rest.empty() || (rest.front() == '.' && parse_version(rest.substr(1)).has_value());
}

class Search {
  public:
    explicit Search(const Root& root) : root_(root) {}

    void folder(const std::string& path, FoundVia via) {
        for (const auto& name : root_.names_in(path))
            if (const auto kind = kind_of_name(name)) add({path + "/" + name, via, *kind});
    }

    void add(Candidate candidate) {
        if (found.size() < most_candidates) found.push_back(std::move(candidate));
    }

    /// Every folder `parent`/X/`below` for the names X that begin with `prefix`.
    void folders_below(const std::string& parent, std::string_view prefix, const std::string& below, FoundVia via) {
        for (const auto& name : root_.names_in(parent))
            if (name.starts_with(prefix)) folder(parent + "/" + name + below, via);
    }

    std::vector<Candidate> found;

  private:
    const Root& root_;
};

void search_toolkit(Search& search, const std::string& toolkit) {
    for (const char* below : {"/lib64", "/lib", "/compat"}) search.folder(toolkit + below, FoundVia::toolkit);
    search.folders_below(toolkit + "/targets", "", "/lib", FoundVia::toolkit);
}

void search_toolkits(Search& search, const Root& root) {
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
        if (const std::string toolkit = variable(name); !toolkit.empty()) search_toolkit(search, toolkit);
    for (const char* parent : {"/usr/local", "/opt"})
        for (const auto& name : root.names_in(parent))
            if (name.starts_with("cuda")) search_toolkit(search, std::string(parent) + "/" + name);
    search_toolkit(search, "/usr/lib/cuda");
}

void search_python(Search& search, const Root& root) {
    if (const std::string conda = variable("CONDA_PREFIX"); !conda.empty()) search.folder(conda + "/lib", FoundVia::conda);
    for (const auto& packages : python_package_folders(root)) {
        search.folders_below(packages + "/nvidia", "", "/lib", FoundVia::wheel);
        search.folder(packages + "/torch/lib", FoundVia::wheel);
    }
}

}  // namespace

std::optional<LibraryKind> kind_of_name(std::string_view file_name) {
    static constexpr std::pair<std::string_view, LibraryKind> stems[] = {
        {"libcuda", LibraryKind::cuda},     {"libnvidia-ml", LibraryKind::nvml},     {"libcudart", LibraryKind::cudart},
        {"libcudnn", LibraryKind::cudnn},   {"libcublas", LibraryKind::cublas},      {"libcublasLt", LibraryKind::cublaslt},
        {"libnvrtc", LibraryKind::nvrtc},   {"libnvrtc-builtins", LibraryKind::nvrtc_builtins}};
    for (const auto& [stem, kind] : stems)
        if (file_name.starts_with(stem) && is_library_suffix(file_name.substr(stem.size()))) return kind;
    const auto suffix = file_name.find(".so");
    if (file_name.starts_with("libcudnn_") && suffix != std::string_view::npos && is_library_suffix(file_name.substr(suffix)))
        return LibraryKind::cudnn_part;
    return std::nullopt;
}

std::vector<Candidate> find_candidates(const Root& root, const elf::Loader& loader) {
    Search search(root);
    for (const auto& folder : loader.library_path()) search.folder(folder, FoundVia::ld_library_path);
    for (const auto& entry : loader.cache())
        if (const auto kind = kind_of_name(entry.soname)) search.add({entry.path, FoundVia::loader_cache, *kind});
    for (const auto& folder : elf::Loader::default_folders()) search.folder(folder, FoundVia::default_folder);
    search_toolkits(search, root);
    search.folder("/usr/lib/wsl/lib", FoundVia::wsl);
    search_python(search, root);
    return std::move(search.found);
}

}  // namespace rnncheck::probes
