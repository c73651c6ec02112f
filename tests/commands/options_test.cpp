#include "commands/options.hpp"

#include <CLI/CLI.hpp>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command_line.hpp"
#include "commands/doctor_options.hpp"
#include "process/probe.hpp"
#include "support/catch.hpp"
#include "support/matrix_copy.hpp"

namespace {

using namespace rnncheck;

DoctorOptions doctor_options(const std::vector<std::string>& arguments) {
    CLI::App app;
    DoctorOptions options;
    add_doctor_options(app, options);
    parse_arguments(app, arguments);
    options.check(app);
    return options;
}

std::string complaint_about(const std::vector<std::string>& arguments) {
    try {
        doctor_options(arguments);
    } catch (const UsageError& error) {
        return error.what();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("exit codes: problems and open verdicts are never 0") {
    for (const FailOn fail_on : {FailOn::error, FailOn::warning, FailOn::never}) {
        CHECK(exit_code(OverallVerdict::healthy, fail_on) == 0);
        CHECK(exit_code(OverallVerdict::problems, fail_on) == 1);
        CHECK(exit_code(OverallVerdict::undetermined, fail_on) == 3);
    }
    CHECK(exit_code(OverallVerdict::warnings, FailOn::error) == 0);
    CHECK(exit_code(OverallVerdict::warnings, FailOn::never) == 0);
    CHECK(exit_code(OverallVerdict::warnings, FailOn::warning) == 4);
}

TEST_CASE("ids come one by one and with commas") {
    const auto known = [] {
        return std::vector<std::string>{"driver_missing", "gpu_memory_low", "cudnn_missing"};
    };
    CHECK(
        ids_from({"driver_missing,gpu_memory_low", "cudnn_missing"}, "--skip", "rule", known)
            .size() == 3);
    CHECK(
        ids_from({" driver_missing , driver_missing"}, "--skip", "rule", known) ==
        std::set<std::string>{"driver_missing"});
    for (const std::string bad : {"", ",", "driver_missing,", " "})
        CHECK_THROWS_AS(ids_from({bad}, "--skip", "rule", known), UsageError);
}

TEST_CASE("nodes are created only where requested, and not without the driver's libraries") {
    CHECK_FALSE(doctor_options({}).survey.make_nodes);
    CHECK(doctor_options({"--make-nodes"}).survey.make_nodes);
    CHECK(doctor_options({"--make-nodes", "--no-run"}).survey.make_nodes);
    CHECK(contains(complaint_about({"--make-nodes", "--look-only"}), "cannot be used together"));
    CHECK(contains(complaint_about({"--make-nodes", "--facts", "x"}), "cannot be used together"));
}

TEST_CASE("a cause that only the tables given have can be selected") {
    const test::MatrixCopy copy;
    for (const char* file : {"log_causes.json", "log_evidence.json"})
        copy.replace(file, "\"cudnn_rnn_under_xla_jit\"", "\"a_cause_of_these_tables\"");
    const std::string cause = "a_cause_of_these_tables";
    for (const char* option : {"--only", "--skip", "--ignore", "--require"}) {
        INFO(option);
        CHECK(complaint_about({option, cause, "--matrix", copy.directory}) == "");
        CHECK(contains(complaint_about({option, cause}), "unknown rule"));
    }
}

TEST_CASE("options of doctor arrive where they belong") {
    const std::string rule = rule_names(Matrix::bundled()).front(), probe = probe_names().front();
    const DoctorOptions options = doctor_options(
        {"--skip",
         rule + "," + probe,
         "--deadline",
         "1.5",
         "--no-run",
         "--json",
         "--allow-no-gpu",
         "--output",
         "text=a=b",
         "--fail-on",
         "warning"});
    CHECK(options.selection.skip == std::set<std::string>{rule});
    CHECK(options.survey.skip == std::set<std::string>{probe});
    CHECK(options.examination.deadline == 1.5);
    CHECK(options.survey.deadline);
    CHECK((options.survey.query && !options.survey.run));
    CHECK(options.report.format->name == "json");
    CHECK(options.report.outputs.at(0).path == "a=b");
    CHECK(options.selection.allow_no_gpu);
    CHECK(options.report.fail_on == FailOn::warning);
    CHECK_FALSE(doctor_options({"--look-only"}).survey.run);
    CHECK_FALSE(doctor_options({"--look-only"}).survey.query);
    CHECK_FALSE(doctor_options({}).report.show_private);
}

TEST_CASE("what cannot be meant is rejected, with the option's name") {
    CHECK(contains(
        complaint_about({"--only", "driver_mising"}),
        "--only: unknown rule 'driver_mising'; did you mean 'driver_missing'?"));
    CHECK(contains(complaint_about({"--only", probe_names().front()}), "--only: unknown rule"));
    CHECK(contains(
        complaint_about({"--require", "driver_missing", "--skip", "driver_missing"}),
        "--skip or --only excludes driver_missing"));
    for (const std::string bad : {"0", "-1", "nan", "inf", "1e99", "5s", "x"}) {
        INFO(bad);
        CHECK(
            contains(complaint_about({"--deadline=" + bad}), "--deadline cannot be '" + bad + "'"));
    }
    CHECK(contains(complaint_about({"--fail-on", "all"}), "error, warning and never"));
    CHECK(contains(complaint_about({"--color", "blue"}), "auto, always and never"));
    CHECK(contains(complaint_about({"--format", "yaml"}), join_with_and(format_names())));
    CHECK(contains(complaint_about({"--output", "json"}), "json=report.json"));
    CHECK(contains(complaint_about({"--output", "json=-"}), "--format json"));
    CHECK(contains(complaint_about({"--output", "=x"}), "json=report.json"));
    CHECK(contains(complaint_about({"--output", "json=x", "--output", "html=x"}), "twice"));
    CHECK(contains(complaint_about({"--label", "a=1", "--label", "a=2"}), "given before"));
    CHECK(
        complaint_about({"--root", "/nonexistent"}) ==
        "--root cannot be '/nonexistent'; give a directory that exists");
    CHECK(contains(complaint_about({"--matrix", "/dev/null"}), "--matrix cannot be '/dev/null'"));
    CHECK(complaint_about({"--matrix", ""}) == "--matrix needs a value: give DIR");
    CHECK(contains(complaint_about({"--json", "--format", "text"}), "cannot be used together"));
    CHECK(contains(
        complaint_about({"--facts", "x", "--no-run"}), "with saved facts nothing is examined"));
}

TEST_CASE("the closest word is found, a strange one has none") {
    const std::vector<std::string> words = {"doctor", "explain", "list", "schema"};
    CHECK(closest_match("docter", words) == "doctor");
    CHECK(closest_match("odctor", words) == "doctor");
    CHECK(closest_match("lsit", words) == "list");
    CHECK(closest_match("expl", words) == "explain");
    CHECK_FALSE(closest_match("frobnicate", words));
    CHECK_FALSE(closest_match("", words));
    CHECK_FALSE(closest_match(std::string(1'000'000, 'd'), words));
}

TEST_CASE("JSON is requested by three spellings") {
    CHECK(wants_json({"doctor", "--json"}));
    CHECK(wants_json({"doctor", "--format", "json", "--bad"}));
    CHECK(wants_json({"doctor", "--format=json"}));
    CHECK_FALSE(wants_json({"doctor", "--format", "text"}));
    CHECK_FALSE(wants_json({"doctor", "--output", "json=x"}));
    CHECK_FALSE(wants_json({"doctor", "--format"}));
}

TEST_CASE("every rule and probe has a page") {
    for (const auto& rule : all_rules())
        CHECK(rule_page(rule.name).starts_with("# " + std::string(rule.name)));
    for (const auto& probe : all_probes())
        CHECK(page_named(probe_pages(), probe.name).starts_with("# " + std::string(probe.name)));
    CHECK(rule_page("no_such_rule").empty());
}
