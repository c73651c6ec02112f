// Names, shapes and texts in an HDF5 file, as h5py writes it: no data.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/bytes.hpp"

namespace rnncheck::model {

/// A group or a dataset.
struct Hdf5Object {
    std::map<std::string, std::vector<std::string>> attributes;  ///< those of texts
    std::map<std::string, std::uint64_t> links;                  ///< what a group contains, by name
    std::optional<std::vector<std::int64_t>> shape;              ///< of a dataset
    std::string dtype;                                           ///< of a dataset of real numbers: "float32"
    bool complete = true;  ///< false where it has links or attributes in a form that is not read here

    /// The first text; "" without any.
    std::string text(const std::string& attribute) const;
};

/// Superblocks 0 to 3, object headers 1 and 2, groups with a symbol table or with links in their header, attributes of
/// texts. Format: https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html.
class Hdf5File {
  public:
    explicit Hdf5File(std::string_view bytes);

    std::uint64_t root() const { return root_; }
    /// InputError where there is none at this address.
    Hdf5Object object(std::uint64_t address) const;

    /// Calls use(path, object) for every object below the root, each once.
    void each(const std::function<void(const std::string&, const Hdf5Object&)>& use) const;

  private:
    struct Message {
        std::uint64_t type;
        std::string_view data;
    };

    std::vector<Message> messages(std::uint64_t address) const;
    void add_messages(std::string_view block, std::vector<Message>& into,
                      std::vector<std::pair<std::uint64_t, std::uint64_t>>& blocks, bool new_form, bool ordered) const;
    void read_attribute(std::string_view data, Hdf5Object& into) const;
    std::string text_in_heap(std::string_view reference) const;
    void read_symbols(std::string_view data, Hdf5Object& into) const;
    void read_tree(std::uint64_t node, std::string_view names, std::set<std::uint64_t>& seen, Hdf5Object& into) const;
    void read_link(std::string_view data, Hdf5Object& into) const;
    std::vector<std::int64_t> shape_of(std::string_view dataspace) const;
    std::uint64_t offset(std::string_view data, std::uint64_t at) const { return little(data, at, offset_bytes_); }

    std::string_view bytes_;
    std::uint64_t offset_bytes_ = 8, length_bytes_ = 8, root_ = 0;
};

}  // namespace rnncheck::model
