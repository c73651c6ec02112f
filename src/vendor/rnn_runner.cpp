#include "vendor/rnn_runner.hpp"

namespace rnncheck::vendor {

namespace {

template <class Enumeration, std::size_t n>
int number_in(const int (&numbers)[n], Enumeration value) {
    return numbers[static_cast<std::size_t>(value)];
}

}  // namespace

int data_type_number(Dtype dtype) {
    return number_in({1, 0, 2, 9}, dtype);  // fp64, fp32, fp16, bf16
}

int precision_number(Dtype dtype) {
    return data_type_number(dtype == Dtype::fp64 ? Dtype::fp64 : Dtype::fp32);
}

int math_number(MathType math) {
    return number_in({0, 1, 3}, math);  // standard, tensor, fma
}

int mode_number(Cell cell) {
    return number_in({2, 3, 1, 0}, cell);  // lstm, gru, tanh, relu
}

int bias_number(BiasMode bias) {
    return number_in({0, 1, 3, 2}, bias);  // none, input, recurrent, both
}

RnnRunner::~RnnRunner() {
    if (context_in_doubt_) return;
    for (auto step = clean_up_.rbegin(); step != clean_up_.rend(); ++step) (*step)();
}

void RnnRunner::impossible(const char* call, const std::string& what) {
    if (failed()) return;
    calls_.result = {call, impossible_answer, what};
    session_.cuda.writer->failed(calls_.result);
}

void RnnRunner::check_size(const char* call, std::size_t bytes) {
    constexpr std::size_t most = std::size_t{1} << 48;
    if (bytes > most) impossible(call, "it gave back a size of " + std::to_string(bytes) + " bytes, which no GPU has");
}

DevicePointer RnnRunner::allocate(std::size_t bytes) {
    DevicePointer memory = 0;
    if (bytes == 0 || failed()) return memory;
    cuda(session_.cuda.cuMemAlloc_v2, &memory, bytes);
    if (failed())
        calls_.result.bytes = static_cast<std::int64_t>(bytes);
    else
        clean_up_.push_back([this, memory] { session_.cuda.check(session_.cuda.cuMemFree_v2, memory); });
    return memory;
}

DevicePointer RnnRunner::upload(std::span<const std::byte> bytes) {
    const DevicePointer memory = allocate(bytes.size());
    if (memory) cuda(session_.cuda.cuMemcpyHtoD_v2, memory, bytes.data(), bytes.size());
    return memory;
}

DevicePointer RnnRunner::zeros(std::size_t bytes) {
    const DevicePointer memory = allocate(bytes);
    if (memory) cuda(session_.cuda.cuMemsetD8_v2, memory, static_cast<unsigned char>(0), bytes);
    return memory;
}

std::vector<std::byte> RnnRunner::download(const Memory& from) {
    std::vector<std::byte> copy(from.bytes);
    if (from.bytes > 0) cuda(session_.cuda.cuMemcpyDtoH_v2, copy.data(), from.at, from.bytes);
    return copy;
}

template <class Descriptor>
Descriptor RnnRunner::made(const Symbol<int(Descriptor*)>& make, const Symbol<int(Descriptor)>& destroy) {
    Descriptor descriptor = nullptr;
    cudnn(make, &descriptor);
    if (!failed()) clean_up_.push_back([this, &destroy, descriptor] { session_.cudnn.check(destroy, descriptor); });
    return descriptor;
}

RnnDescriptor RnnRunner::rnn_descriptor() {
    return made(session_.cudnn.cudnnCreateRNNDescriptor, session_.cudnn.cudnnDestroyRNNDescriptor);
}

TensorDescriptor RnnRunner::empty_tensor() {
    return made(session_.cudnn.cudnnCreateTensorDescriptor, session_.cudnn.cudnnDestroyTensorDescriptor);
}

FilterDescriptor RnnRunner::filter() {
    return made(session_.cudnn.cudnnCreateFilterDescriptor, session_.cudnn.cudnnDestroyFilterDescriptor);
}

TensorDescriptor RnnRunner::tensor(Dtype dtype, const std::array<int, 3>& sizes) {
    const TensorDescriptor descriptor = empty_tensor();
    const int strides[3] = {sizes[1] * sizes[2], sizes[2], 1};
    cudnn(session_.cudnn.cudnnSetTensorNdDescriptor, descriptor, data_type_number(dtype), 3, sizes.data(), strides);
    return descriptor;
}

RnnDataDescriptor RnnRunner::sequences(const RnnCase& rnn_case, int width) {
    const RnnDataDescriptor descriptor =
        made(session_.cudnn.cudnnCreateRNNDataDescriptor, session_.cudnn.cudnnDestroyRNNDataDescriptor);
    const std::vector<int> lengths = rnn_case.all_lengths();
    double zero = 0;  // all bytes zero: the number zero in every type
    cudnn(session_.cudnn.cudnnSetRNNDataDescriptor, descriptor, data_type_number(rnn_case.dtype),
          same_number(rnn_case.layout), rnn_case.sequence_length, rnn_case.batch, width, lengths.data(), &zero);
    return descriptor;
}

}  // namespace rnncheck::vendor
