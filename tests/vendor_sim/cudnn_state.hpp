// What the simulated cuDNN keeps, and how it answers. Compiled once per major (SIM_MAJOR 7, 8, 9).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "abi.hpp"
#include "call.hpp"
#include "vendor/cudnn_abi.hpp"

namespace rnncheck::vendor {

struct OpaqueCudnnHandle {
    int ordinal = 0;
};

struct OpaqueDropoutDescriptor {
    bool set = false;
    double probability = 0;
    std::uint64_t seed = 0, drawn = 0;
};

/// A plan belongs to a batch size.
struct OpaquePersistentPlan {
    int batch = 0;
};

struct OpaqueTensorDescriptor {
    int type = 0;
    std::vector<int> sizes, strides;
};

struct OpaqueFilterDescriptor {
    int type = 0, format = 0;
    std::vector<int> sizes;
};

struct OpaqueRnnDataDescriptor {
    int type = 0, layout = 0, steps = 0, batch = 0, width = 0;
    std::vector<int> lengths;
    std::vector<std::byte> fill;
};

struct OpaqueRnnDescriptor {
    bool set = false;
    int algorithm = 0, direction = 0, type = 0, precision = 0, math = 0, input = 0, hidden = 0,
        layers = 0;
    bool padded_io = false;
    int planned_batch = 0;
    int cell = 2, bias = 2, input_mode = 0, projection = 0;  ///< projection 0: not reported
    double clip = 0;
    OpaqueDropoutDescriptor* dropout = nullptr;
};

}  // namespace rnncheck::vendor

namespace sim {

/// A status by name; `legacy` is its number in 7 and 8, `modern` the one in 9.
struct Status {
    const char* name;
    int legacy, modern;

    int number() const {
        return SIM_MAJOR >= 9 ? modern : legacy;
    }
};

inline constexpr Status not_initialized{"CUDNN_STATUS_NOT_INITIALIZED", 1, 1001};
inline constexpr Status bad_param{"CUDNN_STATUS_BAD_PARAM", 3, 2000};
inline constexpr Status execution_failed{"CUDNN_STATUS_EXECUTION_FAILED", 8, 5000};
inline constexpr Status not_supported{"CUDNN_STATUS_NOT_SUPPORTED", 9, 3000};
inline constexpr Status part_mismatch{"CUDNN_STATUS_VERSION_MISMATCH", 14, 1002};
inline constexpr Status part_unloadable{"CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED", 4, 1008};

/// Gives the callback the reason, as cuDNN 9 does, and returns the number.
int reject(const Status& status, const char* reason);

/// Our version as cuDNN writes it: 8907, 91900.
int coded_version();

enum class Sublibrary { ops, graph, adv };
/// Loads a part on demand, as 8 and 9 do. Of 8, and of the graph library of 9, a missing part ends
/// the process; of the others it is a status.
std::optional<int> unavailable(Sublibrary part);
/// The version a loaded part states.
int version_of(Sublibrary part);

/// Tags of a call on the current GPU.
Tags tags_here();
/// The status to return at once, if any: a planted one, or a part's.
std::optional<int> entering(const char* function, std::optional<Sublibrary> part = std::nullopt);
/// The arithmetic fault planted for the function entered last.
const std::string& planted();

/// The simulated driver, queried through its own library as the real cuDNN does.
std::optional<int> current_device();  ///< CUDA's ordinal; nothing without a usable context
int device_attribute(int attribute, int device);
int capability_here();  ///< 86 for 8.6

using rnncheck::vendor::RnnDescriptor;

/// The table of what the RNN descriptor takes; the status otherwise.
std::optional<int> rejected_descriptor(const rnncheck::vendor::OpaqueRnnDescriptor& rnn);
/// What only the device or the data show.
std::optional<int> rejected_run(
    const rnncheck::vendor::OpaqueRnnDescriptor& rnn, bool lengths_differ);

/// The case that a descriptor describes, with equal lengths.
RnnCase shape_of(const rnncheck::vendor::OpaqueRnnDescriptor& rnn, int batch, int steps);
std::size_t work_bytes(const RnnCase& shape);
std::size_t weight_bytes(const RnnCase& shape);

/// What a call computes: compute_forward or one of its sisters.
using Compute = void (*)(const Call&);
/// Does it with the faults planted for this call; a status when a fault has one.
std::optional<int> compute_here(
    const char* function,
    const rnncheck::vendor::OpaqueRnnDescriptor& rnn,
    Call& call,
    Compute compute);

/// h and c of a call: fully packed {pseudo-layers, batch, width}.
bool describes_h(rnncheck::vendor::TensorDescriptor tensor, const RnnCase& shape);
bool describes_c(rnncheck::vendor::TensorDescriptor tensor, const RnnCase& shape);
/// Rows of [sequence][step] in memory, by cudnnRNNDataLayout_t.
std::vector<std::ptrdiff_t> memory_rows(int layout, int steps, const std::vector<int>& lengths);

}  // namespace sim
