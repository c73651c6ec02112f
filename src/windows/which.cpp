// Shows which DLLs the frameworks of this machine's Python environments load, or those of a disk.
#include <CLI/CLI.hpp>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/which_disk.hpp"
#include "windows/pythons.hpp"

namespace rnncheck::commands::which {

struct Options {
    std::optional<std::string> target;
    std::string root;
    std::optional<std::string> path;  ///< PATH, in place of that of this process
    bool all = false;
    ReportOptions document;
};

/// The command that shows whether a remedy helped.
static std::string again(const dll::Environment& environment, const Options& options) {
    std::string command = "rnncheck which " + shell_quoted(environment.prefix);
    if (options.path)
        command += " --path " + shell_quoted(*options.path);
    return command;
}

static std::vector<dll::Environment> environments(const dll::Disk& disk, const Options& options) {
    if (options.target)
        return {windows::environment_named(disk, *options.target)};
    auto found = windows::environments_here(disk);
    if (!found.empty())
        return found;
    std::string text =
        "no Python environment was found: neither PATH, VIRTUAL_ENV, CONDA_PREFIX nor the registry "
        "leads to one";
    if (windows::unknown_store_python_is_first(disk.root()))
        text += ", but python on PATH is one of the Microsoft Store";
    throw InputError(text + "; specify one: rnncheck which C:\\Users\\NAME\\venv");
}

/// PATH of a new terminal, in which this environment is activated if it is active here.
static std::string path_of_new_terminal(
    const dll::Environment& environment, const std::string& registry) {
    const auto here = dll::directories_of_path(environment_variable("PATH").value_or(""));
    std::vector<std::string> added;
    for (const std::string& directory : environment.on_path)
        if (find_where(here, [&](const auto& one) { return dll::same_name(one, directory); }))
            added.push_back(directory);
    added.push_back(registry);
    return join(added, ";");
}

static std::string place_of(const LibraryChoice* choice) {
    if (choice && choice->path)
        return *choice->path;
    return "not found";
}

/// A terminal keeps the PATH that the registry had when it was opened.
static void compare_with_new_terminal(
    const dll::Disk& disk,
    const dll::Search& here,
    const std::vector<dll::FrameworkLoads>& now,
    dll::Environment environment,
    const std::string& registry,
    WhichDocument& document) {
    dll::Search there = here;
    there.path = path_of_new_terminal(environment, registry);
    const auto then = dll::framework_loads(disk, environment, there);
    for (std::size_t i = 0; i < now.size(); ++i)
        for (const LibraryChoice& choice : now[i].libraries) {
            const auto* other = find_by(then[i].libraries, &LibraryChoice::soname, choice.soname);
            if (place_of(other) != place_of(&choice))
                add_once(
                    document.notes,
                    "in a new terminal, whose PATH is that of the registry, " +
                        now[i].framework.name + " of " + environment.prefix + " loads " +
                        choice.soname + " from another place: " + place_of(other) + ", here " +
                        place_of(&choice));
        }
}

static WhichDocument which_here(const Options& options) {
    const dll::Disk disk = windows::disk_of_machine();
    dll::Search search = windows::search_here();
    search.all = options.all;
    // What a new terminal would find is of no interest where the user gives PATH.
    std::optional<std::string> registry;
    std::string whose_path = "this process";
    if (options.path) {
        search.path = options.path;
        whose_path = "--path";
    } else {
        registry = windows::path_of_registry();
    }
    WhichDocument document;
    document.target = "this machine";
    const Matrix matrix = Matrix::bundled();
    for (dll::Environment& environment : environments(disk, options)) {
        environment.python.active = true;  // each is judged by itself
        const auto loads = add_environment(
            disk, search, environment, matrix, again(environment, options), document);
        if (registry)
            compare_with_new_terminal(disk, search, loads, environment, *registry, document);
    }
    if (!options.target && windows::unknown_store_python_is_first(disk.root()))
        document.notes.push_back(
            "python on PATH is that of the Microsoft Store; which of its versions that is, is "
            "unknown");
    document.notes.push_back(
        "PATH is that of " + whose_path + "; manifests and directories of a network are not read");
    return document;
}

static int run(const Options& options) {
    WhichDocument document;
    if (options.root.empty())
        document = which_here(options);
    else
        document = which_on_disk({options.root, options.target, options.path, options.all});
    if (options.document.show_private)
        print_document(written(document, options.document));
    else
        print_document(written(without_private(document), options.document));
    return exit_code_of_disk(document);
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option(
           "ENV",
           options->target,
           "A Python environment: its directory, its python.exe, the name of a program on "
           "PATH such as python, or a version such as 3.11 (default: those that PATH, the "
           "active environment and the registry lead to)")
        ->type_name("");
    app.add_option(
           "--root",
           options->root,
           "Examine a disk of Windows that is not the running one, e.g. D:\\")
        ->type_name("DIR")
        ->check(existing_directory());
    app.add_option(
        "--path",
        options->path,
        "The value of PATH, e.g. 'C:\\a;C:\\b' (default: that of this process; with "
        "--root: unknown)");
    app.add_flag(
        "--all", options->all, "Show every needed DLL, not only those that concern the GPU");
    add_json_option(app, options->document);
    add_style_options(app, options->document);
    add_privacy_option(app, options->document);
    return [options] { return run(*options); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::which
