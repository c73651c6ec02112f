// A pattern is parsed into the words that every matching text contains. Wrong
// in one direction only: a requirement that is too weak costs time, one that is
// too strong would lose a message.
#include "base/pattern_filter.hpp"

#include <algorithm>
#include <bitset>
#include <cstdint>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

using Texts = std::vector<std::string>;

/// that are followed through a pattern side by side
constexpr std::size_t most_texts = 16;

/// of a longer one this beginning distinguishes enough
constexpr std::size_t longest_word = 15;

/// `texts` is what the part matches as a whole; `required` is what is left of
/// it once there are too many texts to follow.
/// What a part of a pattern matches.
struct Matched {
    /// all of them, or what they begin with; empty where there are too many
    Texts texts;
    /// then: by each of them
    std::vector<Requirement> required;
};

const Matched anything;
/// White space, which texts do not have here, or a place such as \b.
const Matched nothing = {{""}, {}};

/// As texts and words are compared. RE2 ignores the case of Latin-1 where
/// "(?i)" demands it.
std::string folded(std::string_view original) {
    constexpr int case_bit = 0x20;
    std::string text;
    text.reserve(original.size());
    for (const char c : original) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_digit(c))
            text += '0';
        else if ((c >= 'A' && c <= 'Z') || (byte >= 0xC0 && byte < 0xE0))
            text += static_cast<char>(byte | case_bit);
        else if (byte > ' ')
            text += c;
    }
    return text;
}

/// How well it distinguishes texts: the length of its words.
std::size_t strength(const Requirement& required) {
    const std::vector<std::size_t> strengths = mapped(required.parts, strength);
    if (strengths.empty())
        return required.text.size();
    if (required.kind == Requirement::one_of)
        return std::ranges::min(strengths);
    return std::ranges::max(strengths);
}

/// The strongest first, because one that is not met saves the others.
Requirement each_of(std::vector<Requirement> parts) {
    if (parts.size() == 1)
        return std::move(parts.front());
    std::ranges::stable_sort(parts, std::ranges::greater(), strength);
    return {Requirement::each_of, {}, std::move(parts)};
}

void add_words(std::vector<Requirement>& required, Texts words) {
    if (words.empty() || includes(words, ""))
        return;
    std::vector<Requirement> parts;
    for (std::string& word : words)
        parts.push_back({Requirement::word, std::move(word), {}});
    if (parts.size() == 1)
        required.push_back(std::move(parts.front()));
    else
        required.push_back({Requirement::one_of, {}, std::move(parts)});
}

/// Whether it could continue each of `texts` with each of `ends`.
bool extend(Texts& texts, const Texts& ends) {
    const std::size_t count = texts.size() * ends.size();
    if (count == 0 || count > most_texts)
        return false;
    Texts longer;
    for (const std::string& end : ends)
        for (const std::string& text : texts)
            add_once(longer, text + end.substr(0, longest_word - text.size()));
    texts = std::move(longer);
    return true;
}

/// Whether there are some to continue.
bool extend(Texts& texts, std::string_view end) {
    for (std::string& text : texts)
        text += end.substr(0, longest_word - text.size());
    return !texts.empty();
}

std::vector<Requirement> required_by(Matched part) {
    add_words(part.required, std::move(part.texts));
    return std::move(part.required);
}

/// With every branch known, their texts together are known; else each branch
/// has to require something, or the whole requires nothing.
Matched one_of(std::vector<Matched> branches) {
    Texts texts;
    const auto is_known = [](const Matched& branch) { return !branch.texts.empty(); };
    const bool are_known = std::ranges::all_of(branches, is_known);
    for (const Matched& branch : branches)
        for (const std::string& text : branch.texts)
            add_once(texts, text);
    if (are_known && texts.size() <= most_texts)
        return {std::move(texts), {}};
    std::vector<Requirement> parts;
    for (Matched& branch : branches) {
        std::vector<Requirement> required = required_by(std::move(branch));
        if (required.empty())
            return anything;
        parts.push_back(each_of(std::move(required)));
    }
    Matched all;
    all.required.push_back({Requirement::one_of, {}, std::move(parts)});
    return all;
}

/// What this reader does not know; the pattern then has no
/// requirement and is always searched for.
struct RareSyntax {};

/// Reads a pattern in RE2's syntax, each rule of the grammar with a function.
class Reader {
  public:
    explicit Reader(std::string_view pattern) : rest_(pattern) {
    }

    Matched whole() {
        Matched all = branches();
        if (!rest_.empty())
            throw RareSyntax();
        return all;
    }

  private:
    Matched branches() {
        std::vector<Matched> all;
        do
            all.push_back(sequence());
        while (take('|'));
        if (all.size() == 1)
            return std::move(all.front());
        return one_of(std::move(all));
    }

    /// Texts grow from part to part as long as there are few; then they become
    /// required words, and new ones begin with the next part.
    Matched sequence() {
        Texts texts = {""};  // the last of what was matched
        std::vector<Requirement> required;
        bool are_all_known = true;
        while (!rest_.empty() && rest_[0] != '|' && rest_[0] != ')') {
            Matched part;
            if (const std::string text = plain_text(); text.empty())
                part = repeated(item());
            else if (extend(texts, text))
                continue;
            else
                part.texts.push_back(text);
            if (extend(texts, part.texts))
                continue;
            are_all_known = false;
            add_words(required, std::move(texts));
            append(required, std::move(part.required));
            texts = std::move(part.texts);
        }
        if (are_all_known)
            return {std::move(texts), {}};
        add_words(required, std::move(texts));
        return {{}, std::move(required)};
    }

    /// Characters that mean themselves, without the last if it is repeated.
    std::string plain_text() {
        std::size_t size = std::min(rest_.find_first_of("\\[](){}.*+?|^$"), rest_.size());
        const bool is_repeated = size > 0 && size < rest_.size() &&
                                 std::string_view("*+?{").find(rest_[size]) != rest_.npos;
        if (is_repeated)
            --size;
        const std::string text = folded(rest_.substr(0, size));
        if (!text.empty())
            rest_.remove_prefix(size);
        return text.substr(0, longest_word);
    }

    /// One character, class, group or place of RE2's syntax:
    /// https://github.com/google/re2/wiki/Syntax
    Matched item() {
        const char c = next();
        if (c == '(')
            return group();
        if (c == '[')
            return set();
        if (c == '\\')
            return escape();
        if (c == '.')
            return anything;
        if (c == '^' || c == '$')
            return nothing;
        return character(c);
    }

    static Matched character(char c) {
        return {{folded({&c, 1})}, {}};
    }

    /// "(?:", "(?P<name>", "(?i:" or "(". Flags change nothing where texts are folded.
    Matched group() {
        if (take('?')) {
            const char end = rest_.starts_with('P') ? '>' : ':';
            while (!take(end))
                if (next() == ')')
                    return nothing;  // "(?i)"
        }
        if (++depth_ > deepest)
            throw RareSyntax();
        Matched all = branches();
        --depth_;
        if (!take(')'))
            throw RareSyntax();
        return all;
    }

    /// "[a-z_]": one of its members.
    Matched set() {
        bool is_known = !take('^');
        Texts members;
        do
            is_known = add_member(members) && is_known;
        while (!take(']'));
        if (is_known && members.size() <= most_texts)
            return {std::move(members), {}};
        return anything;
    }

    /// False where they are not known.
    bool add_member(Texts& members) {
        const char first = next();
        if (first == '[' && rest_.starts_with(':'))
            throw RareSyntax();
        if (first == '\\') {
            const Matched escaped = escape();
            append(members, escaped.texts);
            return !escaped.texts.empty();
        }
        char last = first;
        if (rest_.starts_with('-') && !rest_.starts_with("-]")) {
            take('-');
            last = next();
        }
        if (last == '\\' || last - first >= static_cast<int>(most_texts))
            return false;
        for (int c = first; c <= last; ++c)
            add_once(members, folded(std::string(1, static_cast<char>(c))));
        return true;
    }

    /// \d is '0', as digits are folded; \s and \b match nothing that a folded
    /// text contains.
    Matched escape() {
        const char c = next();
        if (!is_letter_or_digit(c))
            return character(c);
        switch (c) {
            case 'd':
                return character('0');
            case 's':
            case 'n':
            case 't':
            case 'b':
                return nothing;
            case 'x':
                next(), next();
                return anything;
            case 'w':
            case 'S':
                return anything;
            default:
                throw RareSyntax();
        }
    }

    /// x? is one of x and nothing, x{2} is xx; x* requires nothing,
    /// x+ and x{2,} require x once.
    Matched repeated(Matched part) {
        const Repetition how = repetition();
        if (how.is_once() || part.texts == nothing.texts)
            return part;
        if (how.least == 0 && how.most == 1 && !part.texts.empty())
            return one_of({std::move(part), nothing});
        if (how.least == 0)
            return anything;
        Texts texts = {""};
        int times = 0;
        while (times < how.least && extend(texts, part.texts))
            ++times;
        if (times == how.most)
            return {std::move(texts), {}};
        return {{}, required_by(std::move(part))};
    }

    struct Repetition {
        int least = 1, most = 1;

        bool is_once() const {
            return least == 1 && most == 1;
        }
    };
    static constexpr int many = 1000;  ///< RE2 accepts no larger bound

    /// A '?' after the repetition changes which text is found first, not which texts match.
    Repetition repetition() {
        Repetition how;
        if (take('*'))
            how = {0, many};
        else if (take('+'))
            how = {1, many};
        else if (take('?'))
            how = {0, 1};
        else if (!take_bounds(how))
            return how;
        take('?');  // as few as possible
        return how;
    }

    /// "{0,60}", "{2}" or "{16,}"; braces with anything else mean themselves.
    bool take_bounds(Repetition& how) {
        const std::string_view bounds = rest_.substr(0, rest_.find('}') + 1);
        if (!bounds.starts_with('{') ||
            bounds.find_first_not_of("0123456789,", 1) != bounds.size() - 1)
            return false;
        const auto least = leading_number(bounds.substr(1));
        const std::size_t comma = bounds.find(',');
        if (!least)
            throw RareSyntax();
        how = {*least, *least};
        if (comma != bounds.npos)
            how.most = leading_number(bounds.substr(comma + 1)).value_or(many);
        rest_.remove_prefix(bounds.size());
        return true;
    }

    /// A pattern that ends too early is left to RE2, which reports it.
    char next() {
        if (rest_.empty())
            throw RareSyntax();
        const char c = rest_[0];
        rest_.remove_prefix(1);
        return c;
    }

    bool take(char c) {
        if (!rest_.starts_with(c))
            return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// a hostile pattern shall not exhaust the stack
    static constexpr int deepest = 100;

    std::string_view rest_;
    int depth_ = 0;  ///< groups that are open
};

/// The sequences of three and of six characters of a text: most words are known
/// to be absent at once, because a sequence is missing.
class Sequences {
  public:
    explicit Sequences(std::string_view text) {
        std::uint32_t last = 0;
        for (const char c : text) {
            last = next(last, c);
            threes_.set(last % threes_.size());
            sixes_.set(six(last));
        }
    }

    bool may_have(std::string_view word) const {
        const bool is_long = word.size() >= 6;
        std::uint32_t last = 0;
        for (std::size_t i = 0; i < word.size(); ++i) {
            last = next(last, word[i]);
            if (is_long && i >= 5 && !sixes_.test(six(last)))
                return false;
            if (!is_long && i >= 2 && !threes_.test(last % threes_.size()))
                return false;
        }
        return true;
    }

  private:
    static constexpr int bits = 5;  ///< of each character

    /// The last six characters, or as many as there are.
    static std::uint32_t next(std::uint32_t last, char c) {
        return ((last << bits) ^ static_cast<unsigned char>(c)) % (1U << 6 * bits);
    }

    /// Knuth's multiplicative hash, which spreads them over the table.
    static std::uint32_t six(std::uint32_t last) {
        return last * 0x9E3779B1U >> 16;
    }

    std::bitset<1 << 3 * bits> threes_;
    std::bitset<1 << 16> sixes_;
};

}  // namespace

/// Never throws: a pattern that cannot be read requires nothing.
Requirement requirement_of(std::string_view pattern) {
    try {
        return each_of(required_by(Reader(pattern).whole()));
    } catch (const RareSyntax&) {
        return {};
    }
}

/// The sequences reject most words without a search of the text.
std::vector<std::size_t> PatternFilter::candidates(std::string_view text) const {
    const std::string searched = folded(text);
    const Sequences sequences(searched);
    const auto meets = [&](const auto& self, const Requirement& required) -> bool {
        const auto is_met = [&](const Requirement& part) { return self(self, part); };
        if (required.kind == Requirement::word)
            return sequences.may_have(required.text) && contains(searched, required.text);
        if (required.kind == Requirement::one_of)
            return std::ranges::any_of(required.parts, is_met);
        return std::ranges::all_of(required.parts, is_met);
    };
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < requirements_.size(); ++i)
        if (meets(meets, requirements_[i]))
            found.push_back(i);
    return found;
}

}  // namespace rnncheck
