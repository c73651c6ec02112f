#include "report/redactor.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace rnncheck {

namespace {

/// More names than any machine has: beyond it a hostile file only wastes time.
constexpr std::size_t most_words = 1000;

std::string leading_run(std::string_view text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_word_char);
    return {text.begin(), end};
}

/// The number of "USER7"; 0 when it is no such word.
int number_in_word(std::string_view text, std::string_view kind) {
    if (!text.starts_with(kind)) return 0;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + kind.size(), end, number);
    return error == std::errc{} && stop == end && number < 1'000'000 ? number : 0;
}

bool is_complete(const UuidPlace& uuid) {
    return uuid.digits.end - uuid.digits.begin == 36;
}

std::string small_letters(std::string_view text) {
    std::string small(text);
    for (char& c : small)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return small;
}

/// Programs live there: as a home folder it tells nothing, and hiding it would hide where libraries are.
bool is_system_folder(std::string_view folder) {
    constexpr std::string_view starts[] = {"/usr/", "/opt/",  "/var/", "/etc/", "/run/",
                                           "/dev/", "/proc/", "/sys/", "/lib/"};
    return std::any_of(std::begin(starts), std::end(starts),
                       [&](std::string_view start) { return folder.starts_with(start); });
}

bool is_below_a_usual_parent(std::string_view folder) {
    const auto user = user_of_home_at(folder, 0);
    return user && user->end == folder.size();
}

}  // namespace

Redactor::Redactor(const Identity& identity) : homes_{"/root"} {
    for (const auto& home : identity.homes) add_home(home);
    for (const auto& user : identity.users) add_user(user);
    for (const auto& host : identity.hosts) add_host(host);
}

void Redactor::add_word(std::string_view text, std::string_view kind) {
    const bool is_no_name = kind != "SERIAL" && is_ordinary_word(text);
    if (is_no_name || number_in_word(text, kind) > 0 || known_words_ >= most_words) return;
    const std::string run = leading_run(text);
    if (run.empty()) return;
    auto& candidates = words_[run];
    const auto is_same = [&](const Secret& s) { return s.text == text; };
    if (std::any_of(candidates.begin(), candidates.end(), is_same)) return;
    candidates.push_back({std::string(text), std::string(kind)});
    std::sort(candidates.begin(), candidates.end(),
              [](const Secret& a, const Secret& b) { return a.text.size() > b.text.size(); });
    ++known_words_;
}

void Redactor::add_host(std::string_view name) {
    add_word(name, "HOST");
    add_word(name.substr(0, name.find('.')), "HOST");
}

void Redactor::add_user(std::string_view name) {
    int& last = last_number_["USER"];
    last = std::max(last, number_in_word(name, "USER"));
    add_word(name, "USER");
}

void Redactor::add_home(std::string_view folder) {
    while (folder.ends_with('/')) folder.remove_suffix(1);
    if (!folder.starts_with('/')) return;
    const auto name = folder.substr(folder.rfind('/') + 1);
    if (folder != "/root") add_user(name);
    const bool too_short = std::count(folder.begin(), folder.end(), '/') < 2;
    if (too_short || is_below_a_usual_parent(folder) || is_system_folder(folder)) return;
    if (std::find(homes_.begin(), homes_.end(), folder) == homes_.end())
        homes_.insert(homes_.begin(), std::string(folder));
}

void Redactor::learn(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (const auto host = host_at(text, at)) add_host(host->of(text));
        if (const auto token = token_at(text, at)) add_word(token->of(text), "TOKEN");
        if (text[at] == '/' || text[at] == '\\') {
            if (const auto user = user_of_home_at(text, at)) add_user(user->of(text));
        } else if (text[at] == 's' || text[at] == 'S') {
            if (const auto serial = serial_at(text, at)) add_word(serial->of(text), "SERIAL");
        } else if (const auto uuid = uuid_at(text, at); uuid && is_complete(*uuid)) {
            word_for("UUID-", small_letters(uuid->digits.of(text)));
        }
    }
}

void Redactor::learn_variable(std::string_view name, std::string_view value) {
    if (name == "HOME" || name == "USERPROFILE") add_home(value);
    if (name == "USER" || name == "LOGNAME" || name == "SUDO_USER" || name == "USERNAME") add_user(value);
    if (name == "HOSTNAME" || name == "COMPUTERNAME") add_host(value);
}

std::string Redactor::word_for(std::string_view kind, std::string_view secret) {
    auto& of_kind = numbers_[std::string(kind)];
    const auto known = of_kind.find(secret);
    if (known != of_kind.end()) return std::string(kind) + std::to_string(known->second);
    const int number = ++last_number_[std::string(kind)];
    of_kind.emplace(secret, number);
    return std::string(kind) + std::to_string(number);
}

std::string Redactor::word_for_user(std::string_view name) {
    return number_in_word(name, "USER") > 0 ? std::string(name) : word_for("USER", name);
}

bool Redactor::replace_uuid(std::string_view text, std::size_t& at, std::string& out) {
    const auto uuid = uuid_at(text, at);
    if (!uuid) return false;
    const std::string digits = small_letters(uuid->digits.of(text));
    auto& known = numbers_["UUID-"];
    const auto longer = known.lower_bound(digits);
    const bool is_shortened = longer != known.end() && longer->first.starts_with(digits);
    out += std::string(uuid->prefix) + word_for("UUID-", is_shortened ? longer->first : digits);
    at = uuid->digits.end;
    return true;
}

bool Redactor::replace_home(std::string_view text, std::size_t& at, std::string& out) {
    if (text[at] != '/' && text[at] != '\\') return false;
    for (const std::string& home : homes_) {
        if (!is_folder_at(text, at, home)) continue;
        out += '/' + word_for("HOME", home);
        at += home.size();
        return true;
    }
    const auto user = user_of_home_at(text, at);
    if (!user) return false;
    out += text.substr(at, user->begin - at);
    out += word_for_user(user->of(text));
    at = user->end;
    return true;
}

bool Redactor::replace_word(std::string_view text, std::size_t& at, std::string& out) {
    if (!is_word_char(text[at]) || !is_word_edge(text, at)) return false;
    const std::string run = leading_run(text.substr(at));
    if (const auto found = words_.find(run); found != words_.end())
        for (const Secret& secret : found->second) {
            if (text.substr(at, secret.text.size()) != secret.text || !is_word_edge(text, at + secret.text.size()))
                continue;
            out += word_for(secret.kind, secret.text);
            at += secret.text.size();
            return true;
        }
    return false;
}

std::string Redactor::redacted(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();)
        if (!replace_uuid(text, at, out) && !replace_home(text, at, out) && !replace_word(text, at, out))
            out += text[at++];
    return out;
}

}  // namespace rnncheck
