#include "rules/causes/log_evidence.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "base/text.hpp"

namespace rnncheck::rules {

namespace {

/// One cause of one row, or of one line whose symptom is a cause.
struct Indication {
    std::string_view cause, symptom;
    bool is_stated = false;  ///< by the line itself, without a row
    Confidence strength = Confidence::likely;
    std::size_t place = 0;  ///< among the causes that the symptom indicates as strongly, from 0
    std::vector<std::string> conditions = {};
    std::int64_t line = std::numeric_limits<std::int64_t>::max();
    std::size_t symptoms_as_strong = 1;
};

auto rank(const Indication& one) {
    return std::tuple(
        one.strength,
        one.place,
        -static_cast<std::int64_t>(one.symptoms_as_strong),
        -static_cast<std::int64_t>(one.conditions.size()),
        one.line);
}

std::int64_t first_line(const LogContext& known, std::string_view symptom) {
    const LogEvent* event = known.first_event(symptom);
    return event ? event->line : std::numeric_limits<std::int64_t>::max();
}

/// Lines that report one cause by themselves.
void add_stated_causes(std::vector<Indication>& found, const LogContext& known) {
    for (const LogCause& cause : known.matrix.log_causes()) {
        const std::size_t lines = known.count_of(cause.cause);
        if (lines == 0 || known.superseded.contains(cause.cause))
            continue;
        found.push_back({.cause = cause.cause, .symptom = cause.cause, .is_stated = true});
        found.back().line = first_line(known, cause.cause);
        found.back().symptoms_as_strong = lines;
    }
}

/// The next place of a symptom's causes, for each strength.
using Places = std::map<std::pair<std::string_view, Confidence>, std::size_t>;

void add_row(
    std::vector<Indication>& found,
    const LogEvidence& row,
    const std::vector<std::string>& when,
    const LogContext& known,
    Places& places) {
    const std::pair<Confidence, const std::string*> columns[] = {
        {Confidence::certain, &row.certain},
        {Confidence::likely, &row.likely},
        {Confidence::possible, &row.possible}};
    const std::int64_t line = first_line(known, row.symptom);
    for (const auto& [strength, causes] : columns) {
        std::size_t& place = places[{row.symptom, strength}];
        for (const std::string& name : split(*causes, ' ')) {
            const LogCause* cause = find_by(known.matrix.log_causes(), &LogCause::cause, name);
            if (!cause)
                continue;
            found.push_back({cause->cause, row.symptom, false, strength, place++, when, line});
        }
    }
}

/// A row whose symptom is itself a cause names what else its lines come from: nothing, where one
/// cause is certain.
void drop_substitutes_of_certain(std::vector<Indication>& found, const Matrix& matrix) {
    if (!find_by(found, &Indication::strength, Confidence::certain))
        return;
    std::erase_if(found, [&](const Indication& one) {
        return !one.is_stated && one.strength == Confidence::possible &&
               find_by(matrix.log_causes(), &LogCause::cause, one.symptom);
    });
}

void count_symptoms(std::vector<Indication>& found) {
    std::map<std::pair<std::string_view, Confidence>, std::set<std::string_view>> symptoms;
    std::map<std::pair<std::string_view, Confidence>, std::size_t> stated;
    for (const Indication& one : found)
        if (one.is_stated)
            stated[{one.cause, one.strength}] = one.symptoms_as_strong;
        else
            symptoms[{one.cause, one.strength}].insert(one.symptom);
    for (Indication& one : found)
        one.symptoms_as_strong =
            symptoms[{one.cause, one.strength}].size() + stated[{one.cause, one.strength}];
}

}  // namespace

Indications indications(const LogContext& known) {
    Indications result;
    std::vector<Indication> found;
    add_stated_causes(found, known);
    Places places;
    for (const LogEvidence& row : known.matrix.log_evidence()) {
        const std::vector<std::string> when = split(row.when, ' ');
        if (!known.indicates(row.symptom) || !known.all_hold(row.when))
            continue;
        for (const std::string& cause : split(row.rules_out, ' '))
            result.ruled_out.emplace(cause, when.empty() ? row.symptom : when.back());
        add_row(found, row, when, known, places);
    }
    drop_substitutes_of_certain(found, known.matrix);
    count_symptoms(found);
    std::ranges::stable_sort(found, {}, rank);
    for (Indication& one : found) {
        if (find_by(result.causes, &IndicatedCause::cause, one.cause))
            continue;
        result.causes.push_back({std::string(one.cause), one.strength, {std::string(one.symptom)}});
        append(result.causes.back().words, std::move(one.conditions));
    }
    return result;
}

}  // namespace rnncheck::rules
