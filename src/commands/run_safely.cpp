#include <cstdio>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command.hpp"
#include "commands/command_line.hpp"
#include "commands/identity.hpp"
#include "commands/output.hpp"
#include "report/documents.hpp"

namespace rnncheck {

namespace {

void say(const std::string& sentence) {
    std::fprintf(stderr, "rnncheck: %s\n", escaped(sentence).c_str());
}

/// The document has no user to ask whether it may show private things; stderr tells them in full.
void print_failure(FailureKind kind, const std::string& sentence) {
    FailureDocument document;
    document.tool.version = version_of_rnncheck();
    document.error = {kind, redact(sentence, this_machine())};
    try {
        print_document(json_text(document));
    } catch (const std::exception& error) {
        say(error.what());
    }
}

int report_failure(const Arguments& arguments, FailureKind kind, const std::string& sentence) {
    say(sentence);
    if (wants_json(arguments)) print_failure(kind, sentence);
    return kind == FailureKind::bug ? bug : usage;
}

}  // namespace

int run_safely(const Arguments& arguments, int (*work)(const Arguments&)) {
    open_missing_streams();
    try {
        return work(arguments);
    } catch (const UsageError& error) {
        return report_failure(arguments, FailureKind::usage, error.what());
    } catch (const InputError& error) {
        return report_failure(arguments, FailureKind::input, error.what());
    } catch (const OutputError& error) {
        say(error.what());
        return usage;
    } catch (const std::exception& error) {
        return report_failure(arguments, FailureKind::bug, "this is a bug in rnncheck: " + std::string(error.what()));
    } catch (...) {
        return report_failure(arguments, FailureKind::bug, "this is a bug in rnncheck: something unknown was thrown");
    }
}

}  // namespace rnncheck
