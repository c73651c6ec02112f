#include "log/signatures.hpp"

#include <algorithm>

#include "base/program.hpp"
#include "base/text.hpp"
#include "log/read_log.hpp"

namespace rnncheck::log_reader {

namespace {

/// How RE2 reads the patterns of the table: logs are not always valid UTF-8.
re2::RE2::Options pattern_options() {
    re2::RE2::Options options;
    options.set_dot_nl(true);
    options.set_log_errors(false);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    options.set_max_mem(std::int64_t{4} << 20);
    return options;
}

/// In patterns of the table a blank means any white space, or none where the text was wrapped.
constexpr const char* loose_blank = "\\s*";

/// The size of an escape, a bound of a repetition, the begin of a named group, a set or one
/// character.
std::size_t size_of_part(std::string_view pattern) {
    const auto up_to = [&](char end) {
        const std::size_t at = pattern.find(end);
        return at == pattern.npos ? 1 : at + 1;
    };
    if (pattern[0] == '\\')
        return std::min<std::size_t>(2, pattern.size());
    if (pattern[0] == '{')
        return up_to('}');
    if (pattern.starts_with("(?P<"))
        return up_to('>');
    if (pattern[0] != '[')
        return 1;
    std::size_t end = 1;
    while (end < pattern.size() && pattern[end] != ']')
        end += pattern[end] == '\\' ? 2 : 1;
    return end < pattern.size() ? end + 1 : 1;
}

/// A pattern of the table for RE2: `loose_blank` for each blank, and any of `digits` for each digit
/// if there are some.
std::string rewritten(std::string_view pattern, const std::string& digits) {
    static const LazyRE2 some_digits = {"[0-9](?:-[0-9])?"};
    std::string out;
    while (!pattern.empty()) {
        std::string part(pattern.substr(0, size_of_part(pattern)));
        pattern.remove_prefix(part.size());
        const bool is_set = part.size() > 1 && part[0] == '[';
        const bool has_digit =
            (is_set || part.size() == 1) && part.find_first_of("0123456789") != part.npos;
        if (is_set)
            replace_all(part, " ", "\\s");
        if (part == " ")
            part = loose_blank;
        else if (has_digit && !digits.empty() && part.starts_with("[^"))
            part = ".";
        else if (has_digit && !digits.empty())
            re2::RE2::GlobalReplace(&part, *some_digits, is_set ? digits : '[' + digits + ']');
        out += part;
    }
    return out;
}

[[noreturn]] void complain(const std::string& id, const std::string& what) {
    throw InputError("log_signatures: signature '" + id + "': " + what);
}

LogKind kind_of(const LogSignature& row) {
    const auto kind = from_name<LogKind>(row.kind);
    if (!kind)
        complain(row.id, "there is no kind '" + row.kind + "'");
    return *kind;
}

}  // namespace

Signature::Signature(const LogSignature& row)
    : id_(row.id), kind_(kind_of(row)), pattern_(row.pattern) {
}

const re2::RE2& Signature::regex() const {
    if (!regex_)
        regex_ = std::make_unique<re2::RE2>(rewritten(pattern_, ""), pattern_options());
    if (!regex_->ok())
        complain(id_, regex_->error());
    return *regex_;
}

std::optional<Signature::Match> Signature::match(std::string_view text, std::size_t from) const {
    std::vector<re2::StringPiece> found(groups() + 1);
    if (!regex().Match(
            {text.data(), text.size()},
            from,
            text.size(),
            re2::RE2::UNANCHORED,
            found.data(),
            static_cast<int>(found.size())))
        return std::nullopt;
    Match match;
    match.begin = static_cast<std::size_t>(found[0].data() - text.data());
    match.end = match.begin + found[0].size();
    for (const auto& [index, name] : regex().CapturingGroupNames()) {
        const re2::StringPiece& group = found[static_cast<std::size_t>(index)];
        if (group.data())
            match.captures.push_back({name, escaped(trim({group.data(), group.size()}), 200)});
    }
    return match;
}

bool Signature::may_match_with_other_digits(const NormalizedText& text) const {
    if (!any_digits_regex_)
        any_digits_regex_ =
            std::make_unique<re2::RE2>(rewritten(pattern_, "0-9"), pattern_options());
    if (any_digits_regex_->pattern() == regex().pattern())
        return false;
    return !any_digits_regex_->ok() || re2::RE2::PartialMatch(text.text, *any_digits_regex_) ||
           re2::RE2::PartialMatch(text.without_whitespace, *any_digits_regex_);
}

Signatures::Signatures(const std::vector<LogSignature>& rows) {
    for (const LogSignature& row : rows) {
        all_.emplace_back(row);
        filter_.add(row.pattern);
    }
}

}  // namespace rnncheck::log_reader

namespace rnncheck {

std::vector<Issue> verify_signatures(const Tables& tables) {
    std::vector<Issue> all;
    for (const LogSignature& row : tables.log_signatures.read().rows) {
        try {
            const log_reader::Signature signature(row);
            signature.groups();  // compiles the pattern itself, bounds of repetitions included
        } catch (const InputError& error) {
            all.push_back({tables.log_signatures.stem(), row.number, escaped(error.what())});
        }
    }
    return all;
}

}  // namespace rnncheck
