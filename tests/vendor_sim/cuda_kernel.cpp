// The simulated libcuda: modules and kernels. It runs no PTX; it knows by heart what rnncheck's own
// kernel computes (probes/ptx_launch.cpp) and checks that the PTX is one this driver and GPU could
// compile.
#include <cstdlib>

#include "cuda_state.hpp"

using namespace rnncheck::vendor;
using namespace sim;

RNNCHECK_CUDA_FUNCTIONS(SIM_DECLARE)

namespace rnncheck::vendor {
struct OpaqueCudaModule {
    std::string ptx;
};
struct OpaqueCudaFunction {
    OpaqueCudaModule* module = nullptr;
};
}  // namespace rnncheck::vendor

namespace {

/// The number after `directive` without its dot: ".version 6.0" is 60, ".target sm_30" is 30.
int number_after(const std::string& ptx, const std::string& directive) {
    const auto at = ptx.find(directive);
    if (at == ptx.npos)
        return -1;
    std::string digits;
    for (auto letter = at + directive.size(); letter < ptx.size() && ptx[letter] != '\n'; ++letter)
        if (ptx[letter] >= '0' && ptx[letter] <= '9')
            digits += ptx[letter];
    return digits.empty() ? -1 : std::stoi(digits);
}

/// Newest PTX of a CUDA version: 12.4 reads 8.4, 11.4 reads 7.4, 10.2 reads 6.5 and 13.0 reads 9.0
/// (PTX ISA document, release notes).
int newest_ptx() {
    const std::string cuda = setting("cuda", "12.4");
    const int major = std::stoi(cuda), minor = std::stoi(cuda.substr(cuda.find('.') + 1));
    return major <= 10 ? 65 : (major - 4) * 10 + minor;
}

}  // namespace

int cuModuleLoadDataEx(CudaModule* module, const void* image, unsigned, int*, void**) {
    if (const auto forced = entering_context(__func__))
        return *forced;
    const std::string ptx = static_cast<const char*>(image);
    const int version = number_after(ptx, ".version "), target = number_after(ptx, ".target sm_");
    if (version < 0 || target < 0)
        return cuda_invalid_image;
    if (version > newest_ptx())
        return cuda_unsupported_ptx_version;
    if (target > capability_of(driver().current))
        return cuda_no_binary_for_gpu;
    *module = new OpaqueCudaModule{ptx};
    return 0;
}

int cuModuleGetFunction(CudaFunction* function, CudaModule module, const char* name) {
    if (const auto forced = entering_context(__func__))
        return *forced;
    if (module->ptx.find(".entry " + std::string(name) + '(') == std::string::npos)
        return cuda_not_found;
    *function = new OpaqueCudaFunction{module};
    return 0;
}

int cuLaunchKernel(
    CudaFunction,
    unsigned blocks,
    unsigned,
    unsigned,
    unsigned threads,
    unsigned,
    unsigned,
    unsigned,
    CudaStream,
    void** parameters,
    void**) {
    const Act plan = act("kernel", board_tags(driver().current));
    if (const auto forced = entering_context(__func__))
        return *forced;
    auto* const numbers = reinterpret_cast<unsigned*>(*static_cast<DevicePointer*>(parameters[0]));
    for (unsigned thread = 0; thread < blocks * threads; ++thread)
        numbers[thread] = 2 * numbers[thread] + thread % threads;
    if (plan.arithmetic == "wrong_numbers")
        numbers[0] += 1;
    return 0;
}
