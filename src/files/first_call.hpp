// The orders in which programs call cuDNN.
#pragma once

namespace rnncheck::loader {

/// Which part a program needs first once it has created its handle, for which
/// cuDNN 9 opens libcudnn_graph. ops: it creates a dropout or tensor
/// descriptor, as PyTorch (ATen/native/cudnn/RNN.cpp) and TensorFlow (XLA,
/// cuda_dnn.cc) do before the descriptor of an RNN. adv: it creates that of the
/// RNN, as JAX does (jaxlib/gpu/rnn_kernels.cc).
enum class FirstCall { ops, adv };

}  // namespace rnncheck::loader
