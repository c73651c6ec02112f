// Prints the page about a rule or a probe.
#include "commands/command.hpp"
#include "commands/options.hpp"
#include "commands/output.hpp"
#include "process/probe.hpp"
#include "rules/rule.hpp"

namespace rnncheck::commands::explain {

static std::function<int()> declare(CLI::App& app) {
    const auto id = std::make_shared<std::string>();
    app.add_option("ID", *id, "A rule or a probe, as a report names it")->required();
    return [id] {
        std::string_view page = rule_page(*id);
        if (page.empty()) page = page_named(probe_pages(), *id);
        if (page.empty()) reject_id(*id, "rule or probe", rule_and_probe_names(Matrix::bundled()));
        print_document(page);
        return healthy;
    };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::explain
