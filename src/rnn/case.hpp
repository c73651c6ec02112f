// One recurrent-network case: everything cuDNN has to be told, in our words. Knows no vendor, file or process.
#pragma once

#include "base/fields.hpp"

namespace rnncheck {

enum class Dtype { fp64, fp32, fp16, bf16 };
RNNCHECK_ENUM_NAMES(Dtype, "fp64", "fp32", "fp16", "bf16")

/// Arithmetic asked for: `fma` forbids TF32 (cuDNN 8 and later), `standard` is the default that users get (TF32
/// allowed for fp32 from compute capability 8.0), `tensor` allows tensor cores for fp16.
enum class MathType { standard, tensor, fma };
RNNCHECK_ENUM_NAMES(MathType, "default", "tensor_op", "fma")

enum class Algorithm { standard, persist_static, persist_dynamic, persist_static_small_h };
RNNCHECK_ENUM_NAMES(Algorithm, "standard", "persist_static", "persist_dynamic", "persist_static_small_h")

enum class Direction { unidirectional, bidirectional };
RNNCHECK_ENUM_NAMES(Direction, "unidirectional", "bidirectional")

/// Order of x and y in memory; `packed` holds per time step only the sequences still alive and needs lengths that
/// do not grow.
enum class Layout { sequence_major, sequence_major_packed, batch_major };
RNNCHECK_ENUM_NAMES(Layout, "sequence_major", "sequence_major_packed", "batch_major")

/// The two RNN interfaces of cuDNN: `legacy` in 7 and 8, `v8` in 8 and 9.
enum class Dialect { legacy, v8 };
RNNCHECK_ENUM_NAMES(Dialect, "legacy", "v8")

/// An LSTM forward pass in inference mode. Sizes are numbers of elements; `lengths` holds one length per sequence,
/// or nothing when all have `sequence_length` steps. `states` says whether hx and cx are given (else zero).
/// Intermediate sums are fp32 (fp64 for fp64), as frameworks ask for.
struct RnnCase {
    std::string cell = "lstm";
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

    int directions() const { return direction == Direction::bidirectional ? 2 : 1; }
    int length_of(int sequence) const {
        return lengths.empty() ? sequence_length : lengths[static_cast<std::size_t>(sequence)];
    }

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("cell", self.cell, "kind of cell: lstm");
        visit("dtype", self.dtype, "type of data, states and weights");
        visit("math", self.math, "math type asked for");
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
    }
};

}  // namespace rnncheck
