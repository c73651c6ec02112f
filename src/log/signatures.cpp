#include "log/signatures.hpp"

#include "base/program.hpp"
#include "base/text.hpp"
#include "log/read_log.hpp"

namespace rnncheck::log_reader {

namespace {

/// How RE2 reads the patterns of the table: logs are not always valid UTF-8.
re2::RE2::Options pattern_options(std::int64_t memory = std::int64_t{4} << 20) {
    re2::RE2::Options options;
    options.set_dot_nl(true);
    options.set_log_errors(false);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    options.set_max_mem(memory);
    return options;
}

/// A pattern of the table for RE2: `blank` for each blank, and any of `digits` for each digit if
/// there are some.
std::string rewritten(const std::string& pattern, const std::string& blank,
                      const std::string& digits) {
    // An escape, a bound of a repetition, the begin of a named group, a set or one character.
    static const LazyRE2 next_part = {R"(((?s)\\.|\{[^}]*\}|\(\?P<[^>]*>|\[(?:\\.|[^\]\\])*\]|.))",
                                      re2::RE2::Latin1};
    static const LazyRE2 some_digits = {"[0-9](?:-[0-9])?"};
    re2::StringPiece rest(pattern);
    std::string out, part;
    while (re2::RE2::Consume(&rest, *next_part, &part)) {
        const bool is_set = part.size() > 1 && part[0] == '[';
        const bool has_digit =
            (is_set || part.size() == 1) && part.find_first_of("0123456789") != part.npos;
        if (is_set && !blank.empty())
            re2::RE2::GlobalReplace(&part, " ", "\\\\s");
        if (part == " ")
            part = blank;
        else if (has_digit && !digits.empty() && part.starts_with("[^"))
            part = ".";
        else if (has_digit && !digits.empty())
            re2::RE2::GlobalReplace(&part, *some_digits, is_set ? digits : '[' + digits + ']');
        out += part;
    }
    return out;
}

/// In patterns of the table a blank means any white space, or none where the text was wrapped.
constexpr const char* loose_blank = "\\s*";

constexpr int shortest_word = 3;  ///< that the text is searched for

/// Without bounds of repetitions, which take RE2 long to compile.
std::string for_prefilter(const std::string& pattern) {
    static const re2::RE2 bounds(R"(\{[0-9]+,[0-9]*\})");
    std::string unbounded = rewritten(pattern, "", "0");
    re2::RE2::GlobalReplace(&unbounded, bounds, "*");
    return unbounded;
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

void add(re2::FilteredRE2& filter, const LogSignature& row) {
    int number = 0;
    const std::string pattern = for_prefilter(row.pattern);
    if (filter.Add(pattern, pattern_options(), &number) != re2::RE2::NoError)
        complain(row.id, re2::RE2(pattern, pattern_options()).error());
}

}  // namespace

Signature::Signature(const LogSignature& row)
    : id_(row.id), kind_(kind_of(row)), pattern_(row.pattern) {
}

const re2::RE2& Signature::regex() const {
    if (!regex_)
        regex_ =
            std::make_unique<re2::RE2>(rewritten(pattern_, loose_blank, ""), pattern_options());
    if (!regex_->ok())
        complain(id_, regex_->error());
    return *regex_;
}

std::optional<Signature::Match> Signature::match(std::string_view text, std::size_t from) const {
    std::vector<re2::StringPiece> found(groups() + 1);
    if (!regex().Match({text.data(), text.size()}, from, text.size(), re2::RE2::UNANCHORED,
                       found.data(), static_cast<int>(found.size())))
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
            std::make_unique<re2::RE2>(rewritten(pattern_, loose_blank, "0-9"), pattern_options());
    if (any_digits_regex_->pattern() == regex().pattern())
        return false;
    return !any_digits_regex_->ok() || re2::RE2::PartialMatch(text.text, *any_digits_regex_) ||
           re2::RE2::PartialMatch(text.without_whitespace, *any_digits_regex_);
}

/// In lower case, with 0 for each digit.
static void fold(std::string& text) {
    for (char& c : text)
        c = is_digit(c) ? '0' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

Signatures::Signatures(const std::vector<LogSignature>& rows)
    : filter_(shortest_word),
      words_(pattern_options(std::int64_t{64} << 20), re2::RE2::UNANCHORED) {
    std::vector<std::string> words;
    for (const LogSignature& row : rows) {
        all_.emplace_back(row);
        add(filter_, row);
    }
    if (!rows.empty())
        filter_.Compile(&words);
    for (std::string& word : words) {
        fold(word);
        std::erase_if(word, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
        words_.Add(re2::RE2::QuoteMeta(word), nullptr);
    }
    words_.Compile();
}

std::vector<int> Signatures::candidates(std::string text) const {
    std::vector<int> found, patterns;
    if (all_.empty())
        return patterns;
    fold(text);
    words_.Match(text, &found);
    filter_.AllPotentials(found, &patterns);
    return patterns;
}

}  // namespace rnncheck::log_reader

namespace rnncheck {

std::vector<Issue> verify_signatures(const Tables& tables) {
    std::vector<Issue> all;
    re2::FilteredRE2 filter;
    for (const LogSignature& row : tables.log_signatures.read().rows) {
        try {
            const log_reader::Signature signature(row);
            log_reader::add(filter, row);
            signature.groups();  // compiles the pattern itself, bounds of repetitions included
        } catch (const InputError& error) {
            all.push_back({tables.log_signatures.stem(), row.number, escaped(error.what())});
        }
    }
    return all;
}

}  // namespace rnncheck
