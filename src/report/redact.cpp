// Two passes over all texts of a document: the first learns what is private, the second replaces
// it, also where nothing but the name itself shows that it is.
#include "report/redact.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

#include "base/json.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "report/private_places.hpp"

namespace rnncheck {

namespace {

/// By kind.
const std::vector<std::string> placeholders = {
    "UUID-",
    "USER",
    "EMAIL",
    "SECRET",
    "IP-",
    "MAC-",
    "PCI-ID-",
    "TOKEN",
    "SERIAL",
    "HOST",
    "HOME",
    "SSID",
    "PROCESS"};

std::string_view placeholder_of(PrivateKind kind) {
    return placeholders[static_cast<std::size_t>(kind)];
}

/// The number of "USER7" as one of a user; 0 when it is none of this kind.
int number_in_placeholder(std::string_view text, PrivateKind kind) {
    if (!text.starts_with(placeholder_of(kind)))
        return 0;
    const auto number = number_from(text.substr(placeholder_of(kind).size()));
    if (number && *number > 0 && *number < 1'000'000)
        return *number;
    return 0;
}

/// "USER7", a word of a report that was redacted before.
bool is_placeholder(std::string_view text) {
    static const re2::RE2 regex(
        "(?:" + join(placeholders, "|") + ")0*[1-9][0-9]{0,5}", re2::RE2::Latin1);
    return re2::RE2::FullMatch({text.data(), text.size()}, regex);
}

/// Letters and digits, and all beyond ASCII.
bool is_word_char(char c) {
    return is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// Whether a word can begin or end between `at - 1` and `at`.
bool is_word_edge(std::string_view text, std::size_t at) {
    return at == 0 || at >= text.size() || !is_word_char(text[at - 1]) || !is_word_char(text[at]);
}

/// The word characters at the beginning: the key of the words that begin so.
std::string leading_run(std::string_view text) {
    return {text.begin(), std::ranges::find_if_not(text, is_word_char)};
}

/// Whether a whole path, or the beginning of one, is from `begin` to `end`.
bool is_path(std::string_view text, std::size_t begin, std::size_t end) {
    const auto is_one_of = [](char c, std::string_view more) {
        return is_word_char(c) || contains(more, {&c, 1});
    };
    return (begin == 0 || !is_one_of(text[begin - 1], "._-/")) &&
           (end == text.size() || !is_one_of(text[end], "_-"));
}

/// What reads a text, which decides how the home directory of its user is written.
enum class Reader { person, shell, rnncheck };

/// The quotation mark that a shell has open at `at`; 0 if none is.
char open_quote(std::string_view command, std::size_t at) {
    char quote = 0;
    for (std::size_t i = 0; i < at; ++i) {
        const char c = command[i];
        if (c == '\\' && quote != '\'')
            ++i;
        else if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        else if (c == quote)
            quote = 0;
    }
    return quote;
}

/// Where a shell expands "~".
bool begins_word(std::string_view command, std::size_t at) {
    return at == 0 || contains(" \t\n;|&(", command.substr(at - 1, 1));
}

/// Replaces private things by words, the same word for the same thing as long as the object lives.
class Redactor {
  public:
    explicit Redactor(const Identity& identity) {
        add_word("/root", PrivateKind::home);
        add_own_home(identity.home);
        for (const auto& directory : identity.homes)
            add(directory, PrivateKind::home);
        for (const auto& name : identity.users)
            add(name, PrivateKind::user);
        for (const auto& name : identity.hosts)
            add(name, PrivateKind::host);
    }

    /// Takes note of what the text shows in a labelled place, so that it is known in other places
    /// too.
    void learn(const SearchedText& searched) {
        for (const PrivatePlace& place : searched.places)
            add(place.of(searched.text), place.kind);
    }

    /// The same for an environment variable whose whole value is private.
    void learn_variable(std::string_view name, std::string_view value) {
        static const std::map<std::string_view, PrivateKind> variables = {
            {"HOME", PrivateKind::home},
            {"USERPROFILE", PrivateKind::home},
            {"USER", PrivateKind::user},
            {"LOGNAME", PrivateKind::user},
            {"SUDO_USER", PrivateKind::user},
            {"USERNAME", PrivateKind::user},
            {"HOSTNAME", PrivateKind::host},
            {"COMPUTERNAME", PrivateKind::host}};
        if (const auto* kind = look_up(variables, name))
            add(value, *kind);
    }

    /// From left to right: what a pattern found, else the user's home
    /// directory, else a word that is known to be private, else the character
    /// as the original has it.
    std::string redacted(
        std::string_view original, const SearchedText& searched, Reader reader = Reader::person) {
        const std::string_view text = searched.text;
        auto next = searched.places.begin();
        std::string out;
        out.reserve(original.size());
        for (std::size_t at = 0; at < text.size();) {
            for (; next != searched.places.end() && (next->begin < at || !is_in_place(next->kind));
                 ++next)
                if (is_in_place(next->kind))
                    at = std::max(at, next->end);  // of two that overlap, nothing is left
            if (next != searched.places.end() && next->begin == at) {
                out += word_at(*next, text);
                at = next->end;
            } else if (
                at < text.size() && !replace_own_home(text, at, reader, out) &&
                !replace_word(text, at, out)) {
                out += searched.written(at++, original);
            }
        }
        return out;
    }

    /// What was replaced: how many different things of each kind.
    std::vector<HiddenThings> hidden() const {
        std::vector<HiddenThings> things;
        for (const auto& [kind, numbers] : numbers_)
            if (!numbers.empty())
                things.push_back({std::string(name_of(kind)), static_cast<int>(numbers.size())});
        std::ranges::sort(things, {}, &HiddenThings::kind);
        return things;
    }

    /// Empty if it is unknown.
    std::string own_home_in_facts() {
        return redacted(own_home_, searched(own_home_), Reader::rnncheck);
    }

  private:
    struct Secret {
        std::string text;
        PrivateKind kind;
    };

    /// Makes a text known, by what its kind may look like in other places.
    void add(std::string_view text, PrivateKind kind) {
        if (kind == PrivateKind::host)
            add_host(text);
        else if (kind == PrivateKind::user)
            add_user(text);
        else if (kind == PrivateKind::home)
            add_home(text);
        else if (!is_in_place(kind))
            add_word(text, kind);
        else if (kind == PrivateKind::uuid && text.size() == 36)
            word_for(kind, lower(text));
    }

    /// "/" and directories that every system has are no home directory to hide.
    void add_own_home(std::string_view directory) {
        while (directory.ends_with('/'))
            directory.remove_suffix(1);
        if (!directory.starts_with('/'))
            return;
        add_home(directory);
        const bool is_top = directory.rfind('/') == 0 && directory != "/root";
        if (!is_top && !only_looks_like("home", directory))
            own_home_ = directory;
    }

    /// Replaced wherever it is a whole word. Ordinary words are not, even if a
    /// user has one as a name: the report would lose its sense.
    void add_word(std::string_view text, PrivateKind kind) {
        // More than any machine has: beyond it a hostile file only wastes time.
        constexpr std::size_t most_words = 1000;
        const bool is_no_name = kind != PrivateKind::serial && only_looks_like("name", text);
        if (is_no_name || is_placeholder(text) || known_words_ >= most_words)
            return;
        const std::string run = leading_run(text);
        if (run.empty() && kind != PrivateKind::home)
            return;
        auto& candidates = words_[run];
        if (find_by(candidates, &Secret::text, text))
            return;
        candidates.push_back({std::string(text), kind});
        std::ranges::sort(
            candidates, std::greater(), [](const Secret& secret) { return secret.text.size(); });
        ++known_words_;
    }

    /// Also without its domain, and in capitals, as Windows writes it.
    void add_host(std::string_view name) {
        const std::string_view first_label = name.substr(0, name.find('.'));
        std::string capitals(first_label);
        for (char& c : capitals)
            if (c >= 'a' && c <= 'z')
                c = static_cast<char>(c - 'a' + 'A');
        for (const std::string_view text : {name, first_label, std::string_view(capitals)})
            add_word(text, PrivateKind::host);
    }

    /// The numbers of a report that was redacted before are not given again.
    void add_user(std::string_view name) {
        int& last = last_number_[PrivateKind::user];
        last = std::max(last, number_in_placeholder(name, PrivateKind::user));
        add_word(name, PrivateKind::user);
    }

    /// Its last part is most often the user's name. "/home/ada" needs no entry
    /// where the patterns find it; "/data/users/ada" does.
    void add_home(std::string_view directory) {
        while (directory.ends_with('/'))
            directory.remove_suffix(1);
        if (!directory.starts_with('/'))
            return;
        if (directory != "/root")
            add_user(directory.substr(directory.rfind('/') + 1));
        const auto depth = std::ranges::count(directory, '/');
        const bool is_found_by_pattern =
            depth == 2 && std::ranges::any_of(searched(directory).places, [&](auto& place) {
                return place.kind == PrivateKind::user && place.end == directory.size();
            });
        if (depth < 2 || is_found_by_pattern || only_looks_like("home", directory))
            return;
        add_word(directory, PrivateKind::home);
    }

    /// "USER1", the same for the same secret.
    std::string word_for(PrivateKind kind, std::string_view secret) {
        if (is_placeholder(secret))
            return std::string(secret);
        auto& of_kind = numbers_[kind];
        auto known = of_kind.find(secret);
        if (known == of_kind.end())
            known = of_kind.emplace(secret, ++last_number_[kind]).first;
        return std::string(placeholder_of(kind)) + std::to_string(known->second);
    }

    std::string word_at(const PrivatePlace& place, std::string_view text) {
        if (place.kind == PrivateKind::uuid)
            return word_for_uuid(place.of(text));
        return word_for(place.kind, place.of(text));
    }

    /// The word of the whole UUID, where these digits begin one that is known.
    std::string word_for_uuid(std::string_view digits) {
        const std::string small = lower(digits);
        const auto& known = numbers_[PrivateKind::uuid];
        const auto longer = known.lower_bound(small);
        const bool is_shortened = longer != known.end() && longer->first.starts_with(small);
        if (is_shortened)
            return word_for(PrivateKind::uuid, longer->first);
        return word_for(PrivateKind::uuid, small);
    }

    bool replace_own_home(
        std::string_view text, std::size_t& at, Reader reader, std::string& out) const {
        if (reader == Reader::rnncheck || own_home_.empty() ||
            !text.substr(at).starts_with(own_home_))
            return false;
        const std::size_t end = at + own_home_.size();
        if (!is_path(text, at, end))
            return false;
        if (reader == Reader::person)
            out += "~";
        else
            out += own_home_for_shell(text, at, out);
        at = end;
        const bool has_slash = out.ends_with("~/'") && text.substr(end).starts_with('/');
        if (has_slash)
            ++at;
        return true;
    }

    /// A shell expands "~" only where a word begins, and nothing between single quotation marks.
    static std::string own_home_for_shell(
        std::string_view command, std::size_t at, std::string& before) {
        const char quote = open_quote(command, at);
        if (quote == '"')
            return "$HOME";
        if (quote == 0 && begins_word(command, at))
            return "~";
        if (quote == 0)
            return "\"$HOME\"";
        if (!before.ends_with('\'') || command[at - 1] != '\'')
            return "'\"$HOME\"'";
        before.pop_back();  // what is quoted begins behind it
        if (begins_word(command, at - 1))
            return "~/'";
        return "\"$HOME\"'";
    }

    /// The longest known word that begins here; with a host its domain goes,
    /// too.
    bool replace_word(std::string_view text, std::size_t& at, std::string& out) {
        if (text[at] != '/' && (!is_word_char(text[at]) || !is_word_edge(text, at)))
            return false;
        const auto* candidates = look_up(words_, leading_run(text.substr(at)));
        if (!candidates)
            return false;
        for (const Secret& secret : *candidates) {
            const bool is_home = secret.kind == PrivateKind::home;
            if (!text.substr(at).starts_with(secret.text))
                continue;
            const std::size_t end = at + secret.text.size();
            const bool is_whole = is_home ? is_path(text, at, end) : is_word_edge(text, end);
            if (!is_whole)
                continue;
            if (is_home)
                out += "/";
            out += word_for(secret.kind, secret.text);
            at = end;
            if (secret.kind == PrivateKind::host)
                at += length_of_domain(text.substr(end));
            return true;
        }
        return false;
    }

    /// By the run of word characters they begin with; home directories, which begin with '/', by an
    /// empty one.
    std::unordered_map<std::string, std::vector<Secret>> words_;
    std::size_t known_words_ = 0;
    std::string own_home_;
    std::map<PrivateKind, std::map<std::string, int, std::less<>>>
        numbers_;  ///< by kind, then by secret
    std::map<PrivateKind, int> last_number_;
};

/// Ids and stamps are our own words, and other people's scripts look for them.
bool is_rnncheck_field(std::string_view field) {
    return field == "rule" || field == "probe" || field == "matrix_date" ||
           field == "matrix_digest" || field == "signature" || field == "labels";
}

/// "14.0.1.2" may be an address elsewhere.
bool is_version(const Shape::Member& member, const void* value) {
    return member.shape().kind == Shape::Kind::text && std::string_view(member.name) == "version" &&
           parse_version(*static_cast<const std::string*>(value)).has_value();
}

/// Who reads the texts of a member.
Reader reader_of(std::string_view field, Reader of_structure) {
    if (field == "facts" || of_structure == Reader::rnncheck)
        return Reader::rnncheck;
    const bool is_command =
        field == "commands" || field == "checks" || field == "command" || field == "verify";
    if (is_command)
        return Reader::shell;
    return Reader::person;
}

/// Takes a text that it may change; the name is the key of a map's value, else empty.
using UseText = std::function<void(std::string_view name, std::string& text, Reader reader)>;

void for_each_text(const Shape& shape, void* value, Reader reader, const UseText& use);

void for_each_text_of_map(TextMap& map, Reader reader, const UseText& use) {
    TextMap changed;
    for (auto& [name, text] : map) {
        std::string key = name;
        use("", key, reader);
        use(name, text, reader);
        changed.emplace(std::move(key), std::move(text));
    }
    map = std::move(changed);
}

void for_each_text_of_structure(
    const Shape& shape, void* value, Reader reader, const UseText& use) {
    for (const Shape::Member& member : shape.members) {
        void* const place = static_cast<char*>(value) + member.offset;
        if (!is_rnncheck_field(member.name) && !is_version(member, place))
            for_each_text(member.shape(), place, reader_of(member.name, reader), use);
    }
}

/// Each text of a value of this shape, and each key of a map.
void for_each_text(const Shape& shape, void* value, Reader reader, const UseText& use) {
    using enum Shape::Kind;
    if (shape.kind == text)
        use("", *static_cast<std::string*>(value), reader);
    else if (shape.kind == text_map)
        for_each_text_of_map(*static_cast<TextMap*>(value), reader, use);
    else if (shape.kind == structure)
        for_each_text_of_structure(shape, value, reader, use);
    else if (shape.kind == optional || shape.kind == list)
        for (std::size_t i = 0; i < shape.count(value); ++i)
            for_each_text(shape.item_shape(), const_cast<void*>(shape.item(value, i)), reader, use);
}

void redact_texts(const Shape& shape, void* document, Redactor& redactor) {
    std::vector<SearchedText> texts;  // in order: the patterns are matched once
    for_each_text(
        shape,
        document,
        Reader::person,
        [&](std::string_view name, const std::string& text, Reader) {
            redactor.learn_variable(name, text);
            redactor.learn(texts.emplace_back(searched(text)));
        });
    // The second walk visits the same texts in the same order.
    auto next = texts.begin();
    for_each_text(
        shape, document, Reader::person, [&](std::string_view, std::string& text, Reader reader) {
            text = redactor.redacted(text, *next++, reader);
        });
}

}  // namespace

std::string without_numbers(std::string_view text) {
    static const re2::RE2 regex(
        R"((^|[^0-9A-Za-z\x80-\xff])()" + join(placeholders, "|") + ")[0-9]+", re2::RE2::Latin1);
    std::string out(text);
    re2::RE2::GlobalReplace(&out, regex, R"(\1\2)");
    return out;
}

template <Fielded Document>
Document redact(Document document, const Identity& identity) {
    Redactor redactor(identity);
    redact_texts(shape_of<Document>(), &document, redactor);
    if constexpr (std::is_same_v<Document, Report>) {
        if (auto hidden = redactor.hidden(); !hidden.empty() && !document.hidden)
            document.hidden = std::move(hidden);
        document.own_home = redactor.own_home_in_facts();
    }
    return document;
}
#define INSTANTIATE(T) template T redact(T, const Identity&);
RNNCHECK_DOCUMENTS(INSTANTIATE)
#undef INSTANTIATE

std::string redact(std::string_view text, const Identity& identity) {
    Redactor redactor(identity);
    const SearchedText all = searched(text);
    redactor.learn(all);
    return redactor.redacted(text, all);
}

}  // namespace rnncheck
