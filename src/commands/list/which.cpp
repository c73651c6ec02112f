// Shows which files of the GPU libraries a program, a library or a running process loads.
#include "files/which.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "files/python/environments.hpp"
#include "process/apart.hpp"

namespace rnncheck::commands::which {

struct Options {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(std::optional<std::string>, target, "[TARGET]",
                      "A library, a program, or the name of a program on PATH");
    RNNCHECK_FIELD(std::optional<int>, pid, "A running process");
    RNNCHECK_FIELD(bool, all, "Show every needed library, not only those that concern the GPU") = false;
    RNNCHECK_FIELD(ReportOptions, document, "Options: json color ascii show-private");
    RNNCHECK_FIELDS_END
};

static std::string file_of(const std::string& target) {
    if (contains(target, "/")) return target;
    if (const auto program = find_in_path(target)) return *program;
    if (::access(target.c_str(), F_OK) == 0) return "./" + target;
    throw InputError("there is no program '" + target + "' on PATH and no such file here");
}

/// A shim of pyenv, asdf or mise loads nothing itself: the program behind it does.
static loader::Which which_behind(const std::string& path, const python::Shim& shim,
                                  const loader::WhichSetting& setting) {
    if (!shim.program) {
        const std::string why =
            shim.set_by.empty() ? "no version is set" : "the version that " + shim.set_by + " sets is not installed";
        throw InputError("'" + path + "' is a shim of " + shim.manager + " and " + why + ": `" + shim.manager +
                         " which " + file_name(path) + "` shows what it runs; specify that program");
    }
    loader::Which which = loader::which_for_file(Root(), *shim.program, setting);
    which.notes.push_back(path + " is a shim of " + shim.manager + ", which runs " + *shim.program + " (set by " +
                          shim.set_by + ")");
    return which;
}

static loader::Which ask(const Options& options) {
    if (options.pid) return loader::which_for_process(*options.pid, options.all);
    const loader::WhichSetting setting{environment_variable("LD_LIBRARY_PATH").value_or(""),
                                       environment_variable("LD_PRELOAD").value_or(""), options.all};
    if (!options.target) return loader::which_for_plain_program(Root(), setting);
    const std::string file = file_of(*options.target);
    if (const auto shim = python::shim_at(Root(), python::variables_of_process(), file))
        return which_behind(file, *shim, setting);
    return loader::which_for_file(Root(), file, setting);
}

/// A path that was changed cannot be used in a command line, so a note says so.
static WhichDocument fit_to_show(const WhichDocument& document) {
    WhichDocument shown = redact(document, this_machine());
    if (json_text(shown) != json_text(document))
        shown.notes.push_back("user names and home directories are replaced by words; --show-private shows them");
    return shown;
}

static int run(Options& options, const CLI::App& app) {
    refuse_together(app, "TARGET", "--pid", "each names what to look at");
    const auto document = process::fields_from_apart<WhichDocument>([&] {
        loader::Which which = ask(options);
        return WhichDocument{{}, std::move(which.target), std::move(which.notes), std::move(which.libraries)};
    });
    print_document(written(options.document.show_private ? document : fit_to_show(document), options.document));
    // Something that the target cannot be started or loaded without.
    const auto is_missing = [](const LibraryChoice& choice) { return !choice.path && !choice.by_dlopen; };
    return std::ranges::any_of(document.libraries, is_missing) ? problem : healthy;
}

extern const Command command{declared<Options, run>};

}  // namespace rnncheck::commands::which
