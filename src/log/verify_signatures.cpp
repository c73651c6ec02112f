#include "log/verify_signatures.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "log/pattern_steps.hpp"
#include "log/signatures.hpp"
#include "matrix/table_reader.hpp"

namespace rnncheck {

namespace {

using namespace log_reader;

/// What is known of a way, blanks left out. A line end stands for all that is not.
std::string known_of(const Steps& way) {
    std::string known;
    for (const Step& step : way)
        if (step.byte)
            known += *step.byte;
        else if (step.kind != Step::Kind::blank)
            known += '\n';
    return known;
}

/// "" where nothing is wrong. A literal that a matching line need not hold hides the line.
std::string fault_of(const LogSignature& row) {
    try {
        const Signature signature(row);
        signature.groups();
        signature.phrases();
        for (const Steps& way : ways_of(row.pattern, true))
            if (const std::string known = known_of(way); !signature.has_literal(known))
                return "signature '" + escaped(row.id) + "': the pattern matches '" + escaped(known) +
                       "', which holds no literal; add one";
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

std::vector<Complaint> verify_signatures(const TableFiles& files) {
    constexpr const char* stem = "log_signatures";
    std::vector<TableFault> told_by_verify;
    const auto table = read_all<LogSignature>(files, stem, told_by_verify);
    std::vector<Complaint> all;
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        if (const std::string fault = fault_of(table.rows[i]); !fault.empty())
            all.push_back({stem, table.numbers[i], fault});
    return all;
}

}  // namespace rnncheck
