#include "rules/support/windows.hpp"

#include "rules/causes/log_causes.hpp"

namespace rnncheck::rules {

namespace {

/// A disk or specified versions have no runs of probes.
bool was_examined_on_windows(const Facts& facts) {
    return on_windows(facts) && !facts.probe_runs.empty();
}

/// PowerShell has none of the shell's programs; these are all that pages name.
bool exists_on_windows(const std::string& command) {
    constexpr std::string_view programs[] = {
        "nvidia-smi",
        "rnncheck",
        "python",
        "pip",
        "py ",
        "conda",
        "winget",
        "$env:",
        "& ",
        "Move-Item",
        "Remove-Item"};
    return !contains(command, "|") && std::ranges::any_of(programs, [&](std::string_view name) {
        return command.starts_with(name);
    });
}

/// Translates what has a counterpart and drops the rest.
void keep_commands(std::vector<std::string>& commands) {
    constexpr std::string_view sudo = "sudo ", unset = "unset ";
    for (std::string& command : commands) {
        if (command.starts_with(sudo))
            command.erase(0, sudo.size());
        if (command.starts_with(unset))
            command.replace(0, unset.size(), "Remove-Item Env:");
    }
    std::erase_if(commands, [](const std::string& command) { return !exists_on_windows(command); });
}

/// Whether anything is left of what it consists of.
bool keep_what_exists(Remedy& remedy) {
    const bool is_only_text = remedy.commands.empty() && remedy.checks.empty();
    keep_commands(remedy.commands);
    keep_commands(remedy.checks);
    if (!exists_on_windows(remedy.verify))
        remedy.verify.clear();
    // Where the driver's messages are on Windows: https://docs.nvidia.com/deploy/xid-errors/
    replace_all(remedy.text, "the kernel log", "the System log of the Event Viewer");
    replace_all(remedy.text, "NVRM messages", "messages of nvlddmkm");
    replace_all(
        remedy.link,
        "cudnn/installation/latest/linux.html",
        "cudnn/installation/latest/windows.html");
    replace_all(
        remedy.link, "cuda-installation-guide-linux", "cuda-installation-guide-microsoft-windows");
    return is_only_text || !remedy.commands.empty() || !remedy.checks.empty();
}

}  // namespace

std::optional<Verdict> instead_on_windows(const Rule& rule, const Facts& facts) {
    if (!was_examined_on_windows(facts) || rule.judges_log || rule.on_windows == OnWindows::decides)
        return std::nullopt;
    if (rule.on_windows == OnWindows::never_applies)
        return not_applicable("Windows has nothing of the kind");
    return undecided("rnncheck cannot decide this on Windows yet");
}

void fit_to_windows(const Facts& facts, Verdict& verdict) {
    if (!was_examined_on_windows(facts))
        return;
    for (Finding& finding : verdict.findings) {
        std::vector<Remedy> kept;
        for (Remedy& remedy : finding.remedies)
            if (keep_what_exists(remedy))
                kept.push_back(remedy);
        if (!kept.empty())
            finding.remedies = std::move(kept);
    }
}

void fit_to_windows(const stack::Stack& stack, Verdict& verdict) {
    if (!stack.os || *stack.os != "windows")
        return;
    for (Finding& finding : verdict.findings)
        for (Remedy& remedy : finding.remedies) {
            std::erase_if(remedy.commands, is_for_unix);
            std::erase_if(remedy.checks, is_for_unix);
        }
}

}  // namespace rnncheck::rules
