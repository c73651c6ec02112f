#include "judge/repairs.hpp"

#include <algorithm>
#include <ranges>

#include "judge/faults.hpp"
#include "rules/support/repairs.hpp"

namespace rnncheck {

namespace {

/// A proposal with what is at fault once it is carried out.
struct TriedRepair {
    Remedy remedy;
    Faults after;

    std::ptrdiff_t errors_left() const {
        return std::ranges::count(std::views::values(after), Severity::error);
    }
    /// Of the fault itself: 1 if a lesser one of its kind remains.
    std::ptrdiff_t left_of(const FaultKind& kind) const {
        return after.contains(kind);
    }

    /// The fault is gone, and nothing that was none is an error.
    bool holds_for(const FaultKind& kind, const Faults& before) const {
        if (const Severity* still = look_up(after, kind); still && *still <= before.at(kind))
            return false;
        return std::ranges::all_of(after, [&](const auto& fault) {
            const Severity* known = look_up(before, fault.first);
            return fault.second != Severity::error || (known && *known == Severity::error);
        });
    }
};

/// It changes Python packages alone.
bool leaves_system(const Remedy& remedy) {
    const auto is_of_system = [](const GivenValue& change) {
        return change.key == "cuda" || change.key == "cudnn" || change.key == "driver" ||
               change.key == "image";
    };
    return remedy.risk == Risk::safe && std::ranges::none_of(remedy.changes, is_of_system);
}

/// Where every repair changes the system, the commands of the rule that do not are shown, too.
void keep_way_without_system(const std::vector<Remedy>& own, std::vector<Remedy>& held) {
    if (held.empty() || std::ranges::any_of(held, leaves_system))
        return;
    for (const Remedy& one : own)
        if (leaves_system(one) && !one.commands.empty())
            held.push_back(one);
}

/// Those that hold for this kind of fault, leave the fewest errors, and if possible nothing of it:
/// a new driver for a build that has no code for the GPU would be of no use.
std::vector<Remedy> useful_repairs(
    const std::vector<TriedRepair>& tried, const FaultKind& kind, const Faults& before) {
    constexpr std::size_t most_shown = 2;
    std::vector<TriedRepair> held = tried;
    std::erase_if(held, [&](const TriedRepair& repair) { return !repair.holds_for(kind, before); });
    const auto rank = [&](const TriedRepair& repair) {
        return std::pair(repair.errors_left(), repair.left_of(kind));
    };
    std::ranges::stable_sort(held, {}, rank);
    std::vector<Remedy> useful;
    for (const TriedRepair& repair : held) {
        if (rank(repair) != rank(held.front()))
            continue;
        // Beside what changes the system, a way for who may not.
        const bool is_first =
            leaves_system(repair.remedy) && std::ranges::none_of(useful, leaves_system);
        if (useful.size() < most_shown || is_first)
            useful.push_back(repair.remedy);
    }
    return useful;
}

}  // namespace

void add_repairs(
    std::span<const Named<Rule>> rules,
    std::vector<Verdict>& verdicts,
    const stack::Stack& stack,
    const Facts& facts,
    const Matrix& matrix) {
    std::vector<std::pair<const Named<Rule>*, Finding*>> faults;
    for (std::size_t i = 0; i < rules.size(); ++i)
        for (Finding& finding : verdicts[i].findings)
            if (rules[i]->repaired_by_versions)
                faults.emplace_back(&rules[i], &finding);
    if (faults.empty())
        return;
    const auto before = severities_by_kind(stack, matrix);
    const auto tried =
        mapped(rules::proposed_repairs(stack, facts, matrix), [&](const Remedy& remedy) {
            return TriedRepair{
                remedy,
                severities_by_kind(stack::with_changes(stack, remedy.changes, matrix), matrix)};
        });
    for (const auto& [rule, finding] : faults) {
        const FaultKind kind = kind_of(*finding);
        // What is only a note, such as an old GPU that nothing uses, needs no other versions.
        const bool repairable = finding->severity != Severity::note && before.contains(kind);
        std::vector<Remedy> held;
        if (repairable)
            held = useful_repairs(tried, kind, before);
        if (held.empty() && finding->remedies.empty())
            held = {rules::without_repair(stack, matrix)};
        keep_way_without_system(finding->remedies, held);
        if (!held.empty())
            finding->remedies = std::move(held);
        complete(*rule, *finding);
        rules::append_plan_command(facts, *finding);
    }
}

}  // namespace rnncheck
