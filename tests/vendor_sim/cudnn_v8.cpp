// The simulated libcudnn: the RNN interface of 8 and 9.
#include <algorithm>

#include "cudnn_state.hpp"

using namespace rnncheck::vendor;
using namespace sim;

RNNCHECK_CUDNN_V8(SIM_DECLARE)

namespace {

constexpr int cell_lstm = 2;

/// A matrix or bias as {1, rows, columns} and its address.
void describe_part(const sim::Part& part, int type, const void* weights, TensorDescriptor tensor, void** address) {
    const auto* const base = static_cast<const std::byte*>(weights);
    *tensor = {type, {1, part.rows, part.columns}, {part.rows * part.columns, part.columns, 1}};
    *address = const_cast<std::byte*>(base + part.offset * bytes_of(static_cast<Storage>(type)));
}

sim::Part part_of(const Shape& shape, int pseudo_layer, int linear, bool matrix) {
    return matrix ? matrix_part(shape, pseudo_layer, linear) : bias_part(shape, pseudo_layer, linear);
}

/// Why x and y do not belong to this network, or null.
const char* wrong_data(const OpaqueRnnDescriptor& rnn, RnnDataDescriptor x, RnnDataDescriptor y) {
    constexpr int packed = 1;
    if (!x || !y) return "!xDesc";
    if (x->width != rnn.input || y->width != rnn.hidden * (rnn.direction + 1)) return "vectorSize";
    if (x->layout != y->layout || x->lengths != y->lengths || x->steps != y->steps)
        return "x and y of different shapes";
    if (x->type != rnn.type || y->type != rnn.type) return "dataType";
    const bool padded =
        x->layout != packed && std::ranges::any_of(x->lengths, [&](int length) { return length < x->steps; });
    return padded && !rnn.padded_io ? "unpacked layout without CUDNN_RNN_PADDED_IO_ENABLED" : nullptr;
}

bool lengths_differ(const OpaqueRnnDataDescriptor& data) {
    return std::ranges::any_of(data.lengths, [&](int length) { return length != data.steps; });
}

}  // namespace

int cudnnSetRNNDescriptor_v8(RnnDescriptor rnn, int algorithm, int cell, int bias, int direction, int input_mode,
                             int type, int precision, int math, std::int32_t input, std::int32_t hidden,
                             std::int32_t projection, std::int32_t layers, DropoutDescriptor, std::uint32_t flags) {
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!rnn || flags > 1) return refuse(bad_param, "!rnnDesc or unknown auxFlags");
    if (cell != cell_lstm || input_mode != 0)
        return refuse(not_supported, "the simulation knows LSTM with linear input only");
    const OpaqueRnnDescriptor wanted{true,  algorithm, direction, type,       precision, math,
                                     input, hidden,    layers,    flags == 1, 0};
    if (const auto status = refused_descriptor(wanted, projection, bias)) return *status;
    *rnn = wanted;
    return 0;
}

int cudnnGetRNNWeightSpaceSize(CudnnHandle handle, RnnDescriptor rnn, std::size_t* bytes) {
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!handle || !rnn || !rnn->set) return refuse(bad_param, "!handle");
    *bytes = weight_bytes(shape_of(*rnn, 1, 1), rnn->type);
    return 0;
}

int cudnnGetRNNTempSpaceSizes(CudnnHandle handle, RnnDescriptor rnn, int, RnnDataDescriptor x, std::size_t* work,
                              std::size_t* reserve) {
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!handle || !rnn || !x) return refuse(bad_param, "!handle");
    if (const auto status = refused_run(*rnn, lengths_differ(*x))) return *status;
    *work = work_bytes(shape_of(*rnn, x->batch, x->steps), rnn->type);
    *reserve = 0;
    return 0;
}

int cudnnGetRNNWeightParams(CudnnHandle handle, RnnDescriptor rnn, std::int32_t pseudo_layer, std::size_t bytes,
                            const void* weights, std::int32_t linear, TensorDescriptor matrix, void** matrix_address,
                            TensorDescriptor bias, void** bias_address) {
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!handle || !rnn) return refuse(bad_param, "!handle");
    const Shape shape = shape_of(*rnn, 1, 1);
    if (pseudo_layer < 0 || pseudo_layer >= shape.pseudo_layers() || linear < 0 || linear > 7)
        return refuse(bad_param, "pseudoLayer or linLayerID");
    if (bytes < weight_bytes(shape, rnn->type)) return refuse(bad_param, "weightSpaceSize");
    describe_part(part_of(shape, pseudo_layer, linear, true), rnn->type, weights, matrix, matrix_address);
    describe_part(part_of(shape, pseudo_layer, linear, false), rnn->type, weights, bias, bias_address);
    if (planted() == "wild_address") *bias_address = static_cast<std::byte*>(*bias_address) + bytes;
    return 0;
}

int cudnnBuildRNNDynamic(CudnnHandle handle, RnnDescriptor rnn, int batch) {
    constexpr int persist_dynamic = 2;
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!handle || !rnn || batch < 1 || rnn->algorithm != persist_dynamic)
        return refuse(bad_param, "not PERSIST_DYNAMIC");
    rnn->planned_batch = batch;
    return 0;
}

int cudnnRNNForward(CudnnHandle handle, RnnDescriptor rnn, int mode, const std::int32_t* device_lengths,
                    RnnDataDescriptor x_descriptor, const void* x, RnnDataDescriptor y_descriptor, void* y,
                    TensorDescriptor h_descriptor, const void* hx, void* hy, TensorDescriptor c_descriptor,
                    const void* cx, void* cy, std::size_t weight_size, const void* weights, std::size_t work_size,
                    void* work, std::size_t, void*) {
    constexpr int persist_dynamic = 2, lengths_optional_since = 8901;
    if (const auto status = unavailable(Sublibrary::adv)) return *status;
    if (!handle || !rnn || !rnn->set || !x || !y || !weights) return refuse(bad_param, "!handle");
    if (mode != 0) return refuse(not_supported, "the simulation knows inference only");
    if (const char* reason = wrong_data(*rnn, x_descriptor, y_descriptor)) return refuse(bad_param, reason);
    if (!device_lengths && coded_version() < lengths_optional_since) return refuse(bad_param, "!devSeqLengths");
    const Shape shape = shape_of(*rnn, x_descriptor->batch, x_descriptor->steps);
    if (!describes_states(h_descriptor, shape) || !describes_states(c_descriptor, shape))
        return refuse(bad_param, "hDesc or cDesc");
    if (weight_size < weight_bytes(shape, rnn->type) || work_size < work_bytes(shape, rnn->type) || !work)
        return refuse(bad_param, "weightSpaceSize or workSpaceSize");
    if (rnn->algorithm == persist_dynamic && rnn->planned_batch != shape.batch)
        return refuse(bad_param, "no dynamic plan for this batch");
    if (const auto status = refused_run(*rnn, lengths_differ(*x_descriptor))) return *status;

    Forward forward;
    forward.shape = shape;
    // The kernels believe the array in device memory.
    forward.lengths =
        device_lengths ? std::vector<int>(device_lengths, device_lengths + shape.batch) : x_descriptor->lengths;
    forward.rows = memory_rows(x_descriptor->layout, shape.steps, x_descriptor->lengths);
    forward.x = x, forward.hx = hx, forward.cx = cx, forward.weights = weights;
    forward.y = y, forward.hy = hy, forward.cy = cy;
    forward.fill = y_descriptor->fill;
    return compute_here(__func__, *rnn, forward).value_or(0);
}
