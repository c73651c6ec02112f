#include "rules/support/frameworks.hpp"

#include <algorithm>

namespace rnncheck::rules {

namespace {

/// What --for names alone, else what is in an environment that may be the
/// active one.
bool is_judged(const Facts& facts, const Framework& framework) {
    if (find_by(facts.frameworks, &Framework::requested, true))
        return framework.requested;
    const PythonEnvironment* const environment = environment_of(facts, framework);
    if (!environment)
        return !facts.pythons.empty();  // one that the facts lost may be the active one
    return includes(possibly_active(facts), environment);
}

/// Takes the table's value where it states more of the same.
void refine(std::optional<Version>& own, const std::optional<Version>& row) {
    if (!row)
        return;
    if (!own || (agree(*own, *row) && parts_written(*own) < parts_written(*row)))
        own = row;
}

/// Takes it where all rows show the same; what differs from build to build is unknown.
template <class Value>
void refine_by(
    std::optional<Version>& own,
    const std::vector<FrameworkBuild>& rows,
    Value FrameworkBuild::*value) {
    const auto differs = [&](const FrameworkBuild& row) {
        return row.*value != rows.front().*value;
    };
    if (std::ranges::none_of(rows, differs))
        refine(own, rows.front().*value);
}

/// The file that the loader gives under the name; null when there is none.
const Library* loaded(const Facts& facts, const std::string& soname) {
    return find_where(facts.libraries, [&](const Library& file) {
        return file.picked_by_loader && !file.problem && file_name(file.path) == soname;
    });
}

/// Of the names by which the builds that it may be open a library the first one that is found.
void give(const Facts& facts, Framework& framework, const std::vector<std::string>& sonames) {
    if (sonames.empty())
        return;
    FrameworkLibrary& library = framework.libraries.emplace_back();
    library.soname = sonames.front();
    for (const std::string& soname : sonames) {
        const Library* file = loaded(facts, soname);
        if (!file)
            continue;
        library.soname = soname;
        library.path = file->path;
        library.found_by = "system";
        if (file->found_via == FoundVia::ld_library_path)
            library.found_by = "LD_LIBRARY_PATH";
        return;
    }
}

/// A version that is not installed gets from the system what it takes from there.
void give_system_libraries(
    const Facts& facts, Framework& framework, const std::vector<FrameworkBuild>& rows) {
    std::vector<std::string> cudnns, cublases;
    for (const FrameworkBuild& row : rows) {
        if (row.cudnn)
            add_once(cudnns, "libcudnn.so." + std::to_string(row.cudnn->major()));
        add_once(cublases, cublas_soname(*row.cuda));
    }
    give(facts, framework, cudnns);
    give(facts, framework, cublases);
}

/// Adds what the tables know of the builds that it may be: CUDA, cuDNN and
/// targets in which all of them agree.
void fill(const Facts& facts, const Matrix& matrix, Framework& framework) {
    std::vector<FrameworkBuild> rows = builds_of(facts, matrix, framework).with_cuda;
    std::erase_if(rows, [&](const FrameworkBuild& row) {
        return framework.cuda && !agree(*row.cuda, *framework.cuda);
    });
    if (rows.empty() || !framework.uses_cuda.value_or(framework.requested))
        return;
    // A version alone is what `pip install PACKAGE==VERSION` gives, which may take CUDA from the
    // system.
    if (framework.requested && std::ranges::any_of(rows, is_default))
        std::erase_if(rows, [](const FrameworkBuild& row) { return !is_default(row); });
    if (framework.requested)
        framework.uses_cuda = true;
    refine_by(framework.cuda, rows, &FrameworkBuild::cuda);
    refine_by(framework.cudnn, rows, &FrameworkBuild::cudnn);
    const std::string& targets = rows.front().targets;
    const auto has_them = [&](const FrameworkBuild& row) { return row.targets == targets; };
    if (!framework.targets && !targets.empty() && std::ranges::all_of(rows, has_them))
        framework.targets = targets;
    if (framework.requested && std::ranges::all_of(rows, takes_system_libraries))
        give_system_libraries(facts, framework, rows);
}

/// The same directory, by its name or through links.
bool same_directory(const Facts& facts, const std::string& one, const std::string& other) {
    if (directory_of(one) == directory_of(other))
        return true;
    const Library *first = library_at(facts, one), *second = library_at(facts, other);
    return first && second && first->real_path && second->real_path &&
           directory_of(*first->real_path) == directory_of(*second->real_path);
}

/// What the cuDNN returned that the framework gets; null if it was not queried.
const Cudnn* answer_there(const Facts& facts, const FrameworkLibrary& library) {
    return find_where(facts.cudnns, [&](const Cudnn& cudnn) {
        return library.path && same_directory(facts, cudnn.library, *library.path) &&
               major_in_name(cudnn.library) == major_in_name(library.soname);
    });
}

}  // namespace

std::vector<Framework> judged_frameworks(const Facts& facts, const Matrix& matrix) {
    std::vector<Framework> judged;
    for (const Framework& framework : facts.frameworks) {
        if (framework.name == "keras" || !is_judged(facts, framework))
            continue;
        judged.push_back(framework);
        fill(facts, matrix, judged.back());
    }
    return judged;
}

/// Without a search of the environments it is unknown whether there is
/// anything.
static Verdict without_packages(
    const Facts& facts, const std::string& what, const std::string& otherwise) {
    if (runs_of(facts, "python_packages").empty())
        return not_applicable(what + " were not checked");
    if (!probe_completed(facts, "python_packages"))
        return undecided("the Python environments could not be searched");
    return not_applicable(otherwise);
}

std::optional<Verdict> without_frameworks(const Facts& facts) {
    for (const Framework& framework : facts.frameworks)
        if (framework.name != "keras" && is_judged(facts, framework))
            return std::nullopt;
    return without_packages(
        facts, "frameworks", "no framework is installed in the active Python environment");
}

Verdict without_environment(const Facts& facts, const std::string& what) {
    return without_packages(facts, what, "there is no active Python environment");
}

bool is_for_training(const Framework& framework) {
    return framework.name != "onnxruntime" && framework.name != "ctranslate2" &&
           framework.name != "cupy";
}

const PythonEnvironment* active_environment(const Facts& facts) {
    const auto environments = possibly_active(facts);
    if (environments.empty())
        return nullptr;
    return environments.front();
}

const PythonEnvironment* environment_of(const Facts& facts, const Framework& framework) {
    return find_by(facts.pythons, &PythonEnvironment::path, framework.environment);
}

bool opens_gpu_libraries(const Framework& framework, VerdictBuilder& result) {
    if (framework.libraries.empty())
        return false;
    if (!framework.uses_cuda)
        result.unknown("whether " + words_of(framework) + " has CUDA is unknown");
    return framework.uses_cuda.value_or(false);
}

std::vector<std::string> directories_of(const Framework& framework) {
    std::vector<std::string> directories = framework.directories_before;
    append(directories, framework.directories_after);
    return directories;
}

const FrameworkLibrary* opened(const Framework& framework, std::string_view stem) {
    return find_where(framework.libraries, [&](const FrameworkLibrary& library) {
        return library.soname.starts_with(stem);
    });
}

bool has_mixed_sublibraries(const Facts& facts, const FrameworkLibrary& cudnn) {
    return loads_other_directories(answer_there(facts, cudnn));
}

std::optional<Version> version_of(const Facts& facts, const FrameworkLibrary& cudnn) {
    const Cudnn* answer = answer_there(facts, cudnn);
    if (answer && !loads_other_directories(answer) && (answer->version || !answer->failure))
        return answer->version;
    if (cudnn.version)
        return cudnn.version;
    const Library* file = nullptr;
    if (cudnn.path)
        file = library_at(facts, *cudnn.path);
    if (!file)
        return std::nullopt;
    return full_version_in_name(*file);
}

std::optional<int> cuda_of(const Facts& facts, const FrameworkLibrary& cudnn) {
    const Cudnn* answer = answer_there(facts, cudnn);
    if (answer && !loads_other_directories(answer) && answer->built_for_cuda)
        return answer->built_for_cuda->major();
    return cudnn.cuda_major;
}

std::vector<Framework> frameworks_that_get(
    const Facts& facts, const Matrix& matrix, const CudnnInstallation& installation) {
    std::vector<Framework> users = judged_frameworks(facts, matrix);
    std::erase_if(users, [&](const Framework& framework) {
        const FrameworkLibrary* cudnn = opened(framework, "libcudnn");
        return !cudnn || !cudnn->path || !same_directory(facts, *cudnn->path, installation.path) ||
               major_in_name(cudnn->soname) != installation.major;
    });
    return users;
}

Verdict over_frameworks(
    const Facts& facts,
    const Matrix& matrix,
    const std::string& good,
    const std::function<void(const Framework&, VerdictBuilder&)>& judge) {
    if (const auto verdict = without_frameworks(facts))
        return *verdict;
    VerdictBuilder result;
    for (const Framework& framework : judged_frameworks(facts, matrix))
        judge(framework, result);
    return result.finish_or(pass(good));
}

Verdict over_opened(
    const Facts& facts,
    const Matrix& matrix,
    std::string_view stem,
    const std::string& good,
    const std::function<void(const Framework&, const FrameworkLibrary&, VerdictBuilder&)>& judge) {
    return over_frameworks(
        facts, matrix, good, [&](const Framework& framework, VerdictBuilder& result) {
            const FrameworkLibrary* library = opened(framework, stem);
            if (opens_gpu_libraries(framework, result) && library)
                judge(framework, *library, result);
        });
}

Evidence built_for(const Framework& framework, const std::string& value) {
    return {
        words_of(framework) + " was built for", value, framework.evidence.value_or("frameworks")};
}

}  // namespace rnncheck::rules
