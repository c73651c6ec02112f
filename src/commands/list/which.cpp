// Shows which files of the GPU libraries a program, a library or a running process loads.
#include "files/which.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/input.hpp"

namespace rnncheck::commands::which {

namespace {

struct Options {
    std::optional<std::string> target;
    std::optional<int> process;
    bool all = false;
    DocumentOptions document;
};

std::string file_of(const std::string& target) {
    if (target.empty()) throw UsageError("TARGET is empty; name a library or a program, or give no TARGET");
    if (contains(target, "/")) return target;
    const auto program = find_in_path(target);
    if (program) return *program;
    if (::access(target.c_str(), F_OK) == 0) return "./" + target;
    throw InputError("there is no program '" + target + "' on PATH and no such file here");
}

loader::Which ask(const Options& options) {
    if (options.process) return loader::which_for_process(*options.process, options.all);
    const loader::WhichSetting setting{environment_variable("LD_LIBRARY_PATH").value_or(""),
                                       environment_variable("LD_PRELOAD").value_or(""), options.all};
    if (!options.target) return loader::which_for_plain_program(Root(), setting);
    return loader::which_for_file(Root(), file_of(*options.target), setting);
}

/// A path that was changed cannot be used in a command line, so a note says so.
WhichDocument fit_to_show(const WhichDocument& document) {
    WhichDocument shown = redact(document, this_machine());
    if (json_text(shown) != json_text(document))
        shown.notes.push_back("user names and home directories are replaced by words; --show-private shows them");
    return shown;
}

int run(const Options& options) {
    loader::Which which = ask(options);
    const WhichDocument document{{}, std::move(which.target), std::move(which.notes), std::move(which.libraries)};
    print_document(written(options.document.show_private ? document : fit_to_show(document), options.document));
    // Something that the target cannot be started or loaded without.
    const auto is_missing = [](const LibraryChoice& choice) { return !choice.path && !choice.by_dlopen; };
    return std::ranges::any_of(document.libraries, is_missing) ? problem : healthy;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("TARGET", options->target, "A library, a program, or the name of a program on PATH");
    add_whole_number(app, "--pid", into(options->process), 1, std::numeric_limits<int>::max(), "A running process");
    add_flag(app, "--all", options->all, "Show every needed library, not only those that concern the GPU");
    add_document_options(app, options->document);
    add_private_option(app, options->document.show_private);
    return [options, &app] {
        refuse_together(app, "TARGET", "--pid", "each names what to look at");
        return run(*options);
    };
}

}  // namespace

extern const Command command{.title = "Show which GPU libraries a program loads, and why",
                             .examples =
                                 "rnncheck which\n"
                                 "rnncheck which python\n"
                                 "rnncheck which --pid 4711 --all",
                             .declare = declare};

}  // namespace rnncheck::commands::which
