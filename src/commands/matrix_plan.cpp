// Plans what can run, or tells what a release needs.
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command.hpp"
#include "commands/common_options.hpp"
#include "commands/matrix_age.hpp"
#include "commands/matrix_commands.hpp"
#include "commands/output.hpp"
#include "compat/given.hpp"
#include "report/documents.hpp"

namespace rnncheck {

namespace {

struct PlanOptions {
    std::vector<std::string> values;
    std::string release, tables;
    bool json = false, verbose = false;
};

Facts plan_facts(const std::vector<std::string>& texts, const Matrix& matrix) {
    return facts_told(texts, {"driver", "framework", "gpu", "os", "python"}, matrix);
}

void take_framework(PlanQuestion& question, const Facts& facts) {
    if (facts.frameworks.size() > 1) throw UsageError("framework= is given twice; plan for one, or for all without it");
    if (facts.frameworks.empty()) return;
    const Framework& framework = facts.frameworks.front();
    if (framework.version)
        throw UsageError("framework= takes a name here; what a release needs is told by --for " + framework.name +
                         "==" + framework.version->text);
    question.framework = framework.name;
}

PlanQuestion question_from(const Facts& facts, const Matrix& matrix) {
    if (facts.cuda_devices.size() > 1) throw UsageError("plans are made for one GPU; ask for each by itself");
    PlanQuestion question = plan_question(facts, matrix);
    take_framework(question, facts);
    return question;
}

template <class Document>
void print(const Document& document, const PlanOptions& options) {
    Style style = style_on(STDOUT_FILENO);
    style.verbose = options.verbose;
    print_document(options.json ? json_text(document) : plan_text(document, style));
}

int plan(const PlanOptions& options, const Matrix& matrix) {
    PlanDocument document;
    document.tool = stamp_with(matrix.date(), matrix.digest());
    document.plan = make_plan(question_from(plan_facts(options.values, matrix), matrix), matrix);
    print(document, options);
    if (offers_something(document.plan)) return healthy;
    return leaves_open(document.plan) ? undetermined : problem;
}

NeedsQuestion needs_question_from(const std::vector<std::string>& texts, const Matrix& matrix) {
    const Facts facts = plan_facts(texts, matrix);
    for (const std::string& text : texts)
        if (const std::string key = split_given(text)->key; key != "os" && key != "python")
            throw UsageError(key + "= does not go with --for, which tells what a release needs; os= and python= do");
    const PlanQuestion plan = question_from(facts, matrix);
    return {facts.host.platform.value_or(""), plan.driver_os, plan.python, ""};
}

bool fits(const NeededBuild& needed) {
    return needed.build.fit != Fit::does_not_work;
}

int needs(const PlanOptions& options, const Matrix& matrix) {
    const auto framework = framework_from(options.release);
    if (!framework || !framework->version)
        throw UsageError("--for cannot be '" + options.release + "'; write e.g. tensorflow==2.15");
    NeedsDocument document;
    document.tool = stamp_with(matrix.date(), matrix.digest());
    NeedsQuestion question = needs_question_from(options.values, matrix);
    question.build = framework->build.value_or("");
    document.needs = needs_of(framework->name, *framework->version, matrix, question);
    print(document, options);
    const std::vector<NeededBuild>& builds = document.needs.builds;
    if (std::any_of(builds.begin(), builds.end(), fits)) return healthy;
    return builds.empty() && document.needs.without_cuda.empty() ? undetermined : problem;
}

int run(const PlanOptions& options) {
    const Matrix matrix = matrix_from(options.tables);
    if (options.release.empty() && options.values.empty())
        throw UsageError(
            "'rnncheck matrix plan' needs what to plan for, e.g. gpu=8.6 driver=535, or --for tensorflow==2.15");
    return options.release.empty() ? plan(options, matrix) : needs(options, matrix);
}

}  // namespace

std::function<int()> declare_matrix_plan(CLI::App& app) {
    const auto options = std::make_shared<PlanOptions>();
    app.add_option("GIVEN", options->values,
                   "gpu=8.6 or gpu='RTX 3090', driver=535, python=3.11, os=linux, framework=pytorch")
        ->type_name("KEY=VALUE");
    app.add_option("--for", options->release,
                   "Tell what this release needs, e.g. tensorflow==2.15; os= and python= narrow it")
        ->type_name("FRAMEWORK==VERSION");
    add_matrix_option(app, options->tables);
    add_json_option(app, options->json);
    add_flag(app, "-v,--verbose", options->verbose, "Show the sources too");
    return [options] { return run(*options); };
}

}  // namespace rnncheck
