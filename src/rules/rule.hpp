// A rule: a pure function of facts and matrix. May not touch files, the clock, the environment or processes.
// Shape of every check: not applicable? undecided? then judge. This header brings what nearly every rule needs:
// questions to the facts, text, words for findings, remedies; support/ has more (cases, boards, probes ...).
#pragma once

#include <algorithm>
#include <list>
#include <span>

#include "base/directory_list.hpp"
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "matrix/matrix.hpp"
#include "report/finding.hpp"
#include "rules/support/remedies.hpp"
#include "rules/support/words.hpp"

namespace rnncheck {

struct Rule {
    std::string_view title;  ///< one sentence that states the fault
    Layer layer;
    /// No finding counts as more; an undecided rule counts against the verdict when this is `error`.
    Severity max_severity = Severity::error;
    Stage stage;  ///< the last stage whose facts it judges
    Verdict (*check)(const Facts&, const Matrix&);
    /// What a person must tell for an answer without a machine (`matrix check`), in the words of its keys; empty when
    /// only the machine itself can answer.
    std::string_view what_if_inputs = "";
    bool judges_log = false;            ///< `check` looks at the log's facts itself
    bool only_from_log = false;         ///< nothing but a log can witness it: a row of log_causes, no file
    bool says_no_gpu = false;           ///< what it finds is expected on a machine without a GPU (--allow-no-gpu)
    bool repaired_by_versions = false;  ///< versions do not fit: judge() adds repairs that the tables confirm
    /// Rules that say more exactly what is wrong. A finding is left out where theirs explain all of its symptoms.
    std::vector<std::string_view> yields_to = {};
};

/// Every file of src/rules/, by name.
std::span<const Named<Rule>> rules_of_the_directory();

/// Every file of src/rules/ and every cause of the matrix's table log_causes that has none, by name.
class RuleList {
  public:
    explicit RuleList(const Matrix& matrix);
    std::span<const Named<Rule>> all() const { return all_; }

  private:
    Matrix matrix_;  ///< whose texts the rules name
    std::list<Rule> log_causes_;
    std::vector<Named<Rule>> all_;
};

/// Those of the bundled tables.
std::span<const Named<Rule>> all_rules();

/// The page docs/rules/<name>.md of a rule, or the same made from its row of log_causes.
std::string_view rule_page(std::string_view name);

}  // namespace rnncheck
