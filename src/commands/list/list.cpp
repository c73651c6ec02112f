// Lists what rnncheck is made of.
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/listings.hpp"
#include "commands/output.hpp"
#include "report/documents.hpp"
#include "report/text.hpp"

namespace rnncheck::commands::list {

static std::string as_lines(const ListDocument& document) {
    std::size_t width = 0;
    for (const ListItem& item : document.items) width = std::max(width, item.name.size());
    std::string text;
    for (const ListItem& item : document.items)
        text += item.title.empty() ? item.name + '\n' : padded(item.name, width) + "  " + item.title + '\n';
    return text;
}

static int run(const std::string& kind, bool json) {
    const ListDocument document = listing_of(kind);
    print_document(json ? json_text(document) : as_lines(document));
    return healthy;
}

static std::function<int()> declare(CLI::App& app) {
    const auto kind = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    app.add_option("KIND", *kind, "One of " + join_with_and(listing_kinds()))->required();
    add_json_option(app, *json);
    return [kind, json] { return run(*kind, *json); };
}

extern const Command command{.title = "List rules, probes, formats, tables or commands", .declare = declare};

}  // namespace rnncheck::commands::list
