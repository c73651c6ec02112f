// How large a recurrent network fits into the free memory of one GPU, for one copy of cuDNN.
#pragma once

#include "facts/rnn_request.hpp"

namespace rnncheck {

/// One answer of the probe: a calculation, or the trial of one size.
struct RnnFit {
    std::string library;
    int gpu = 0;
    Dialect dialect = Dialect::v8;
    FitSize of = FitSize::batch;
    RnnCase rnn_case;
    std::optional<std::int64_t> free_bytes;
    std::optional<std::int64_t> total_bytes;
    std::optional<int> size;
    std::optional<bool> bounded;
    std::optional<std::int64_t> weight_bytes;
    std::optional<std::int64_t> workspace_bytes;
    std::optional<std::int64_t> reserve_bytes;
    std::optional<std::int64_t> data_bytes;
    std::optional<bool> ran;
    std::optional<CallResult> result;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("library", self.library, "path of the libcudnn");
        visit("gpu", self.gpu, "CUDA's ordinal");
        visit("dialect", self.dialect, "RNN interface used");
        visit("of", self.of, "which size was varied");
        visit("case", self.rnn_case, "the network, with that size");
        visit("free_bytes", self.free_bytes, "free GPU memory, after cuDNN was set up");
        visit("total_bytes", self.total_bytes, "all GPU memory");
        visit("size", self.size, "the largest size that fits by calculation, 0 for none; or the size tried");
        visit("bounded", self.bounded, "whether cuDNN takes no larger size, so that memory is not what bounds it");
        visit("weight_bytes", self.weight_bytes, "weight space, for training twice: gradients too");
        visit("workspace_bytes", self.workspace_bytes, "work space");
        visit("reserve_bytes", self.reserve_bytes, "reserve space, for training");
        visit("data_bytes", self.data_bytes, "inputs, outputs and, for training, their gradients");
        visit("ran", self.ran, "whether a trial ran to its end");
        visit("result", self.result, "the first call that failed");
    }
};

}  // namespace rnncheck
