#include "report/redact.hpp"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <unordered_map>

#include "base/directory_list.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace rnncheck {

/// Kinds up to `token` are replaced where they are found, whatever they are; values of the others everywhere.
RNNCHECK_ENUM(PrivateKind, uuid, user, email, secret, ip_address, mac_address, pci_id, token, serial, host, home, ssid,
              process)

namespace {

bool is_in_place(PrivateKind kind) {
    return kind <= PrivateKind::token;
}

/// Compiled when it is needed, which most are not.
struct Regex {
    std::string text;
    mutable std::unique_ptr<re2::RE2> made = nullptr;

    const re2::RE2& compiled() const {
        if (!made) made = std::make_unique<re2::RE2>(text, re2::RE2::Latin1);
        return *made;
    }
};

struct PrivatePattern {
    PrivateKind kind;
    Regex regex;
};

struct PatternTable {
    std::map<std::string, Regex> parts;  ///< "not user" too
    std::vector<PrivatePattern> patterns;
};

/// The lines of the table, continued ones as one.
std::vector<std::string> table_lines() {
    std::vector<std::string> lines;
    for (std::string line : split(page_named(report_texts(), "private_patterns"), '\n')) {
        line.erase(std::min(line.find("  # "), line.size()));
        if (line.starts_with(' '))
            lines.back() += trim(line);
        else if (!line.empty() && !line.starts_with('#'))
            lines.push_back(std::move(line));
    }
    return lines;
}

const PatternTable& table() {
    static const auto read = [] {
        PatternTable table;
        for (const std::string_view line : table_lines()) {
            const std::size_t end = line.find_first_of("=:");
            const std::string name(trim(line.substr(0, end)));
            std::string regex(trim(line.substr(end + 1)));
            for (const auto& [part, meaning] : table.parts) replace_all(regex, '<' + part + '>', meaning.text);
            if (const auto kind = from_name<PrivateKind>(name))
                table.patterns.push_back({*kind, {std::move(regex)}});
            else
                table.parts[name] = {std::move(regex)};
        }
        return table;
    }();
    return read;
}

/// By kind.
const std::vector<std::string> placeholders = {"UUID-", "USER",   "EMAIL", "SECRET", "IP-",  "MAC-",   "PCI-ID-",
                                               "TOKEN", "SERIAL", "HOST",  "HOME",   "SSID", "PROCESS"};

std::string_view placeholder_of(PrivateKind kind) {
    return placeholders[static_cast<std::size_t>(kind)];
}

/// The number of "USER7" as one of a user; 0 when it is none of this kind.
int number_in_placeholder(std::string_view text, PrivateKind kind) {
    if (!text.starts_with(placeholder_of(kind))) return 0;
    const auto number = number_from(text.substr(placeholder_of(kind).size()));
    return number && *number > 0 && *number < 1'000'000 ? *number : 0;
}

bool is_placeholder(std::string_view text) {
    static const re2::RE2 regex("(?:" + join(placeholders, "|") + ")0*[1-9][0-9]{0,5}", re2::RE2::Latin1);
    return re2::RE2::FullMatch({text.data(), text.size()}, regex);
}

/// Whether the table has the text as "not KIND", e.g. "not user", or an ordinary word as "not name".
bool only_looks_like(std::string_view kind, std::string_view text) {
    const Regex* const regex = look_up(table().parts, "not " + std::string(kind));
    return regex && re2::RE2::FullMatch({text.data(), text.size()}, regex->compiled());
}

/// The length of the domain at the beginning, ".cluster.example.com"; 0 without one.
std::size_t length_of_domain(std::string_view text) {
    re2::StringPiece rest(text.data(), text.size());
    re2::RE2::Consume(&rest, table().parts.at("domain").compiled());
    return text.size() - rest.size();
}

/// One thing in a text.
struct PrivatePlace {
    std::size_t begin, end;
    PrivateKind kind;

    std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// A text as it is displayed: without terminal codes, which may be inside a secret, and with %2F as '/'.
struct SearchedText {
    std::string text = {};
    std::vector<std::size_t> from = {};     ///< where each character begins in the original; empty: the same text
    std::vector<PrivatePlace> places = {};  ///< in `text`, in its order, the longest first

    /// How the original writes the character at `at`.
    std::string_view written(std::size_t at, std::string_view original) const {
        return from.empty() ? original.substr(at, 1) : original.substr(from[at], from[at + 1] - from[at]);
    }
};

void add_places(std::string_view text, const PrivatePattern& pattern, std::vector<PrivatePlace>& places) {
    const std::string_view kind = name_of(pattern.kind);
    std::array<re2::StringPiece, 6> found;  // the match and the groups, of which at most one is there
    for (std::size_t from = 0;
         pattern.regex.compiled().Match({text.data(), text.size()}, from, text.size(), re2::RE2::UNANCHORED,
                                        found.data(), static_cast<int>(found.size()));) {
        const auto group = std::find_if(found.begin() + 1, found.end(), [](const auto& g) { return g.data(); });
        const auto& part = group == found.end() ? found.front() : *group;
        const auto begin = static_cast<std::size_t>(part.data() - text.data());
        const std::size_t end = begin + part.size();
        // "hostname" may be taken for a name before it introduces one.
        from = pattern.kind == PrivateKind::host && begin > from ? begin : std::max(end, from + 1);
        if (group != found.end() && !only_looks_like(kind, {part.data(), part.size()}))
            places.push_back({begin, end, pattern.kind});
    }
}

/// The patterns that match somewhere, found in one pass.
std::vector<int> matching_patterns(std::string_view text) {
    static const auto set = [] {
        re2::RE2::Options options(re2::RE2::Latin1);
        options.set_max_mem(64 << 20);
        auto made = std::make_unique<re2::RE2::Set>(options, re2::RE2::UNANCHORED);
        for (const PrivatePattern& pattern : table().patterns) made->Add(pattern.regex.text, nullptr);
        made->Compile();
        return made;
    }();
    std::vector<int> found;
    re2::RE2::Set::ErrorInfo error{re2::RE2::Set::kNoError};
    if (!set->Match({text.data(), text.size()}, &found, &error) && error.kind != re2::RE2::Set::kNoError)
        for (std::size_t i = 0; i < table().patterns.size(); ++i) found.push_back(static_cast<int>(i));
    return found;
}

std::vector<PrivatePlace> places_in(std::string_view text) {
    std::vector<PrivatePlace> places;
    std::vector<int> patterns = matching_patterns(text);
    std::ranges::sort(patterns);
    for (const int i : patterns) add_places(text, table().patterns[static_cast<std::size_t>(i)], places);
    return places;
}

/// Takes terminal codes out, and decodes %2F (RFC 3986).
void decode(std::string_view original, SearchedText& to) {
    static const re2::RE2 code(table().parts.at("terminal_code").text + "|%([0-9A-Fa-f]{2})", re2::RE2::Latin1);
    const auto put = [&to](char character, std::size_t at) {
        to.text += character;
        to.from.push_back(at);
    };
    const re2::StringPiece all(original.data(), original.size());
    std::array<re2::StringPiece, 2> found;  // the code and the digits in it
    std::size_t at = 0;
    while (code.Match(all, at, all.size(), re2::RE2::UNANCHORED, found.data(), 2)) {
        const auto begin = static_cast<std::size_t>(found[0].data() - all.data());
        while (at < begin) put(original[at], at), ++at;
        if (!found[1].empty()) put(static_cast<char>(std::stoi(std::string(found[1]), nullptr, 16)), at);
        at += found[0].size();
    }
    for (; at < original.size(); ++at) put(original[at], at);
    to.from.push_back(original.size());
    to.from.front() = 0;
}

SearchedText searched(std::string_view original) {
    SearchedText all{.places = places_in(original)};
    if (original.find_first_of("\x1b\\%") != std::string_view::npos) decode(original, all);
    if (all.text.size() == original.size() || all.from.empty()) {
        all.text = original;
        all.from.clear();
    } else {
        const auto in_text = [&](std::size_t at) {
            return static_cast<std::size_t>(std::ranges::lower_bound(all.from, at) - all.from.begin());
        };
        for (PrivatePlace& place : all.places) place = {in_text(place.begin), in_text(place.end), place.kind};
        append(all.places, places_in(all.text));
    }
    std::ranges::stable_sort(all.places, [](const PrivatePlace& a, const PrivatePlace& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    return all;
}

/// Letters and digits, and all beyond ASCII.
bool is_word_char(char c) {
    return is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// Whether a word can begin or end between `at - 1` and `at`.
bool is_word_edge(std::string_view text, std::size_t at) {
    return at == 0 || at >= text.size() || !is_word_char(text[at - 1]) || !is_word_char(text[at]);
}

std::string leading_run(std::string_view text) {
    return {text.begin(), std::ranges::find_if_not(text, is_word_char)};
}

/// Whether a whole path, or the beginning of one, is from `begin` to `end`.
bool is_path(std::string_view text, std::size_t begin, std::size_t end) {
    const auto is_one_of = [](char c, std::string_view more) { return is_word_char(c) || contains(more, {&c, 1}); };
    return (begin == 0 || !is_one_of(text[begin - 1], "._-/")) && (end == text.size() || !is_one_of(text[end], "_-"));
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
        for (const auto& directory : identity.homes) add(directory, PrivateKind::home);
        for (const auto& name : identity.users) add(name, PrivateKind::user);
        for (const auto& name : identity.hosts) add(name, PrivateKind::host);
    }

    /// Takes note of what the text shows in a telling place, so that it is known in other places too.
    void learn(const SearchedText& searched) {
        for (const PrivatePlace& place : searched.places) add(place.of(searched.text), place.kind);
    }

    /// The same for an environment variable whose whole value is private.
    void learn_variable(std::string_view name, std::string_view value) {
        static const std::map<std::string_view, PrivateKind> variables = {
            {"HOME", PrivateKind::home},     {"USERPROFILE", PrivateKind::home}, {"USER", PrivateKind::user},
            {"LOGNAME", PrivateKind::user},  {"SUDO_USER", PrivateKind::user},   {"USERNAME", PrivateKind::user},
            {"HOSTNAME", PrivateKind::host}, {"COMPUTERNAME", PrivateKind::host}};
        if (const auto* kind = look_up(variables, name)) add(value, *kind);
    }

    std::string redacted(std::string_view original, const SearchedText& searched, Reader reader = Reader::person) {
        const std::string_view text = searched.text;
        auto next = searched.places.begin();
        std::string out;
        out.reserve(original.size());
        for (std::size_t at = 0; at < text.size();) {
            for (; next != searched.places.end() && (next->begin < at || !is_in_place(next->kind)); ++next)
                if (is_in_place(next->kind)) at = std::max(at, next->end);  // of two that overlap, nothing is left
            if (next != searched.places.end() && next->begin == at) {
                out += next->kind == PrivateKind::uuid ? word_for_uuid(next->of(text))
                                                       : word_for(next->kind, next->of(text));
                at = next->end;
            } else if (at < text.size() && !replace_own_home(text, at, reader, out) && !replace_word(text, at, out)) {
                out += searched.written(at++, original);
            }
        }
        return out;
    }

    /// What was replaced: how many different things of each kind.
    std::vector<HiddenThings> hidden() const {
        std::vector<HiddenThings> things;
        for (const auto& [kind, numbers] : numbers_)
            if (!numbers.empty()) things.push_back({std::string(name_of(kind)), static_cast<int>(numbers.size())});
        std::ranges::sort(things, {}, &HiddenThings::kind);
        return things;
    }

  private:
    struct Secret {
        std::string text;
        PrivateKind kind;
    };

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

    void add_own_home(std::string_view directory) {
        while (directory.ends_with('/')) directory.remove_suffix(1);
        if (!directory.starts_with('/')) return;
        add_home(directory);
        const bool is_top = directory.rfind('/') == 0 && directory != "/root";
        if (!is_top && !only_looks_like("home", directory)) own_home_ = directory;
    }

    void add_word(std::string_view text, PrivateKind kind) {
        // More than any machine has: beyond it a hostile file only wastes time.
        constexpr std::size_t most_words = 1000;
        const bool is_no_name = kind != PrivateKind::serial && only_looks_like("name", text);
        if (is_no_name || is_placeholder(text) || known_words_ >= most_words) return;
        const std::string run = leading_run(text);
        if (run.empty() && kind != PrivateKind::home) return;
        auto& candidates = words_[run];
        if (find_by(candidates, &Secret::text, text)) return;
        candidates.push_back({std::string(text), kind});
        std::ranges::sort(candidates, std::greater(), [](const Secret& secret) { return secret.text.size(); });
        ++known_words_;
    }

    void add_host(std::string_view name) {
        const std::string_view first_label = name.substr(0, name.find('.'));
        std::string capitals(first_label);
        for (char& c : capitals)
            if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        for (const std::string_view text : {name, first_label, std::string_view(capitals)})
            add_word(text, PrivateKind::host);
    }

    void add_user(std::string_view name) {
        int& last = last_number_[PrivateKind::user];
        last = std::max(last, number_in_placeholder(name, PrivateKind::user));
        add_word(name, PrivateKind::user);
    }

    void add_home(std::string_view directory) {
        while (directory.ends_with('/')) directory.remove_suffix(1);
        if (!directory.starts_with('/')) return;
        if (directory != "/root") add_user(directory.substr(directory.rfind('/') + 1));
        const auto depth = std::ranges::count(directory, '/');
        const bool is_found_by_pattern =
            depth == 2 && std::ranges::any_of(searched(directory).places, [&](auto& place) {
                return place.kind == PrivateKind::user && place.end == directory.size();
            });
        if (depth < 2 || is_found_by_pattern || only_looks_like("home", directory)) return;
        add_word(directory, PrivateKind::home);
    }

    std::string word_for(PrivateKind kind, std::string_view secret) {
        if (is_placeholder(secret)) return std::string(secret);
        auto& of_kind = numbers_[kind];
        auto known = of_kind.find(secret);
        if (known == of_kind.end()) known = of_kind.emplace(secret, ++last_number_[kind]).first;
        return std::string(placeholder_of(kind)) + std::to_string(known->second);
    }

    /// The word of the whole UUID, where these digits begin one that is known.
    std::string word_for_uuid(std::string_view digits) {
        const std::string small = lower(digits);
        const auto& known = numbers_[PrivateKind::uuid];
        const auto longer = known.lower_bound(small);
        const bool is_shortened = longer != known.end() && longer->first.starts_with(small);
        return word_for(PrivateKind::uuid, is_shortened ? longer->first : small);
    }

    bool replace_own_home(std::string_view text, std::size_t& at, Reader reader, std::string& out) const {
        if (reader == Reader::rnncheck || own_home_.empty() || !text.substr(at).starts_with(own_home_)) return false;
        const std::size_t end = at + own_home_.size();
        if (!is_path(text, at, end)) return false;
        out += reader == Reader::person ? "~" : own_home_for_shell(text, at, out);
        const bool has_slash = out.ends_with("~/'") && text.substr(end).starts_with('/');
        at = has_slash ? end + 1 : end;
        return true;
    }

    /// A shell expands "~" only where a word begins, and nothing between single quotation marks.
    static std::string own_home_for_shell(std::string_view command, std::size_t at, std::string& before) {
        const char quote = open_quote(command, at);
        if (quote == '"') return "$HOME";
        if (quote == 0) return begins_word(command, at) ? "~" : "\"$HOME\"";
        if (!before.ends_with('\'') || command[at - 1] != '\'') return "'\"$HOME\"'";
        before.pop_back();  // what is quoted begins behind it
        return begins_word(command, at - 1) ? "~/'" : "\"$HOME\"'";
    }

    bool replace_word(std::string_view text, std::size_t& at, std::string& out) {
        if (text[at] != '/' && (!is_word_char(text[at]) || !is_word_edge(text, at))) return false;
        const auto* candidates = look_up(words_, leading_run(text.substr(at)));
        if (!candidates) return false;
        for (const Secret& secret : *candidates) {
            const bool is_home = secret.kind == PrivateKind::home;
            if (!text.substr(at).starts_with(secret.text)) continue;
            const std::size_t end = at + secret.text.size();
            if (is_home ? !is_path(text, at, end) : !is_word_edge(text, end)) continue;
            out += (is_home ? "/" : "") + word_for(secret.kind, secret.text);
            at = end + (secret.kind == PrivateKind::host ? length_of_domain(text.substr(end)) : 0);
            return true;
        }
        return false;
    }

    /// By the run of word characters they begin with; home directories, which begin with '/', by an empty one.
    std::unordered_map<std::string, std::vector<Secret>> words_;
    std::size_t known_words_ = 0;
    std::string own_home_;
    std::map<PrivateKind, std::map<std::string, int, std::less<>>> numbers_;  ///< by kind, then by secret
    std::map<PrivateKind, int> last_number_;
};

/// Ids and stamps are our own words, and other people's scripts look for them.
bool is_our_own(std::string_view field) {
    return field == "rule" || field == "probe" || field == "matrix_date" || field == "matrix_digest" ||
           field == "signature" || field == "labels";
}

/// "14.0.1.2" may be an address elsewhere.
bool is_version(std::string_view field, const auto& member) {
    if constexpr (std::is_same_v<decltype(member), const std::string&>)
        return field == "version" && parse_version(member).has_value();
    else
        return false;
}

/// Who reads the texts of a member.
Reader reader_of(std::string_view field, Reader of_structure) {
    if (field == "facts" || of_structure == Reader::rnncheck) return Reader::rnncheck;
    const bool is_command = field == "commands" || field == "checks" || field == "command" || field == "verify";
    return is_command ? Reader::shell : Reader::person;
}

/// Calls act(name, text, reader) for each text and each key of a map; the name is the key of a map's value, else empty.
template <class T, class Act>
void for_each_text(T& value, Reader reader, const Act& act) {
    if constexpr (std::is_same_v<T, std::string>)
        act("", value, reader);
    else if constexpr (std::is_same_v<T, TextMap>) {
        TextMap changed;
        for (auto& [name, text] : value) {
            std::string key = name;
            act("", key, reader);
            act(name, text, reader);
            changed.emplace(std::move(key), std::move(text));
        }
        value = std::move(changed);
    } else if constexpr (IsOptional<T>::value) {
        if (value) for_each_text(*value, reader, act);
    } else if constexpr (IsVector<T>::value) {
        if constexpr (!std::is_arithmetic_v<typename T::value_type>)
            for (auto& item : value) for_each_text(item, reader, act);
    } else if constexpr (Fielded<T>) {
        T::fields(value, [&](const char* name, auto& member, const char*) {
            if (!is_our_own(name) && !is_version(name, member)) for_each_text(member, reader_of(name, reader), act);
        });
    }
}

template <class Document>
Document redacted(Document document, const Identity& identity) {
    Redactor redactor(identity);
    std::vector<SearchedText> texts;  // in order: the patterns are matched once
    for_each_text(document, Reader::person, [&](std::string_view name, const std::string& text, Reader) {
        redactor.learn_variable(name, text);
        redactor.learn(texts.emplace_back(searched(text)));
    });
    auto next = texts.begin();
    for_each_text(document, Reader::person, [&](std::string_view, std::string& text, Reader reader) {
        text = redactor.redacted(text, *next++, reader);
    });
    if constexpr (std::is_same_v<Document, Report>)
        if (auto hidden = redactor.hidden(); !hidden.empty() && !document.hidden) document.hidden = std::move(hidden);
    return document;
}

}  // namespace

std::string without_numbers(std::string_view text) {
    static const re2::RE2 regex(R"((^|[^0-9A-Za-z\x80-\xff])()" + join(placeholders, "|") + ")[0-9]+",
                                re2::RE2::Latin1);
    std::string out(text);
    re2::RE2::GlobalReplace(&out, regex, R"(\1\2)");
    return out;
}

template <Fielded Document>
Document redact(Document document, const Identity& identity) {
    return redacted(std::move(document), identity);
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
