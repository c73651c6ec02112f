// The simulated libcudnn: the RNN interface of 8 and 9.
#include <algorithm>

#include "cudnn_state.hpp"

using namespace rnncheck::vendor;
using namespace sim;

RNNCHECK_CUDNN_V8(SIM_DECLARE)

namespace {

/// A matrix or bias as {1, rows, columns} and its address.
void describe_part(
    const sim::Part& part, int type, const void* weights, TensorDescriptor tensor, void** address) {
    const auto* const base = static_cast<const std::byte*>(weights);
    if (part.rows == 0) {  // what is not there has no address and no size
        *tensor = {type, {0, 0, 0}, {0, 0, 0}};
        *address = nullptr;
        return;
    }
    *tensor = {type, {1, part.rows, part.columns}, {part.rows * part.columns, part.columns, 1}};
    *address = const_cast<std::byte*>(base + part.offset * bytes_of(static_cast<Storage>(type)));
}

sim::Part part_of(const RnnCase& shape, int pseudo_layer, int linear, bool matrix) {
    return matrix ? matrix_part(shape, pseudo_layer, linear)
                  : bias_part(shape, pseudo_layer, linear);
}

/// All bits of a size, or with work_bits as many as an implementation has that keeps sizes in a
/// narrow integer.
std::size_t kept_bits() {
    const int bits = std::stoi(setting("work_bits", "64"));
    return bits < 64 ? (std::size_t{1} << bits) - 1 : ~std::size_t{0};
}

/// Why x and y do not belong to this network, or null.
const char* wrong_data(const OpaqueRnnDescriptor& rnn, RnnDataDescriptor x, RnnDataDescriptor y) {
    constexpr int packed = 1;
    if (!x || !y)
        return "!xDesc";
    const int output = rnn.projection > 0 ? rnn.projection : rnn.hidden;
    if (x->width != rnn.input || y->width != output * (rnn.direction + 1))
        return "vectorSize";
    if (x->layout != y->layout || x->lengths != y->lengths || x->steps != y->steps)
        return "x and y of different shapes";
    if (x->type != rnn.type || y->type != rnn.type)
        return "dataType";
    const bool padded = x->layout != packed && std::ranges::any_of(x->lengths, [&](int length) {
                            return length < x->steps;
                        });
    return padded && !rnn.padded_io ? "unpacked layout without CUDNN_RNN_PADDED_IO_ENABLED"
                                    : nullptr;
}

bool lengths_differ(const OpaqueRnnDataDescriptor& data) {
    return std::ranges::any_of(data.lengths, [&](int length) { return length != data.steps; });
}

/// What forward and backward calls are given alike.
struct Given {
    CudnnHandle handle;
    RnnDescriptor rnn;
    const std::int32_t* device_lengths;
    RnnDataDescriptor x, y;
    TensorDescriptor h, c;
    std::size_t weight_size, work_size;
    const void* work;
    std::size_t reserve_size;
    void* reserve;
    bool training;
};

/// The status of a call that is given wrong things; else the case, in `call`.
std::optional<int> rejected_call(const Given& given, Call& call) {
    constexpr int persist_dynamic = 2, lengths_optional_since = 8901;
    if (const auto status = unavailable(Sublibrary::adv))
        return *status;
    if (!given.handle || !given.rnn || !given.rnn->set)
        return reject(bad_param, "!handle");
    const OpaqueRnnDescriptor& rnn = *given.rnn;
    if (const char* reason = wrong_data(rnn, given.x, given.y))
        return reject(bad_param, reason);
    if (!given.device_lengths && coded_version() < lengths_optional_since)
        return reject(bad_param, "!devSeqLengths");
    call.shape = shape_of(rnn, given.x->batch, given.x->steps);
    if (!describes_h(given.h, call.shape) || !describes_c(given.c, call.shape))
        return reject(bad_param, "hDesc or cDesc");
    if (given.weight_size < weight_bytes(call.shape) || given.work_size < work_bytes(call.shape) ||
        !given.work)
        return reject(bad_param, "weightSpaceSize or workSpaceSize");
    if (given.training && (!given.reserve || given.reserve_size < reserve_bytes(call.shape)))
        return reject(bad_param, "reserveSpaceSize");
    if (rnn.algorithm == persist_dynamic && rnn.planned_batch != call.shape.batch)
        return reject(bad_param, "no dynamic plan for this batch");
    if (const auto status = rejected_run(rnn, lengths_differ(*given.x)))
        return *status;
    // The kernels believe the array in device memory.
    call.shape.lengths =
        given.device_lengths
            ? std::vector<int>(given.device_lengths, given.device_lengths + call.shape.batch)
            : given.x->lengths;
    call.rows = memory_rows(given.x->layout, call.shape.sequence_length, given.x->lengths);
    call.reserve = given.training ? given.reserve : nullptr;
    return std::nullopt;
}

}  // namespace

int cudnnSetRNNDescriptor_v8(
    RnnDescriptor rnn,
    int algorithm,
    int cell,
    int bias,
    int direction,
    int input_mode,
    int type,
    int precision,
    int math,
    std::int32_t input,
    std::int32_t hidden,
    std::int32_t projection,
    std::int32_t layers,
    DropoutDescriptor dropout,
    std::uint32_t flags) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!rnn || flags > 1)
        return reject(bad_param, "!rnnDesc or unknown auxFlags");
    if (projection < 1)
        return reject(bad_param, "projSize < 1");
    const OpaqueRnnDescriptor wanted{
        true,
        algorithm,
        direction,
        type,
        precision,
        math,
        input,
        hidden,
        layers,
        flags == 1,
        0,
        cell,
        bias,
        input_mode,
        projection,
        0};
    if (const auto status = rejected_descriptor(wanted))
        return *status;
    *rnn = wanted;
    rnn->dropout = dropout;
    return 0;
}

int cudnnRNNSetClip_v8(RnnDescriptor rnn, int mode, int, double low, double high) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!rnn || mode < 0 || !(low <= high))
        return reject(bad_param, "lclip > rclip");
    rnn->clip = mode == 1 ? high : 0;
    return 0;
}

int cudnnGetRNNWeightSpaceSize(CudnnHandle handle, RnnDescriptor rnn, std::size_t* bytes) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!handle || !rnn || !rnn->set)
        return reject(bad_param, "!handle");
    *bytes = weight_bytes(shape_of(*rnn, 1, 1));
    return 0;
}

int cudnnGetRNNTempSpaceSizes(
    CudnnHandle handle,
    RnnDescriptor rnn,
    int mode,
    RnnDataDescriptor x,
    std::size_t* work,
    std::size_t* reserve) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!handle || !rnn || !x)
        return reject(bad_param, "!handle");
    if (const auto status = rejected_run(*rnn, lengths_differ(*x)))
        return *status;
    const RnnCase shape = shape_of(*rnn, x->batch, x->steps);
    *work = work_bytes(shape) & kept_bits();
    *reserve = mode == 1 ? reserve_bytes(shape) : 0;
    return 0;
}

int cudnnGetRNNWeightParams(
    CudnnHandle handle,
    RnnDescriptor rnn,
    std::int32_t pseudo_layer,
    std::size_t bytes,
    const void* weights,
    std::int32_t linear,
    TensorDescriptor matrix,
    void** matrix_address,
    TensorDescriptor bias,
    void** bias_address) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!handle || !rnn)
        return reject(bad_param, "!handle");
    const RnnCase shape = shape_of(*rnn, 1, 1);
    if (pseudo_layer < 0 || pseudo_layer >= shape.pseudo_layers() ||
        !has_linear_layer(shape, linear))
        return reject(bad_param, "pseudoLayer or linLayerID");
    if (bytes < weight_bytes(shape))
        return reject(bad_param, "weightSpaceSize");
    describe_part(
        part_of(shape, pseudo_layer, linear, true), rnn->type, weights, matrix, matrix_address);
    describe_part(
        part_of(shape, pseudo_layer, linear, false), rnn->type, weights, bias, bias_address);
    if (planted() == "wild_address")
        *bias_address = static_cast<std::byte*>(*bias_address) + bytes;
    return 0;
}

int cudnnBuildRNNDynamic(CudnnHandle handle, RnnDescriptor rnn, int batch) {
    constexpr int persist_dynamic = 2;
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!handle || !rnn || batch < 1 || rnn->algorithm != persist_dynamic)
        return reject(bad_param, "not PERSIST_DYNAMIC");
    rnn->planned_batch = batch;
    return 0;
}

int cudnnRNNForward(
    CudnnHandle handle,
    RnnDescriptor rnn,
    int mode,
    const std::int32_t* device_lengths,
    RnnDataDescriptor x_descriptor,
    const void* x,
    RnnDataDescriptor y_descriptor,
    void* y,
    TensorDescriptor h_descriptor,
    const void* hx,
    void* hy,
    TensorDescriptor c_descriptor,
    const void* cx,
    void* cy,
    std::size_t weight_size,
    const void* weights,
    std::size_t work_size,
    void* work,
    std::size_t reserve_size,
    void* reserve) {
    Call call;
    const Given given{
        handle,
        rnn,
        device_lengths,
        x_descriptor,
        y_descriptor,
        h_descriptor,
        c_descriptor,
        weight_size,
        work_size,
        work,
        reserve_size,
        reserve,
        mode == 1};
    if (!x || !y || !weights)
        return reject(bad_param, "!x");
    if (const auto status = rejected_call(given, call))
        return *status;
    call.x = x, call.hx = hx, call.cx = cx, call.weights = weights;
    call.y = y, call.hy = hy, call.cy = cy;
    call.fill = y_descriptor->fill;
    return compute_here(__func__, *rnn, call, compute_forward).value_or(0);
}

int cudnnRNNBackwardData_v8(
    CudnnHandle handle,
    RnnDescriptor rnn,
    const std::int32_t* device_lengths,
    RnnDataDescriptor y_descriptor,
    const void* y,
    const void* dy,
    RnnDataDescriptor x_descriptor,
    void* dx,
    TensorDescriptor h_descriptor,
    const void*,
    const void* dhy,
    void* dhx,
    TensorDescriptor c_descriptor,
    const void*,
    const void* dcy,
    void* dcx,
    std::size_t weight_size,
    const void* weights,
    std::size_t work_size,
    void* work,
    std::size_t reserve_size,
    void* reserve) {
    Call call;
    const Given given{
        handle,
        rnn,
        device_lengths,
        x_descriptor,
        y_descriptor,
        h_descriptor,
        c_descriptor,
        weight_size,
        work_size,
        work,
        reserve_size,
        reserve,
        true};
    if (!y || !dy || !dx || !weights)
        return reject(bad_param, "!dy");
    if (const auto status = rejected_call(given, call))
        return *status;
    call.weights = weights;
    call.dy = dy, call.dhy = dhy, call.dcy = dcy;
    call.dx = dx, call.dhx = dhx, call.dcx = dcx;
    return compute_here(__func__, *rnn, call, compute_backward_data).value_or(0);
}

int cudnnRNNBackwardWeights_v8(
    CudnnHandle handle,
    RnnDescriptor rnn,
    int add,
    const std::int32_t* device_lengths,
    RnnDataDescriptor x_descriptor,
    const void* x,
    TensorDescriptor h_descriptor,
    const void*,
    RnnDataDescriptor y_descriptor,
    const void* y,
    std::size_t weight_size,
    void* dweights,
    std::size_t work_size,
    void* work,
    std::size_t reserve_size,
    void* reserve) {
    constexpr int wgrad_add = 0;
    if (add != wgrad_add)
        return reject(not_supported, "addGrad != CUDNN_WGRAD_MODE_ADD");
    if (!x || !y || !dweights || !rnn)
        return reject(bad_param, "!dweightSpace");
    Call call;
    OpaqueTensorDescriptor c{0, {}, {}};
    const RnnCase shape =
        x_descriptor ? shape_of(*rnn, x_descriptor->batch, x_descriptor->steps) : RnnCase();
    c.sizes = {shape.pseudo_layers(), shape.batch, shape.hidden};
    c.strides = {shape.batch * shape.hidden, shape.hidden, 1};
    const Given given{
        handle,
        rnn,
        device_lengths,
        x_descriptor,
        y_descriptor,
        h_descriptor,
        &c,
        weight_size,
        work_size,
        work,
        reserve_size,
        reserve,
        true};
    if (const auto status = rejected_call(given, call))
        return *status;
    call.dweights = dweights;
    return compute_here(__func__, *rnn, call, compute_backward_weights).value_or(0);
}
