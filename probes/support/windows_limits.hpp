// What Windows does to a computation that takes too long or too much, where Linux lets
// it run or fails a call: it resets the GPU, and it moves GPU memory to the host.
#pragma once

#include <chrono>
#include <optional>

#include "facts/facts.hpp"
#include "rnn/speed.hpp"
#include "vendor/cuda_abi.hpp"

namespace rnncheck::probes {

/// The limits of one GPU; on another system there are none.
class WindowsLimits {
  public:
    /// Queries the driver whether the time limit applies to this GPU: it does
    /// not to one that has no display driver (TCC).
    WindowsLimits(const Facts& facts, const vendor::Opened<vendor::CudaApi>& cuda, int gpu);

    bool apply() const {
        return on_windows_;
    }

    /// Why the case is not to be run: ten times what it takes by the model of
    /// docs/speed.md is longer than a kernel may run. For a GPU whose clocks
    /// are unknown the model is that of a slow one.
    std::optional<CallResult> time_exceeded_by(const RnnCase& rnn_case) const;

    /// Why so much memory is not to be requested of so much that is free, in bytes.
    std::optional<CallResult> memory_exceeded_by(std::int64_t wanted, std::int64_t free) const;

  private:
    bool on_windows_;
    std::optional<std::chrono::seconds> kernel_limit_;
    Peak peak_{};
};

}  // namespace rnncheck::probes
