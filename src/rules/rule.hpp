// A rule: a pure function of facts and matrix. May not touch files, the clock, the environment or processes.
// Shape of every check: not applicable? undecided? then judge. This header brings what nearly every rule needs:
// questions to the facts, text, words for findings, remedies; support/ has more (cases, boards, probes ...).
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

/// What a rule's page lists under a name, "" where it lists one alone.
struct NamedRemedy : Remedy {
    std::string name = {};

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "");
        Remedy::fields(self, visit);
    }
};

using Check = Verdict (*)(const Facts&, const Matrix&);

/// A function, and all else from the JSON at the head of docs/rules/<name>.md.
struct Rule {
    std::string title = {};  ///< one sentence that states the fault: the page's first
    Layer layer = Layer::host;
    /// No finding counts as more; an undecided rule counts against the verdict when this is `error`.
    Severity max_severity = Severity::error;
    Stage stage = Stage::look;  ///< the last stage whose facts it judges
    Check check = nullptr;
    /// What a person must tell for an answer without a machine (`matrix check`), in the words of its keys; empty when
    /// only the machine itself can answer.
    std::string what_if_inputs = {};
    bool judges_log = false;            ///< `check` looks at the log's facts itself
    bool only_from_log = false;         ///< nothing but a log can witness it: a row of log_causes, no file
    bool says_no_gpu = false;           ///< what it finds is expected on a machine without a GPU (--allow-no-gpu)
    bool repaired_by_versions = false;  ///< versions do not fit: judge() adds repairs that the tables confirm
    /// Rules that say more exactly what is wrong. A finding is left out where theirs explain all of its symptoms.
    std::vector<std::string> yields_to = {};
    std::string yields_as = {};  ///< a rule to which it yields, and to all that that one yields to
    std::vector<NamedRemedy> remedies = {};

    static void fields(auto& self, auto&& visit) {
        visit("layer", self.layer, "");
        visit("max_severity", self.max_severity, "");
        visit("stage", self.stage, "");
        visit("what_if_inputs", self.what_if_inputs, "");
        visit("judges_log", self.judges_log, "");
        visit("says_no_gpu", self.says_no_gpu, "");
        visit("repaired_by_versions", self.repaired_by_versions, "");
        visit("yields_to", self.yields_to, "");
        visit("yields_as", self.yields_as, "");
        visit("remedies", self.remedies, "");
    }
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
    std::span<const Named<Rule>> all() const { return all_; }

  private:
    Matrix matrix_;  ///< whose texts the rules name
    std::list<Rule> log_causes_;
    std::vector<Named<Rule>> all_;
};

/// Those of the bundled tables.
std::span<const Named<Rule>> all_rules();

/// The page docs/rules/<name>.md of a rule without its head, or the same made from its row of log_causes.
std::string_view rule_page(std::string_view name);

}  // namespace rnncheck
