// Facts about the recurrent network that somebody wants to run.
#pragma once

#include "facts/common.hpp"
#include "rnn/case.hpp"

namespace rnncheck {

struct Network {
    std::optional<Dtype> dtype;
    std::optional<bool> masked;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("dtype", self.dtype, "type of its data");
        visit("masked", self.masked, "whether its sequences are padded and masked, or of different lengths");
    }
};

}  // namespace rnncheck
