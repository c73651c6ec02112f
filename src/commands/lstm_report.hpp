// What `rnncheck lstm` says of the cases it ran.
#pragma once

#include <string>

#include "commands/lstm_from_log.hpp"
#include "commands/lstm_shrink.hpp"
#include "commands/lstm_verdict.hpp"
#include "facts/facts.hpp"

namespace rnncheck {

/// The verdict, the grid, and every case that is not right; with `verbose`, or when there are few, the numbers of all.
std::string lstm_text(const Facts& facts, bool color, bool verbose);

/// The smallest case that still fails, and the command that runs it.
std::string smallest_text(const Facts& facts, const Smallest& smallest);

/// What the document holds beside the cases. `machine` says what --resume has to find again.
struct LstmBesides {
    std::string machine;
    std::optional<Smallest> smallest;
    bool begun = true;  ///< false: no GPU was looked for yet
    std::optional<LogExperiment> from_log = {};
};

/// One JSON object with every case; docs/formats.md describes it.
std::string lstm_json(const Facts& facts, const LstmBesides& besides = {});

}  // namespace rnncheck
