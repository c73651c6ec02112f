#include "log/signatures.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/text.hpp"

namespace rnncheck::log_reader {

namespace {

/// A blank in a pattern of the table: any white space, or none where the text was wrapped.
std::string with_loose_blanks(std::string_view pattern) {
    std::string out;
    for (const char c : pattern)
        if (c == ' ')
            out += "\\s*";
        else
            out += c;
    return out;
}

re2::RE2::Options options() {
    re2::RE2::Options options;
    options.set_dot_nl(true);
    options.set_log_errors(false);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);  // bytes: logs are not always valid UTF-8
    options.set_max_mem(std::int64_t{4} << 20);
    return options;
}

/// Whether the pattern holds digits that are no bounds and not all of them.
bool names_digits(std::string pattern) {
    static const re2::RE2 others(R"(\{[0-9]+(,[0-9]*)?\}|0-9|\?P<[a-z0-9_]+>)");
    re2::RE2::GlobalReplace(&pattern, others, "");
    return has_digit(pattern);
}

[[noreturn]] void complain(const std::string& id, const std::string& what) {
    throw InputError("log_signatures: signature '" + id + "': " + what);
}

}  // namespace

Signature::Signature(const LogSignature& row)
    : id_(row.id), written_(row.pattern), pattern_(with_loose_blanks(row.pattern)), literals_(split(row.literal, '|')) {
    const auto kind = from_name<LogKind>(row.kind);
    if (!kind) complain(id_, "there is no kind '" + row.kind + "'");
    kind_ = *kind;
    tells_digits_apart_ = names_digits(row.pattern);
    for (const std::string& literal : literals_)
        if (literal.size() < 3) complain(id_, "a literal needs three characters at least");
}

bool Signature::has_literal(std::string_view text) const {
    return std::any_of(literals_.begin(), literals_.end(),
                       [&](const auto& literal) { return contains(text, literal); });
}

std::vector<Phrase> Signature::phrases(const Rarity& rarity) const {
    try {
        return phrases_of(written_, rarity);
    } catch (const InputError& error) {
        complain(id_, error.what());
    }
}

const re2::RE2& Signature::regex() const {
    if (!regex_) {
        regex_ = std::make_unique<re2::RE2>(pattern_, options());
        if (!regex_->ok()) complain(id_, regex_->error());
    }
    return *regex_;
}

std::optional<Signature::Match> Signature::match(std::string_view text, std::size_t from) const {
    const re2::RE2& expression = regex();
    std::vector<re2::StringPiece> groups(static_cast<std::size_t>(expression.NumberOfCapturingGroups()) + 1);
    if (!expression.Match({text.data(), text.size()}, from, text.size(), re2::RE2::UNANCHORED, groups.data(),
                          static_cast<int>(groups.size())))
        return std::nullopt;
    Match match;
    match.begin = static_cast<std::size_t>(groups[0].data() - text.data());
    match.end = match.begin + groups[0].size();
    for (const auto& [index, name] : expression.CapturingGroupNames()) {
        const re2::StringPiece& group = groups[static_cast<std::size_t>(index)];
        if (group.data()) match.told.push_back({name, escaped(trim({group.data(), group.size()}), 200)});
    }
    return match;
}

std::vector<Signature> signatures_of(const Matrix& matrix) {
    std::vector<Signature> signatures;
    for (const LogSignature& row : matrix.log_signatures()) signatures.emplace_back(row);
    return signatures;
}

}  // namespace rnncheck::log_reader
