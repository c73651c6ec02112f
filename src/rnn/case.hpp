// One recurrent-network case: all that cuDNN needs to know, in our words. Knows no vendor, file or process.
#pragma once

#include "base/fields.hpp"

namespace rnncheck {

enum class Cell { lstm, gru, tanh, relu };
RNNCHECK_ENUM_NAMES(Cell, "lstm", "gru", "tanh", "relu")

enum class Dtype { fp64, fp32, fp16, bf16 };
RNNCHECK_ENUM_NAMES(Dtype, "fp64", "fp32", "fp16", "bf16")

/// Arithmetic asked for: `fma` forbids TF32 (cuDNN 8 and later), `standard` is the default that users get (TF32
/// allowed for fp32 from compute capability 8.0), `tensor` allows tensor cores for fp16.
enum class MathType { standard, tensor, fma };
RNNCHECK_ENUM_NAMES(MathType, "default", "tensor_op", "fma")

/// Arithmetic of an fp32 result, as its error shows it: within the limits of IEEE arithmetic, beyond them with matrix
/// operands in TF32, or beyond them with functions as `--use_fast_math` compiles them (tanh.approx).
enum class Precision { full, tf32, fast_math };
RNNCHECK_ENUM_NAMES(Precision, "full", "tf32", "fast_math")

enum class Algorithm { standard, persist_static, persist_dynamic, persist_static_small_h };
RNNCHECK_ENUM_NAMES(Algorithm, "standard", "persist_static", "persist_dynamic", "persist_static_small_h")

enum class Direction { unidirectional, bidirectional };
RNNCHECK_ENUM_NAMES(Direction, "unidirectional", "bidirectional")

/// Order of x and y in memory; `packed` holds per time step only the sequences still alive and needs lengths that
/// do not grow.
enum class Layout { sequence_major, sequence_major_packed, batch_major };
RNNCHECK_ENUM_NAMES(Layout, "sequence_major", "sequence_major_packed", "batch_major")

/// Which of a gate's two biases there are.
enum class BiasMode { none, input, recurrent, both };
RNNCHECK_ENUM_NAMES(BiasMode, "none", "input", "recurrent", "both")

/// `skip` adds x to the gates of the first layer as it is, without a matrix; needs input == hidden.
enum class InputMode { linear, skip };
RNNCHECK_ENUM_NAMES(InputMode, "linear", "skip")

/// The two RNN interfaces of cuDNN: `legacy` in 7 and 8, `v8` in 8 and 9.
enum class Dialect { legacy, v8 };
RNNCHECK_ENUM_NAMES(Dialect, "legacy", "v8")

/// A forward pass in inference mode or, with `training`, one in training mode and the gradients of data and weights.
/// Sizes are numbers of elements; `lengths` holds one length per sequence, or nothing when all have `sequence_length`
/// steps. `states` says whether hx and cx are given (else zero), and for training whether dhy and dcy are. Intermediate
/// sums are fp32 (fp64 for fp64), as frameworks ask for. Dropout is 0.
struct RnnCase {
    Cell cell = Cell::lstm;
    Dtype dtype = Dtype::fp32;
    MathType math = MathType::standard;
    Algorithm algorithm = Algorithm::standard;
    Direction direction = Direction::unidirectional;
    int layers = 1;
    int input = 1;
    int hidden = 1;
    int batch = 1;
    int sequence_length = 1;
    std::vector<int> lengths;
    Layout layout = Layout::sequence_major;
    bool states = false;
    int projection = 0;
    BiasMode bias = BiasMode::both;
    InputMode input_mode = InputMode::linear;
    double clip = 0;
    bool training = false;

    int directions() const { return direction == Direction::bidirectional ? 2 : 1; }
    int pseudo_layers() const { return layers * directions(); }
    /// Width of h, and of y per direction.
    int output() const { return projection > 0 ? projection : hidden; }
    /// Width of y.
    int width() const { return directions() * output(); }
    int length_of(int sequence) const {
        return lengths.empty() ? sequence_length : lengths[static_cast<std::size_t>(sequence)];
    }
    std::vector<int> all_lengths() const {
        return lengths.empty() ? std::vector<int>(static_cast<std::size_t>(batch), sequence_length) : lengths;
    }

    static void fields(auto& self, auto&& visit) {
        visit("cell", self.cell, "kind of cell");
        visit("dtype", self.dtype, "type of data, states and weights");
        visit("math", self.math, "requested math type");
        visit("algorithm", self.algorithm, "cuDNN's RNN algorithm");
        visit("direction", self.direction, "one or both directions");
        visit("layers", self.layers, "number of layers");
        visit("input", self.input, "input size");
        visit("hidden", self.hidden, "hidden size");
        visit("batch", self.batch, "number of sequences");
        visit("sequence_length", self.sequence_length, "longest sequence, in steps");
        visit("lengths", self.lengths, "length of each sequence; empty when all are equal");
        visit("layout", self.layout, "order of the data in memory");
        visit("states", self.states, "whether initial states are given");
        visit("projection", self.projection, "size of the LSTM's recurrent projection, 0 for none");
        visit("bias", self.bias, "which biases the gates have");
        visit("input_mode", self.input_mode, "whether the first layer multiplies its input");
        visit("clip", self.clip, "largest size of the LSTM's cell state, 0 for no clipping");
        visit("training", self.training, "whether gradients are computed, too");
    }
};

/// A case in one line: "fp32 fma standard I=7 H=5 B=3 T=4 L=1".
std::string describe(const RnnCase& rnn_case);

/// The options of `rnncheck lstm` that give this case again: "--cell gru --dtype fp32 --layers 1 --input 3 ...".
std::string options_of(const RnnCase& rnn_case);

/// Why a case cannot be, as cuDNN's documentation rules it out, before a GPU is used; in the words of the options.
std::optional<std::string> contradiction_in(const RnnCase& rnn_case);

/// Some sequence has length 0.
bool has_empty_sequence(const RnnCase& rnn_case);

/// Gates of a cell, each with a matrix on the input side and one on the recurrent side. In cuDNN's order: LSTM input,
/// forget, candidate, output; GRU reset, update, candidate.
int gates_of(Cell cell);

/// Numbers in the matrices and in both biases of all gates. The matrices of projections are not among them.
std::int64_t gate_weights(const RnnCase& rnn_case);

/// The shortest text that is read back as the same number: "0.1".
std::string exact_number(double number);

}  // namespace rnncheck
