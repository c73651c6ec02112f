// Judges what a person tells of a machine that is not at hand, by the doctor's own rules.
#include <algorithm>
#include <memory>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/ids.hpp"
#include "commands/matrix_age.hpp"
#include "commands/matrix_commands.hpp"
#include "commands/nearest.hpp"
#include "compat/given.hpp"

namespace rnncheck {

namespace {

struct Options {
    std::vector<std::string> values, only, skip, ignore;
    std::string tables;
};

Facts facts_from(const std::vector<std::string>& texts, const Matrix& matrix) {
    if (texts.empty())
        throw UsageError("'rnncheck matrix check' needs what is known, e.g. driver=535 cuda=12.2 cudnn=8.9.7 gpu=8.6");
    return facts_told(texts, given_keys(), matrix);
}

int run(const Options& options, const ReportOptions& report_options) {
    Selection selection;
    selection.only = ids_from(options.only, "--only", "rule", rule_names());
    selection.skip = ids_from(options.skip, "--skip", "rule", rule_names());
    selection.ignore = ids_from(options.ignore, "--ignore", "rule", rule_names());
    const Matrix matrix = matrix_from(options.tables);
    Report report = judge(facts_from(options.values, matrix), matrix, selection);
    add_age(report.tool);
    return print_report(std::move(report), report_options);
}

std::string all_keys_explained() {
    std::string text = "Keys:\n";
    for (const std::string& key : given_keys())
        text += "  " + key + "=" + std::string(14 - key.size(), ' ') + std::string(expected_of(key)) + "\n";
    return text + "Exit codes as of doctor: 0 healthy, 1 a problem, 2 wrong usage, 3 a version outside the data.";
}

}  // namespace

Facts facts_told(const std::vector<std::string>& texts, const std::vector<std::string>& keys, const Matrix& matrix) {
    std::vector<GivenValue> values;
    for (const std::string& text : texts) {
        const auto value = split_given(text);
        if (!value)
            throw UsageError("'" + text + "' tells nothing; write KEY=VALUE with one of the keys " +
                             join_with_and(keys));
        if (std::find(keys.begin(), keys.end(), value->key) == keys.end()) {
            const std::string hint = did_you_mean(value->key, keys);
            throw UsageError("there is no key '" + value->key + "' in " + text +
                             (hint.empty() ? "; the keys are " + join_with_and(keys) : hint));
        }
        values.push_back(*value);
    }
    Given given = read_given(values, matrix);
    if (!given.not_understood.empty()) throw UsageError(in_words(given.not_understood.front()));
    return std::move(given.facts);
}

std::function<int()> declare_matrix_check(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("GIVEN", options->values, "What is known, e.g. driver=535.104.05 cuda=12.2 gpu='RTX 3090'")
        ->type_name("KEY=VALUE");
    add_rule_options(app, options->only, options->skip, options->ignore);
    add_matrix_option(app, options->tables);
    app.footer(all_keys_explained());
    return [options, report_options = declare_report_options(app)] { return run(*options, report_options()); };
}

}  // namespace rnncheck
