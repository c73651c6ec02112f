// The simulated driver: its GPUs, the current one, and the error that broke its context.
#pragma once

#include <optional>
#include <vector>

#include "abi.hpp"
#include "vendor/cuda_abi.hpp"

namespace rnncheck::vendor {
struct OpaqueCudaContext {
    int board = 0;
};
}  // namespace rnncheck::vendor

namespace sim {

enum CudaError {
    cuda_invalid_value = 1,
    cuda_out_of_memory = 2,
    cuda_not_initialized = 3,
    cuda_device_unavailable = 46,
    cuda_no_device = 100,
    cuda_invalid_device = 101,
    cuda_invalid_image = 200,
    cuda_invalid_context = 201,
    cuda_no_binary_for_gpu = 209,
    cuda_unsupported_ptx_version = 222,
    cuda_not_found = 500
};

/// Board numbers (the simulated machine's own order) of the GPUs that CUDA_VISIBLE_DEVICES leaves.
std::vector<int> visible_boards();

Tags board_tags(int board);
int capability_of(int board);  ///< 86 for 8.6

/// What the driver keeps between calls.
struct Driver {
    bool initialised = false;
    int broken = 0;    ///< a sticky error: every later call returns it
    int current = -1;  ///< board whose context is current
};
Driver& driver();

/// Start of every function: the status to return at once, if any. `board` is the one concerned, or
/// -1.
std::optional<int> entering(const char* function, int board = driver().current);
/// The same for functions that work on the current context.
std::optional<int> entering_context(const char* function);

}  // namespace sim
