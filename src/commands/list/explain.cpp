// Prints the page about a rule or a probe.
#include "base/program.hpp"
#include "commands/command.hpp"
#include "commands/ids.hpp"
#include "commands/nearest.hpp"
#include "commands/output.hpp"
#include "process/probe.hpp"
#include "rules/rule.hpp"

namespace rnncheck::commands::explain {

static int run(const std::string& id) {
    std::string_view page = rule_page(id);
    if (page.empty()) page = page_named(probe_pages(), id);
    if (page.empty()) {
        auto known = rule_names();
        for (const auto& probe : probe_names()) known.push_back(probe);
        const std::string hint = did_you_mean(id, known);
        throw UsageError("there is no rule or probe '" + id + "'" +
                         (hint.empty() ? how_to_list("rule or probe") : hint));
    }
    print_document(page);
    return healthy;
}

static std::function<int()> declare(CLI::App& app) {
    const auto id = std::make_shared<std::string>();
    app.add_option("ID", *id, "A rule or a probe")->required();
    return [id] { return run(*id); };
}

extern const Command command{.title = "Show the documentation of a rule or probe", .declare = declare};

}  // namespace rnncheck::commands::explain
