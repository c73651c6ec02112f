// Tells which copies of the GPU libraries a program, a library or a running process gets.
#include "files/which.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command.hpp"
#include "commands/common_options.hpp"
#include "commands/find_in_path.hpp"
#include "commands/identity.hpp"
#include "commands/output.hpp"
#include "report/documents.hpp"

namespace rnncheck::commands::which {

namespace {

struct Options {
    std::optional<std::string> target;
    std::string process;
    bool all = false, json = false, show_private = false;
};

int process_number(const std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number <= 0)
        throw UsageError("--pid cannot be '" + text + "'; give the number of a process, e.g. 4711");
    return number;
}

std::string file_of(const std::string& target) {
    if (target.empty()) throw UsageError("TARGET is empty; name a library or a program, or leave it out");
    if (contains(target, "/")) return target;
    const auto program = find_in_path(target);
    if (program) return *program;
    if (::access(target.c_str(), F_OK) == 0) return "./" + target;
    throw InputError("there is no program '" + target + "' on PATH and no such file here");
}

loader::Which ask(const Options& options) {
    if (!options.process.empty()) {
        if (options.target) throw UsageError("TARGET and --pid cannot be used together: each asks for one");
        return loader::which_for_process(process_number(options.process), options.all);
    }
    const loader::WhichSetting setting{environment_variable("LD_LIBRARY_PATH").value_or(""),
                                       environment_variable("LD_PRELOAD").value_or(""), options.all};
    if (!options.target) return loader::which_for_plain_program(Root(), setting);
    return loader::which_for_file(Root(), file_of(*options.target), setting);
}

WhichDocument document_of(loader::Which which) {
    WhichDocument document;
    document.tool.version = version_of_rnncheck();
    document.target = std::move(which.target);
    document.notes = std::move(which.notes);
    document.libraries = std::move(which.libraries);
    return document;
}

/// Something that the target cannot be started or loaded without.
bool lacks_something(const WhichDocument& document) {
    return std::any_of(document.libraries.begin(), document.libraries.end(),
                       [](const LibraryChoice& choice) { return !choice.path && !choice.by_dlopen; });
}

/// A path that was changed is no good for a command line, so that is told.
WhichDocument fit_to_show(const WhichDocument& document) {
    WhichDocument shown = redact(document, this_machine());
    if (json_text(shown) != json_text(document))
        shown.notes.push_back("user names and home directories are replaced by words; --show-private shows them");
    return shown;
}

int run(const Options& options) {
    WhichDocument document = document_of(ask(options));
    if (!options.show_private) document = fit_to_show(document);
    const Style style = style_on(STDOUT_FILENO);
    print_document(options.json ? json_text(document) : which_text(document, style));
    return lacks_something(document) ? problem : healthy;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("TARGET", options->target, "A library, a program, or the name of a program on PATH");
    app.add_option("--pid", options->process, "A running process")->type_name("N");
    add_flag(app, "--all", options->all, "Every needed library, not only those that concern the GPU");
    add_json_option(app, options->json);
    add_private_option(app, options->show_private);
    return [options] { return run(*options); };
}

}  // namespace

extern const Command command{.title = "Show which GPU libraries a program loads, and why", .declare = declare};

}  // namespace rnncheck::commands::which
