#include "support/windows_limits.hpp"

#include <cmath>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "facts/rnn_runs.hpp"

namespace rnncheck::probes {

/// The slowest GPUs of today: a GeForce GT 1030 has 1.1 TFLOP/s and 48 GB/s.
constexpr Peak slow{.fp32_per_second = 1e12, .fp64_per_second = 3e10, .bytes_per_second = 4e10};

/// TdrDelay where the registry has none:
/// https://learn.microsoft.com/en-us/windows-hardware/drivers/display/tdr-registry-keys
constexpr int usual_limit_s = 2;

static std::optional<std::chrono::seconds> limit_of(const Facts& facts) {
    if (!on_windows(facts))
        return std::nullopt;
    const WindowsHost windows = facts.host.windows.value_or(WindowsHost());
    if (windows.gpu_timeout == false)
        return std::nullopt;
    return std::chrono::seconds(windows.gpu_timeout_s.value_or(usual_limit_s));
}

/// What the driver does not report may be so.
static bool has_time_limit(const vendor::Opened<vendor::CudaApi>& cuda, int gpu) {
    int device = 0, value = 0;
    return !cuda.check(cuda.cuDeviceGet, &device, gpu).ok() ||
           !cuda.check(cuda.cuDeviceGetAttribute, &value, int{vendor::kernel_exec_timeout}, device)
                .ok() ||
           value != 0;
}

/// A GPU that is not known well is taken for a slow one: a case too many is
/// skipped rather than the display reset.
WindowsLimits::WindowsLimits(
    const Facts& facts, const vendor::Opened<vendor::CudaApi>& cuda, int gpu)
    : on_windows_(on_windows(facts)), kernel_limit_(limit_of(facts)) {
    const Gpu* const known = find_by(facts.cuda_devices, &Gpu::index, gpu);
    if (known)
        peak_ = peak_of(*known).value_or(slow);
    else
        peak_ = slow;
    if (kernel_limit_ && !has_time_limit(cuda, gpu))
        kernel_limit_.reset();
}

/// The model is that of an ideal GPU; ten times of it leaves room for a real one.
std::optional<CallResult> WindowsLimits::time_exceeded_by(const RnnCase& rnn_case) const {
    constexpr double tolerance = 10;
    if (!kernel_limit_)
        return std::nullopt;
    const double seconds = tolerance * model_ms(rnn_case, peak_) / 1000;
    if (seconds < static_cast<double>(kernel_limit_->count()))
        return std::nullopt;
    return CallResult{
        "rnncheck",
        -1,
        concat(
            "not run: it may take ",
            static_cast<long long>(std::ceil(seconds)),
            " s on this GPU, and Windows resets a GPU whose kernel runs for ",
            kernel_limit_->count(),
            " s (TdrDelay); run a smaller network")};
}

std::optional<CallResult> WindowsLimits::memory_exceeded_by(
    std::int64_t wanted, std::int64_t free) const {
    if (!on_windows_ || wanted <= free)
        return std::nullopt;
    return CallResult{
        "rnncheck",
        -1,
        "not run: at least " + mebibytes(wanted) + " are needed and " + mebibytes(free) +
            " are free, beyond which Windows uses host memory",
        wanted};
}

}  // namespace rnncheck::probes
