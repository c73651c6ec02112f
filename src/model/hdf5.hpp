// Texts and datasets in an HDF5 file, as h5py writes it for Keras.
#pragma once

#include <set>

#include "model/tensor.hpp"

namespace rnncheck::model {

/// A group or a dataset.
struct Hdf5Object {
    TextMap attributes;                          ///< those of texts: the first one
    std::map<std::string, std::uint64_t> links;  ///< what a group contains, by name
    std::optional<Tensor> dataset;               ///< its bytes are empty where they are compressed or in pieces
};

/// Superblocks 0 and 1, object headers 1, groups with a symbol table: what h5py writes unless it is told otherwise.
/// Format: https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html.
class Hdf5File {
  public:
    /// InputError where it has another form.
    explicit Hdf5File(std::string_view bytes);

    std::uint64_t root() const { return root_; }
    /// InputError where there is none at this address.
    Hdf5Object object(std::uint64_t address) const;
    /// All datasets, by their path.
    Weights datasets() const;

  private:
    struct Message {
        std::uint64_t type;
        std::string_view data;
    };

    std::vector<Message> messages(std::uint64_t address) const;
    void read_attribute(std::string_view data, Hdf5Object& into) const;
    std::string text_in_heap(std::string_view reference) const;
    void read_symbols(std::string_view data, Hdf5Object& into) const;
    void read_tree(std::uint64_t node, std::string_view names, std::set<std::uint64_t>& seen, Hdf5Object& into) const;
    std::string_view data_at(std::string_view layout) const;
    std::vector<std::int64_t> shape_of(std::string_view dataspace) const;
    std::uint64_t offset(std::string_view data, std::uint64_t at) const { return little(data, at, offset_bytes_); }

    std::string_view bytes_;
    std::uint64_t offset_bytes_ = 8, length_bytes_ = 8, root_ = 0;
};

}  // namespace rnncheck::model
