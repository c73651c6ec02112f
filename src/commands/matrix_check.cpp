// Judges what a person tells of a machine that is not at hand, by the doctor's own rules.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "commands/ids.hpp"
#include "commands/matrix_age.hpp"
#include "commands/matrix_commands.hpp"
#include "commands/nearest.hpp"
#include "commands/output.hpp"
#include "commands/common_options.hpp"
#include "compat/given.hpp"

namespace rnncheck {

namespace {

struct Options {
    std::vector<std::string> values, only, skip, ignore;
    std::string format = "text", folder, fail_on = "error", color = "auto";
    bool json = false, verbose = false, quiet = false;
};

Facts facts_from(const std::vector<std::string>& texts, const Matrix& matrix) {
    if (texts.empty())
        throw UsageError("'rnncheck matrix check' needs what is known, e.g. driver=535 cuda=12.2 cudnn=8.9.7 gpu=8.6");
    return facts_told(texts, given_keys(), matrix);
}

int run(const Options& options) {
    if (options.json && options.format != "text")
        throw UsageError("--json and --format cannot be used together: standard output carries one document");
    const Named<Format>* format = format_named(options.json ? "json" : options.format);
    const FailOn fail_on = word_from<FailOn>(options.fail_on, "--fail-on");
    const ColorChoice color = word_from<ColorChoice>(options.color, "--color");
    Selection selection;
    selection.only = ids_from(options.only, "--only", "rule", rule_names());
    selection.skip = ids_from(options.skip, "--skip", "rule", rule_names());
    selection.ignore = ids_from(options.ignore, "--ignore", "rule", rule_names());
    const Matrix matrix = options.folder.empty() ? Matrix::bundled() : Matrix::from_folder(options.folder);
    Report report = judge(facts_from(options.values, matrix), matrix, selection);
    add_age(report.tool);
    std::ostringstream out;
    (*format)->write(report, out,
                     {.color = wants_color(color, STDOUT_FILENO), .verbose = options.verbose, .quiet = options.quiet});
    print_document(out.str());
    return exit_code(report.verdict, fail_on);
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
            throw UsageError("'" + text + "' tells nothing; write KEY=VALUE with one of the keys " + listing(keys));
        if (std::find(keys.begin(), keys.end(), value->key) == keys.end()) {
            const std::string hint = did_you_mean(value->key, keys);
            throw UsageError("there is no key '" + value->key + "' in " + text +
                             (hint.empty() ? "; the keys are " + listing(keys) : hint));
        }
        values.push_back(*value);
    }
    Given given = read_given(values, matrix);
    if (!given.not_understood.empty()) throw UsageError(in_words(given.not_understood.front()));
    return std::move(given.facts);
}

std::function<int()> declare_matrix_check(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    const auto several = [&](const char* name, std::vector<std::string>& into, const char* about) {
        app.add_option(name, into, about)->allow_extra_args(false)->type_name("ID");
    };
    app.add_option("GIVEN", options->values, "What is known, e.g. driver=535.104.05 cuda=12.2 gpu='RTX 3090'")
        ->type_name("KEY=VALUE");
    several("--only", options->only, "Ask these rules alone");
    several("--skip", options->skip, "Leave out these rules");
    several("--ignore", options->ignore, "Tell what these rules find, but do not count it");
    app.add_option("--format", options->format, "Form of the report: " + listing(format_names()))->type_name("F");
    app.add_flag("--json", options->json, "The same as --format json")->disable_flag_override();
    app.add_option("--fail-on", options->fail_on, "error, or warning: exit 4 when there are warnings")
        ->type_name("error|warning|never");
    app.add_option("--matrix", options->folder, "Use the compatibility tables in this folder")->type_name("DIR");
    app.add_option("--color", options->color, "Colour; auto means on a terminal")->type_name("auto|always|never");
    app.add_flag("-v,--verbose", options->verbose, "Tell what was not asked too")->disable_flag_override();
    app.add_flag("-q,--quiet", options->quiet, "One line for the verdict and one for each finding")
        ->disable_flag_override();
    app.footer(all_keys_explained());
    return [options] { return run(*options); };
}

}  // namespace rnncheck
