// Checks whether rnncheck can do its work here: in this sandbox, container, account, and as this
// build. Takes some two seconds, most of them waiting for a planted hang; needs no GPU.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/if_any.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "commands/survey_here.hpp"
#include "facts/queries.hpp"
#include "process/apart.hpp"
#include "process/claims.hpp"
#include "process/survey.hpp"
#include "process/this_process.hpp"
#include "rnn/frozen.hpp"

namespace rnncheck::commands::selftest {

namespace {

using enum SelftestOutcome;

/// A planted ending of a child, and what a report would lack if it were not seen.
struct Planted {
    const char* name;
    const char* target;  ///< of the probe selftest_child
    ProbeEnd end;
    const char* seen;
    const char* follows;
};

constexpr Planted planted[] = {
    {"processes",
     "answer",
     ProbeEnd::finished,
     "a child process was started, responded and exited",
     "no probe can run, so a report contains nothing about libraries and GPUs"},
    {"crash",
     "crash",
     ProbeEnd::crashed,
     "the planted crash of a child is reported, with its signal and call",
     "the crash of a library cannot be distinguished from other endings"},
    {"exit",
     "exit",
     ProbeEnd::quit_early,
     "a child that exited before it responded is reported, with its exit code",
     "a library that ends its process cannot be distinguished from one that works"},
    {"hang",
     "hang",
     ProbeEnd::timed_out,
     "a child that hung was ended after its limit, and reported",
     "a hang cannot be distinguished from a slow call"},
};

ProbeRun child(const std::string& target, const std::optional<double>& seconds = std::nullopt) {
    SurveyOptions options;
    using Clock = std::chrono::steady_clock;
    if (seconds)
        options.deadline =
            Clock::now() + std::chrono::milliseconds(static_cast<int>(*seconds * 1000));
    return run_probe("selftest_child", target, {}, options).probe_runs.back();
}

std::string in_words(const ProbeRun& run) {
    std::string words = "the child's end was '" + std::string(name_of(run.end)) + "'";
    if (run.signal)
        words += " with " + *run.signal;
    if (run.exit_code)
        words += " with exit code " + std::to_string(*run.exit_code);
    return words + if_any(": ", run.reason);
}

bool is_reported(const Planted& expected, const ProbeRun& run) {
    // Under a limit of this process, an end may be blamed on it; signal and exit code are reported
    // all the same.
    if (run.end != expected.end && run.end != ProbeEnd::limited)
        return false;
    if (expected.end == ProbeEnd::crashed &&
        !run.signal.value_or("").starts_with(process::crash_by_bad_memory))
        return false;
    if (expected.end == ProbeEnd::quit_early && run.exit_code != 3)
        return false;
    return run.end == ProbeEnd::finished ||
           run.last_call == "planted_" + std::string(expected.target);
}

SelftestCheck checked(
    std::string name,
    bool is_right,
    const std::string& seen,
    const std::string& otherwise,
    SelftestOutcome outcome_otherwise = failed) {
    if (is_right)
        return {std::move(name), passed, seen};
    return {std::move(name), outcome_otherwise, otherwise};
}

SelftestCheck check_of(const Planted& expected) {
    const ProbeRun run = child(expected.target);
    return checked(
        expected.name,
        is_reported(expected, run),
        expected.seen,
        std::string(expected.follows) + "; " + in_words(run));
}

/// A hang that is planted must be cut off at the deadline, not at the time limit of a child.
SelftestCheck check_deadline() {
    const ProbeRun run = child("hang", 0.2);
    return checked(
        "deadline",
        run.end == ProbeEnd::cut_off,
        "a run ends when its --deadline has passed",
        "--deadline does not end a run in time; " + in_words(run));
}

/// All reported numbers are compared with this reference, so it is itself compared with PyTorch's.
SelftestCheck check_reference() {
    const double difference = largest_frozen_difference();
    const std::string seen = "the fp64 reference and " + std::to_string(frozen_cases().size()) +
                             " networks that PyTorch computed differ by " +
                             short_number(difference);
    return checked(
        "reference",
        difference <= frozen_limit,
        seen,
        seen + ", so reported results of recurrent networks may be incorrect");
}

/// Of this build: a table may have been edited by hand before.
SelftestCheck check_tables() {
    const Tables tables(bundled_table_files());
    const auto issues = issues_in(tables);
    const std::string rows = pluralized(rows_written(tables), "row", "rows");
    return checked(
        "tables",
        issues.empty(),
        rows + " of the compatibility tables are valid",
        "verdicts on versions may be incorrect: " + pluralized(issues.size(), "issue", "issues") +
            " in " + rows + "; see 'rnncheck matrix verify'");
}

/// Writes a file and removes it; why that failed, or nothing.
std::string try_temporary_file() {
    std::string path = process::temporary_directory() + "/rnncheck-selftest-XXXXXX";
    const int file = mkstemp(path.data());
    if (file < 0)
        return std::strerror(errno);
    int error = 0;
    if (write(file, path.data(), path.size()) < 0)
        error = errno;
    close(file);
    if (unlink(path.c_str()) < 0 && error == 0)
        error = errno;
    if (error == 0)
        return "";
    return std::strerror(error);
}

SelftestCheck check_temporary_files() {
    std::string why;
    try {
        why = process::apart(try_temporary_file);
    } catch (const process::NoResponse&) {
        why = "its file system does not respond";
    }
    return checked(
        "temporary files",
        why.empty(),
        "a file can be created in " + process::temporary_directory(),
        without_temporary_files(why),
        restricted);
}

/// What the doctor's own probe sees of /proc, /sys and /dev.
std::vector<SelftestCheck> check_directories() {
    const Facts collected = run_probe("host_system", "", {}, {});
    const ProbeRun& run = collected.probe_runs.back();
    std::vector<SelftestCheck> checks;
    for (const std::string& directory : process::directories_of_kernel()) {
        const bool is_seen = run.completed() && !is_hidden(collected, directory);
        if (run.completed())
            checks.push_back(
                checked(directory, is_seen, "readable", without_directory(directory), restricted));
        else
            checks.push_back(checked(directory, false, "", "unknown; " + in_words(run)));
    }
    return checks;
}

/// A claim about the system on which a probe relies; one that cannot be checked here is a
/// restriction.
SelftestCheck check_of_claim(const process::Claim& claim) {
    if (!claim.holds)
        return {claim.name, restricted, claim.words};
    return checked(claim.name, *claim.holds, claim.words, "this is not so here: " + claim.words);
}

/// In a fixed order.
std::vector<SelftestCheck> all_checks() {
    std::vector<SelftestCheck> checks = mapped(planted, check_of);
    checks.insert(
        checks.end(),
        {check_deadline(), check_reference(), check_tables(), check_temporary_files()});
    append(checks, check_directories());
    append(checks, mapped(process::claims_about_system(), check_of_claim));
    return checks;
}

int run(const ReportOptions& options) {
    const std::vector<SelftestCheck> checks = all_checks();
    const SelftestDocument document{
        {}, std::ranges::max(checks, {}, &SelftestCheck::outcome).outcome, checks};
    print_document(written(document, options));
    // A restriction, such as a sandbox, is no fault of this program.
    if (document.verdict == failed)
        return problem;
    return healthy;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<ReportOptions>();
    add_json_option(app, *options);
    add_style_options(app, *options);
    return [options] { return run(*options); };
}

}  // namespace

extern const Command command{declare};

}  // namespace rnncheck::commands::selftest
