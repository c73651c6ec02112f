#include "report/redact.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_map>

#include "base/text.hpp"

namespace rnncheck {

namespace {

/// What a private thing becomes: `word` and a number.
struct PrivateKind {
    std::string_view word;
    bool is_in_place;  ///< replaced where it stands, whatever it is; the others become known words
    bool has_digit;
    std::size_t shortest;
};

namespace private_kinds {
constexpr PrivateKind uuid{"UUID-", true, true, 6}, user{"USER", true, false, 1}, serial{"SERIAL", false, true, 6};
constexpr PrivateKind host{"HOST", false, false, 2}, token{"TOKEN", false, false, 16}, home{"HOME", false, false, 1};
}  // namespace private_kinds

/// Where private things stand. A match's group is the private thing; a match without one is passed over.
struct PrivatePattern {
    const PrivateKind& kind;
    std::string text;
    re2::RE2 regex{text, re2::RE2::Latin1};  ///< bytes: a text may be in any coding
};

std::span<const PrivatePattern> private_patterns() {
    // Of words: RE2's \b would take '_' for a part of one.
    static const std::string begin = R"((?:^|[^0-9A-Za-z\x80-\xff]))", end = R"((?:[^0-9A-Za-z\x80-\xff]|$))";
    static const std::string host_name = R"(([0-9.-]*[A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z-])?))";
    // A name in a path, without the dot of a sentence; with blanks when a separator follows soon.
    static const std::string ends = R"(\x00-\x20\x7f/\\:;,="'`()\[\]{}<>|*?&!#$)", last = "[^" + ends + ".-]";
    static const std::string name = "[^" + ends + "]*" + last;
    static const std::string long_name = "([^" + ends + "]*(?:[^" + ends + "]| ){0,39}" + last + ")[.-]*";
    static const std::string windows = R"((?:\\{1,2}users)+\\{1,2})", windows_disk = "/mnt/[a-z]/(?:home|users)/";
    static const std::string h = "[0-9A-Fa-f]", uuid = h + "{8}(?:-" + h + "{4})";
    static const PrivatePattern patterns[] = {
        {private_kinds::uuid, begin + "(" + uuid + "{3}-" + h + "{12})" + end},
        // CUDA_VISIBLE_DEVICES allows the beginning of a UUID.
        {private_kinds::uuid,
         begin + "(?:MIG|GPU)-(" + uuid + "{3}-" + h + "{1,11}|" + uuid + "{0,2}-" + h + "{1,4}|" + h + "{6,8})" + end},
        // A page of the web below /home is no home.
        {private_kinds::user, R"((?i)https?://[^\s"'<>\\]*|)" + windows + long_name + R"(\\|)" + windows_disk +
                                  long_name + "/|(?:(?:/home|/users)+/|" + windows + ")(" + name + ")"},
        {private_kinds::serial,
         "(?i)" + begin + R"((?:serial[ _.-]*(?:number|num|no)?[ \t_.:=#"']*)+([0-9A-Za-z\x80-\xff-]+))"},
        {private_kinds::host,
         begin + R"re((?:(?i:hostname)(?:=|: |": ?")|host": ?"|for host: |this host \()+)re" + host_name},
        // syslog: "Nov 21 10:00:01 NAME kernel:"
        {private_kinds::host, "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ 0-9][0-9] [0-9:]{8} " + host_name +
                                  R"( [0-9A-Za-z_./()\[\]-]*:)"},
        // GitHub, GitLab, AWS, Hugging Face, OpenAI, Slack
        {private_kinds::token, begin + "((?:gh[pos]_|github_pat_|glpat-|AKIA|hf_|sk-|xox[bp]-)[0-9A-Za-z_-]+)"},
    };
    return patterns;
}

struct PrivatePlace {
    std::size_t begin, end;
    const PrivateKind* kind;

    std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

void add_places(std::string_view text, const PrivatePattern& pattern, std::vector<PrivatePlace>& places) {
    std::array<re2::StringPiece, 4> found;  // the match and the groups, of which at most one is there
    for (std::size_t from = 0; pattern.regex.Match({text.data(), text.size()}, from, text.size(), re2::RE2::UNANCHORED,
                                                   found.data(), static_cast<int>(found.size()));) {
        const auto group = std::find_if(found.begin() + 1, found.end(), [](const auto& g) { return g.data(); });
        const auto& part = group == found.end() ? found.front() : *group;
        const auto begin = static_cast<std::size_t>(part.data() - text.data());
        const std::size_t end = begin + part.size();
        // "hostname" may be taken for a name before it introduces one.
        from = &pattern.kind == &private_kinds::host ? begin : end;
        if (group != found.end() && part.size() >= pattern.kind.shortest &&
            (!pattern.kind.has_digit || std::any_of(part.begin(), part.end(), is_digit)))
            places.push_back({begin, end, &pattern.kind});
    }
}

/// In the order of the text, the longest first.
std::vector<PrivatePlace> private_places(std::string_view text) {
    std::vector<PrivatePlace> places;
    for (const PrivatePattern& pattern : private_patterns()) add_places(text, pattern, places);
    std::ranges::stable_sort(places, [](const PrivatePlace& a, const PrivatePlace& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    return places;
}

/// A name that is also an ordinary word in reports ("cuda", "test", "max"), or too short to tell from one. Only at the
/// place of a user's name in a path is it taken for one.
bool is_ordinary_word(std::string_view name) {
    constexpr std::string_view words =
        " admin administrator ai all anaconda and app apps apt art batch bin build builder cache case "
        "centos ci compute conda core cpu cublas cuda cudart cudnn data debian deep default dev device "
        "docker driver error etc fedora file files for gpu gpus group guest has home host install "
        "installed jenkins jovyan jupyter keras kernel lab lib lib64 libcuda libcudnn library linux local "
        "localhost login main mark max media memory min missing ml mnt module node none not nvidia nvml "
        "opt path proc program public python pytorch rnn rnncheck root run run_path runner sbin server "
        "service shared snap src srv step student sudo sys system temp tensorflow test tester the tmp "
        "toolkit torch ubuntu user users usr vagrant var version will with work worker workspace x86 ";
    return name.size() < 3 || std::ranges::all_of(name, is_digit) || contains(words, " " + lower(name) + " ");
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

/// The number of "USER7"; 0 when it is no such word.
int number_in_word(std::string_view text, const PrivateKind& kind) {
    if (!text.starts_with(kind.word)) return 0;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + kind.word.size(), end, number);
    return error == std::errc{} && stop == end && number < 1'000'000 ? number : 0;
}

/// Whether `directory` stands at `at` as a whole path or as the beginning of one.
bool is_directory_at(std::string_view text, std::size_t at, std::string_view directory) {
    if (!text.substr(at).starts_with(directory)) return false;
    const std::size_t end = at + directory.size();
    const auto is_one_of = [](char c, std::string_view more) { return is_word_char(c) || contains(more, {&c, 1}); };
    return (at == 0 || !is_one_of(text[at - 1], "._-/")) && (end == text.size() || !is_one_of(text[end], "_-"));
}

/// Programs live there: as a home directory it tells nothing, and hiding it would hide where libraries are.
bool is_system_directory(std::string_view directory) {
    constexpr std::string_view starts[] = {"/usr/", "/opt/",  "/var/", "/etc/", "/run/",
                                           "/dev/", "/proc/", "/sys/", "/lib/"};
    return std::ranges::any_of(starts, [&](std::string_view start) { return directory.starts_with(start); });
}

/// Replaces private things by words, the same word for the same thing as long as the object lives.
class Redactor {
  public:
    explicit Redactor(const Identity& identity) : homes_{"/root"} {
        for (const auto& directory : identity.homes) add_home(directory);
        for (const auto& name : identity.users) add_user(name);
        for (const auto& name : identity.hosts) add_host(name);
    }

    /// Takes note of names that the text shows in a telling place, so that they are known in other places too.
    void learn(std::string_view text, const std::vector<PrivatePlace>& places) {
        for (const PrivatePlace& place : places) {
            const std::string_view part = place.of(text);
            if (place.kind == &private_kinds::host)
                add_host(part);
            else if (place.kind == &private_kinds::user)
                add_user(part);
            else if (place.kind != &private_kinds::uuid)
                add_word(part, *place.kind);
            else if (part.size() == 36)
                word_for(private_kinds::uuid, lower(part));
        }
    }

    /// The same for an environment variable whose whole value is private: USER, HOME, HOSTNAME.
    void learn_variable(std::string_view name, std::string_view value) {
        if (name == "HOME" || name == "USERPROFILE") add_home(value);
        if (name == "USER" || name == "LOGNAME" || name == "SUDO_USER" || name == "USERNAME") add_user(value);
        if (name == "HOSTNAME" || name == "COMPUTERNAME") add_host(value);
    }

    std::string redacted(std::string_view text, const std::vector<PrivatePlace>& places) {
        auto next = places.begin();
        std::string out;
        out.reserve(text.size());
        for (std::size_t at = 0; at < text.size();) {
            while (next != places.end() && (next->begin < at || !next->kind->is_in_place)) ++next;
            if (next != places.end() && next->begin == at) {
                out += next->kind == &private_kinds::uuid ? word_for_uuid(next->of(text))
                                                          : word_for(*next->kind, next->of(text));
                at = next->end;
            } else if (!replace_home(text, at, out) && !replace_word(text, at, out)) {
                out += text[at++];
            }
        }
        return out;
    }

  private:
    struct Secret {
        std::string text;
        const PrivateKind* kind;
    };

    void add_word(std::string_view text, const PrivateKind& kind) {
        constexpr std::size_t most_words =
            1000;  // more than any machine has: beyond it a hostile file only wastes time
        const bool is_no_name = &kind != &private_kinds::serial && is_ordinary_word(text);
        if (is_no_name || number_in_word(text, kind) > 0 || known_words_ >= most_words) return;
        const std::string run = leading_run(text);
        if (run.empty()) return;
        auto& candidates = words_[run];
        if (std::ranges::find(candidates, text, &Secret::text) != candidates.end()) return;
        candidates.push_back({std::string(text), &kind});
        std::ranges::sort(candidates, std::greater(), [](const Secret& secret) { return secret.text.size(); });
        ++known_words_;
    }

    void add_host(std::string_view name) {
        add_word(name, private_kinds::host);
        add_word(name.substr(0, name.find('.')), private_kinds::host);
    }

    void add_user(std::string_view name) {
        int& last = last_number_[&private_kinds::user];
        last = std::max(last, number_in_word(name, private_kinds::user));
        add_word(name, private_kinds::user);
    }

    void add_home(std::string_view directory) {
        while (directory.ends_with('/')) directory.remove_suffix(1);
        if (!directory.starts_with('/')) return;
        if (directory != "/root") add_user(directory.substr(directory.rfind('/') + 1));
        const auto depth = std::ranges::count(directory, '/');
        const bool is_found_by_pattern = depth == 2 && std::ranges::any_of(private_places(directory), [&](auto& place) {
                                             return place.kind == &private_kinds::user && place.end == directory.size();
                                         });
        if (depth < 2 || is_found_by_pattern || is_system_directory(directory)) return;
        if (std::ranges::find(homes_, directory) == homes_.end()) homes_.insert(homes_.begin(), std::string(directory));
    }

    std::string word_for(const PrivateKind& kind, std::string_view secret) {
        if (number_in_word(secret, kind) > 0) return std::string(secret);
        auto& of_kind = numbers_[&kind];
        auto known = of_kind.find(secret);
        if (known == of_kind.end()) known = of_kind.emplace(secret, ++last_number_[&kind]).first;
        return std::string(kind.word) + std::to_string(known->second);
    }

    /// The word of the whole UUID, where these digits begin one that is known.
    std::string word_for_uuid(std::string_view digits) {
        const std::string small = lower(digits);
        const auto& known = numbers_[&private_kinds::uuid];
        const auto longer = known.lower_bound(small);
        const bool is_shortened = longer != known.end() && longer->first.starts_with(small);
        return word_for(private_kinds::uuid, is_shortened ? longer->first : small);
    }

    bool replace_home(std::string_view text, std::size_t& at, std::string& out) {
        if (text[at] != '/') return false;
        const auto found =
            std::ranges::find_if(homes_, [&](const auto& directory) { return is_directory_at(text, at, directory); });
        if (found == homes_.end()) return false;
        out += '/' + word_for(private_kinds::home, *found);
        at += found->size();
        return true;
    }

    bool replace_word(std::string_view text, std::size_t& at, std::string& out) {
        if (!is_word_char(text[at]) || !is_word_edge(text, at)) return false;
        const auto candidates = words_.find(leading_run(text.substr(at)));
        if (candidates == words_.end()) return false;
        for (const Secret& secret : candidates->second) {
            if (!text.substr(at).starts_with(secret.text) || !is_word_edge(text, at + secret.text.size())) continue;
            out += word_for(*secret.kind, secret.text);
            at += secret.text.size();
            return true;
        }
        return false;
    }

    std::vector<std::string> homes_;
    std::unordered_map<std::string, std::vector<Secret>> words_;  ///< by the run of word characters they begin with
    std::size_t known_words_ = 0;
    std::map<const PrivateKind*, std::map<std::string, int, std::less<>>> numbers_;  ///< by kind, then by secret
    std::map<const PrivateKind*, int> last_number_;
};

/// Ids and stamps are our own words, and other people's scripts look for them.
bool is_our_own(std::string_view field) {
    return field == "rule" || field == "probe" || field == "stages" || field == "matrix_date" ||
           field == "matrix_digest" || field == "signature" || field == "labels";
}

/// Calls act(name, text) for each text and each key of a map; the name is the key of a map's value, else empty.
template <class T, class Act>
void for_each_text(T& value, const Act& act) {
    if constexpr (std::is_same_v<T, std::string>)
        act("", value);
    else if constexpr (std::is_same_v<T, TextMap>) {
        TextMap changed;
        for (auto& [name, text] : value) {
            std::string key = name;
            act("", key);
            act(name, text);
            changed.emplace(std::move(key), std::move(text));
        }
        value = std::move(changed);
    } else if constexpr (IsOptional<T>::value) {
        if (value) for_each_text(*value, act);
    } else if constexpr (IsVector<T>::value) {
        if constexpr (!std::is_arithmetic_v<typename T::value_type>)
            for (auto& item : value) for_each_text(item, act);
    } else if constexpr (Fielded<T>) {
        T::fields(value, [&](const char* name, auto& member, const char*) {
            if (!is_our_own(name)) for_each_text(member, act);
        });
    }
}

template <class Document>
Document redacted(Document document, const Identity& identity) {
    Redactor redactor(identity);
    std::vector<std::vector<PrivatePlace>> places;  // of each text, in order: the patterns are matched once
    for_each_text(document, [&](std::string_view name, const std::string& text) {
        redactor.learn_variable(name, text);
        redactor.learn(text, places.emplace_back(private_places(text)));
    });
    auto next = places.begin();
    for_each_text(document, [&](std::string_view, std::string& text) { text = redactor.redacted(text, *next++); });
    return document;
}

}  // namespace

Report redact(Report report, const Identity& identity) {
    return redacted(std::move(report), identity);
}

WhichDocument redact(WhichDocument document, const Identity& identity) {
    return redacted(std::move(document), identity);
}

std::string redact(std::string_view text, const Identity& identity) {
    Redactor redactor(identity);
    const std::vector<PrivatePlace> places = private_places(text);
    redactor.learn(text, places);
    return redactor.redacted(text, places);
}

}  // namespace rnncheck
