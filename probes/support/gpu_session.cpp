#include "support/gpu_session.hpp"

#include <charconv>

namespace rnncheck::probes {

namespace {

constexpr std::string_view gpu_prefix = "GPU ";

std::optional<CallResult> make_ready(const GpuSession& session, int index) {
    const vendor::CudaApi& cuda = session.cuda;
    CallResult result = session.check(cuda.cuInit, 0u);
    int device = 0;
    vendor::CudaContext context = nullptr;
    if (result.ok()) result = session.check(cuda.cuDeviceGet, &device, index);
    // The primary context is the one the CUDA runtime, and so cuDNN, uses on this device.
    if (result.ok()) result = session.check(cuda.cuDevicePrimaryCtxRetain, &context, device);
    if (result.ok()) result = session.check(cuda.cuCtxSetCurrent, context);
    if (result.ok()) return std::nullopt;
    return result;
}

}  // namespace

std::unique_ptr<GpuSession> open_gpu(ProbeWriter& writer, int index) {
    const vendor::Library library = vendor::open_library(writer, "libcuda.so.1");
    auto session = std::make_unique<GpuSession>(GpuSession{{}, vendor::Checker(writer, {}), {}});
    session->cuda.load(library);
    session->check = vendor::cuda_checker(writer, session->cuda);
    if (!library.handle)
        session->failure = CallResult{"dlopen(libcuda.so.1)", vendor::missing_symbol, library.error};
    else
        session->failure = make_ready(*session, index);
    return session;
}

int gpu_of_target(const std::string& target) {
    int index = 0;
    if (target.starts_with(gpu_prefix))
        std::from_chars(target.data() + gpu_prefix.size(), target.data() + target.size(), index);
    return index;
}

std::string exclusive_gpu(const std::string& target) {
    return std::string(gpu_prefix) + std::to_string(gpu_of_target(target));
}

}  // namespace rnncheck::probes
