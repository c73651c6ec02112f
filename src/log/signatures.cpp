#include "log/signatures.hpp"

#include "base/errors.hpp"
#include "base/text.hpp"
#include "log/read_log.hpp"
#include "matrix/table_reader.hpp"

namespace rnncheck::log_reader {

namespace {

/// A pattern of the table for RE2: `blank` for each blank, and any of `digits` for each digit if there are some.
std::string rewritten(const std::string& pattern, std::string_view blank, const std::string& digits) {
    static const re2::RE2 token(R"((\\.|\{[0-9,]+\}|\(\?P<\w+>|\[(?:[^\]\\]|\\.)*\]|[^\\]))"),
        digit("[0-9](?:-[0-9])?");
    std::string out, piece;
    re2::StringPiece rest(pattern);
    while (re2::RE2::Consume(&rest, token, &piece)) {
        const bool is_set = piece.size() > 1 && piece[0] == '[';
        const bool has_digit = (is_set || piece.size() == 1) && piece.find_first_of("0123456789") != piece.npos;
        if (is_set && !blank.empty()) re2::RE2::GlobalReplace(&piece, " ", "\\\\s");
        if (piece == " ")
            out += blank;
        else if (!has_digit || digits.empty())
            out += piece;
        else if (piece.starts_with("[^"))
            out += '.';
        else if (re2::RE2::GlobalReplace(&piece, digit, digits); is_set)
            out += piece;
        else
            out += '[' + piece + ']';
    }
    return out.append(rest.data(), rest.size());
}

/// In patterns of the table a blank stands for any white space, or for none where the text was wrapped.
constexpr const char* loose_blank = "\\s*";

[[noreturn]] void complain(const LogSignature& row, const std::string& what) {
    throw InputError("log_signatures: signature '" + row.id + "': " + what);
}

LogKind kind_of(const LogSignature& row) {
    const auto kind = from_name<LogKind>(row.kind);
    if (!kind) complain(row, "there is no kind '" + row.kind + "'");
    return *kind;
}

}  // namespace

Signature::Signature(const LogSignature& row)
    : id_(row.id),
      kind_(kind_of(row)),
      pattern_(rewritten(row.pattern, loose_blank, "")),
      any_digits_(rewritten(row.pattern, loose_blank, "0-9")) {}

const re2::RE2& Signature::regex() const {
    if (!regex_) regex_ = std::make_unique<re2::RE2>(pattern_, pattern_options());
    return *regex_;
}

std::optional<Signature::Match> Signature::match(std::string_view text, std::size_t from) const {
    std::vector<re2::StringPiece> found(groups() + 1);
    if (!regex().Match({text.data(), text.size()}, from, text.size(), re2::RE2::UNANCHORED, found.data(),
                       static_cast<int>(found.size())))
        return std::nullopt;
    Match match;
    match.begin = static_cast<std::size_t>(found[0].data() - text.data());
    match.end = match.begin + found[0].size();
    for (const auto& [index, name] : regex().CapturingGroupNames()) {
        const re2::StringPiece& group = found[static_cast<std::size_t>(index)];
        if (group.data()) match.told.push_back({name, escaped(trim({group.data(), group.size()}), 200)});
    }
    return match;
}

bool Signature::may_match_with_other_digits(const NormalizedText& text) const {
    if (any_digits_ == pattern_) return false;
    if (!any_digits_regex_) any_digits_regex_ = std::make_unique<re2::RE2>(any_digits_, pattern_options());
    return !any_digits_regex_->ok() || re2::RE2::PartialMatch(text.text, *any_digits_regex_) ||
           re2::RE2::PartialMatch(text.without_whitespace, *any_digits_regex_);
}

Signatures::Signatures(const std::vector<LogSignature>& rows) {
    for (const LogSignature& row : rows) {
        all_.emplace_back(row);
        if (const std::string fault = prefilter_.add(rewritten(row.pattern, "", "0")); !fault.empty())
            complain(row, fault);
    }
    prefilter_.compile();
}

}  // namespace rnncheck::log_reader

namespace rnncheck {

std::vector<Complaint> verify_signatures(const TableFiles& files) {
    constexpr const char* stem = "log_signatures";
    std::vector<TableFault> told_by_verify;
    const auto table = read_all<LogSignature>(files, stem, told_by_verify);
    std::vector<Complaint> all;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        try {
            const log_reader::Signatures one({table.rows[i]});
        } catch (const InputError& error) {
            all.push_back({stem, table.numbers[i], error.what()});
        }
    }
    return all;
}

}  // namespace rnncheck
