// Whether runs agree with each other: with themselves, across GPUs of one kind, across algorithms.
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace rnncheck {

enum class Weight { note, warning, wrong, unknown };
RNNCHECK_ENUM_NAMES(Weight, "note", "warning", "wrong", "unknown")

/// One sentence about the cases as a whole. A warning is no failure: every number is within its limit all the same.
/// Only dropout can be wrong here.
struct Remark {
    std::string about;  ///< "repeatability", "gpus", "algorithms", "dropout", "precision", "speed", "first_call"
    Weight weight = Weight::note;
    std::string text;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("about", self.about, "what was compared");
        visit("weight", self.weight, "how much it matters");
        visit("text", self.text, "what was found");
    }
};

/// The second run of a case against its first; GPUs of the same name and compute capability by the bits of their
/// outputs, where a card that differs from more than half of three or more is named; kernels ("algorithms") by how much
/// of what is allowed they use. Nothing is said of what there is only one of.
std::vector<Remark> agreement_of(const Facts& facts);

}  // namespace rnncheck
