// What frameworks of Windows load, predicted from files.
#include <map>
#include <set>

#include "base/if_any.hpp"
#include "facts/dll_names.hpp"
#include "rules/rule.hpp"
#include "rules/support/dll_loads.hpp"

namespace rnncheck::rules {

namespace {

/// Windows compares the names of files without regard to case.
bool begins_with(const DllLoad& load, std::string_view beginning) {
    return lower(load.name).starts_with(beginning);
}

/// What a framework cannot use the GPU without. TensorFlow uses it only if it has opened all of
/// them: tensorflow/stream_executor/platform/default/dlopen_checker.cc.
bool is_cuda(const DllLoad& load) {
    constexpr std::string_view all[] = {"cufft64", "curand64", "cusolver64", "cusparse64"};
    return begins_with(load, "cublas") || begins_with(load, "cudart64") ||
           (load.framework == "tensorflow" && std::ranges::any_of(all, [&](std::string_view name) {
                return begins_with(load, name);
            }));
}

/// One of the same name, if the first that is listed is; else those are of another version.
bool is_installed_elsewhere(const DllLoad& load) {
    return !load.elsewhere.empty() &&
           dll::same_name(dll::dll_name(load.elsewhere.front()), load.name);
}

/// The command of PowerShell that puts a directory in front of PATH.
std::string path_with(const std::string& directory) {
    return "$env:PATH = \"" + directory + ";$env:PATH\"";
}

/// For a file that is installed where Windows does not search.
Remedy putting_on_path(const std::string& directory) {
    return remedy("cudnn_not_on_loader_path/windows", {directory}, {path_with(directory)});
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

/// Of the libraries of one directory none is right beside the others; else the directory that goes
/// first on PATH decides.
Remedy putting_together(const std::string& directory, const std::string& other) {
    if (dll::same_name(directory, other))
        return remedy("cudnn_part_missing/windows");
    return remedy("cudnn_mixed_sublibraries/windows", {directory}, {path_with(directory)});
}

/// What two cuDNN libraries differ in, and what each of them has.
struct Difference {
    std::string in_words, of_one, of_other;
};

/// Two cuDNN libraries of one program that differ, `one` being the front if
/// either is.
Finding mixed_cudnn(
    const Facts& facts, const DllLoad& one, const DllLoad& other, const Difference& difference) {
    const std::string directory = dll::dll_directory(*one.path),
                      elsewhere = dll::dll_directory(*other.path);
    Finding finding = {
        .subject = words_of(facts, one) + " cuDNN",
        .message = words_of(facts, one) + " loads cuDNN libraries " + difference.in_words + ": " +
                   one.name + " " + difference.of_one + " from " + directory + " and " +
                   other.name + " " + difference.of_other + " from " + elsewhere,
        .evidence = {{one.name, *one.path, "dll_loads"}, {other.name, *other.path, "dll_loads"}},
        .remedies = {putting_together(directory, elsewhere)},
    };
    concern_cudnn(facts, one, finding);
    return finding;
}

/// A DLL imports a function that the other file does not export: Windows then
/// rejects the first with ERROR_PROC_NOT_FOUND (127).
Finding lacking_functions(const Facts& facts, const DllLoad& load) {
    const std::string directory = dll::dll_directory(load.needed_by.value_or(*load.path));
    Finding finding = {
        .subject = words_of(facts, load) + " cuDNN",
        .message = load.path.value_or(load.name) + " " + load.problem.value_or("lacks a function") +
                   " (WinError 127): the files are of different versions",
        .evidence =
            {{load.name, load.path.value_or(""), "dll_loads"},
             {"does not have the function", load.lacking.value_or(""), "dll_loads"}},
        .remedies = {putting_together(directory, dll::dll_directory(load.lacking.value_or("")))},
    };
    concern_cudnn(facts, load, finding);
    return finding;
}

/// Unset where they are alike, or one of them shows nothing.
std::optional<Difference> difference_in_version(const DllLoad& one, const DllLoad& other) {
    if (!one.version || !other.version)
        return std::nullopt;
    const std::string first = cudnn_version(*one.version), second = cudnn_version(*other.version);
    if (first == second)
        return std::nullopt;
    return Difference{"of different versions", first, second};
}

/// The same of the CUDA majors that their GPU code is for.
std::optional<Difference> difference_in_cuda(const DllLoad& one, const DllLoad& other) {
    if (!one.cuda_major || !other.cuda_major || *one.cuda_major == *other.cuda_major)
        return std::nullopt;
    return Difference{
        "built for different CUDA versions",
        concat("for CUDA ", *one.cuda_major),
        concat("for CUDA ", *other.cuda_major)};
}

/// A place where no installer of NVIDIA or of a framework puts cuDNN, and which is searched before
/// PATH.
bool is_foreign_place(const DllLoad& load) {
    return load.rule == LoaderRule::system_directory ||
           load.rule == LoaderRule::application_directory ||
           load.rule == LoaderRule::current_directory;
}

}  // namespace

/// cudnn_part_missing on Windows: the front DLL loads the others by their names
/// alone, which searches the program's directory, the system and PATH.
Verdict dll_of_cudnn_missing(const Facts& facts) {
    const auto judge = [&](const DllLoad& load, VerdictBuilder& result) {
        std::string where = "it is not installed";
        Remedy fix = remedy("cudnn_part_missing/windows");
        if (is_installed_elsewhere(load)) {
            const std::string place = best_directory(load);
            where = "it is in " + place + ", which Windows does not search";
            fix = putting_on_path(place);
        }
        result.fault(about(
            facts,
            load,
            words_of(facts, load) + " loads " + load.needed_by.value_or("cuDNN") +
                ", which does not find " + load.name + ": " + where,
            {std::move(fix)}));
    };
    return over_not_found(facts, is_part, judge, Loads::of_all_programs);
}

/// zlib_missing on Windows: cuDNN 8.3 to 8.6 open zlibwapi.dll by name, which
/// nothing installs with them. Of later versions it is unknown.
Verdict dll_of_zlib_missing(const Facts& facts) {
    const auto is_zlib = [](const DllLoad& load) { return begins_with(load, "zlibwapi"); };
    const auto judge = [&](const DllLoad& load, VerdictBuilder& result) {
        if (load.ending != DllEnding::not_found && load.ending != DllEnding::unusable)
            return;
        const DllLoad* const cudnn = find_where(facts.dll_loads, [&](const DllLoad& other) {
            return other.path && other.path == load.needed_by;
        });
        const auto first_unknown = make_version({8, 7});
        if (!cudnn || !cudnn->version || *cudnn->version >= first_unknown)
            return result.unknown("whether this version of cuDNN needs zlibwapi.dll is unknown");
        result.fault(about(
            facts,
            load,
            "cuDNN " + cudnn_version(*cudnn->version) + " at " + *cudnn->path +
                " needs zlibwapi.dll, which " + load.problem.value_or("is not found"),
            {remedy("zlib_missing/windows")}));
    };
    return over_loads(facts, is_zlib, judge, Loads::of_all_programs);
}

namespace {

/// The cuDNN libraries that one program has loaded so far.
class LoadedCudnn {
  public:
    /// How this one does not fit to those before it.
    std::optional<Finding> add(const Facts& facts, const DllLoad& load) {
        std::optional<Finding> found;
        for (const DllLoad* const other : loads_) {
            const DllLoad *one = other, *two = &load;
            if (is_front(load))
                std::swap(one, two);
            auto difference = difference_in_version(*one, *two);
            if (!difference)
                difference = difference_in_cuda(*one, *two);
            if (difference && !found)
                found = mixed_cudnn(facts, *one, *two, *difference);
        }
        loads_.push_back(&load);
        return found;
    }

  private:
    std::vector<const DllLoad*> loads_;
};

}  // namespace

/// cudnn_mixed_sublibraries on Windows: the DLLs that one program loads differ
/// in version or CUDA. One finding for each program, about the first pair.
Verdict dlls_of_cudnn_mixed(const Facts& facts) {
    const auto concerns = [](const DllLoad& load) { return is_front(load) || is_part(load); };
    std::map<LoadKey, LoadedCudnn> loaded;
    std::set<LoadKey> reported;
    const auto judge = [&](const DllLoad& load, VerdictBuilder& result) {
        const LoadKey key = key_of(load);
        std::optional<Finding> finding;
        if (load.ending == DllEnding::lacks_function)
            finding = lacking_functions(facts, load);
        else if (load.ending == DllEnding::loaded && load.path)
            finding = loaded[key].add(facts, load);
        if (finding && reported.insert(key).second)
            result.fault(std::move(*finding));
    };
    return over_loads(facts, concerns, judge, Loads::of_all_programs);
}

/// cudnn_shadowed on Windows: a cuDNN in a directory that is searched before
/// PATH, most often System32, into which somebody put it, or one that is found
/// before the framework's own. An error only if it is older than what the
/// framework needs.
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
        std::string compared;
        if (older)
            compared = ", and it is older than the " + wanted->text + " that it was built with";
        Finding finding = about(
            facts,
            load,
            words_of(facts, load) + " loads cuDNN " + cudnn_version(*load.version) + " from " +
                dll::dll_directory(*load.path) + if_any(" instead of ", instead) + compared,
            {remedy("cudnn_shadowed/windows", {*load.path})});
        finding.severity = error_if(older);
        append(finding.explains, {words_of(facts, load) + " with " + *load.path});
        result.fault(std::move(finding));
    });
}

/// The DLL is not found, but one of another version is: names of DLLs have the
/// major version, cudnn64_8.dll. `place` is the remedy.
static Verdict over_other_majors(
    const Facts& facts, const PickLoad& concerns, std::string_view place) {
    std::set<LoadKey> reported;
    return over_not_found(facts, concerns, [&](const DllLoad& load, VerdictBuilder& result) {
        if (load.elsewhere.empty() || is_installed_elsewhere(load))
            return result.block_pass(
                load.name + " is not found, and there is no other version of it");
        // One version of CUDA has all of them.
        if (!reported.insert(key_of(load)).second)
            return;
        result.fault(about(
            facts,
            load,
            words_of(facts, load) + " loads " + load.name + ", but what is installed is " +
                load.elsewhere.front() +
                ": DLLs of different major versions are not interchangeable",
            {remedy(place, {load.name})}));
    });
}

Verdict dll_of_other_cudnn_major(const Facts& facts) {
    return over_other_majors(facts, is_front, "cudnn_major_soname_mismatch/windows");
}

/// No version of the CUDA that a framework loads is installed anywhere.
static Verdict no_dll_of_cuda(const Facts& facts) {
    std::set<LoadKey> reported;
    return over_not_found(facts, is_cuda, [&](const DllLoad& load, VerdictBuilder& result) {
        if (!load.elsewhere.empty())
            return result.block_pass("CUDA is installed");
        if (!reported.insert(key_of(load)).second)
            return;
        result.fault(about(
            facts,
            load,
            words_of(facts, load) + " loads " + load.name + ", which is not installed",
            {remedy("cuda_version_mismatch/windows", {load.name})}));
    });
}

/// cuda_version_mismatch on Windows, where the CUDA Toolkit of the right
/// version, or any at all, has to be on PATH for frameworks that bundle none.
Verdict dll_of_other_cuda_major(const Facts& facts) {
    Verdict verdict = over_other_majors(facts, is_cuda, "cuda_version_mismatch/windows");
    if (verdict.findings.empty())
        return no_dll_of_cuda(facts);
    return verdict;
}

/// One finding for each directory that a program should have on PATH.
static Verdict over_not_on_path(const Facts& facts, const PickLoad& concerns) {
    std::set<std::pair<LoadKey, std::string>> reported;
    return over_not_found(facts, concerns, [&](const DllLoad& load, VerdictBuilder& result) {
        if (!is_installed_elsewhere(load))
            return result.block_pass(load.name + " is not installed");
        const std::string directory = best_directory(load);
        if (!reported.insert({key_of(load), lower(directory)}).second)
            return;
        result.fault(about(
            facts,
            load,
            words_of(facts, load) + " loads " + load.name + ", which is in " + directory +
                ", where Windows does not search",
            {putting_on_path(directory)}));
    });
}

Verdict dll_of_cudnn_not_on_path(const Facts& facts) {
    return over_not_on_path(facts, is_front);
}

Verdict dll_of_cuda_not_on_path(const Facts& facts) {
    return over_not_on_path(facts, is_cuda);
}

/// cudnn_not_installed on Windows: a framework loads cuDNN, and there is none.
Verdict no_dll_of_cudnn(const Facts& facts) {
    return over_not_found(facts, is_front, [&](const DllLoad& load, VerdictBuilder& result) {
        if (!load.elsewhere.empty())
            return result.passed("cuDNN is installed");
        result.fault(about(
            facts,
            load,
            words_of(facts, load) + " loads " + load.name + ", which is not installed",
            {remedy("cudnn_not_installed/windows", {load.name})}));
    });
}

/// library_file_damaged on Windows: the DLL is found and is no PE file for this
/// machine.
Verdict dll_unusable(const Facts& facts) {
    const auto any = [](const DllLoad&) { return true; };
    const auto judge = [&](const DllLoad& load, VerdictBuilder& result) {
        if (load.ending != DllEnding::unusable || !load.path || !load.problem)
            return;
        result.fault(
            about(facts, load, *load.path + " " + *load.problem, {remedy("library_file_damaged")}));
    };
    return over_loads(facts, any, judge, Loads::of_all_programs);
}

/// DLLs of frameworks and of cuDNN import Microsoft's Visual C++ runtime
/// (vcruntime140_1.dll, msvcp140.dll), which is missing or too old.
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
                facts,
                load,
                user + " needs " + load.name +
                    " of Microsoft's Visual C++ runtime, which is not installed (WinError 126)",
                {remedy("vc_runtime_missing")}));
        else if (load.ending == DllEnding::lacks_function)
            result.fault(about(
                facts,
                load,
                "Microsoft's Visual C++ runtime is too old: " + load.path.value_or(load.name) +
                    " " + load.problem.value_or("needs a newer one") + " (WinError 127)",
                {remedy("vc_runtime_missing")}));
    });
}

}  // namespace rnncheck::rules
