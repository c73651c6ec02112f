#include "vendor/lstm_common.hpp"

namespace rnncheck::vendor {

// Our enumerations stand in cuDNN's order (cudnn_adv.h, the same numbers in 7.6, 8.9 and 9.x), except the two below.
static_assert(static_cast<int>(Algorithm::persist_static_small_h) == 3 && static_cast<int>(Layout::batch_major) == 2);

int data_type_number(Dtype dtype) {
    switch (dtype) {
        case Dtype::fp32:
            return 0;
        case Dtype::fp64:
            return 1;
        case Dtype::fp16:
            return 2;
        case Dtype::bf16:
            return 9;
    }
    return -1;
}

int precision_number(Dtype dtype) {
    return data_type_number(dtype == Dtype::fp64 ? Dtype::fp64 : Dtype::fp32);
}

int math_number(MathType math) {
    switch (math) {
        case MathType::standard:
            return 0;
        case MathType::tensor:
            return 1;
        case MathType::fma:
            return 3;
    }
    return -1;
}

int algorithm_number(Algorithm algorithm) {
    return static_cast<int>(algorithm);
}
int direction_number(Direction direction) {
    return static_cast<int>(direction);
}
int layout_number(Layout layout) {
    return static_cast<int>(layout);
}

int mode_number(Cell cell) {
    switch (cell) {
        case Cell::relu:
            return 0;
        case Cell::tanh:
            return 1;
        case Cell::lstm:
            return 2;
        case Cell::gru:
            return 3;
    }
    return -1;
}

int bias_number(BiasMode bias) {
    switch (bias) {
        case BiasMode::none:
            return 0;
        case BiasMode::input:
            return 1;
        case BiasMode::both:
            return 2;
        case BiasMode::recurrent:
            return 3;
    }
    return -1;
}

int input_mode_number(InputMode mode) {
    return static_cast<int>(mode);
}

Bench::~Bench() {
    if (context_in_doubt_) return;
    for (auto step = clean_up_.rbegin(); step != clean_up_.rend(); ++step) (*step)();
}

void Bench::impossible(const char* call, const std::string& what) {
    if (failed_) return;
    failed_ = CallResult{call, impossible_answer, what};
    session_.check_cuda.writer().failed(*failed_);
}

void Bench::check_size(const char* call, std::size_t bytes) {
    constexpr std::size_t most = std::size_t{1} << 48;
    if (bytes > most) impossible(call, "it gave back a size of " + std::to_string(bytes) + " bytes, which no GPU has");
}

DevicePointer Bench::allocate(std::size_t bytes) {
    DevicePointer memory = 0;
    if (bytes == 0 || failed_) return memory;
    cuda(session_.cuda.cuMemAlloc_v2, &memory, bytes);
    if (failed_)
        failed_->bytes = static_cast<std::int64_t>(bytes);
    else
        clean_up_.push_back([this, memory] { session_.check_cuda(session_.cuda.cuMemFree_v2, memory); });
    return memory;
}

DevicePointer Bench::upload(std::span<const std::byte> bytes) {
    const DevicePointer memory = allocate(bytes.size());
    if (memory) cuda(session_.cuda.cuMemcpyHtoD_v2, memory, bytes.data(), bytes.size());
    return memory;
}

std::vector<std::byte> Bench::download(DevicePointer from, std::size_t bytes) {
    std::vector<std::byte> copy(bytes);
    cuda(session_.cuda.cuMemcpyDtoH_v2, copy.data(), from, bytes);
    return copy;
}

template <class Descriptor>
Descriptor Bench::made(const Symbol<int(Descriptor*)>& make, const Symbol<int(Descriptor)>& destroy) {
    Descriptor descriptor = nullptr;
    cudnn(make, &descriptor);
    if (!failed_) clean_up_.push_back([this, &destroy, descriptor] { session_.check_cudnn(destroy, descriptor); });
    return descriptor;
}

RnnDescriptor Bench::rnn_descriptor() {
    return made(session_.cudnn.cudnnCreateRNNDescriptor, session_.cudnn.cudnnDestroyRNNDescriptor);
}

TensorDescriptor Bench::empty_tensor() {
    return made(session_.cudnn.cudnnCreateTensorDescriptor, session_.cudnn.cudnnDestroyTensorDescriptor);
}

FilterDescriptor Bench::filter() {
    return made(session_.cudnn.cudnnCreateFilterDescriptor, session_.cudnn.cudnnDestroyFilterDescriptor);
}

TensorDescriptor Bench::tensor(Dtype dtype, const std::array<int, 3>& sizes) {
    const TensorDescriptor descriptor = empty_tensor();
    const int strides[3] = {sizes[1] * sizes[2], sizes[2], 1};
    cudnn(session_.cudnn.cudnnSetTensorNdDescriptor, descriptor, data_type_number(dtype), 3, sizes.data(), strides);
    return descriptor;
}

RnnDataDescriptor Bench::sequences(const RnnCase& rnn_case, int width) {
    const RnnDataDescriptor descriptor =
        made(session_.cudnn.cudnnCreateRNNDataDescriptor, session_.cudnn.cudnnDestroyRNNDataDescriptor);
    std::vector<int> lengths;
    for (int sequence = 0; sequence < rnn_case.batch; ++sequence) lengths.push_back(rnn_case.length_of(sequence));
    double zero = 0;  // all bytes zero: the number zero in every type
    cudnn(session_.cudnn.cudnnSetRNNDataDescriptor, descriptor, data_type_number(rnn_case.dtype),
          layout_number(rnn_case.layout), rnn_case.sequence_length, rnn_case.batch, width, lengths.data(), &zero);
    return descriptor;
}

}  // namespace rnncheck::vendor
