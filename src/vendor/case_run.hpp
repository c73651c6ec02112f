// One case on the device, as far as both RNN interfaces share it: the sequence
// of calls, device memory, descriptors, weights, the two timed runs.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "rnn/case.hpp"
#include "vendor/lstm.hpp"

namespace rnncheck::vendor {

/// CUDNN_RNN_PADDED_IO_ENABLED
inline constexpr int padded_io = 1;
/// CUDA_ERROR_OUT_OF_MEMORY
inline constexpr int cuda_out_of_memory = 2;
/// cudnnRNNClipMode_t
inline constexpr int clip_minmax = 1;
/// cudnnNanPropagation_t
inline constexpr int pass_on_nan = 1;

// cuDNN's numbers for the values of our enumerations, in their order.
/// cudnnDataType_t: fp64, fp32, fp16, bf16
inline constexpr int data_types[] = {1, 0, 2, 9};
/// cudnnMathType_t: standard, tensor, fma
inline constexpr int math_types[] = {0, 1, 3};
/// cudnnRNNMode_t: lstm, gru, tanh, relu
inline constexpr int modes[] = {2, 3, 1, 0};
/// cudnnRNNBiasMode_t: none, input, recurrent, both
inline constexpr int bias_modes[] = {0, 1, 3, 2};

/// cuDNN's number for a value of an enumeration of ours, by one of these lists.
template <class Enumeration, std::size_t n>
int number_in(const int (&numbers)[n], Enumeration value) {
    return numbers[static_cast<std::size_t>(value)];
}

/// For enumerations in the order of cuDNN's (cudnn_adv.h, the same in 7.6, 8.9 and 9.x):
/// cudnnRNNAlgo_t, cudnnDirectionMode_t, cudnnRNNDataLayout_t, cudnnRNNInputMode_t.
template <class Enumeration>
int same_number(Enumeration value) {
    static_assert(
        static_cast<int>(Algorithm::persist_static_small_h) == 3 &&
        static_cast<int>(Direction::bidirectional) == 1 &&
        static_cast<int>(Layout::batch_major) == 2 && static_cast<int>(InputMode::skip) == 1);
    return static_cast<int>(value);
}

/// A piece of device memory: its size and, once it is allocated, its address.
/// Of size 0 for what a case does not have.
struct Memory {
    std::size_t bytes = 0;
    DevicePointer at = 0;

    /// As cuDNN takes memory: an address of the GPU in a pointer; never read on the host.
    operator void*() const {
        return reinterpret_cast<void*>(at);
    }
};

/// What is in the GPU's memory for a case: what goes in, what comes back,
/// and the spaces that cuDNN uses.
struct DeviceData {
    Memory x, hx, cx, dy, dhy, dcy;
    Memory y, hy, cy, dx, dhx, dcx, dweights;
    Memory lengths, weights, work, reserve;
};

/// The results, as bytes in the device's format.
struct DeviceBytes {
    std::vector<std::byte> y, hy, cy, dx, dhx, dcx, dweights;
    bool operator==(const DeviceBytes&) const = default;
};

/// The arrays that are copied to the device, and those that are copied back,
/// without the weights, of any structure that has them all.
template <class Structure>
auto all_inputs(Structure& of) {
    return std::array{&of.x, &of.hx, &of.cx, &of.dy, &of.dhy, &of.dcy};
}
template <class Structure>
auto all_results(Structure& of) {
    return std::array{&of.y, &of.hy, &of.cy, &of.dx, &of.dhx, &of.dcx};
}

/// Runs one case as a sequence of calls: the first that fails is kept, later ones are
/// skipped. The destructor releases descriptors and memory, unless a CUDA call failed
/// for another reason than lack of memory, because the context may then be unusable.
class CaseRun {
  public:
    CaseRun(const Session& session, const RnnCase& rnn_case);
    CaseRun(const CaseRun&) = delete;
    CaseRun& operator=(const CaseRun&) = delete;
    virtual ~CaseRun();

    /// The first call that failed; nothing while all succeeded.
    std::optional<CallResult> failure() const {
        return calls_.failure();
    }
    /// Inputs and weights from `image`; times, sizes, digest and the failure go into `run`.
    Outputs run_twice(const DeviceImage& image, RnnRun& run);
    /// The sizes alone, in bytes; nothing is allocated.
    Spaces spaces();
    /// Allocates all memory and computes once, without comparing anything.
    void run_on_zeros();

  protected:
    /// Descriptors and sizes; no memory yet.
    virtual void describe() = 0;
    /// Puts the weights of one linear layer in their places with place().
    virtual void place_layer(
        std::size_t pseudo_layer, int linear, const DeviceImage::Layer& layer) = 0;
    /// Calls before the first run, which are not timed.
    virtual void plan() {
    }
    /// The calls that compute: one, or more for training.
    virtual void compute() = 0;

    /// Skipped after a failure. A lack of memory leaves the context usable, any
    /// other error of CUDA may not.
    template <class... Parameters, class... Arguments>
    void cuda(const Symbol<int(Parameters...)>& symbol, Arguments... arguments) {
        if (failed())
            return;
        context_in_doubt_ = !calls_(session_.cuda, symbol, arguments...) &&
                            calls_.result.code != cuda_out_of_memory;
    }

    /// The same for cuDNN, whose failures do not make the context unusable.
    template <class... Parameters, class... Arguments>
    void cudnn(const Symbol<int(Parameters...)>& symbol, Arguments... arguments) {
        calls_(session_.cudnn, symbol, arguments...);
    }

    bool failed() const {
        return !calls_.ok();
    }
    /// Records a failure of `call`, which succeeded but returned something impossible.
    void impossible(const char* call, const std::string& what);
    /// Records a failure if `call` returned a size that no device memory has.
    void check_size(const char* call, const Memory& memory);

    /// A descriptor that the destructor of the run destroys; null after a failure.
    template <class Descriptor>
    Descriptor made(const Symbol<int(Descriptor*)>& make, const Symbol<int(Descriptor)>& destroy) {
        Descriptor descriptor = nullptr;
        cudnn(make, &descriptor);
        if (!failed())
            clean_up_.push_back(
                [this, &destroy, descriptor] { session_.cudnn.check(destroy, descriptor); });
        return descriptor;
    }
    TensorDescriptor empty_tensor() {
        return made(api_.cudnnCreateTensorDescriptor, api_.cudnnDestroyTensorDescriptor);
    }
    /// fully packed
    TensorDescriptor tensor(const std::array<int, 3>& sizes);
    /// x or y. Padded positions of an output are filled with zeros.
    RnnDataDescriptor sequences(int width);
    /// h of all pseudo-layers and sequences, and c, which only LSTM has.
    void describe_states();

    /// `call` returned the address `where` and the number `elements` for a part
    /// of the weights; `values` is empty for a part that the case does not have.
    void place(
        const char* call,
        const void* where,
        long long elements,
        std::size_t pseudo_layer,
        int linear,
        bool bias,
        std::span<const std::byte> values);

    const Session& session_;
    const CudnnApi& api_;
    const CudnnHandle handle_;
    const RnnCase& case_;
    /// cudnnDataType_t of the data
    const int type_;
    /// and of the sums: fp32, or fp64 for fp64
    const int precision_;
    RnnDescriptor rnn_ = nullptr;
    TensorDescriptor h_ = nullptr, c_ = nullptr;
    DeviceData data_;

  private:
    /// Where in the weight space a matrix or a bias is.
    struct Placed {
        std::size_t pseudo_layer;
        int linear;
        bool bias;
        std::size_t begin, bytes;
    };

    void allocate(Memory& memory);
    void upload(const Memory& memory, std::span<const std::byte> bytes);
    void clear(const Memory& memory, int fill = 0);
    std::vector<std::byte> download(const Memory& memory);
    /// Allocates all device memory and copies the numbers of the image to
    /// it, or zeros if there is none.
    void allocate_all(const DeviceImage* image);
    DeviceBytes run_once(double& milliseconds);
    RnnOutputs decoded(const DeviceBytes& bytes) const;

    Calls calls_;
    /// a CUDA call failed, for another reason than lack of memory
    bool context_in_doubt_ = false;
    /// in the order of creation; run backwards
    std::vector<std::function<void()>> clean_up_;
    /// as they are to be uploaded: zeros, and each part at its place
    std::vector<std::byte> weight_image_;
    std::vector<Placed> placed_;
};

/// The case by the interface of cuDNN 8 and 9, and by that of cuDNN 7 and 8.
/// Functions that the library lacks fail with missing_symbol.
std::unique_ptr<CaseRun> v8_run(const Session& session, const RnnCase& rnn_case);
std::unique_ptr<CaseRun> legacy_run(const Session& session, const RnnCase& rnn_case);

}  // namespace rnncheck::vendor
