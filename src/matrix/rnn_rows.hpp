// What cuDNN versions support of recurrent networks, and their defects.
#pragma once

#include "matrix/row.hpp"

namespace rnncheck {

/// A documented defect of recurrent networks in a set of cuDNN versions, from `first` until it was
/// fixed. It comes from NVIDIA's release notes, or from a framework that works around it.
struct RnnDefect : Row {
    std::string id;  ///< the table's own word for it
    std::string
        cause;  ///< the rule that reports it: cudnn_masked_rnn_bug, cudnn_varlen_rnn_bug, cudnn_bug
    Version first;                 ///< first affected cuDNN version
    std::optional<Version> fixed;  ///< first version without it; unset: none known
    std::optional<Version> capability_min;
    std::optional<Version> capability_max;
    std::string os;          ///< "", "linux", "windows"
    std::string symptom;     ///< one clause, lower case, no full stop
    std::string workaround;  ///< one sentence, no full stop

    auto key() const {
        return std::tie(first, id);
    }
    static constexpr RangeColumns ranges[] = {
        {"cudnn", "first", "fixed", RangeColumns::all_later, true},
        {"capability", "capability_min", "capability_max"}};
    RNNCHECK_COLUMNS(
        id, cause, first, fixed, capability_min, capability_max, os, symptom, workaround)
    static constexpr std::string_view may_be_missing[] = {"os"};
};

/// A kind of case that a cuDNN version must support on every GPU that one of its builds names, from
/// `capability_min` on: answering "not supported" to it is a fault.
struct RnnRequiredSupport : Row {
    Version first;                ///< first cuDNN version
    std::optional<Version> last;  ///< last one; unset: still
    std::string dtype;            ///< names of RnnCase's enumerations
    std::string algorithm;
    Version capability_min;

    auto key() const {
        return std::tie(dtype, algorithm, first);
    }
    Series series() const {
        return {dtype + " " + algorithm, first, last};
    }
    static constexpr RangeColumns ranges[] = {{"cudnn", "first", "last"}};
    RNNCHECK_COLUMNS(dtype, algorithm, first, last, capability_min)
};

/// A rule about a feature of recurrent networks, for a range of versions.
struct RnnLimit : Row {
    std::string feature;  ///< the table's own word: "bf16", "persist_static", "zero_lengths"
    Version first;        ///< first cuDNN version for which the rule holds
    std::optional<Version> last;  ///< last one; unset: still
    std::optional<Version> capability_min;
    std::optional<Version> capability_max;
    std::string rule;  ///< one clause, no full stop

    auto key() const {
        return std::tie(feature, first);
    }
    static constexpr RangeColumns ranges[] = {
        {"cudnn", "first", "last"}, {"capability", "capability_min", "capability_max"}};
    RNNCHECK_COLUMNS(feature, first, last, capability_min, capability_max, rule)
};

}  // namespace rnncheck
