// Plans what can run, or tells what a release needs.
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/errors.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/color.hpp"
#include "commands/command.hpp"
#include "commands/matrix_commands.hpp"
#include "commands/output.hpp"
#include "report/json_text.hpp"
#include "report/plan_text.hpp"

namespace rnncheck {

namespace {

struct Given {
    std::vector<std::string> facts;
    std::string release, folder;
    bool json = false, verbose = false;
};

Version version_from(const std::string& key, const std::string& value) {
    const auto version = parse_version(value);
    if (!version) throw UsageError(key + "=" + value + ": '" + value + "' is no version");
    return *version;
}

void take_gpu(PlanQuestion& question, const std::string& value, const Matrix& matrix) {
    question.gpu = parse_version(value);
    if (question.gpu) return;
    const auto product = matrix.gpu_product(value);
    if (!product)
        throw UsageError("gpu=" + value +
                         ": no one GPU of this name is in the data; give its compute capability, e.g. 8.6");
    question.gpu = product->capability;
    question.gpu_name = product->name;
    question.data_center = product->data_center;
}

void take_os(PlanQuestion& question, const std::string& value) {
    if (value != "linux" && value != "windows")
        throw UsageError("os=" + value + ": plans are made for linux and windows");
    question.os = value;
}

PlanQuestion question_from(const std::vector<std::string>& facts, const Matrix& matrix) {
    PlanQuestion question;
    for (const std::string& fact : facts) {
        const auto at = std::min(fact.find('='), fact.size());
        const std::string key = fact.substr(0, at), value = fact.substr(std::min(at + 1, fact.size()));
        if (key == "gpu")
            take_gpu(question, value, matrix);
        else if (key == "driver")
            question.driver = version_from(key, value);
        else if (key == "python")
            question.python = version_from(key, value);
        else if (key == "os")
            take_os(question, value);
        else if (key == "framework")
            question.framework = value;
        else
            throw UsageError("'" + fact + "' is nothing to plan with; write gpu=, driver=, python=, os= or framework=");
    }
    return question;
}

ToolStamp stamp_of(const Matrix& matrix) {
    return {
        .version = std::string(version_of_rnncheck()), .matrix_date = matrix.date(), .matrix_digest = matrix.digest()};
}

template <class Document>
void print(const Document& document, const Given& given) {
    const Style style{.color = wants_color(ColorChoice::automatic, STDOUT_FILENO), .verbose = given.verbose};
    print_document(given.json ? json_text(document) : plan_text(document, style));
}

int plan(const Given& given, const Matrix& matrix) {
    PlanDocument document;
    document.tool = stamp_of(matrix);
    document.plan = make_plan(question_from(given.facts, matrix), matrix);
    print(document, given);
    if (offers_something(document.plan)) return healthy;
    return leaves_open(document.plan) ? undetermined : problem;
}

int needs(const Given& given, const Matrix& matrix) {
    const auto at = given.release.find("==");
    const auto version = at == std::string::npos ? std::nullopt : parse_version(given.release.substr(at + 2));
    if (!version) throw UsageError("--for cannot be '" + given.release + "'; write e.g. tensorflow==2.15");
    NeedsDocument document;
    document.tool = stamp_of(matrix);
    document.needs = needs_of(given.release.substr(0, at), *version, matrix);
    print(document, given);
    if (!document.needs.builds.empty()) return healthy;
    return document.needs.without_cuda.empty() ? undetermined : problem;
}

int run(const Given& given) {
    const Matrix matrix = given.folder.empty() ? Matrix::bundled() : Matrix::from_folder(given.folder);
    if (given.release.empty() == given.facts.empty())
        throw UsageError(
            "'rnncheck matrix plan' needs what to plan for, e.g. gpu=8.6 driver=535, or --for tensorflow==2.15");
    return given.release.empty() ? plan(given, matrix) : needs(given, matrix);
}

}  // namespace

std::function<int()> declare_matrix_plan(CLI::App& app) {
    const auto given = std::make_shared<Given>();
    app.add_option("GIVEN", given->facts,
                   "gpu=8.6 or gpu='RTX 3090', driver=535, python=3.11, os=linux, framework=pytorch")
        ->type_name("KEY=VALUE");
    app.add_option("--for", given->release, "Tell what this release needs, e.g. tensorflow==2.15")
        ->type_name("FRAMEWORK==VERSION");
    app.add_option("--matrix", given->folder, "Use the compatibility tables in this folder")->type_name("DIR");
    app.add_flag("--json", given->json, "As one JSON document")->disable_flag_override();
    app.add_flag("-v,--verbose", given->verbose, "Tell the sources too")->disable_flag_override();
    return [given] { return run(*given); };
}

}  // namespace rnncheck
