// Shows which files of the GPU libraries a program, a library or a running process loads.
#include "files/which.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/programs.hpp"
#include "commands/which_disk.hpp"
#include "files/python/environments.hpp"
#include "files/python/frameworks.hpp"
#include "process/apart.hpp"

namespace rnncheck::commands::which {

/// Unset for what was not given.
struct Options {
    std::optional<std::string> target;
    std::optional<int> pid;
    std::string root;
    std::optional<std::string> path;  ///< PATH of the disk below `root`
    bool all = false;
    ReportOptions document;
};

/// The file that the loader finds for a library's name in a program without a run path.
static std::string file_of_library(const std::string& name, const loader::WhichSetting& setting) {
    const loader::Which which = loader::which_for_plain_program(Root(), setting);
    const LibraryChoice* const choice = find_by(which.libraries, &LibraryChoice::soname, name);
    if (choice && choice->path)
        return *choice->path;
    throw InputError(
        "the loader finds no library '" + name +
        "' that concerns the GPU, and there is no such file here; 'rnncheck which' "
        "without a name shows "
        "those that it finds, 'rnncheck which python3' those of an environment");
}

/// As a shell would: a name without a directory is looked up on PATH first.
static std::string file_of(const std::string& target, const loader::WhichSetting& setting) {
    if (contains(target, "/"))
        return target;
    if (const auto program = find_in_path(target))
        return *program;
    if (::access(target.c_str(), F_OK) == 0)
        return "./" + target;
    if (contains(target, ".so"))
        return file_of_library(target, setting);
    throw InputError("there is no program '" + target + "' on PATH and no such file here");
}

/// A program that scripts and shims lead to, and how.
struct Followed {
    std::string program;
    std::vector<std::string> notes;
};

/// A shim of pyenv, asdf or mise loads nothing itself: the program behind it does.
static void follow_shim(const python::Shim& shim, Followed& followed) {
    const std::string path = followed.program;
    if (!shim.program)
        throw InputError(
            "'" + path + "' is a shim of " + shim.manager + " and " +
            python::why_without_program(shim) + ": `" + shim.manager + " which " + file_name(path) +
            "` shows what it runs; specify that program");
    followed.program = *shim.program;
    std::string note = path + " is a shim of " + shim.manager + ", which runs " + *shim.program;
    if (!shim.set_by.empty())
        note += " (" + shim.version + ", set by " + shim.set_by + ")";
    followed.notes.push_back(note);
}

/// Of "#!/usr/bin/env python3" the program that runs the script.
static void follow_script(const std::string& runner, Followed& followed) {
    const std::string script = followed.program;
    const std::string is_script = "'" + script + "' is a script that '" + runner + "' runs, which ";
    std::string program = runner;
    if (!contains(runner, "/")) {
        const auto found = find_in_path(runner);
        if (!found)
            throw InputError(
                is_script + "does not exist on PATH; install it, or specify another program");
        program = *found;
    }
    if (::access(program.c_str(), F_OK) != 0)
        throw InputError(is_script + "does not exist; install it, or specify another program");
    std::string note = script + " is a script that " + program + " runs";
    if (file_name(program).ends_with("sh"))
        note += "; what the script starts is not followed";
    followed.program = program;
    followed.notes.push_back(note);
}

static Followed followed_from(const std::string& file) {
    constexpr int most_steps = 8;  // a script may run itself
    Followed followed{file, {}};
    for (int step = 0; step < most_steps; ++step) {
        const python::Variables variables = python::variables_of_process();
        if (const auto shim = python::shim_at(Root(), variables, followed.program))
            follow_shim(*shim, followed);
        else if (const auto runner = loader::program_of_script(Root(), followed.program))
            follow_script(*runner, followed);
        else
            break;
    }
    return followed;
}

/// python loads a framework's libraries when the framework is imported.
static void add_framework(
    const Framework& framework, const loader::WhichSetting& setting, loader::Which& which) {
    const std::string name = framework.name + if_any(" ", framework.version);
    if (framework.uses_cuda == false) {
        which.notes.push_back(name + " is a build without CUDA");
        return;
    }
    if (!framework.uses_cuda || !framework.core) {
        which.notes.push_back(name + ": its build is unknown");
        return;
    }
    which.notes.push_back(
        "imported, " + name + " loads the libraries that " + *framework.core + " needs");
    try {
        loader::Which of_framework = loader::which_for_file(Root(), *framework.core, setting);
        for (const std::string& note : of_framework.notes)
            add_once(which.notes, note);
        append(which.libraries, std::move(of_framework.libraries));
    } catch (const InputError& error) {
        which.notes.push_back(error.what());
    }
}

/// The frameworks of the environment to which a Python interpreter belongs; other programs have
/// none.
static void add_frameworks(
    const std::string& program, const loader::WhichSetting& setting, loader::Which& which) {
    if (!file_name(program).starts_with("python") && !file_name(program).starts_with("pypy"))
        return;
    std::error_code error;
    const std::string path = std::filesystem::absolute(program, error).lexically_normal().string();
    auto environment = python::environment_at(Root(), python::variables_of_process(), path);
    if (error || !environment)
        return;
    // Which of them a script imports is unknown, so all are shown.
    const auto frameworks = python::frameworks_of(Root(), *environment);
    std::string note = "the Python environment is " + environment->path;
    if (frameworks.empty())
        note += ", in which no framework that rnncheck knows is installed";
    which.notes.push_back(note);
    for (const Framework& framework : frameworks)
        add_framework(framework, setting, which);
}

/// What is loaded by the process, program or library that the options name; without one, by a
/// program that has no run path.
static loader::Which resolve(const Options& options) {
    if (options.pid)
        return loader::which_for_process(*options.pid, options.all);
    // The loader of a program started here would see the same variables.
    const loader::WhichSetting setting{
        environment_variable("LD_LIBRARY_PATH").value_or(""),
        environment_variable("LD_PRELOAD").value_or(""),
        options.all};
    if (!options.target)
        return loader::which_for_plain_program(Root(), setting);
    const Followed followed = followed_from(file_of(*options.target, setting));
    loader::Which which = loader::which_for_file(Root(), followed.program, setting);
    which.notes.insert(which.notes.begin(), followed.notes.begin(), followed.notes.end());
    add_frameworks(followed.program, setting, which);
    return which;
}

/// Names of users are hidden in paths unless --show-private is given.
static void print(const WhichDocument& document, const ReportOptions& options) {
    if (options.show_private)
        print_document(written(document, options));
    else
        print_document(written(without_private(document), options));
}

/// A disk of Windows, whose loader is predicted as well.
static int show_disk(const Options& options) {
    const auto document = process::fields_from_apart<WhichDocument>([&] {
        return which_on_disk({options.root, options.target, options.path, options.all});
    });
    print(document, options.document);
    return exit_code_of_disk(document);
}

static int run(Options& options, const CLI::App& app) {
    // CLI11 could exclude them as well, but would not state why.
    reject_together(app, "TARGET", {"--pid"}, "each names what to look at");
    reject_together(app, "--root", {"--pid"}, "no process runs on a disk");
    if (!options.root.empty())
        return show_disk(options);
    if (options.path)
        throw UsageError("--path is PATH of a disk of Windows: specify the disk with --root");
    const auto document = process::fields_from_apart<WhichDocument>([&] {
        loader::Which which = resolve(options);
        return WhichDocument{
            {}, std::move(which.target), std::move(which.notes), std::move(which.libraries), {}};
    });
    print(document, options.document);
    // Something that the target cannot be started or loaded without.
    const auto is_missing = [](const LibraryChoice& choice) {
        return !choice.path && !choice.by_dlopen;
    };
    if (std::ranges::any_of(document.libraries, is_missing))
        return problem;
    return healthy;
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option(
           "TARGET",
           options->target,
           "A library, a program, a script, the name of a program on PATH, or of a library "
           "such as libcudnn.so.9")
        ->type_name("");
    app.add_option("--pid", options->pid, "A running process")
        ->type_name("N")
        ->transform(whole_number(1, std::numeric_limits<int>::max()));
    add_root_option(app, options->root);
    app.add_option(
        "--path",
        options->path,
        "With --root: the value of PATH on that disk, e.g. 'C:\\a;C:\\b' (default: unknown)");
    app.add_flag(
        "--all", options->all, "Show every needed library, not only those that concern the GPU");
    add_json_option(app, options->document);
    add_style_options(app, options->document);
    add_privacy_option(app, options->document);
    return [options, &app] { return run(*options, app); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::which
