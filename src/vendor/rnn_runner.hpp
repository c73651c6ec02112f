// What both RNN dialects share: calls in a row, device memory, descriptors, weights, the two timed runs.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "rnn/number.hpp"
#include "vendor/lstm.hpp"

namespace rnncheck::vendor {

inline constexpr int padded_io = 1;  ///< CUDNN_RNN_PADDED_IO_ENABLED

inline constexpr int cuda_out_of_memory = 2;

int data_type_number(Dtype dtype);  ///< cudnnDataType_t
int precision_number(Dtype dtype);  ///< cudnnDataType_t of the sums: fp32, fp64 for fp64
int math_number(MathType math);     ///< cudnnMathType_t
int mode_number(Cell cell);         ///< cudnnRNNMode_t
int bias_number(BiasMode bias);     ///< cudnnRNNBiasMode_t

/// Of the enumerations that stand in cuDNN's order (cudnn_adv.h, the same in 7.6, 8.9 and 9.x): cudnnRNNAlgo_t,
/// cudnnDirectionMode_t, cudnnRNNDataLayout_t, cudnnRNNInputMode_t.
template <class Enumeration>
int same_number(Enumeration value) {
    static_assert(static_cast<int>(Algorithm::persist_static_small_h) == 3 &&
                  static_cast<int>(Direction::bidirectional) == 1 && static_cast<int>(Layout::batch_major) == 2 &&
                  static_cast<int>(InputMode::skip) == 1);
    return static_cast<int>(value);
}
inline constexpr int clip_minmax = 1, pass_on_nan = 1;  ///< cudnnRNNClipMode_t, cudnnNanPropagation_t

inline void* address(DevicePointer pointer) {
    return reinterpret_cast<void*>(pointer);
}

/// Something in device memory, or nothing.
struct Memory {
    DevicePointer at = 0;
    std::size_t bytes = 0;
};

/// Calls in a row: the first one that fails is kept, later ones are left out. What was made on the way is given back
/// at the end, unless a CUDA call failed by more than a want of memory, for then the context may be past use.
class RnnRunner {
  public:
    explicit RnnRunner(const Session& session) : session_(session) {}
    RnnRunner(const RnnRunner&) = delete;
    RnnRunner& operator=(const RnnRunner&) = delete;
    ~RnnRunner();

    template <class... Parameters, class... Arguments>
    void cuda(const Symbol<int(Parameters...)>& symbol, Arguments... arguments) {
        if (failed()) return;
        context_in_doubt_ = !calls_(session_.cuda, symbol, arguments...) && calls_.result.code != cuda_out_of_memory;
    }

    template <class... Parameters, class... Arguments>
    void cudnn(const Symbol<int(Parameters...)>& symbol, Arguments... arguments) {
        calls_(session_.cudnn, symbol, arguments...);
    }

    /// A call succeeded and yet gave something that cannot be.
    void impossible(const char* call, const std::string& what);
    /// Fails where a call gave back a size that no device memory has.
    void check_size(const char* call, std::size_t bytes);

    bool failed() const { return !calls_.ok(); }
    std::optional<CallResult> failure() const { return calls_.failure(); }
    const Session& session() const { return session_; }

    DevicePointer allocate(std::size_t bytes);  ///< 0 for no bytes
    DevicePointer zeros(std::size_t bytes);
    DevicePointer upload(std::span<const std::byte> bytes);
    std::vector<std::byte> download(const Memory& from);

    RnnDescriptor rnn_descriptor();
    TensorDescriptor empty_tensor();
    TensorDescriptor tensor(Dtype dtype, const std::array<int, 3>& sizes);  ///< fully packed
    FilterDescriptor filter();
    /// Padded positions of an output are filled with zeros.
    RnnDataDescriptor sequences(const RnnCase& rnn_case, int width);

  private:
    template <class Descriptor>
    Descriptor made(const Symbol<int(Descriptor*)>& make, const Symbol<int(Descriptor)>& destroy);

    const Session& session_;
    Calls calls_;
    bool context_in_doubt_ = false;
    std::vector<std::function<void()>> clean_up_;
};

/// The arrays that go to the device and those that come back, but for the weights, of any structure that has them all.
template <class Structure>
auto all_inputs(Structure& of) {
    return std::array{&of.x, &of.hx, &of.cx, &of.dy, &of.dhy, &of.dcy};
}
template <class Structure>
auto all_results(Structure& of) {
    return std::array{&of.y, &of.hy, &of.cy, &of.dx, &of.dhx, &of.dcx};
}

/// Their bytes, 0 for what the case does not have.
struct DataSizes {
    std::size_t x, hx, cx, dy, dhy, dcy;
    std::size_t y, hy, cy, dx, dhx, dcx;
};
DataSizes sizes_of(const RnnCase& rnn_case);

/// Everything that is in device memory besides the weights. Zero for what the case does not have.
struct DeviceData {
    DevicePointer lengths = 0;
    DevicePointer x = 0, hx = 0, cx = 0, dy = 0, dhy = 0, dcy = 0;
    Memory y, hy, cy, dx, dhx, dcx;
    Memory dweights;
};

/// The numbers of the image in device memory, or without one zeros, and memory for the results.
DeviceData device_data(RnnRunner& runner, const RnnCase& rnn_case, const DeviceImage* image);

/// What both interfaces need of one case: descriptors, sizes, device memory.
struct ReadyCase {
    const RnnCase& rnn_case;
    RnnDescriptor rnn = nullptr;
    TensorDescriptor h = nullptr, c = nullptr;
    std::size_t weight_bytes = 0, work_bytes = 0, reserve_bytes = 0;
    DevicePointer weights = 0, work = 0, reserve = 0;
    DeviceData data;

    explicit ReadyCase(const RnnCase& of) : rnn_case(of) {}
    /// Gradients of the weights, work and reserve space.
    void allocate_spaces(RnnRunner& runner);
};

/// h of all pseudo-layers and sequences; of c, which only LSTM has, or null.
TensorDescriptor h_tensor(RnnRunner& runner, const RnnCase& rnn_case);
TensorDescriptor c_tensor(RnnRunner& runner, const RnnCase& rnn_case);

/// The weight space as it is to be uploaded: zeros, and each part at the place that cuDNN named for it.
struct WeightPart {
    std::size_t pseudo_layer = 0;
    int linear = 0;  ///< linLayerID
    bool bias = false;
};

class WeightImage {
  public:
    WeightImage(RnnRunner& runner, Dtype dtype, std::size_t bytes);

    DevicePointer base() const { return base_; }
    std::size_t bytes() const { return image_.size(); }

    /// `call` named `where` for a part, and `elements` as their number. A part that the case lacks has no values.
    void place(const char* call, const void* where, long long elements, const WeightPart& part,
               std::span<const std::byte> values);
    void upload();

    /// Gradients as they stand in a space of the same layout.
    std::vector<LayerWeights> read(const RnnCase& rnn_case, std::span<const std::byte> space) const;

  private:
    RnnRunner& runner_;
    Dtype dtype_;
    DevicePointer base_;
    std::vector<std::byte> image_;
    struct Placed {
        WeightPart part;
        std::size_t begin, bytes;
    };
    std::vector<Placed> placed_;
};

/// use(pseudo-layer, linLayerID, matrix, bias) for each linear layer of the case, as long as no call fails.
template <class Use>
void for_each_linear_layer(const RnnRunner& runner, const RnnCase& rnn_case, const DeviceImage& image, Use&& use) {
    for (std::size_t layer = 0; layer < image.layers.size() && !runner.failed(); ++layer)
        for (int linear = 0; linear < linear_layers; ++linear) {
            const auto index = static_cast<std::size_t>(linear);
            if (has_linear_layer(rnn_case, linear))
                use(layer, linear, image.layers[layer].matrices[index], image.layers[layer].biases[index]);
        }
}

/// Puts the data into device memory; `calls` then makes the calls that compute: one, or three for training.
void run_twice(RnnRunner& runner, ReadyCase& ready, const DeviceImage& image, const WeightImage& weights,
               const std::function<void()>& calls, RnnRun& run, Outputs& outputs);

namespace v8 {
void run(RnnRunner& runner, const DeviceImage& image, RnnRun& run, Outputs& outputs);
}
namespace legacy {
void run(RnnRunner& runner, const DeviceImage& image, RnnRun& run, Outputs& outputs);
}

}  // namespace rnncheck::vendor
