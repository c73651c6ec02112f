// What holds for a whole Python program: precision, devices, compilation, the back
// end of Keras. Base of ProgramLayers, which adds it to each layer.
#pragma once

#include "model/python_source.hpp"

namespace rnncheck::model {

class WholeProgram : public PythonSource {
  public:
    explicit WholeProgram(std::string_view text) : PythonSource(text) {
        read_whole_program();
    }

  protected:
    /// Whether the program itself, not only a function or a class of it, builds
    /// a layer or a class of its own and calls it: a file of classes alone is
    /// moved to a GPU by those who use it.
    bool runs_itself() const;

    /// jit_compile of compile(), or the text in its place; Keras' policy; KERAS_BACKEND,
    /// with "?" before a text that is computed; the default type of PyTorch; the
    /// device, and cudnn.enabled, where they are variables.
    std::string jit_, jit_variable_, policy_, backend_, torch_dtype_, device_variable_,
        cudnn_variable_;
    /// tf.function(jit_compile=True); no disable_eager_execution(); quantize_dynamic();
    /// an optimizer or backward(); a library that moves models to its devices.
    bool xla_ = false, eager_ = true, quantized_ = false, trains_ = false, other_trainer_ = false;
    /// The program names a GPU; it names the processor; TF_USE_LEGACY_KERAS;
    /// cudnn.enabled = False.
    bool on_gpu_ = false, on_cpu_ = false, legacy_ = false, cudnn_off_ = false;

    /// The line that hides the GPUs from the whole program; "" without one.
    std::string hidden_;

    /// The line that moves a model back to the processor before it is
    /// called again; "" without one.
    std::string moved_back_;

    /// with tf.device("/CPU:0") around the call, or .to("cpu") behind it; "" without.
    std::string device_around(const Call& call) const;

  private:
    bool in_block(std::size_t head, std::size_t at) const;
    void note_moved_back(std::size_t at);
    bool is_model(const std::string& name) const;
    void read_whole_program();
    void read_cudnn_flags(const Call& call);
    bool is_called(const Call& call) const;
    bool in_class(std::size_t at) const;
    void read_compile(const Call& call);
    void read_environment(std::size_t at);
    void read_device(const Call& call);
    void note_type(const std::string& text);
    bool note_device_given(const std::string& text, std::size_t first, int depth);
    std::string returns_of(const std::string& name) const;
    void note_device(const std::string& text, std::size_t first, std::size_t last, int depth);
};

}  // namespace rnncheck::model
