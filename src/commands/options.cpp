#include "commands/options.hpp"

#include <algorithm>
#include <limits>

#include "base/program.hpp"
#include "facts/old_ids.hpp"
#include "matrix/table_view.hpp"
#include "process/apart.hpp"
#include "process/probe.hpp"
#include "rnn/case.hpp"
#include "rules/rule.hpp"

namespace rnncheck {

namespace {

/// As CLI::ExistingDirectory; InputError where its file system does not respond.
std::string why_no_directory(const std::string& path) {
    return process::apart([&] { return CLI::ExistingDirectory(path); });
}

template <class Thing>
std::vector<std::string> names_in(std::span<const Named<Thing>> list) {
    return mapped(list, [](const auto& entry) { return std::string(entry.name); });
}

/// What the value of a number may be.
struct Bounds {
    std::string_view option;
    double least, most;
    const char* wanted = nullptr;  ///< unset for whole numbers, whose bounds show it
};

constexpr double above_0 = std::numeric_limits<double>::denorm_min(),
                 most_int = std::numeric_limits<int>::max();

constexpr Bounds all_bounds[] = {
    {"--clip", 0, 1e6, "a number from 0 to 1000000"},
    {"--deadline", above_0, 31'536'000,
     "seconds above 0 and up to 31536000 (a year), e.g. 10 or 0.5"},
    {"--device", 0, most_int},
    {"--facts-from", 0, most_int},
    {"--dropout", above_0, 1 - std::numeric_limits<double>::epsilon() / 2,
     "a probability above 0 and below 1"},
    {"--layers", 1, 64},
    {"--length", 1, 65535},  // cudnnSetRNNDataDescriptor takes no more
    {"--lengths", 0, 65535},
    {"--pid", 1, most_int},
    {"--projection", 0, 1 << 20}};
constexpr Bounds usual_bounds{"", 1, 1 << 20};

const Bounds& bounds_of(const std::string& option) {
    const Bounds* const known = find_by(all_bounds, &Bounds::option, option);
    return known ? *known : usual_bounds;
}

double bounded(const std::string& option, const std::string& text,
               const std::optional<double>& number) {
    const auto& [name, least, most, wanted] = bounds_of(option);
    if (number && least <= *number && *number <= most)
        return *number;
    std::string values = "a whole number from " + exact_number(least) + " to " + exact_number(most);
    if (wanted)
        values = wanted;
    throw UsageError(option + " cannot be '" + text + "'; give " + values);
}

std::vector<std::string> words_of(const Shape& shape) {
    return {shape.words.begin(), shape.words.end()};
}

/// "fp32", "64", "none".
std::string in_help(const Json& usual) {
    if (usual.is_null())
        return "none";
    if (usual.is_string())
        return usual.get<std::string>();
    return short_number(usual.get<double>());
}

/// An option that may be repeated.
bool is_texts(const Shape& shape) {
    return shape.kind == Shape::Kind::list && shape.item_shape().kind == Shape::Kind::text;
}

/// The value that --help shows after an option whose text does not begin with it.
std::string type_of(const Shape& shape) {
    switch (shape.kind) {
        case Shape::Kind::optional:
            return type_of(shape.item_shape());
        case Shape::Kind::word:
            return join(words_of(shape), "|");
        case Shape::Kind::list:
            return is_texts(shape) ? "" : "N,N,...";
        case Shape::Kind::whole:
            return "N";
        default:
            return shape.kind == Shape::Kind::real ? "X" : "";
    }
}

/// Of "FILE: Save it there" the type and the rest.
std::pair<std::string, std::string> parted(const std::string& text, const Shape& shape) {
    const std::string type = text.substr(0, text.find(": "));
    const bool is_type =
        std::ranges::none_of(type, [](char c) { return c == ' ' || (is_letter(c) && c >= 'a'); });
    if (is_type && type != text)
        return {type, text.substr(type.size() + 2)};
    return {type_of(shape), text};
}

/// Longer words are no typing errors; bounds the work for hostile arguments.
constexpr std::size_t longest_word = 100;

/// Optimal string alignment distance.
std::size_t typing_errors(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> errors(a.size() + 1,
                                                 std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            errors[i][j] = i == 0 || j == 0
                               ? i + j
                               : std::min({errors[i - 1][j] + 1, errors[i][j - 1] + 1,
                                           errors[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                errors[i][j] = std::min(errors[i][j], errors[i - 2][j - 2] + 1);
        }
    return errors[a.size()][b.size()];
}

std::optional<std::string> only_one_with(std::string_view word,
                                         const std::vector<std::string>& candidates) {
    const auto has_it = [&](const std::string& candidate) { return contains(candidate, word); };
    if (word.size() < 4 || std::ranges::count_if(candidates, has_it) != 1)
        return std::nullopt;
    return *std::ranges::find_if(candidates, has_it);
}

}  // namespace

std::optional<std::string> closest_match(std::string_view word,
                                         const std::vector<std::string>& candidates) {
    if (word.size() > longest_word)
        return std::nullopt;
    std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::optional<std::string> best;
    for (const std::string& candidate : candidates)
        if (const std::size_t errors = typing_errors(word, candidate); errors < fewest) {
            fewest = errors;
            best = candidate;
        }
    if (best)
        return best;
    return only_one_with(word, candidates);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise) {
    const auto found = closest_match(word, candidates);
    if (found)
        return "; did you mean '" + *found + "'?";
    return otherwise;
}

std::vector<std::string> rule_names(const Matrix& matrix) {
    return names_in(RuleList(matrix).all());
}
std::vector<std::string> probe_names() {
    return names_in(all_probes());
}
std::vector<std::string> format_names() {
    return names_in(all_formats());
}

std::vector<std::string> rule_and_probe_names(const Matrix& matrix) {
    std::vector<std::string> names = rule_names(matrix);
    append(names, probe_names());
    return names;
}

void reject_id(const std::string& id, const std::string& what,
               const std::vector<std::string>& known, const std::string& where) {
    const std::string list = contains(what, "probe")
                                 ? "'rnncheck list rules' and 'rnncheck list probes' show"
                                 : "'rnncheck list rules' shows";
    throw UsageError(where + "unknown " + what + " '" + id + "'" +
                     did_you_mean(id, known, "; " + list + " all"));
}

std::set<std::string> ids_from(const std::vector<std::string>& given, const std::string& option,
                               const std::string& what,
                               const std::function<std::vector<std::string>()>& known) {
    std::set<std::string> ids;
    if (given.empty())
        return ids;
    const std::vector<std::string> names = known();
    for (const std::string& entry : given) {
        if (trim(entry).empty())
            throw UsageError(option + " needs an id");
        for (const std::string& part : split(entry, ',')) {
            const std::string id = current_id(std::string(trim(part)));
            if (id.empty())
                throw UsageError(option + ": there is an empty id in '" + entry + "'");
            if (!includes(names, id))
                reject_id(id, what, names, option + ": ");
            ids.insert(id);
        }
    }
    return ids;
}

const Named<Format>* format_named(const std::string& name) {
    if (const auto* format = find_named(all_formats(), name))
        return format;
    throw UsageError("unknown format '" + name + "'; the formats are " +
                     join_with_and(format_names()));
}

void reject_word(const std::string& word, const std::string& option,
                 const std::vector<std::string>& words) {
    throw UsageError(option + " cannot be '" + word + "'; it is one of " + join_with_and(words));
}

double largest_value(const std::string& option) {
    return bounds_of(option).most;
}

Json value_from(const std::string& option, const std::string& text, const Shape& shape) {
    switch (shape.kind) {
        case Shape::Kind::optional:
            return value_from(option, text, shape.item_shape());
        case Shape::Kind::list: {
            Json values;
            for (const std::string& part : split(text, ','))
                values.push_back(value_from(option, part, shape.item_shape()));
            return values;
        }
        case Shape::Kind::word:
            if (!includes(shape.words, text))
                reject_word(text, option, words_of(shape));
            return text;
        case Shape::Kind::whole:
            return static_cast<int>(bounded(option, text, number_from<int>(text)));
        case Shape::Kind::real:
            return bounded(option, text, number_from<double>(text));
        default:
            return reversible_utf8(text);
    }
}

std::string option_named(std::string_view member) {
    if (!is_letter(member.front()) || member.front() < 'a')
        return std::string(member);
    std::string name = "--" + std::string(member);
    std::ranges::replace(name, '_', '-');
    return name;
}

void add_option(CLI::App& app, std::string name, const Shape& shape, void* value,
                std::string text) {
    const bool is_positional = !name.starts_with('-'),
               may_lack = !is_positional || name.starts_with('[');
    std::erase_if(name, [](char c) { return c == '[' || c == ']'; });
    if (contains(text, "{}"))
        replace_all(text, "{}", in_help(to_json(shape, value, valid_utf8)));
    replace_all(text, "{formats}", join_with_and(format_names()));
    replace_all(text, "{tables}", join_with_and(table_names()));
    const auto [type, about] = parted(text, shape);
    CLI::Option* option = nullptr;
    if (shape.kind == Shape::Kind::boolean)
        option = app.add_flag(name, *static_cast<bool*>(value), about)->disable_flag_override();
    else if (is_texts(shape))
        option = app.add_option(name, *static_cast<std::vector<std::string>*>(value), about)
                     ->allow_extra_args(is_positional);
    else
        option = app.add_option_function<std::string>(
            name,
            [=, &shape, wanted = type](const std::string& given) {
                if (given.empty() && is_positional)
                    throw UsageError(name + " is empty");
                if (given.empty())
                    throw UsageError(name + " needs a value: give " + wanted);
                from_json(value_from(name, given, shape), shape, value, name);
            },
            about);
    if (!type.empty() || is_positional)
        option->type_name(type);
    if (type == "DIR")
        option->check(why_no_directory, "", "");
    option->required(!may_lack);
}

void add_options(CLI::App& app, const Shape& shape, void* options,
                 const std::vector<std::string>& names) {
    for (const Shape::Member& member : shape.members) {
        void* const value = static_cast<char*>(options) + member.offset;
        const std::string name = option_named(member.name), text = member.about;
        if (member.shape().kind == Shape::Kind::structure) {
            const std::string heading = text.substr(0, text.find(": "));
            app.option_defaults()->group(heading);
            add_options(app, member.shape(), value,
                        heading == text ? names : split(text.substr(heading.size() + 2), ' '));
        } else if (names.empty() || includes(names, name.substr(name.rfind("--") + 2)))
            add_option(app, name, member.shape(), value, text);
    }
}

bool is_given(const CLI::App& app, const std::string& option) {
    const CLI::Option* const known = app.get_option_no_throw(option);
    return known && known->count() > 0;
}

void reject_together(const CLI::App& app, const std::string& one, const std::string& others,
                     const std::string& why) {
    for (const std::string& other : split(others, ' '))
        if (is_given(app, one) && is_given(app, other))
            throw UsageError(one + " and " + other + " cannot be used together: " + why);
}

}  // namespace rnncheck
