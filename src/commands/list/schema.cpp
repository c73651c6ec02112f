// Prints the JSON Schema of the JSON documents.
#include "commands/command.hpp"
#include "commands/output.hpp"
#include "report/documents.hpp"

namespace rnncheck::commands::schema {

static std::function<int()> declare(CLI::App&) {
    return [] {
        print_document(schema_text());
        return healthy;
    };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::schema
