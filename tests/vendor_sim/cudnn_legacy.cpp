// The simulated libcudnn: the RNN interface of 7 and 8.
#include <algorithm>

#include "cudnn_state.hpp"

using namespace rnncheck::vendor;
using namespace sim;

RNNCHECK_CUDNN_LEGACY(SIM_DECLARE)

namespace {

constexpr int persist_dynamic = 2;

/// The interface gives input size and type with the data: {batch, input, 1}.
OpaqueRnnDescriptor with_data(const OpaqueRnnDescriptor& rnn, int type, int input) {
    OpaqueRnnDescriptor known = rnn;
    known.type = type;
    known.input = input;
    return known;
}

bool is_step(TensorDescriptor tensor) {
    return tensor && tensor->sizes.size() == 3 && tensor->sizes[2] == 1;
}

template <class PartOf>
int place_part(
    const char* function,
    RnnDescriptor rnn,
    int pseudo_layer,
    TensorDescriptor x,
    FilterDescriptor filter,
    const void* weights,
    int linear,
    FilterDescriptor found,
    void** address,
    PartOf part_of) {
    if (const auto status = entering(function, Sublibrary::adv))
        return *status;
    if (!rnn || !is_step(x) || !filter || !found)
        return reject(bad_param, "!rnnDesc");
    const OpaqueRnnDescriptor known = with_data(*rnn, x->type, x->sizes[1]);
    const RnnCase shape = shape_of(known, x->sizes[0], 1);
    if (pseudo_layer < 0 || pseudo_layer >= shape.pseudo_layers() ||
        !has_linear_layer(shape, linear))
        return reject(bad_param, "pseudoLayer or linLayerID");
    const sim::Part part = part_of(shape, pseudo_layer, linear);
    *found = {known.type, 0, {1, part.rows, part.columns}};
    *address = const_cast<std::byte*>(
        static_cast<const std::byte*>(weights) +
        part.offset * bytes_of(static_cast<Storage>(known.type)));
    if (part.rows == 0)
        *address = nullptr;
    if (planted() == "wild_address")
        *address = static_cast<std::byte*>(*address) + weight_bytes(shape);
    return 0;
}

/// Everything one legacy call that computes is given, whichever it is.
struct Given {
    const char* function;
    RnnDescriptor rnn;
    int type, input, output, steps, layout;
    std::vector<int> lengths;
    std::vector<TensorDescriptor> h, c;
    FilterDescriptor filter;
    std::size_t work_size;
    const void* reserve = nullptr;
    std::size_t reserve_size = 0;
};

std::optional<int> checked(
    const Given& given, const OpaqueRnnDescriptor& known, const RnnCase& shape) {
    for (const TensorDescriptor tensor : given.h)
        if (!describes_h(tensor, shape))
            return reject(bad_param, "hxDesc or hyDesc");
    for (const TensorDescriptor tensor : given.c)
        if (!describes_c(tensor, shape))
            return reject(bad_param, "cxDesc or cyDesc");
    if (given.output != shape.output() * shape.directions())
        return reject(bad_param, "yDesc");
    const std::size_t element = bytes_of(static_cast<Storage>(given.type));
    if (!given.filter || given.filter->sizes.empty() ||
        static_cast<std::size_t>(given.filter->sizes[0]) * element < weight_bytes(shape))
        return reject(bad_param, "wDesc");
    if (given.work_size < work_bytes(shape))
        return reject(bad_param, "workSpaceSizeInBytes");
    if (given.reserve && given.reserve_size < reserve_bytes(shape))
        return reject(bad_param, "reserveSpaceSizeInBytes");
    if (known.algorithm == persist_dynamic && known.planned_batch != shape.batch)
        return reject(bad_param, "no persistent plan");
    if (const auto status = rejected_descriptor(known))
        return status;
    return rejected_run(known, std::ranges::any_of(given.lengths, [&](int length) {
                            return length != given.steps;
                        }));
}

int run(const Given& given, Call& call, Compute compute) {
    if (!given.rnn || !given.rnn->set)
        return reject(bad_param, "!rnnDesc");
    const OpaqueRnnDescriptor known = with_data(*given.rnn, given.type, given.input);
    call.shape = shape_of(known, static_cast<int>(given.lengths.size()), given.steps);
    if (const auto status = checked(given, known, call.shape))
        return *status;
    call.shape.lengths = given.lengths;
    call.rows = memory_rows(given.layout, given.steps, given.lengths);
    call.reserve = const_cast<void*>(given.reserve);
    return compute_here(given.function, known, call, compute).value_or(0);
}

/// Lengths from how many sequences each step describes; empty when that is no sequence batch.
std::vector<int> lengths_of(const TensorDescriptor* steps, int count) {
    std::vector<int> lengths;
    for (int step = count - 1; step >= 0; --step) {
        if (!is_step(steps[step]) || steps[step]->sizes[0] < static_cast<int>(lengths.size()))
            return {};
        lengths.resize(static_cast<std::size_t>(steps[step]->sizes[0]), step + 1);
    }
    return lengths;
}

/// What the calls on steps are given by their descriptions of x and y.
std::optional<Given> given_by_steps(
    const char* function,
    RnnDescriptor rnn,
    int steps,
    const TensorDescriptor* x,
    const TensorDescriptor* y) {
    constexpr int packed = 1;
    if (steps < 1 || !x || !y)
        return std::nullopt;
    const auto lengths = lengths_of(x, steps);
    if (lengths.empty() || lengths_of(y, steps) != lengths)
        return std::nullopt;
    return Given{
        function,
        rnn,
        x[0]->type,
        x[0]->sizes[1],
        y[0]->sizes[1],
        steps,
        packed,
        lengths,
        {},
        {},
        {},
        0};
}

}  // namespace

int cudnnSetRNNDescriptor_v6(
    CudnnHandle handle,
    RnnDescriptor rnn,
    int hidden,
    int layers,
    DropoutDescriptor dropout,
    int input_mode,
    int direction,
    int mode,
    int algorithm,
    int precision) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!handle || !rnn || !dropout || !dropout->set || hidden < 1 || layers < 1)
        return reject(bad_param, "!handle");
    *rnn = {
        true,
        algorithm,
        direction,
        precision,
        precision,
        0,
        1,
        hidden,
        layers,
        false,
        0,
        mode,
        2,
        input_mode,
        0,
        0};
    rnn->dropout = dropout;
    return 0;
}

int cudnnSetRNNBiasMode(RnnDescriptor rnn, int bias) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!rnn || bias < 0 || bias > 3)
        return reject(bad_param, "biasMode");
    rnn->bias = bias;
    return 0;
}

int cudnnSetRNNProjectionLayers(CudnnHandle handle, RnnDescriptor rnn, int recurrent, int output) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!handle || !rnn || recurrent < 1 || output != 0)
        return reject(bad_param, "recProjSize or outProjSize");
    rnn->projection = recurrent;
    return 0;
}

int cudnnRNNSetClip(CudnnHandle handle, RnnDescriptor rnn, int mode, int, double low, double high) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!handle || !rnn || mode < 0 || mode > 1 || !(low <= high))
        return reject(bad_param, "lclip > rclip");
    rnn->clip = mode == 1 ? high : 0;
    return 0;
}

int cudnnSetRNNMatrixMathType(RnnDescriptor rnn, int math) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!rnn || math < 0 || math > (SIM_MAJOR == 7 ? 2 : 3))
        return reject(bad_param, "mType");
    rnn->math = math;
    return 0;
}

int cudnnSetRNNPaddingMode(RnnDescriptor rnn, unsigned mode) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!rnn || mode > 1)
        return reject(bad_param, "paddingMode");
    rnn->padded_io = mode == 1;
    return 0;
}

int cudnnGetRNNParamsSize(
    CudnnHandle handle, RnnDescriptor rnn, TensorDescriptor x, std::size_t* bytes, int type) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!handle || !rnn || !is_step(x) || x->type != type)
        return reject(bad_param, "xDesc");
    *bytes = weight_bytes(shape_of(with_data(*rnn, type, x->sizes[1]), 1, 1));
    return 0;
}

int cudnnGetRNNWorkspaceSize(
    CudnnHandle handle,
    RnnDescriptor rnn,
    int steps,
    const TensorDescriptor* x,
    std::size_t* bytes) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!handle || !rnn || steps < 1 || !x || !is_step(x[0]))
        return reject(bad_param, "xDesc");
    *bytes =
        work_bytes(shape_of(with_data(*rnn, x[0]->type, x[0]->sizes[1]), x[0]->sizes[0], steps));
    return 0;
}

int cudnnGetRNNTrainingReserveSize(
    CudnnHandle handle,
    RnnDescriptor rnn,
    int steps,
    const TensorDescriptor* x,
    std::size_t* bytes) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!handle || !rnn || steps < 1 || !x || !is_step(x[0]))
        return reject(bad_param, "xDesc");
    *bytes =
        reserve_bytes(shape_of(with_data(*rnn, x[0]->type, x[0]->sizes[1]), x[0]->sizes[0], steps));
    return 0;
}

int cudnnGetRNNLinLayerMatrixParams(
    CudnnHandle,
    RnnDescriptor rnn,
    int pseudo_layer,
    TensorDescriptor x,
    FilterDescriptor filter,
    const void* weights,
    int linear,
    FilterDescriptor found,
    void** address) {
    return place_part(
        __func__, rnn, pseudo_layer, x, filter, weights, linear, found, address, matrix_part);
}

int cudnnGetRNNLinLayerBiasParams(
    CudnnHandle,
    RnnDescriptor rnn,
    int pseudo_layer,
    TensorDescriptor x,
    FilterDescriptor filter,
    const void* weights,
    int linear,
    FilterDescriptor found,
    void** address) {
    return place_part(
        __func__, rnn, pseudo_layer, x, filter, weights, linear, found, address, bias_part);
}

int cudnnCreatePersistentRNNPlan(RnnDescriptor rnn, int batch, int, PersistentPlan* plan) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!rnn || batch < 1 || rnn->algorithm != persist_dynamic)
        return reject(bad_param, "not PERSIST_DYNAMIC");
    *plan = new OpaquePersistentPlan{batch};
    return 0;
}

int cudnnSetPersistentRNNPlan(RnnDescriptor rnn, PersistentPlan plan) {
    if (const auto status = entering(__func__, Sublibrary::adv))
        return *status;
    if (!rnn || !plan)
        return reject(bad_param, "!plan");
    rnn->planned_batch = plan->batch;
    return 0;
}

int cudnnRNNForwardInference(
    CudnnHandle handle,
    RnnDescriptor rnn,
    int steps,
    const TensorDescriptor* x_steps,
    const void* x,
    TensorDescriptor hx_descriptor,
    const void* hx,
    TensorDescriptor cx_descriptor,
    const void* cx,
    FilterDescriptor filter,
    const void* weights,
    const TensorDescriptor* y_steps,
    void* y,
    TensorDescriptor hy_descriptor,
    void* hy,
    TensorDescriptor cy_descriptor,
    void* cy,
    void*,
    std::size_t work_size) {
    if (const auto status = unavailable(Sublibrary::adv))
        return *status;
    auto given = given_by_steps(__func__, rnn, steps, x_steps, y_steps);
    if (!handle || !given || !x || !y || !weights)
        return reject(bad_param, "batch sizes grow over time");
    given->h = {hx_descriptor, hy_descriptor}, given->c = {cx_descriptor, cy_descriptor};
    given->filter = filter, given->work_size = work_size;
    Call call;
    call.x = x, call.hx = hx, call.cx = cx, call.weights = weights;
    call.y = y, call.hy = hy, call.cy = cy;
    return run(*given, call, compute_forward);
}

int cudnnRNNForwardTraining(
    CudnnHandle handle,
    RnnDescriptor rnn,
    int steps,
    const TensorDescriptor* x_steps,
    const void* x,
    TensorDescriptor hx_descriptor,
    const void* hx,
    TensorDescriptor cx_descriptor,
    const void* cx,
    FilterDescriptor filter,
    const void* weights,
    const TensorDescriptor* y_steps,
    void* y,
    TensorDescriptor hy_descriptor,
    void* hy,
    TensorDescriptor cy_descriptor,
    void* cy,
    void*,
    std::size_t work_size,
    void* reserve,
    std::size_t reserve_size) {
    if (const auto status = unavailable(Sublibrary::adv))
        return *status;
    auto given = given_by_steps(__func__, rnn, steps, x_steps, y_steps);
    if (!handle || !given || !x || !y || !weights || !reserve)
        return reject(bad_param, "batch sizes grow over time");
    given->h = {hx_descriptor, hy_descriptor}, given->c = {cx_descriptor, cy_descriptor};
    given->filter = filter, given->work_size = work_size;
    given->reserve = reserve, given->reserve_size = reserve_size;
    Call call;
    call.x = x, call.hx = hx, call.cx = cx, call.weights = weights;
    call.y = y, call.hy = hy, call.cy = cy;
    return run(*given, call, compute_forward);
}

int cudnnRNNBackwardData(
    CudnnHandle handle,
    RnnDescriptor rnn,
    int steps,
    const TensorDescriptor* y_steps,
    const void* y,
    const TensorDescriptor*,
    const void* dy,
    TensorDescriptor dhy_descriptor,
    const void* dhy,
    TensorDescriptor dcy_descriptor,
    const void* dcy,
    FilterDescriptor filter,
    const void* weights,
    TensorDescriptor hx_descriptor,
    const void*,
    TensorDescriptor cx_descriptor,
    const void*,
    const TensorDescriptor* dx_steps,
    void* dx,
    TensorDescriptor dhx_descriptor,
    void* dhx,
    TensorDescriptor dcx_descriptor,
    void* dcx,
    void*,
    std::size_t work_size,
    void* reserve,
    std::size_t reserve_size) {
    if (const auto status = unavailable(Sublibrary::adv))
        return *status;
    auto given = given_by_steps(__func__, rnn, steps, dx_steps, y_steps);
    if (!handle || !given || !y || !dy || !dx || !weights || !reserve)
        return reject(bad_param, "!dy");
    given->h = {hx_descriptor, dhy_descriptor, dhx_descriptor};
    given->c = {cx_descriptor, dcy_descriptor, dcx_descriptor};
    given->filter = filter, given->work_size = work_size;
    given->reserve = reserve, given->reserve_size = reserve_size;
    Call call;
    call.weights = weights;
    call.dy = dy, call.dhy = dhy, call.dcy = dcy;
    call.dx = dx, call.dhx = dhx, call.dcx = dcx;
    return run(*given, call, compute_backward_data);
}

int cudnnRNNBackwardWeights(
    CudnnHandle handle,
    RnnDescriptor rnn,
    int steps,
    const TensorDescriptor* x_steps,
    const void* x,
    TensorDescriptor hx_descriptor,
    const void*,
    const TensorDescriptor* y_steps,
    const void* y,
    const void*,
    std::size_t work_size,
    FilterDescriptor filter,
    void* dweights,
    const void* reserve,
    std::size_t reserve_size) {
    if (const auto status = unavailable(Sublibrary::adv))
        return *status;
    auto given = given_by_steps(__func__, rnn, steps, x_steps, y_steps);
    if (!handle || !given || !x || !y || !dweights || !reserve)
        return reject(bad_param, "!dw");
    given->h = {hx_descriptor};
    given->filter = filter, given->work_size = work_size;
    given->reserve = reserve, given->reserve_size = reserve_size;
    Call call;
    call.dweights = dweights;
    return run(*given, call, compute_backward_weights);
}

int cudnnRNNForwardInferenceEx(
    CudnnHandle handle,
    RnnDescriptor rnn,
    RnnDataDescriptor x_descriptor,
    const void* x,
    TensorDescriptor hx_descriptor,
    const void* hx,
    TensorDescriptor cx_descriptor,
    const void* cx,
    FilterDescriptor filter,
    const void* weights,
    RnnDataDescriptor y_descriptor,
    void* y,
    TensorDescriptor hy_descriptor,
    void* hy,
    TensorDescriptor cy_descriptor,
    void* cy,
    RnnDataDescriptor,
    const void*,
    RnnDataDescriptor,
    void*,
    RnnDataDescriptor,
    void*,
    RnnDataDescriptor,
    void*,
    void*,
    std::size_t work_size) {
    constexpr int packed = 1;
    if (const auto status = unavailable(Sublibrary::adv))
        return *status;
    if (!handle || !rnn || !x_descriptor || !y_descriptor ||
        x_descriptor->lengths != y_descriptor->lengths)
        return reject(bad_param, "xDesc and yDesc");
    if (x_descriptor->layout != packed && !rnn->padded_io)
        return reject(bad_param, "unpacked layout without padding mode");
    if (!x || !y || !weights)
        return reject(bad_param, "!x");
    const Given given{
        __func__,
        rnn,
        x_descriptor->type,
        x_descriptor->width,
        y_descriptor->width,
        x_descriptor->steps,
        x_descriptor->layout,
        x_descriptor->lengths,
        {hx_descriptor, hy_descriptor},
        {cx_descriptor, cy_descriptor},
        filter,
        work_size};
    Call call;
    call.x = x, call.hx = hx, call.cx = cx, call.weights = weights;
    call.y = y, call.hy = hy, call.cy = cy;
    call.fill = y_descriptor->fill;
    return run(given, call, compute_forward);
}
