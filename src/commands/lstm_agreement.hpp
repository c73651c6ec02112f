// Whether runs agree with each other: with themselves, across GPUs of one kind, across algorithms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace rnncheck {

enum class Weight { note, warning, wrong, unknown };
RNNCHECK_ENUM_NAMES(Weight, "note", "warning", "wrong", "unknown")

/// One sentence about the cases as a whole. A warning is no failure: every number is within its limit all the same.
/// Only dropout, and what is not offered, can be wrong here.
struct Remark {
    /// "repeatability", "gpus", "algorithms", "offers", "dropout", "precision", "speed", "first_call"
    std::string about;
    Weight weight = Weight::note;
    std::string text;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("about", self.about, "what was compared");
        visit("weight", self.weight, "how much it matters");
        visit("text", self.text, "what was found");
    }
};

/// The one card of several on which cases are wrong, failed or refused, each of which another card computes right.
struct BadGpu {
    int gpu = 0, of = 0;  ///< of so many that were tried
    bool wrong = false;   ///< else it only fails

    std::string sentence() const;  ///< "only GPU 2 of 4 computes wrong numbers"
};

/// Nothing when there is only one card, or more than one is bad.
std::optional<BadGpu> only_bad_gpu(const Facts& facts);

/// The second run of a case against its first; GPUs of the same name and compute capability by the bits of their
/// outputs, where a card that differs from more than half of three or more is named; the one that alone is bad; kernels
/// ("algorithms") of one GPU in cases of one cell, type and direction by how much of what is allowed they use. Nothing
/// is said of what there is only one of.
std::vector<Remark> agreement_of(const Facts& facts);

}  // namespace rnncheck
