// The recurrent-network cases sorted by cuDNN installation, RNN API and GPU, and what they are
// called.
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace rnncheck {

/// All cases of one cuDNN installation and one RNN API on the GPUs that have the same results.
struct Sweep {
    std::string library;
    RnnApi rnn_api = RnnApi::v8;
    std::vector<int> gpus;
    std::vector<const RnnRun*> runs;  ///< of the first of these GPUs
};

/// In the order of their first case. GPUs share a sweep only where every case passed or is not
/// supported on each.
std::vector<Sweep> sweeps_of(const Facts& facts);

/// "GPU 0", "GPUs 0-3 and 5".
std::string gpus_in_words(const std::vector<int>& gpus);

/// "cuDNN 9.1.0" of the installation; without its version where it is not known.
std::string cudnn_in_words(const Facts& facts, std::string_view library);

/// "LSTM", "GRU", "tanh", "ReLU".
std::string network_name(Cell cell);

/// "LSTM fp32 fma standard", "GRU training fp16 tensor_op standard".
std::string kind_of(const RnnCase& rnn_case);

/// What describe() has beside that: "I=7 H=5 B=3 T=4 L=1 bidirectional".
std::string shape_of(RnnCase rnn_case);

/// How a case that ended so is shown.
struct RunEndLook {
    std::string_view word;  ///< "ok", "WRONG", "not supported", "rejected"
    int weight;             ///< how much it matters
    char letter;            ///< in a picture, with its colours
    const char *fill, *ink;

    bool is_bad() const {
        return weight > 2;
    }
};
const RunEndLook& look_of(RunEnd end);

using Cases = std::vector<const RnnRun*>;

/// The end that matters most.
RunEnd worst_of(const Cases& cases);

/// An SVG document: a grid for each sweep, with kinds of case as rows and shapes as numbered
/// columns. A square has a colour and a letter, so that it can be read without colours; what it
/// means is its tooltip. All text is escaped.
std::string sweeps_svg(const Facts& facts, const std::string& title);

/// That, and the error of each test against its limit, and its time against the model; none where
/// nothing was run.
std::vector<std::string> sweep_pictures(const Facts& facts);

}  // namespace rnncheck
