// Queries the compatibility tables, without a machine at hand.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "stack/given.hpp"

namespace rnncheck::commands::matrix {

namespace {

using stack::Stack;

/// The stack that KEY=VALUE arguments describe; UsageError names the first that is not understood
/// or has none of these keys.
Stack stack_from(
    const std::vector<std::string>& texts,
    const std::vector<std::string>& keys,
    const Matrix& matrix) {
    std::vector<GivenValue> values;
    for (const std::string& text : texts) {
        const auto value = stack::split_given(text);
        if (!value)
            throw UsageError(
                "unknown input '" + text + "'; write KEY=VALUE with one of the keys " +
                join_with_and(keys));
        if (const auto framework = stack::framework_of_package(value->key);
            includes(keys, framework))
            throw UsageError(
                value->key +
                " contains no CUDA or cuDNN: give the version of the framework that it " +
                "uses, e.g. " + std::string(framework) + "=VERSION");
        // For a plan, pytorch=2.4 is a question that another command answers.
        const bool is_framework =
            includes(stack::given_keys(), value->key) && stack::framework_named(value->key);
        if (!includes(keys, value->key) && is_framework)
            throw UsageError(
                "a plan is for framework=" + value->key +
                ", in every version that runs; 'rnncheck " + "matrix check " + text +
                " ...' judges one version");
        if (!includes(keys, value->key))
            throw UsageError(
                "unknown key '" + value->key + "' in " + text +
                did_you_mean(value->key, keys, "; the keys are " + join_with_and(keys)));
        values.push_back(*value);
    }
    stack::Given given = stack::read_given(values, matrix);
    if (!given.not_understood.empty())
        throw UsageError(stack::in_words(given.not_understood.front()));
    return std::move(given.stack);
}

// check: judges what a person gives of a machine that is not at hand, by the doctor's own rules

/// For --help: each key of KEY=VALUE with what it accepts.
std::string all_keys_explained() {
    std::string text = "Keys:\n";
    for (const std::string& key : stack::given_keys())
        text += "  " + key + "=" + std::string(14 - key.size(), ' ') +
                std::string(stack::expected_of(key)) + "\n";
    return text +
           "\nExit codes as for doctor: 0 healthy, 1 a problem, 2 incorrect usage, 3 undetermined, "
           "e.g. a version that "
           "is not in the data.";
}

struct CheckOptions {
    std::vector<std::string> values;  ///< "driver=535.104.05"
    RuleOptions rules;
    ReportOptions report;
};

int check(CheckOptions& options, const CLI::App& app) {
    begin_run(app, options.report);
    // Rules alone can be selected here, but --skip has one meaning in all commands.
    std::set<std::string> skipped_probes;  // none is run
    const Matrix matrix = matrix_from(options.rules.matrix);
    const Selection selection = selection_from(options.rules, {}, {}, matrix, skipped_probes);
    if (options.values.empty())
        throw UsageError(
            "'rnncheck matrix check' needs versions to check, e.g. driver=535 cuda=12.2 "
            "cudnn=8.9.7 gpu=8.6");
    Report report =
        judge(stack_from(options.values, stack::given_keys(), matrix), matrix, selection);
    options.report.show_private = true;  // what the user typed gives nothing away
    return print_report(finished(std::move(report), options.report), options.report);
}

std::function<int()> declare_check(CLI::App& app) {
    const auto options = std::make_shared<CheckOptions>();
    app.footer(all_keys_explained());
    app.add_option(
           "GIVEN",
           options->values,
           "What is known, e.g. driver=535.104.05 cuda=12.2 gpu='RTX 3090'")
        ->type_name("KEY=VALUE");
    add_rule_options(app, options->rules);
    add_report_options(app, options->report);
    return [options, &app] { return check(*options, app); };
}

// plan: what can run, or what a framework version needs

struct PlanOptions {
    std::vector<std::string> values;  ///< "gpu=8.6"
    std::string framework;            ///< "tensorflow==2.15"
    std::string matrix;
    ReportOptions document;
};

/// Only keys that a plan can take into account; others would be ignored silently.
Stack plan_stack(const std::vector<std::string>& texts, const Matrix& matrix) {
    return stack_from(texts, {"driver", "framework", "gpu", "os", "python"}, matrix);
}

/// The framework to plan for; "" for all.
std::string framework_to_plan(const Stack& stack) {
    if (stack.frameworks.size() > 1)
        throw UsageError("framework= is given twice; give one, or none to plan for all");
    if (stack.frameworks.empty())
        return "";
    const stack::Framework& framework = stack.frameworks.front();
    if (framework.version)
        throw UsageError(
            "framework= takes a name without a version; --for " + framework.name +
            "==" + framework.version->text + " shows what a version needs");
    return framework.name;
}

/// Two GPUs of one machine may need different builds.
void require_one_gpu(const Stack& stack) {
    if (stack.gpus.size() > 1)
        throw UsageError("a plan is for one GPU; run the command once for each");
}

/// What runs on the machine that is described: the builds of one framework, or of all.
int plan(PlanOptions& options, const Matrix& matrix) {
    const Stack stack = plan_stack(options.values, matrix);
    require_one_gpu(stack);
    Plan planned = make_plan(stack, framework_to_plan(stack), matrix);
    const PlanDocument document{
        {.tool = stamp_with(matrix.date(), matrix.digest())}, std::move(planned)};
    print_document(written(document, options.document));
    if (has_builds(document.plan))
        return healthy;
    if (leaves_open(document.plan))
        return undetermined;
    return problem;
}

/// The system and Python of --for; a driver or GPU would be a question for `matrix check`.
Stack needs_stack(const std::vector<std::string>& texts, const Matrix& matrix) {
    Stack stack = plan_stack(texts, matrix);
    for (const std::string& text : texts)
        if (const std::string key = stack::split_given(text)->key; key != "os" && key != "python")
            throw UsageError(
                key +
                "= cannot be used with --for, which shows what a version needs; os= "
                "and python= can");
    return stack;
}

/// The reverse: what a version of a framework needs of a machine.
int needs(const PlanOptions& options, const Matrix& matrix) {
    const Framework framework = parse_requested_framework(options.framework);
    const Stack stack = needs_stack(options.values, matrix);
    Needs needs = needs_of({framework.name, framework.version, framework.build}, matrix, stack);
    const NeedsDocument document{
        {.tool = stamp_with(matrix.date(), matrix.digest())}, std::move(needs)};
    print_document(written(document, options.document));
    const std::vector<NeededBuild>& builds = document.needs.builds;
    const auto fits = [](const NeededBuild& needed) {
        return needed.build.fit != Fit::does_not_work;
    };
    if (std::ranges::any_of(builds, fits))
        return healthy;
    if (builds.empty() && document.needs.without_cuda.empty())
        return undetermined;  // the tables do not have the version
    return problem;
}

/// The two are one command, because both plan an installation.
int plan_or_needs(PlanOptions& options) {
    const Matrix matrix = matrix_from(options.matrix);
    if (options.framework.empty() && options.values.empty())
        throw UsageError(
            "'rnncheck matrix plan' needs a GPU or driver to plan for, e.g. gpu=8.6 driver=535, or "
            "--for "
            "tensorflow==2.15");
    options.document.show_private = true;  // what the user typed gives nothing away
    if (options.framework.empty())
        return plan(options, matrix);
    return needs(options, matrix);
}

std::function<int()> declare_plan(CLI::App& app) {
    const auto options = std::make_shared<PlanOptions>();
    app.add_option(
           "GIVEN",
           options->values,
           "gpu=8.6 or gpu='RTX 3090', driver=535, python=3.11, os=linux, "
           "framework=pytorch")
        ->type_name("KEY=VALUE");
    app.add_option(
           "--for",
           options->framework,
           "Show what this version needs, e.g. tensorflow==2.15; os= and python= narrow it")
        ->type_name("NAME==VERSION");
    add_matrix_option(app, options->matrix);
    add_json_option(app, options->document);
    add_style_options(app, options->document);
    add_verbose_option(app, options->document);
    return [options] { return plan_or_needs(*options); };
}

// show: the tables, or the rows of one

struct ShowOptions {
    std::string table;                 ///< empty for a list of all
    std::vector<std::string> filters;  ///< "cudnn=8.9.7"
    std::string matrix;
    ReportOptions document;
};

int show(ShowOptions& given) {
    given.document.show_private = given.matrix.empty();  // the bundled tables hold nothing private
    const TableFiles files = table_files_from(given.matrix);
    const Document<ToolStamp> begin{.tool = stamp_with(files.date, files.digest)};
    // Without a name, the tables themselves are listed.
    if (given.table.empty()) {
        print_document(written(TablesDocument{begin, table_outlines(files)}, given.document));
        return healthy;
    }
    if (const auto names = table_names(); !includes(names, given.table))
        reject_word(given.table, "TABLE", names);
    TableView view = table_view(files, given.table);
    TableDocument document{begin, std::move(view)};
    for (const std::string& filter : given.filters)
        keep_matching(document, filter);
    print_document(written(std::move(document), given.document));
    return healthy;
}

std::function<int()> declare_show(CLI::App& app) {
    const auto options = std::make_shared<ShowOptions>();
    app.add_option(
           "TABLE",
           options->table,
           "One of " + join_with_and(table_names()) + "; without it, all tables are listed")
        ->type_name("");
    app.add_option("FILTER", options->filters, "Rows to show, e.g. cudnn=8.9.7")
        ->type_name("COLUMN=VALUE");
    add_matrix_option(app, options->matrix);
    add_json_option(app, options->document);
    add_style_options(app, options->document);
    return [options] { return show(*options); };
}

// verify: everything that is wrong with the tables

struct VerifyOptions {
    std::string directory;  ///< empty for the tables built in
    ReportOptions document;
};

/// Exit code 1 if there is an issue, so that a build can stop.
int verify(VerifyOptions& options) {
    options.document.show_private = options.directory.empty();
    const Tables tables(table_files_from(options.directory));
    const VerifyDocument document{
        {.tool = stamp_with(tables.files.date, tables.files.digest)},
        rows_written(tables),
        issues_in(tables),
        redacted_message(tables.files.place)};
    print_document(written(document, options.document));
    if (document.issues.empty())
        return healthy;
    return problem;
}

std::function<int()> declare_verify(CLI::App& app) {
    const auto options = std::make_shared<VerifyOptions>();
    app.add_option(
           "TABLES,--matrix",
           options->directory,
           "Directory of tables; default: those built into rnncheck")
        ->type_name("DIR")
        ->check(existing_directory());
    add_json_option(app, options->document);
    return [options] { return verify(*options); };
}

constexpr std::pair<const char*, Command> subcommands[] = {
    {"check", {declare_check}},
    {"plan", {declare_plan}},
    {"show", {declare_show}},
    {"verify", {declare_verify}}};

}  // namespace

extern const Command command{[](CLI::App& app) { return declare_subcommands(app, subcommands); }};

}  // namespace rnncheck::commands::matrix
