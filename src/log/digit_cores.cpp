#include "log/digit_cores.hpp"

#include <algorithm>

namespace rnncheck::log_reader {

namespace {

std::string with_zeros(std::string_view text) {
    std::string zeros(text);
    for (char& c : zeros)
        if (c >= '0' && c <= '9') c = '0';
    return zeros;
}

std::vector<std::size_t> those_with_digits(const PhraseTable& table) {
    std::vector<std::size_t> numbers;
    for (std::size_t core = 0; core < table.cores.size(); ++core)
        if (has_digit(table.cores[core].core)) numbers.push_back(core);
    return numbers;
}

std::vector<std::string> zeroed(const PhraseTable& table, const std::vector<std::size_t>& numbers) {
    std::vector<std::string> cores;
    for (const std::size_t number : numbers) cores.push_back(with_zeros(table.cores[number].core));
    return cores;
}

}  // namespace

DigitCores::DigitCores(const PhraseTable& table)
    : numbers_(those_with_digits(table)), scanner_(zeroed(table, numbers_)) {}

Verdict DigitCores::look(const PhraseTable& table, std::string_view text, std::size_t begin, std::size_t end) const {
    Verdict verdict = Verdict::refuted_by_line;
    scanner_.find_all(with_zeros(text.substr(begin, end - begin)), [&](std::size_t place, std::size_t index) {
        const PhrasesOfCore& wanted = table.cores[numbers_[index]];
        Neighbours before, after;
        verdict = std::min(verdict, std::max(look_after(text, begin + place + wanted.core.size(), wanted.after, after),
                                             look_before(text, begin + place, wanted.before, before)));
    });
    return verdict;
}

}  // namespace rnncheck::log_reader
