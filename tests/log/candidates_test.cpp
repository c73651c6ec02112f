// A signature is searched for in every text that it matches.
#include "base/lists.hpp"
#include "log/signatures.hpp"
#include "support/catch.hpp"
#include "support/logs.hpp"

using namespace rnncheck;

TEST_CASE("a signature is searched for in every text that it matches") {
    const auto& rows = test::bundled_matrix().log_signatures();
    const log_reader::Signatures signatures(rows);
    constexpr std::size_t stride = 10;  // all of them take minutes
    for (std::size_t m = 0; m < test::messages().size(); m += stride) {
        const test::Message& message = test::messages()[m];
        const auto text = log_reader::normalized(log_reader::lines_of(message.log));
        const auto candidates = signatures.candidates(text.without_whitespace);
        for (std::size_t i = 0; i < signatures.size(); ++i) {
            const bool is_matched = signatures[i].match(text.text, 0) ||
                                    signatures[i].match(text.without_whitespace, 0) ||
                                    signatures[i].may_match_with_other_digits(text);
            if (is_matched && !includes(candidates, i))
                FAIL_CHECK(signatures[i].id() << " is not searched for in " << message.log);
        }
    }
}
