// cuDNN 8 and 9 open their parts by dlopen, in the order in which functions
// need them, so that no header shows what is loaded.
#include "files/cudnn_parts.hpp"

#include <algorithm>
#include <map>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/elf/cudnn_builds.hpp"
#include "files/gpu_libraries.hpp"
#include "files/which.hpp"

namespace rnncheck::loader {

namespace {

constexpr std::string_view so_mark = ".so";

/// "ops" of "libcudnn_ops.so.9".
std::string part_in(std::string_view name) {
    constexpr std::string_view start = "libcudnn_";
    if (!name.starts_with(start))
        return "";
    return std::string(name.substr(start.size(), name.find(so_mark) - start.size()));
}

/// The version of the parts that a libcudnn or a part opens: by the code of a
/// libcudnn, by the name of its real file.
std::optional<Version> version_of(
    const Root& root, const std::string& name, const std::string& path) {
    if (is_cudnn(name))
        if (auto version = elf::version_of_parts_opened(root, path))
            return version;
    const auto in_name = library_name(file_name(root.real_path(path).value_or(path)));
    std::optional<Version> version;
    if (in_name)
        version = in_name->version;
    if (version && std::ranges::count(version->text, '.') == 2)
        return version;
    return std::nullopt;
}

std::optional<std::size_t> graph_in(const Process& process) {
    const Object* const graph = find_where(
        process.objects(), [](const Object& other) { return part_in(own_name(other)) == "graph"; });
    if (!graph)
        return std::nullopt;
    return static_cast<std::size_t>(graph - process.objects().data());
}

/// When a program that runs a recurrent network comes to need a part. cuDNN 8
/// opens ops_infer for cudnnGetVersion.
int turn_of(const std::string& name, FirstCall first) {
    const std::string part = part_in(name);
    constexpr int at_once = 0, first_call = 1, second_call = 2, later = 3;
    if (part == "graph" || part == "ops_infer")
        return at_once;
    const bool is_of_first_call =
        (part == "ops" && first == FirstCall::ops) || (part == "adv" && first == FirstCall::adv);
    if (is_of_first_call)
        return first_call;
    if (part == "ops" || part == "adv")
        return second_call;
    return later;
}

bool is_of_cudnn(const Object& object) {
    return is_cudnn(own_name(object)) || is_part_of_cudnn(own_name(object));
}

/// Whether a library of cuDNN that this one needs lies elsewhere: then
/// it may be of another version.
bool needs_foreign_part(const Process& process, const Object& part) {
    return std::ranges::any_of(process.objects(), [&](const Object& other) {
        return is_of_cudnn(other) && includes(part.file.needed, own_name(other)) &&
               directory_of(other.path) != directory_of(part.path);
    });
}

/// cuDNN's libraries call each other's internal functions, by C++ names of the
/// namespace cudnn or by plain ones.
bool is_function_of_cudnn(const std::string& symbol) {
    return symbol.starts_with("cudnn") || contains(symbol, "5cudnn");
}

/// The loader rejects a library that needs a function which none of the others
/// has, as cuDNN opens them (RTLD_NOW).
std::string lacks_function(const Process& process, std::size_t first_new) {
    const Root& root = process.loader().root;
    const auto& objects = process.objects();
    for (std::size_t i = first_new; i < objects.size(); ++i) {
        const Object& part = objects[i];
        if (!is_part_of_cudnn(own_name(part)) || !needs_foreign_part(process, part))
            continue;
        for (const std::string& symbol : elf::undefined_symbols(root, part.path)) {
            const auto defines = [&](const Object& other) {
                return is_of_cudnn(other) && elf::defines_symbol(root, other.path, symbol);
            };
            if (is_function_of_cudnn(symbol) && std::ranges::none_of(objects, defines))
                return "needs the function " + symbol +
                       ", which the cuDNN libraries that it gets do not have: they are of another "
                       "version";
        }
    }
    return "";
}

/// Of a part that was opened twice, the file of the first time counts.
std::map<std::string, std::string> files_of_parts(const Process& process) {
    std::map<std::string, std::string> files;
    for (const Answer& answer : process.answers())
        if (answer.object && is_part_of_cudnn(answer.name))
            files.emplace(answer.name, process.objects()[*answer.object].path);
    return files;
}

/// "/a/libcudnn_adv.so.9 needs ..." for a part that was found and not loaded.
std::string why_rejected(const Process& process, const std::string& name) {
    for (const Answer& answer : process.answers())
        if (answer.name == name && !answer.stopped_at.empty())
            return answer.stopped_at + " " + answer.problem;
    return "";
}

}  // namespace

/// All parts are opened by the version of the front, so that of the front is
/// taken where a part shows none.
std::optional<Version> version_of_cudnn(const Process& process, std::size_t cudnn) {
    const Root& root = process.loader().root;
    const Object& object = process.objects()[cudnn];
    if (auto own = version_of(root, own_name(object), object.path))
        return own;
    const Object* const front = find_where(
        process.objects(), [](const Object& other) { return is_cudnn(own_name(other)); });
    if (front && front != &object)
        return version_of(root, own_name(*front), front->path);
    return std::nullopt;
}

std::vector<std::string> names_tried(
    const std::string& cudnn_name, const std::optional<Version>& version, const std::string& part) {
    const auto number = cudnn_name.find(so_mark);
    if (!part.ends_with(so_mark) || number == std::string::npos)
        return {part};
    const std::string major = cudnn_name.substr(number + so_mark.size());
    if (!version || '.' + std::to_string(version->major()) != major)
        return {part + major};
    const std::string minor = concat(major, '.', version->parts[1]);
    return {concat(part, minor, '.', version->parts[2]), part + minor, part + major};
}

void open_parts_of_cudnn(
    Process& process,
    std::size_t cudnn,
    const std::vector<std::string>& names_inside,
    FirstCall first) {
    const Object object = process.objects()[cudnn];
    auto parts = parts_of_cudnn(process.loader().root, own_name(object), object.path, names_inside);
    std::ranges::stable_sort(
        parts, {}, [&](const std::string& part) { return turn_of(part, first); });
    const auto version = version_of_cudnn(process, cudnn);
    for (const std::string& part : parts) {
        // cuDNN 9 has the names without their number; the graph library opens
        // those that libcudnn does not name.
        const std::string stem = part.substr(0, part.find(so_mark) + so_mark.size());
        const bool is_named = includes(names_inside, stem) || includes(names_inside, part);
        std::size_t caller = cudnn;
        if (!is_named)
            caller = graph_in(process).value_or(cudnn);
        std::vector<std::string> names = {part};
        if (includes(names_inside, stem) || caller != cudnn)
            names = names_tried(own_name(object), version, stem);
        process.open_first(names, caller, lacks_function);
    }
}

std::string unknown_version(const Process& process, std::size_t cudnn) {
    const Object& object = process.objects()[cudnn];
    const std::string name = own_name(object);
    if (!name.ends_with(".so.9") || version_of_cudnn(process, cudnn))
        return "";
    const Loader& loader = process.loader();
    std::vector<std::string> directories = {directory_of(object.path)};
    append(directories, loader.library_path);
    append(directories, loader.default_directories);
    for (const auto& directory : directories)
        for (const auto& file : loader.root.names_in(directory))
            if (is_part_of_cudnn(file) && contains(file, ".so.9."))
                return "the version of " + object.path + " could not be read: if it is that of " +
                       directory + '/' + file +
                       ", it opens this file and others of that version before those shown here";
    return "";
}

/// What is not loaded in the other order, for no reason that the
/// files show, is no difference.
std::vector<std::string> differences_by_first_call(
    const Process& ops_first, const Process& adv_first) {
    std::vector<std::string> differences;
    const Root& root = ops_first.loader().root;
    const auto others = files_of_parts(adv_first);
    for (const auto& [name, path] : files_of_parts(ops_first)) {
        const auto other = others.find(name);
        const bool is_same =
            other != others.end() && real_or_same(root, other->second) == real_or_same(root, path);
        std::string rejected;
        if (other == others.end())
            rejected = why_rejected(adv_first, name);
        if (is_same || (other == others.end() && rejected.empty()))
            continue;
        std::string loaded = "none: " + rejected;
        if (rejected.empty())
            loaded = other->second;
        differences.push_back(
            "which " + name +
            " is loaded depends on the first call: after one for dropout or "
            "tensors, as in PyTorch and TensorFlow, " +
            path + "; after one for RNNs, as in JAX, " + loaded);
    }
    return differences;
}

}  // namespace rnncheck::loader
