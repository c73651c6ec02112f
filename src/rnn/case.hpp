// One recurrent-network case: all that cuDNN needs to know, in our words. Knows no vendor, file or
// process.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fields.hpp"

namespace rnncheck {

RNNCHECK_ENUM(Cell, lstm, gru, tanh, relu)

RNNCHECK_ENUM(Dtype, fp64, fp32, fp16, bf16)

/// Arithmetic requested: `fma` forbids TF32 (cuDNN 8 and later), `standard` is the default that
/// users get (TF32 allowed for fp32 from compute capability 8.0), `tensor` allows tensor cores for
/// fp16.
enum class MathType { standard, tensor, fma };
RNNCHECK_ENUM_NAMES(MathType, "default", "tensor_op", "fma")

/// Arithmetic of an fp32 result, as its error shows it: within the limits of IEEE arithmetic,
/// beyond them with matrix operands in TF32, or beyond them with functions as `--use_fast_math`
/// compiles them (tanh.approx).
RNNCHECK_ENUM(Precision, full, tf32, fast_math)

RNNCHECK_ENUM(Algorithm, standard, persist_static, persist_dynamic, persist_static_small_h)

RNNCHECK_ENUM(Direction, unidirectional, bidirectional)

/// Order of x and y in memory; `packed` holds per time step only the sequences still alive and
/// needs lengths that do not grow.
RNNCHECK_ENUM(Layout, sequence_major, sequence_major_packed, batch_major)

/// Which of a gate's two biases there are.
RNNCHECK_ENUM(BiasMode, none, input, recurrent, both)

/// `skip` adds x to the gates of the first layer as it is, without a matrix; needs input == hidden.
RNNCHECK_ENUM(InputMode, linear, skip)

/// The two RNN interfaces of cuDNN: `legacy` in 7 and 8, `v8` in 8 and 9.
RNNCHECK_ENUM(RnnApi, legacy, v8)

/// A forward pass in inference mode or, with `training`, one in training mode and the gradients of
/// data and weights. Sizes are numbers of elements; `lengths` holds one length per sequence, or
/// nothing when all have `sequence_length` steps. `states` is whether hx and cx are given (else
/// zero), and for training whether dhy and dcy are. Intermediate sums are fp32 (fp64 for fp64), as
/// frameworks request. Dropout is 0.
struct RnnCase {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(Cell, cell, "kind of cell") = Cell::lstm;
    RNNCHECK_FIELD(Dtype, dtype, "type of data, states and weights") = Dtype::fp32;
    RNNCHECK_FIELD(MathType, math, "math type: default allows TF32, fma does not") =
        MathType::standard;
    RNNCHECK_FIELD(Algorithm, algorithm, "RNN algorithm of cuDNN") = Algorithm::standard;
    RNNCHECK_FIELD(Direction, direction, "one or both directions") = Direction::unidirectional;
    RNNCHECK_FIELD(int, layers, "number of layers") = 1;
    RNNCHECK_FIELD(int, input, "input size") = 1;
    RNNCHECK_FIELD(int, hidden, "hidden size") = 1;
    RNNCHECK_FIELD(int, batch, "number of sequences") = 1;
    RNNCHECK_FIELD(int, sequence_length, "longest sequence, in steps") = 1;
    RNNCHECK_FIELD(
        std::vector<int>,
        lengths,
        "length of each sequence, in steps, if they differ, e.g. 7,3,5") = {};
    RNNCHECK_FIELD(Layout, layout, "order of the data in memory") = Layout::sequence_major;
    RNNCHECK_FIELD(bool, states, "start from initial states other than zeros") = false;
    RNNCHECK_FIELD(int, projection, "size of the LSTM's recurrent projection, 0 for none") = 0;
    RNNCHECK_FIELD(BiasMode, bias, "which biases the gates have") = BiasMode::both;
    RNNCHECK_FIELD(
        InputMode,
        input_mode,
        "whether the first layer multiplies its input by weights (linear) or not (skip)") =
        InputMode::linear;
    RNNCHECK_FIELD(
        double, clip, "absolute value at which the LSTM's cell state is clipped, 0 for none") = 0;
    RNNCHECK_FIELD(bool, training, "also compute the gradients") = false;
    RNNCHECK_FIELDS_END

    /// cuDNN keeps the bound in fp32 for every data type: in fp64, 9.14.0 and 9.19.0 clip at 0.1f
    /// if 0.1 is given.
    double clip_bound() const {
        return static_cast<float>(clip);
    }
    int directions() const {
        return direction == Direction::bidirectional ? 2 : 1;
    }
    int pseudo_layers() const {
        return layers * directions();
    }
    /// Width of h, and of y per direction.
    int output() const {
        return projection > 0 ? projection : hidden;
    }
    /// Width of y.
    int width() const {
        return directions() * output();
    }
    int length_of(int sequence) const {
        return lengths.empty() ? sequence_length : lengths[static_cast<std::size_t>(sequence)];
    }
    std::vector<int> all_lengths() const {
        return lengths.empty() ? std::vector<int>(static_cast<std::size_t>(batch), sequence_length)
                               : lengths;
    }
};

/// A case in one line: "fp32 fma standard I=7 H=5 B=3 T=4 L=1".
std::string describe(const RnnCase& rnn_case);

/// The case with what such words change, in any order; lengths are added. std::invalid_argument for
/// other words.
RnnCase parse_case(std::string_view words, RnnCase rnn_case = {});

/// The options of `rnncheck lstm` that give this case again: "--cell gru --dtype fp32 --layers 1
/// --input 3 ...".
std::string options_of(const RnnCase& rnn_case);

/// Why a case cannot be, as cuDNN's documentation rules it out, before a GPU is used; in the words
/// of the options.
std::optional<std::string> contradiction_in(const RnnCase& rnn_case);

/// Some sequence has length 0.
bool has_empty_sequence(const RnnCase& rnn_case);

/// Gates of a cell, each with a matrix on the input side and one on the recurrent side. In cuDNN's
/// order: LSTM input, forget, candidate, output; GRU reset, update, candidate.
int gates_of(Cell cell);

/// Numbers in the matrices and in both biases of all gates. The matrices of projections are not
/// among them.
std::int64_t gate_weights(const RnnCase& rnn_case);

/// The shortest text that is read back as the same number: "0.1".
std::string exact_number(double number);

// Numbers of the four data types as bytes, for copying to and from a device.

std::size_t bytes_of(Dtype dtype);

/// The nearest value of the type, ties to even; overflow gives infinity.
double rounded(double value, Dtype dtype);

/// Little-endian bytes of the values in the type, and back.
std::vector<std::byte> encode(std::span<const double> values, Dtype dtype);
std::vector<double> decode(std::span<const std::byte> bytes, Dtype dtype);

}  // namespace rnncheck
