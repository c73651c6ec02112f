// Asks the compatibility tables, without a machine at hand.
#include <map>
#include <memory>

#include "commands/command.hpp"
#include "commands/matrix_commands.hpp"

namespace rnncheck::commands::matrix {

static std::function<int()> declare(CLI::App& app) {
    app.require_subcommand(1);
    const auto runs = std::make_shared<std::map<const CLI::App*, std::function<int()>>>();
    const auto add = [&](const char* name, const char* title, std::function<int()> (*declare_one)(CLI::App&)) {
        CLI::App* sub = app.add_subcommand(name, title);
        (*runs)[sub] = declare_one(*sub);
    };
    add("check", "Check whether versions are compatible", declare_matrix_check);
    add("plan", "Show what can run on a GPU and driver, or what a framework version needs", declare_matrix_plan);
    add("show", "Show the tables, or the rows of one", declare_matrix_show);
    add("verify", "Validate the tables", declare_matrix_verify);
    return [runs, &app] { return runs->at(app.get_subcommands().front())(); };
}

extern const Command command{.title = "Ask the compatibility tables, without the machine at hand", .declare = declare};

}  // namespace rnncheck::commands::matrix
