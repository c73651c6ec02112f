// One cuDNN made ready to run recurrent networks on one GPU.
#pragma once

#include "support/gpu_session.hpp"
#include "support/rnn_target.hpp"
#include "vendor/lstm.hpp"

namespace rnncheck::probes {

struct RnnSession {
    std::unique_ptr<GpuSession> gpu;
    vendor::CudnnApi cudnn;
    std::optional<vendor::Session> session;  ///< set unless `failure` is
    std::optional<CallResult> failure;       ///< the first call that failed, opening included
};

/// On the heap, because the session points to what is beside it.
std::unique_ptr<RnnSession> open_rnn(const Job& job, ProbeWriter& writer, const RnnTarget& target);

}  // namespace rnncheck::probes
