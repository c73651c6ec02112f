// What decides whether a framework computes a layer with cuDNN.
#pragma once

#include "matrix/row.hpp"

namespace rnncheck {

/// What a property of a recurrent layer must be for a framework to compute it with cuDNN, for a
/// range of versions.
struct ModelRule : Row {
    std::string framework;  ///< words: "keras keras/torch"; keras is that on TensorFlow
    std::string kinds;      ///< words of LayerKind
    std::string setting;    ///< property of the layer, as its framework names it; "": none decides,
                            ///< see verdict
    std::string needed;     ///< words, one of which it must be; "absent": the file may not hold it
    Version first;          ///< of the framework; of ONNX, ONNX Runtime's
    std::optional<Version> last;  ///< unset: still
    std::string verdict;          ///< where it is another: no, cpu_only, depends, unknown
    std::string rule;             ///< one clause, no full stop; {value}: what the layer has
    std::string change;           ///< what would change it; {class}: the layer's class
    bool change_is_code = false;  ///< of the framework, or a command: to be typed as it is

    auto key() const {
        return std::tie(framework, kinds, setting, first);
    }
    Series series() const {
        return {framework + " " + kinds + " " + setting, first, last};
    }
    static constexpr RangeColumns ranges[] = {{"version", "first", "last"}};
    RNNCHECK_COLUMNS(
        framework, kinds, setting, needed, first, last, verdict, rule, change, change_is_code)
    static constexpr std::string_view may_be_missing[] = {
        "setting", "needed", "change", "change_is_code"};
};

}  // namespace rnncheck
