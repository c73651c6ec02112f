#include "log/verify_signatures.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "log/pattern_steps.hpp"
#include "log/signatures.hpp"

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

std::vector<Issue> verify_signatures(const TableFiles& files) {
    const Tables tables(files);
    std::vector<Issue> all;
    for (const LogSignature& row : tables.log_signatures.read().rows)
        if (const std::string fault = fault_of(row); !fault.empty())
            all.push_back({tables.log_signatures.stem(), row.number, fault});
    return all;
}

}  // namespace rnncheck
