// Queries the compatibility tables, without a machine at hand.
#include <algorithm>
#include <map>
#include <memory>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "commands/common_options.hpp"
#include "commands/tables.hpp"
#include "compat/given.hpp"

namespace rnncheck::commands::matrix {

namespace {

/// The facts that KEY=VALUE arguments give; UsageError names the first that is not understood or has none of these
/// keys.
Facts facts_given(const std::vector<std::string>& texts, const std::vector<std::string>& keys, const Matrix& matrix) {
    std::vector<GivenValue> values;
    for (const std::string& text : texts) {
        const auto value = split_given(text);
        if (!value)
            throw UsageError("unknown input '" + text + "'; write KEY=VALUE with one of the keys " +
                             join_with_and(keys));
        if (!includes(keys, value->key)) {
            const std::string hint = did_you_mean(value->key, keys);
            throw UsageError("unknown key '" + value->key + "' in " + text +
                             (hint.empty() ? "; the keys are " + join_with_and(keys) : hint));
        }
        values.push_back(*value);
    }
    Given given = read_given(values, matrix);
    if (!given.not_understood.empty()) throw UsageError(in_words(given.not_understood.front()));
    return std::move(given.facts);
}

// check: judges what a person gives of a machine that is not at hand, by the doctor's own rules

std::string all_keys_explained() {
    std::string text = "Keys:\n";
    for (const std::string& key : given_keys())
        text += "  " + key + "=" + std::string(14 - key.size(), ' ') + std::string(expected_of(key)) + "\n";
    return text +
           "\nExit codes as for doctor: 0 healthy, 1 a problem, 2 incorrect usage, 3 undetermined, e.g. a version that "
           "is not in the data.";
}

std::function<int()> declare_check(CLI::App& app) {
    struct Options {
        std::vector<std::string> values;
        RuleOptions rules;
    };
    const auto given = std::make_shared<Options>();
    app.add_option("GIVEN", given->values, "What is known, e.g. driver=535.104.05 cuda=12.2 gpu='RTX 3090'")
        ->type_name("KEY=VALUE");
    add_rule_options(app, given->rules);
    app.footer(all_keys_explained());
    return [given, report_options = declare_report_options(app)] {
        std::set<std::string> skipped_probes;  // none is run
        const Selection selection = selection_from(given->rules, skipped_probes);
        const Matrix matrix = matrix_from(given->rules.matrix_directory);
        if (given->values.empty())
            throw UsageError(
                "'rnncheck matrix check' needs versions to check, e.g. driver=535 cuda=12.2 cudnn=8.9.7 gpu=8.6");
        Report report = judge(facts_given(given->values, given_keys(), matrix), matrix, selection);
        ReportOptions options = report_options();
        options.show_private = true;  // what the user typed gives nothing away
        return print_report(finished(std::move(report), options), options);
    };
}

// plan: what can run, or what a framework version needs

struct PlanOptions {
    std::vector<std::string> values;
    std::string framework, directory;
    DocumentOptions document = {.show_private = true};  // what the user typed gives nothing away
};

Facts plan_facts(const std::vector<std::string>& texts, const Matrix& matrix) {
    return facts_given(texts, {"driver", "framework", "gpu", "os", "python"}, matrix);
}

void take_framework(PlanQuestion& question, const Facts& facts) {
    if (facts.frameworks.size() > 1) throw UsageError("framework= is given twice; give one, or none to plan for all");
    if (facts.frameworks.empty()) return;
    const Framework& framework = facts.frameworks.front();
    if (framework.version)
        throw UsageError("framework= takes a name without a version; --for " + framework.name +
                         "==" + framework.version->text + " shows what a version needs");
    question.framework = framework.name;
}

PlanQuestion question_from(const Facts& facts, const Matrix& matrix) {
    if (facts.cuda_devices.size() > 1) throw UsageError("a plan is for one GPU; run the command once for each");
    PlanQuestion question = plan_question(facts, matrix);
    take_framework(question, facts);
    return question;
}

int plan(const PlanOptions& options, const Matrix& matrix) {
    PlanDocument document;
    document.tool = stamp_with(matrix.date(), matrix.digest());
    document.plan = make_plan(question_from(plan_facts(options.values, matrix), matrix), matrix);
    print_document(written(document, options.document));
    if (offers_something(document.plan)) return healthy;
    return leaves_open(document.plan) ? undetermined : problem;
}

NeedsQuestion needs_question_from(const std::vector<std::string>& texts, const Matrix& matrix) {
    const Facts facts = plan_facts(texts, matrix);
    for (const std::string& text : texts)
        if (const std::string key = split_given(text)->key; key != "os" && key != "python")
            throw UsageError(key +
                             "= cannot be used with --for, which shows what a version needs; os= and python= can");
    const PlanQuestion plan = question_from(facts, matrix);
    return {facts.host.platform.value_or(""), plan.driver_os, plan.python, ""};
}

int needs(const PlanOptions& options, const Matrix& matrix) {
    const Framework framework = framework_asked_for(options.framework);
    NeedsQuestion question = needs_question_from(options.values, matrix);
    question.build = framework.build.value_or("");
    NeedsDocument document;
    document.tool = stamp_with(matrix.date(), matrix.digest());
    document.needs = needs_of(framework.name, *framework.version, matrix, question);
    print_document(written(document, options.document));
    const std::vector<NeededBuild>& builds = document.needs.builds;
    const auto fits = [](const NeededBuild& needed) { return needed.build.fit != Fit::does_not_work; };
    if (std::ranges::any_of(builds, fits)) return healthy;
    return builds.empty() && document.needs.without_cuda.empty() ? undetermined : problem;
}

std::function<int()> declare_plan(CLI::App& app) {
    const auto given = std::make_shared<PlanOptions>();
    app.add_option("GIVEN", given->values,
                   "gpu=8.6 or gpu='RTX 3090', driver=535, python=3.11, os=linux, framework=pytorch")
        ->type_name("KEY=VALUE");
    add_option(app, "--for", into(given->framework),
               "Show what this version needs, e.g. tensorflow==2.15; os= and python= narrow it", "NAME==VERSION");
    add_matrix_option(app, given->directory);
    add_document_options(app, given->document);
    add_verbose_option(app, given->document.verbose);
    return [given] {
        const Matrix matrix = matrix_from(given->directory);
        if (given->framework.empty() && given->values.empty())
            throw UsageError(
                "'rnncheck matrix plan' needs a GPU or driver to plan for, e.g. gpu=8.6 driver=535, or --for "
                "tensorflow==2.15");
        return given->framework.empty() ? plan(*given, matrix) : needs(*given, matrix);
    };
}

// show: the tables, or the rows of one

struct ShowOptions {
    std::string table, directory;
    std::vector<std::string> filters;
    DocumentOptions document;
};

int show(ShowOptions given) {
    given.document.show_private = given.directory.empty();  // the bundled tables hold nothing private
    const TableFiles files = table_files_from(given.directory);
    const ToolStamp stamp = stamp_with(files.date, files.digest);
    if (given.table.empty()) {
        TablesDocument document;
        document.tool = stamp;
        document.tables = table_outlines(files);
        print_document(written(document, given.document));
        return healthy;
    }
    if (const auto names = table_names(); !includes(names, given.table)) reject_word(given.table, "TABLE", names);
    TableDocument document;
    document.tool = stamp;
    document.view = table_view(files, given.table);
    for (const std::string& filter : given.filters) keep_matching(document.view, filter);
    print_document(written(document, given.document));
    return healthy;
}

std::function<int()> declare_show(CLI::App& app) {
    const auto given = std::make_shared<ShowOptions>();
    app.add_option("TABLE", given->table,
                   "One of " + join_with_and(table_names()) + "; without it, all tables are listed")
        ->type_name("");
    app.add_option("FILTER", given->filters, "Rows to show, e.g. cudnn=8.9.7")->type_name("COLUMN=VALUE");
    add_matrix_option(app, given->directory);
    add_document_options(app, given->document);
    return [given] { return show(*given); };
}

// verify: everything that is wrong with the tables

std::function<int()> declare_verify(CLI::App& app) {
    const auto directory = std::make_shared<std::string>();
    const auto options = std::make_shared<DocumentOptions>();
    add_directory(app, "DIR,--matrix", *directory, "Directory of tables; default: those built into rnncheck");
    add_json_option(app, options->json);
    return [directory, options]() -> int {
        options->show_private = directory->empty();
        const Tables tables(table_files_from(*directory));
        VerifyDocument document;
        document.tool = stamp_with(tables.files.date, tables.files.digest);
        document.rows = rows_written(tables);
        document.issues = issues_in(tables);
        document.directory = fit_for_message(tables.files.place);
        print_document(written(document, *options));
        return document.issues.empty() ? healthy : problem;
    };
}

std::function<int()> declare(CLI::App& app) {
    app.require_subcommand(1);
    const auto runs = std::make_shared<std::map<const CLI::App*, std::function<int()>>>();
    const auto add = [&](const char* name, const char* title, std::function<int()> (*declare_one)(CLI::App&),
                         std::string_view examples) {
        CLI::App* sub = app.add_subcommand(name, title);
        (*runs)[sub] = declare_one(*sub);
        add_examples(*sub, examples);
    };
    add("check", "Check whether versions are compatible", declare_check,
        "rnncheck matrix check driver=535.104.05 cuda=12.2 cudnn=8.9.7 gpu=8.6\n"
        "rnncheck matrix check gpu=\"RTX 5090\" pytorch=2.4.0+cu124 --json");
    add("plan", "Show what can run on a GPU and driver, or what a framework version needs", declare_plan,
        "rnncheck matrix plan gpu=\"GTX 1080\" driver=470\n"
        "rnncheck matrix plan --for tensorflow==2.15 os=linux python=3.11");
    add("show", "Show the tables, or the rows of one", declare_show,
        "rnncheck matrix show\n"
        "rnncheck matrix show driver_for_cuda cuda=12.4");
    add("verify", "Validate the tables", declare_verify,
        "rnncheck matrix verify\n"
        "rnncheck matrix verify my_tables");
    return [runs, &app] { return runs->at(app.get_subcommands().front())(); };
}

}  // namespace

extern const Command command{.title = "Query the compatibility tables, without the machine at hand",
                             .examples =
                                 "rnncheck matrix check driver=470 cuda=12.4\n"
                                 "rnncheck matrix plan --for tensorflow==2.15\n"
                                 "rnncheck matrix show driver_for_cuda",
                             .declare = declare};

}  // namespace rnncheck::commands::matrix
