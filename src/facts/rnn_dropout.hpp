// What dropout between two layers did, on one GPU with one copy of cuDNN.
#pragma once

#include "facts/common.hpp"
#include "rnn/case.hpp"

namespace rnncheck {

struct RnnDropout {
    std::string library;
    int gpu = 0;
    Dialect dialect = Dialect::v8;
    double probability = 0;
    std::optional<std::int64_t> elements;
    std::optional<std::int64_t> kept;
    std::optional<double> scale_error;
    std::optional<bool> repeats;
    std::optional<bool> moves_on;
    std::optional<CallResult> result;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("library", self.library, "path of the libcudnn");
        visit("gpu", self.gpu, "CUDA's ordinal");
        visit("dialect", self.dialect, "RNN interface used");
        visit("probability", self.probability, "of an element to be dropped, as asked");
        visit("elements", self.elements, "elements that passed from one layer to the next");
        visit("kept", self.kept, "those that were not zero after it");
        visit("scale_error", self.scale_error, "largest relative error of a kept one against 1 / (1 - probability)");
        visit("repeats", self.repeats, "whether the same seed gave the same mask again");
        visit("moves_on", self.moves_on, "whether the next call drew another mask");
        visit("result", self.result, "the first call that failed");
    }
};

}  // namespace rnncheck
