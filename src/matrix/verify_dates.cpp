#include <algorithm>

#include "matrix/table_text.hpp"
#include "matrix/verify_parts.hpp"

namespace rnncheck::verifying {

namespace {

struct Dated {
    std::string table;
    std::string id;
    std::string seen;
};

std::vector<Dated> dated_sources(const TableFiles& files) {
    std::vector<Dated> dated;
    for (const auto& [stem, text] : files.content) {
        NoTable told_by_the_reader;
        const auto table = table_text(text, told_by_the_reader);
        if (!table || !table->sources) continue;
        for (const auto& [id, source] : *table->sources)
            for (const Cell& cell : source.cells)
                if (const auto* seen = std::get_if<std::string>(&cell.value); seen && cell.name == "seen")
                    dated.push_back({stem, id, *seen});
    }
    return dated;
}

}  // namespace

void check_dates(const TableFiles& files, const std::string& latest_day, std::vector<Complaint>& all) {
    const std::vector<Dated> dated = dated_sources(files);
    const auto is_ahead = [&](const Dated& source) { return is_date(source.seen) && source.seen > latest_day; };
    const auto ahead = std::count_if(dated.begin(), dated.end(), is_ahead);
    if (2 * ahead > static_cast<std::ptrdiff_t>(dated.size())) return;  // it is the clock that is wrong
    for (const Dated& source : dated)
        if (is_ahead(source))
            Complaints(all, source.table)(0, "source '" + source.id + "': 'seen' is " + source.seen +
                                                 ", a day to come; write the day on which it was read");
}

}  // namespace rnncheck::verifying
