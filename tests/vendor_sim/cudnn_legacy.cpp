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
int place_part(const char* function, RnnDescriptor rnn, int pseudo_layer, TensorDescriptor x, FilterDescriptor filter,
               const void* weights, int linear, FilterDescriptor found, void** address, PartOf part_of) {
    if (const auto status = entering(function, Sublibrary::adv)) return *status;
    if (!rnn || !is_step(x) || !filter || !found) return refuse(bad_param, "!rnnDesc");
    const OpaqueRnnDescriptor known = with_data(*rnn, x->type, x->sizes[1]);
    const Shape shape = shape_of(known, x->sizes[0], 1);
    if (pseudo_layer < 0 || pseudo_layer >= shape.pseudo_layers() || linear < 0 || linear > 7)
        return refuse(bad_param, "pseudoLayer or linLayerID");
    const sim::Part part = part_of(shape, pseudo_layer, linear);
    *found = {known.type, 0, {1, part.rows, part.columns}};
    *address = const_cast<std::byte*>(static_cast<const std::byte*>(weights) +
                                      part.offset * bytes_of(static_cast<Storage>(known.type)));
    if (planted() == "wild_address") *address = static_cast<std::byte*>(*address) + weight_bytes(shape, known.type);
    return 0;
}

/// Everything one legacy forward call is given, whichever of the two it is.
struct Call {
    const char* function;
    RnnDescriptor rnn;
    int type, input, output, steps;
    int layout;
    std::vector<int> lengths;
    TensorDescriptor hx, cx, hy, cy;
    FilterDescriptor filter;
    std::size_t work_size;
    Forward forward;
};

std::optional<int> checked(const Call& call, const OpaqueRnnDescriptor& known, const Shape& shape) {
    for (const TensorDescriptor tensor : {call.hx, call.cx, call.hy, call.cy})
        if (!describes_states(tensor, shape)) return refuse(bad_param, "hxDesc, cxDesc, hyDesc or cyDesc");
    if (call.output != shape.hidden * shape.directions) return refuse(bad_param, "yDesc");
    const std::size_t element = bytes_of(static_cast<Storage>(call.type));
    if (!call.filter || call.filter->sizes.empty() ||
        static_cast<std::size_t>(call.filter->sizes[0]) * element < weight_bytes(shape, call.type))
        return refuse(bad_param, "wDesc");
    if (call.work_size < work_bytes(shape, call.type)) return refuse(bad_param, "workSpaceSizeInBytes");
    if (known.algorithm == persist_dynamic && known.planned_batch != shape.batch)
        return refuse(bad_param, "no persistent plan");
    if (const auto status = refused_descriptor(known, known.hidden, 2)) return status;
    return refused_run(known, std::ranges::any_of(call.lengths, [&](int length) { return length != call.steps; }));
}

int run(Call& call) {
    if (!call.rnn || !call.rnn->set || !call.forward.x || !call.forward.y || !call.forward.weights)
        return refuse(bad_param, "!rnnDesc");
    const OpaqueRnnDescriptor known = with_data(*call.rnn, call.type, call.input);
    const Shape shape = shape_of(known, static_cast<int>(call.lengths.size()), call.steps);
    if (const auto status = checked(call, known, shape)) return *status;
    call.forward.shape = shape;
    call.forward.lengths = call.lengths;
    call.forward.rows = memory_rows(call.layout, call.steps, call.lengths);
    return compute_here(call.function, known, call.forward).value_or(0);
}

/// Lengths from how many sequences each step describes; empty when that is no sequence batch.
std::vector<int> lengths_of(const TensorDescriptor* steps, int count) {
    std::vector<int> lengths;
    for (int step = count - 1; step >= 0; --step) {
        if (!is_step(steps[step]) || steps[step]->sizes[0] < static_cast<int>(lengths.size())) return {};
        lengths.resize(static_cast<std::size_t>(steps[step]->sizes[0]), step + 1);
    }
    return lengths;
}

}  // namespace

int cudnnSetRNNDescriptor_v6(CudnnHandle handle, RnnDescriptor rnn, int hidden, int layers, DropoutDescriptor dropout,
                             int input_mode, int direction, int mode, int algorithm, int precision) {
    constexpr int lstm = 2;
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!handle || !rnn || !dropout || !dropout->set || hidden < 1 || layers < 1) return refuse(bad_param, "!handle");
    if (mode != lstm || input_mode != 0)
        return refuse(not_supported, "the simulation knows LSTM with linear input only");
    *rnn = {true, algorithm, direction, precision, precision, 0, 1, hidden, layers, false, 0};
    return 0;
}

int cudnnSetRNNMatrixMathType(RnnDescriptor rnn, int math) {
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!rnn || math < 0 || math > (SIM_MAJOR == 7 ? 2 : 3)) return refuse(bad_param, "mType");
    rnn->math = math;
    return 0;
}

int cudnnSetRNNPaddingMode(RnnDescriptor rnn, unsigned mode) {
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!rnn || mode > 1) return refuse(bad_param, "paddingMode");
    rnn->padded_io = mode == 1;
    return 0;
}

int cudnnGetRNNParamsSize(CudnnHandle handle, RnnDescriptor rnn, TensorDescriptor x, std::size_t* bytes, int type) {
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!handle || !rnn || !is_step(x) || x->type != type) return refuse(bad_param, "xDesc");
    *bytes = weight_bytes(shape_of(with_data(*rnn, type, x->sizes[1]), 1, 1), type);
    return 0;
}

int cudnnGetRNNWorkspaceSize(CudnnHandle handle, RnnDescriptor rnn, int steps, const TensorDescriptor* x,
                             std::size_t* bytes) {
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!handle || !rnn || steps < 1 || !x || !is_step(x[0])) return refuse(bad_param, "xDesc");
    *bytes = work_bytes(shape_of(with_data(*rnn, x[0]->type, x[0]->sizes[1]), x[0]->sizes[0], steps), x[0]->type);
    return 0;
}

int cudnnGetRNNLinLayerMatrixParams(CudnnHandle, RnnDescriptor rnn, int pseudo_layer, TensorDescriptor x,
                                    FilterDescriptor filter, const void* weights, int linear, FilterDescriptor found,
                                    void** address) {
    return place_part(__func__, rnn, pseudo_layer, x, filter, weights, linear, found, address, matrix_part);
}

int cudnnGetRNNLinLayerBiasParams(CudnnHandle, RnnDescriptor rnn, int pseudo_layer, TensorDescriptor x,
                                  FilterDescriptor filter, const void* weights, int linear, FilterDescriptor found,
                                  void** address) {
    return place_part(__func__, rnn, pseudo_layer, x, filter, weights, linear, found, address, bias_part);
}

int cudnnCreatePersistentRNNPlan(RnnDescriptor rnn, int batch, int, PersistentPlan* plan) {
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!rnn || batch < 1 || rnn->algorithm != persist_dynamic) return refuse(bad_param, "not PERSIST_DYNAMIC");
    *plan = new OpaquePersistentPlan{batch};
    return 0;
}

int cudnnSetPersistentRNNPlan(RnnDescriptor rnn, PersistentPlan plan) {
    if (const auto status = entering(__func__, Sublibrary::adv)) return *status;
    if (!rnn || !plan) return refuse(bad_param, "!plan");
    rnn->planned_batch = plan->batch;
    return 0;
}

int cudnnRNNForwardInference(CudnnHandle handle, RnnDescriptor rnn, int steps, const TensorDescriptor* x_steps,
                             const void* x, TensorDescriptor hx_descriptor, const void* hx,
                             TensorDescriptor cx_descriptor, const void* cx, FilterDescriptor filter,
                             const void* weights, const TensorDescriptor* y_steps, void* y,
                             TensorDescriptor hy_descriptor, void* hy, TensorDescriptor cy_descriptor, void* cy, void*,
                             std::size_t work_size) {
    constexpr int packed = 1;
    if (const auto status = unavailable(Sublibrary::adv)) return *status;
    if (!handle || steps < 1 || !x_steps || !y_steps) return refuse(bad_param, "!handle");
    const auto lengths = lengths_of(x_steps, steps);
    if (lengths.empty() || lengths_of(y_steps, steps) != lengths)
        return refuse(bad_param, "batch sizes grow over time");
    Call call{__func__, rnn,           x_steps[0]->type, x_steps[0]->sizes[1], y_steps[0]->sizes[1], steps,  packed,
              lengths,  hx_descriptor, cx_descriptor,    hy_descriptor,        cy_descriptor,        filter, work_size,
              {}};
    call.forward.x = x, call.forward.hx = hx, call.forward.cx = cx, call.forward.weights = weights;
    call.forward.y = y, call.forward.hy = hy, call.forward.cy = cy;
    return run(call);
}

int cudnnRNNForwardInferenceEx(CudnnHandle handle, RnnDescriptor rnn, RnnDataDescriptor x_descriptor, const void* x,
                               TensorDescriptor hx_descriptor, const void* hx, TensorDescriptor cx_descriptor,
                               const void* cx, FilterDescriptor filter, const void* weights,
                               RnnDataDescriptor y_descriptor, void* y, TensorDescriptor hy_descriptor, void* hy,
                               TensorDescriptor cy_descriptor, void* cy, RnnDataDescriptor, const void*,
                               RnnDataDescriptor, void*, RnnDataDescriptor, void*, RnnDataDescriptor, void*, void*,
                               std::size_t work_size) {
    constexpr int packed = 1;
    if (const auto status = unavailable(Sublibrary::adv)) return *status;
    if (!handle || !rnn || !x_descriptor || !y_descriptor || x_descriptor->lengths != y_descriptor->lengths)
        return refuse(bad_param, "xDesc and yDesc");
    if (x_descriptor->layout != packed && !rnn->padded_io)
        return refuse(bad_param, "unpacked layout without padding mode");
    Call call{__func__,
              rnn,
              x_descriptor->type,
              x_descriptor->width,
              y_descriptor->width,
              x_descriptor->steps,
              x_descriptor->layout,
              x_descriptor->lengths,
              hx_descriptor,
              cx_descriptor,
              hy_descriptor,
              cy_descriptor,
              filter,
              work_size,
              {}};
    call.forward.x = x, call.forward.hx = hx, call.forward.cx = cx, call.forward.weights = weights;
    call.forward.y = y, call.forward.hy = hy, call.forward.cy = cy;
    call.forward.fill = y_descriptor->fill;
    return run(call);
}
