// A rule: a pure function of facts and matrix. May not touch files, the clock, the environment or
// processes. Shape of every check: not applicable? undecided? then judge. This header provides what
// nearly every rule needs: queries of the facts, text, words for findings, remedies; support/ has
// more (cases, boards, probes ...).
#pragma once

#include <algorithm>
#include <list>
#include <span>
#include <utility>

#include "base/directory_list.hpp"
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "matrix/matrix.hpp"
#include "report/finding.hpp"
#include "rules/support/remedies.hpp"
#include "rules/support/words.hpp"

namespace rnncheck {

/// What a rule does on a machine with Windows, whose files, names and commands are others. unknown:
/// it was written for Linux and is undecided there. never_applies: it is about what Windows does
/// not have.
RNNCHECK_ENUM(OnWindows, unknown, decides, never_applies)

/// What a rule's page lists, with the word after the slash in remedy("driver_init_failed/mps").
struct NamedRemedy : Remedy {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "empty where the page has one remedy without a name");
    RNNCHECK_FIELDS_END_AFTER(Remedy)
};

using Check = Verdict (*)(const Facts&, const Matrix&);

/// A function, and all else from docs/rules/<name>.md: the fields from the JSON at its head.
struct Rule {
    std::string title = {};    ///< one sentence that states the fault: the page's first
    Check function = nullptr;  ///< about a machine
    std::optional<stack::ConflictKind> conflict = {};  ///< of a stack, which it puts into words
    bool only_from_log = false;  ///< nothing but a log can witness it: a row of log_causes, no page
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(Layer, layer, "where it sits") = Layer::host;
    RNNCHECK_FIELD(
        Severity,
        max_severity,
        "no finding counts as more; if undecided, an error counts against the verdict") =
        Severity::error;
    RNNCHECK_FIELD(Stage, stage, "the last stage whose facts it judges") = Stage::look;
    RNNCHECK_FIELD(
        std::string,
        what_if_inputs,
        "the keys that `matrix check` needs for an answer; empty when only the machine "
        "itself can answer") = {};
    RNNCHECK_FIELD(bool, judges_log, "the function looks at the log's facts itself") = false;
    RNNCHECK_FIELD(OnWindows, on_windows, "what it does on an examined machine with Windows") =
        OnWindows::unknown;
    RNNCHECK_FIELD(
        bool,
        expected_without_gpu,
        "what it finds is expected on a machine without a GPU (--allow-no-gpu)") = false;
    RNNCHECK_FIELD(
        bool,
        repaired_by_versions,
        "versions do not fit: judge() adds repairs that the tables confirm") = false;
    RNNCHECK_FIELD(
        std::vector<std::string>,
        superseded_by,
        "rules that know the cause more exactly: a finding is left out where theirs "
        "explain all its symptoms") = {};
    RNNCHECK_FIELD(
        std::string,
        superseded_like,
        "a rule to which it yields, and to all that that one yields to") = {};
    RNNCHECK_FIELD(std::vector<NamedRemedy>, remedies, "what the function names by remedy()") = {};
    RNNCHECK_FIELDS_END

    /// About the machine; of the document of `matrix check` about its stack.
    Verdict check(const Facts& facts, const Matrix& matrix) const;
};

/// The function of each page that has a head; the build lists them.
using NamedCheck = std::pair<std::string_view, Check>;
std::span<const NamedCheck> checks_of_rules();

/// Those with their pages' heads, by name.
std::span<const Named<Rule>> rules_of_the_directory();

/// Those, and every cause of the matrix's table log_causes that is none of them, by name.
class RuleList {
  public:
    explicit RuleList(const Matrix& matrix);
    std::span<const Named<Rule>> all() const {
        return all_;
    }

  private:
    Matrix matrix_;  ///< whose texts the rules name
    std::list<Rule> log_causes_;
    std::vector<Named<Rule>> all_;
};

/// Those of the bundled tables.
std::span<const Named<Rule>> all_rules();

/// The page docs/rules/<name>.md of a rule without its head, or the same made from its row of
/// log_causes.
std::string_view rule_page(std::string_view name);

}  // namespace rnncheck
