// Tells whether rnncheck can do its work here, without a GPU.
#include <unistd.h>

#include <algorithm>

#include "base/program.hpp"
#include "commands/command.hpp"
#include "commands/common_options.hpp"
#include "commands/identity.hpp"
#include "commands/output.hpp"
#include "commands/selftest_checks.hpp"
#include "report/documents.hpp"

namespace rnncheck::commands::selftest {

static int run(bool json) {
    SelftestDocument document;
    document.tool.version = version_of_rnncheck();
    document.checks = selftest_checks();
    document.verdict = SelftestOutcome::passed;
    for (const SelftestCheck& check : document.checks) document.verdict = std::max(document.verdict, check.outcome);
    const Style style = style_on(STDOUT_FILENO);
    print_document(redact(json ? json_text(document) : selftest_text(document, style), this_machine()));
    return document.verdict == SelftestOutcome::failed ? problem : healthy;
}

static std::function<int()> declare(CLI::App& app) {
    const auto json = std::make_shared<bool>(false);
    add_json_option(app, *json);
    return [json] { return run(*json); };
}

extern const Command command{.title = "Check whether rnncheck itself can work here; needs no GPU", .declare = declare};

}  // namespace rnncheck::commands::selftest
