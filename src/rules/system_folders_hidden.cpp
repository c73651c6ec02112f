// What the kernel shows of a driver is in /proc, /sys and /dev, and this process does not see them.
#include "rules/rule.hpp"

namespace rnncheck::rules::system_folders_hidden {

static Finding hidden(const Facts& facts) {
    return {
        .subject = join_with_and(facts.host.hidden_directories),
        .message = join_with_and(facts.host.hidden_directories) +
                   (facts.host.hidden_directories.size() == 1 ? " is" : " are") +
                   " empty or not readable for this process, so the driver's files there could not be examined",
        .evidence = {{"directories that appear empty", join_with_and(facts.host.hidden_directories),
                      "host.hidden_directories"}},
        .remedies = {{.action = Action::change_environment,
                      .text = "Run rnncheck outside the sandbox or chroot, or make these directories available in it",
                      .commands = {"ls -d /proc/1 /sys/module /dev/null"},
                      .link = "https://man7.org/linux/man-pages/man5/proc.5.html"}}};
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    const bool kernel_hidden =
        is_hidden(facts, "/proc") && is_hidden(facts, "/sys") && !facts.driver.module_loaded.value_or(false);
    const bool nodes_hidden = is_hidden(facts, "/dev") && facts.driver.device_nodes.empty();
    if (kernel_hidden || nodes_hidden) return fault(hidden(facts));
    if (!probe_completed(facts, "host_system")) return undecided("examining the system did not finish");
    return pass("/proc or /sys, and /dev, are readable");
}

extern const Rule rule{.title = "System directories are hidden from this process",
                       .layer = Layer::host,
                       .max_severity = Severity::warning,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::system_folders_hidden
