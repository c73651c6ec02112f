// Recurrent cells by the names and shapes of a file's arrays: of Flax, Haiku
// and Equinox, and classes of a program's own.
#pragma once

#include "model/tensor.hpp"

namespace rnncheck::model {

/// An array of a model's file, by the names that lead to it.
struct NamedTensor {
    /// the dictionaries around the one that holds it: "state_dict"
    std::string container;
    /// "encoder.lstm.weight_ih_l0"; Haiku's have '/'
    std::string name;
    Tensor tensor;
};

/// Adds the cells that are no layer of PyTorch's, and why others cannot be recognized
/// to `unclear`. Arrays below a layer that `file` already has are not looked at. Sets
/// the framework to jax where the names are those of one of its libraries.
void add_cells_by_names(const std::vector<NamedTensor>& tensors, ModelFile& file);

/// Arrays of an archive without a framework: layers by PyTorch's names, then
/// cells as above.
void add_layers_of_arrays(const std::vector<NamedTensor>& tensors, ModelFile& into);

/// The arrays of .npy files one after the other, as NumPy and Equinox write
/// them; a line of JSON may be before them.
void read_npy_arrays(std::string_view bytes, ModelFile& into);
/// MessagePack as flax.serialization writes it.
void read_flax_msgpack(std::string_view bytes, ModelFile& into);
/// Shape and type of one .npy file; nothing where it is none.
std::optional<Tensor> npy_tensor(std::string_view bytes, std::uint64_t* end = nullptr);

}  // namespace rnncheck::model
