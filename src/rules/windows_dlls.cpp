// What frameworks of Windows load, predicted from files.
#include <functional>
#include <map>
#include <set>

#include "base/if_any.hpp"
#include "facts/dll_names.hpp"
#include "rules/rule.hpp"
#include "rules/support/dlls.hpp"
#include "rules/support/frameworks.hpp"

namespace rnncheck::rules {

namespace {

bool begins_with(const DllLoad& load, std::string_view beginning) {
    return lower(load.name).starts_with(beginning);
}

bool is_front(const DllLoad& load) {
    return dll::is_cudnn(load.name);
}

bool is_part(const DllLoad& load) {
    return dll::is_part_of_cudnn(load.name);
}

bool is_cuda(const DllLoad& load) {
    return begins_with(load, "cublas") || begins_with(load, "cudart64");
}

const Framework* framework_of(const Facts& facts, const DllLoad& load) {
    return find_where(facts.frameworks, [&](const Framework& framework) {
        return framework.name == load.framework && framework.environment == load.environment;
    });
}

std::string words_of(const Facts& facts, const DllLoad& load) {
    const Framework* const framework = framework_of(facts, load);
    const bool is_known = framework && framework->version;
    if (!is_known)
        return load.framework;
    return load.framework + " " + framework->version->text;
}

/// One of the same name, if the first that is listed is; else those are of another version.
bool is_installed_elsewhere(const DllLoad& load) {
    return !load.elsewhere.empty() &&
           dll::same_name(dll::dll_name(load.elsewhere.front()), load.name);
}

Evidence asker_of(const DllLoad& load) {
    return {"loaded by", load.needed_by.value_or(""), "dll_loads"};
}

/// The command of PowerShell that puts a directory in front of PATH.
std::string path_with(const std::string& directory) {
    return "$env:PATH = \"" + directory + ";$env:PATH\"";
}

Remedy putting_on_path(const std::string& directory) {
    return remedy("cudnn_not_on_loader_path/windows", {directory}, {path_with(directory)});
}

using Judge = std::function<void(const DllLoad&, VerdictBuilder&)>;

/// Over the loads that `concerns` picks; an unknown one among them leaves the verdict open.
Verdict over_loads(const Facts& facts, const std::function<bool(const DllLoad&)>& concerns,
                   const Judge& judge) {
    if (const auto verdict = without_frameworks(facts))
        return *verdict;
    VerdictBuilder result;
    result.not_applicable("no framework loads such a DLL");
    for (const DllLoad& load : facts.dll_loads) {
        if (!concerns(load))
            continue;
        if (load.ending == DllEnding::unknown)
            result.unknown("whether " + load.name + " is found is unknown");
        else if (load.ending == DllEnding::loaded)
            result.passed(load.name + " is found");
        judge(load, result);
    }
    return result.finish();
}

/// The same over those that are not found themselves.
Verdict over_not_found(const Facts& facts, const std::function<bool(const DllLoad&)>& concerns,
                       const Judge& judge) {
    return over_loads(facts, concerns, [&](const DllLoad& load, VerdictBuilder& result) {
        if (load.ending == DllEnding::not_found && !load.path)
            judge(load, result);
    });
}

Finding about(const Facts& facts, const DllLoad& load, std::string message,
              std::vector<Remedy> remedies) {
    return {.subject = words_of(facts, load) + " " + load.name,
            .message = std::move(message),
            .evidence = {{load.name, load.path.value_or("not found"), "dll_loads"}, asker_of(load)},
            .remedies = std::move(remedies)};
}

/// Where the file should come from: beside the one that opens it, else any of that name.
std::string best_directory(const DllLoad& load) {
    const std::string beside = dll::dll_directory(load.needed_by.value_or(""));
    for (const std::string& path : load.elsewhere)
        if (dll::same_name(dll::dll_directory(path), beside))
            return dll::dll_directory(path);
    return dll::dll_directory(load.elsewhere.front());
}

/// 9.10.2.21 is cuDNN 9.10.2.
std::string cudnn_version(const Version& version) {
    return shortened(version, 3).text;
}

/// A load of a framework and environment with others of it.
using Key = std::pair<std::string, std::string>;

Finding mixed_versions(const Facts& facts, const DllLoad& one, const DllLoad& other) {
    return {
        .subject = words_of(facts, one) + " cuDNN",
        .message = words_of(facts, one) + " loads cuDNN libraries of different versions: " +
                   one.name + " " + cudnn_version(*one.version) + " from " +
                   dll::dll_directory(*one.path) + " and " + other.name + " " +
                   cudnn_version(*other.version) + " from " + dll::dll_directory(*other.path),
        .evidence = {{one.name, *one.path, "dll_loads"}, {other.name, *other.path, "dll_loads"}},
        .remedies = {remedy("cudnn_mixed_sublibraries/windows", {dll::dll_directory(*one.path)},
                            {path_with(dll::dll_directory(*one.path))})}};
}

Finding lacking_functions(const Facts& facts, const DllLoad& load) {
    const std::string directory = dll::dll_directory(load.needed_by.value_or(*load.path));
    return {.subject = words_of(facts, load) + " cuDNN",
            .message = load.path.value_or(load.name) + " " +
                       load.problem.value_or("lacks a function") +
                       " (WinError 127): the files are of different versions",
            .evidence = {{load.name, load.path.value_or(""), "dll_loads"},
                         {"does not have the function", load.lacking.value_or(""), "dll_loads"}},
            .remedies = {
                remedy("cudnn_mixed_sublibraries/windows", {directory}, {path_with(directory)})}};
}

/// A place where no installer of NVIDIA or of a framework puts cuDNN, and which is searched before
/// PATH.
bool is_foreign_place(const DllLoad& load) {
    return load.rule == LoaderRule::system_directory ||
           load.rule == LoaderRule::application_directory ||
           load.rule == LoaderRule::current_directory;
}

}  // namespace

Verdict dll_of_cudnn_missing(const Facts& facts) {
    return over_not_found(facts, is_part, [&](const DllLoad& load, VerdictBuilder& result) {
        const bool elsewhere = is_installed_elsewhere(load);

        std::string place, where = "it is not installed";
        if (elsewhere) {
            place = best_directory(load);
            where = "it is in " + place + ", which Windows does not search";
        }
        result.fault(
            about(facts, load,
                  words_of(facts, load) + " loads " + load.needed_by.value_or("cuDNN") +
                      ", which does not find " + load.name + ": " + where,
                  {elsewhere ? putting_on_path(place) : remedy("cudnn_part_missing/windows")}));
    });
}

Verdict dll_of_zlib_missing(const Facts& facts) {
    const auto is_zlib = [](const DllLoad& load) { return begins_with(load, "zlibwapi"); };
    return over_loads(facts, is_zlib, [&](const DllLoad& load, VerdictBuilder& result) {
        if (load.ending != DllEnding::not_found && load.ending != DllEnding::unusable)
            return;
        const DllLoad* const cudnn = find_where(facts.dll_loads, [&](const DllLoad& other) {
            return other.path && other.path == load.needed_by;
        });
        const auto first_unknown = make_version({8, 7});
        if (!cudnn || !cudnn->version || *cudnn->version >= first_unknown)
            return result.unknown("whether this version of cuDNN needs zlibwapi.dll is unknown");
        result.fault(about(facts, load,
                           "cuDNN " + cudnn_version(*cudnn->version) + " at " + *cudnn->path +
                               " needs zlibwapi.dll, which " +
                               load.problem.value_or("is not found"),
                           {remedy("zlib_missing/windows")}));
    });
}

Verdict dlls_of_cudnn_mixed(const Facts& facts) {
    const auto concerns = [](const DllLoad& load) { return is_front(load) || is_part(load); };
    std::map<Key, const DllLoad*> first;
    std::set<Key> reported;
    return over_loads(facts, concerns, [&](const DllLoad& load, VerdictBuilder& result) {
        const Key key{load.framework, load.environment};
        if (reported.contains(key))
            return;
        if (load.ending == DllEnding::lacks_function) {
            reported.insert(key);
            return result.fault(lacking_functions(facts, load));
        }
        if (load.ending != DllEnding::loaded || !load.version || !load.path)
            return;
        const DllLoad*& one = first[key];
        if (!one)
            one = &load;
        if (shortened(*one->version, 3) == shortened(*load.version, 3))
            return;
        reported.insert(key);
        if (is_front(load))
            result.fault(mixed_versions(facts, load, *one));
        else
            result.fault(mixed_versions(facts, *one, load));
    });
}

Verdict wrong_dll_of_cudnn_first(const Facts& facts) {
    return over_loads(facts, is_front, [&](const DllLoad& load, VerdictBuilder& result) {
        if (load.ending != DllEnding::loaded || !load.version || !load.path)
            return;
        const Framework* const framework = framework_of(facts, load);
        std::optional<Version> wanted;
        if (framework)
            wanted = framework->cudnn;
        const bool older = wanted && *load.version < *wanted;
        const bool not_its_own = load.own && !dll::same_name(*load.own, *load.path);
        if (!is_foreign_place(load) && !not_its_own)
            return;
        if (!is_installed_elsewhere(load) && !older && !not_its_own)
            return;
        std::string instead;
        if (not_its_own)
            instead = *load.own;
        else if (is_installed_elsewhere(load))
            instead = load.elsewhere.front();
        Finding finding = about(
            facts, load,
            words_of(facts, load) + " loads cuDNN " + cudnn_version(*load.version) + " from " +
                dll::dll_directory(*load.path) + if_any(" instead of ", instead) +
                (older ? ", and it is older than the " + wanted->text + " that it was built with"
                       : ""),
            {remedy("cudnn_shadowed/windows", {*load.path})});
        finding.severity = error_if(older);
        finding.explains = {words_of(facts, load) + " with " + *load.path};
        result.fault(std::move(finding));
    });
}

static Verdict over_other_majors(const Facts& facts,
                                 const std::function<bool(const DllLoad&)>& concerns,
                                 std::string_view place) {
    return over_not_found(facts, concerns, [&](const DllLoad& load, VerdictBuilder& result) {
        if (load.elsewhere.empty() || is_installed_elsewhere(load))
            return result.block_pass(load.name +
                                     " is not found, and there is no other version of it");
        result.fault(about(facts, load,
                           words_of(facts, load) + " loads " + load.name +
                               ", but what is installed is " + load.elsewhere.front() +
                               ": DLLs of different major versions are not interchangeable",
                           {remedy(place, {load.name})}));
    });
}

Verdict dll_of_other_cudnn_major(const Facts& facts) {
    return over_other_majors(facts, is_front, "cudnn_major_soname_mismatch/windows");
}

Verdict dll_of_other_cuda_major(const Facts& facts) {
    return over_other_majors(facts, is_cuda, "cuda_version_mismatch/windows");
}

static Verdict over_not_on_path(const Facts& facts,
                                const std::function<bool(const DllLoad&)>& concerns) {
    return over_not_found(facts, concerns, [&](const DllLoad& load, VerdictBuilder& result) {
        if (!is_installed_elsewhere(load))
            return result.block_pass(load.name + " is not installed");
        const std::string directory = best_directory(load);
        result.fault(about(facts, load,
                           words_of(facts, load) + " loads " + load.name + ", which is in " +
                               directory + ", where Windows does not search",
                           {putting_on_path(directory)}));
    });
}

Verdict dll_of_cudnn_not_on_path(const Facts& facts) {
    return over_not_on_path(facts, is_front);
}

Verdict dll_of_cuda_not_on_path(const Facts& facts) {
    return over_not_on_path(facts, is_cuda);
}

Verdict no_dll_of_cudnn(const Facts& facts) {
    return over_not_found(facts, is_front, [&](const DllLoad& load, VerdictBuilder& result) {
        if (!load.elsewhere.empty())
            return result.passed("cuDNN is installed");
        result.fault(about(
            facts, load, words_of(facts, load) + " loads " + load.name + ", which is not installed",
            {remedy("cudnn_not_installed/windows", {load.name})}));
    });
}

namespace {

/// The cuDNN that was queried at this path of Windows; null for one that was not.
const Cudnn* queried_cudnn(const Facts& facts, std::string path) {
    std::ranges::replace(path, '\\', '/');
    return find_where(facts.cudnns,
                      [&](const Cudnn& cudnn) { return dll::same_name(cudnn.library, path); });
}

using JudgeCudnn = std::function<void(const Framework&, const DllLoad&, VerdictBuilder&)>;

Verdict over_loaded_cudnns(const Facts& facts, const JudgeCudnn& judge) {
    return over_loads(facts, is_front, [&](const DllLoad& load, VerdictBuilder& result) {
        const Framework* const framework = framework_of(facts, load);
        if (load.ending != DllEnding::loaded)
            return;
        if (!load.path || !framework)
            return result.unknown("the file of " + load.name + " is unknown");
        judge(*framework, load, result);
    });
}

/// A fault where cuDNN is for the framework what `fault` names.
Verdict loaded_cudnn_match(const Facts& facts, stack::CudnnMatch fault,
                           const std::function<Remedy(const std::string& major)>& remedy_for) {
    const auto judge = [&](const Framework& framework, const DllLoad& load,
                           VerdictBuilder& result) {
        const std::string name = words_of(facts, load);
        if (!load.version || !framework.cudnn)
            return result.unknown("the version of the cuDNN at " + *load.path +
                                  ", or the one that " + name + " was built with, is unknown");
        const Version cudnn = shortened(*load.version, 3);
        if (stack::cudnn_match(cudnn, *framework.cudnn, framework.name) != fault)
            return;
        Finding finding = about(facts, load,
                                name + " was built with cuDNN " + framework.cudnn->text + ", but " +
                                    *load.path + ", which it loads, is cuDNN " + cudnn.text,
                                {remedy_for(std::to_string(framework.cudnn->major()))});
        finding.symptoms = {name + " with " + *load.path};
        result.fault(std::move(finding));
    };
    return over_loaded_cudnns(facts, judge);
}

}  // namespace

Verdict dll_of_newer_cudnn(const Facts& facts) {
    return loaded_cudnn_match(facts, stack::CudnnMatch::too_new, [](const std::string& major) {
        return remedy("cudnn_newer_than_framework_supports/windows", {major});
    });
}

Verdict dll_of_older_cudnn(const Facts& facts) {
    return loaded_cudnn_match(facts, stack::CudnnMatch::too_old, [](const std::string& major) {
        return remedy("cudnn_runtime_older_than_built/windows", {major});
    });
}

Verdict dll_of_cudnn_for_other_cuda(const Facts& facts) {
    const auto judge = [&](const Framework& framework, const DllLoad& load,
                           VerdictBuilder& result) {
        const std::string name = words_of(facts, load);
        const Cudnn* const cudnn = queried_cudnn(facts, *load.path);
        if (!cudnn || !cudnn->built_for_cuda || !framework.cuda)
            return result.unknown("the CUDA versions that " + name +
                                  " and its cuDNN were built for are unknown");
        if (cudnn->built_for_cuda->major() == framework.cuda->major())
            return;
        const std::string other = cudnn->built_for_cuda->text;
        Finding finding =
            about(facts, load,
                  name + " was built for CUDA " + framework.cuda->text + ", but the cuDNN at " +
                      *load.path + ", which it loads, was built for CUDA " + other,
                  {remedy("cudnn_built_for_other_cuda/windows",
                          {std::to_string(framework.cuda->major())})});
        finding.symptoms = {name + " with " + *load.path};
        result.fault(std::move(finding));
    };
    return over_loaded_cudnns(facts, judge);
}

Verdict dll_unusable(const Facts& facts) {
    const auto any = [](const DllLoad&) { return true; };
    return over_loads(facts, any, [&](const DllLoad& load, VerdictBuilder& result) {
        if (load.ending != DllEnding::unusable || !load.path || !load.problem)
            return;
        result.fault(
            about(facts, load, *load.path + " " + *load.problem, {remedy("library_file_damaged")}));
    });
}

Verdict vc_runtime_missing(const Facts& facts, const Matrix&) {
    if (!has_dlls(facts))
        return not_applicable("no DLLs of Windows were examined");
    const auto concerns = [](const DllLoad& load) {
        return dll::is_visual_cpp_runtime(load.name) ||
               (load.lacking && dll::is_visual_cpp_runtime(dll::dll_name(*load.lacking)));
    };
    return over_loads(facts, concerns, [&](const DllLoad& load, VerdictBuilder& result) {
        const std::string user = load.needed_by.value_or(load.framework);
        if (dll::is_visual_cpp_runtime(load.name) && load.ending == DllEnding::not_found &&
            !load.path)
            result.fault(about(
                facts, load,
                user + " needs " + load.name +
                    " of Microsoft's Visual C++ runtime, which is not installed (WinError 126)",
                {remedy("vc_runtime_missing")}));
        else if (load.ending == DllEnding::lacks_function)
            result.fault(about(
                facts, load,
                "Microsoft's Visual C++ runtime is too old: " + load.path.value_or(load.name) +
                    " " + load.problem.value_or("needs a newer one") + " (WinError 127)",
                {remedy("vc_runtime_missing")}));
    });
}

}  // namespace rnncheck::rules
