// The readers of the formats, for read_model() alone. Each adds to
// what read_model() knows already.
#pragma once

#include <deque>
#include <memory>

#include "base/json.hpp"
#include "model/tensor.hpp"

namespace rnncheck::model {

/// The files in a ZIP archive, by its central directory (PKWARE's APPNOTE 6.3.10,
/// https://pkware.com/appnote).
class ZipArchive {
  public:
    /// InputError where `bytes` are no archive.
    explicit ZipArchive(std::string_view bytes);

    /// What the central directory has of a file: its sizes in bytes, the place
    /// of its local header, and how it is packed (0 not at all, 8 deflate).
    struct Entry {
        std::string name;
        std::uint64_t header = 0, packed_size = 0, size = 0, method = 0;
    };
    const std::vector<Entry>& entries() const {
        return entries_;
    }

    /// The last whose name is `name` or ends in "/name"; null when there is none.
    const Entry* find(std::string_view name) const;

    /// The content of an entry: a part of the archive, or inflated; at most 64
    /// MiB for all entries together.
    std::string_view content(const Entry& entry) const;

  private:
    /// The archive; what was unpacked, kept for the views of it, and how much that was.
    std::string_view bytes_;
    std::vector<Entry> entries_;
    mutable std::deque<std::string> inflated_;
    mutable std::uint64_t inflated_bytes_ = 0;
};

/// A file of torch.save since 1.6 or of torch.jit.save: data.pkl and the weights beside it.
void read_torch_zip(const ZipArchive& archive, ModelFile& into);
/// What TorchScript's code shows: layers and cells that are no modules, and
/// the nonlinearity of plain RNNs.
void read_script_code(
    const ZipArchive& archive, const std::vector<Tensor>& constants, ModelFile& file);
/// As torch.save wrote before 1.6: several pickles, then the weights.
void read_torch_pickle(std::string_view bytes, ModelFile& into);
/// The arrays of a file of safetensors: layers of PyTorch, or cells by their names.
void read_safetensors(std::string_view bytes, ModelFile& into);
/// The index of a checkpoint in several files beside it.
void read_safetensors_index(const Json& index, const std::string& directory, ModelFile& into);

/// `directory` has the files of weights that a large model keeps beside it.
void read_onnx(std::string_view bytes, const std::string& directory, ModelFile& into);

/// The model as Keras describes it, in JSON; sizes that it does not hold
/// come from the shapes of weights.
void add_keras_layers(const Json& model, const Weights& weights, ModelFile& into);
/// By weights alone: a kernel [input][gates * hidden] beside a recurrent
/// kernel [hidden][gates * hidden].
void add_keras_layers(const Weights& weights, ModelFile& into);
/// Keras 1 has a matrix for each gate: lstm_1/lstm_1_W_i [input][hidden],
/// lstm_1/lstm_1_U_i [hidden][hidden].
void add_keras_1_layers(const Weights& weights, ModelFile& into);
/// Weights named after a recurrent layer that is not among those
/// found make the file unclear.
void note_unknown_weights(const Weights& weights, ModelFile& into);
/// Keras 3's .keras: config.json, metadata.json and the weights in HDF5.
void read_keras_zip(const ZipArchive& archive, ModelFile& into);
/// Keras 1 and 2: a whole model, or weights alone.
void read_keras_hdf5(std::string_view bytes, ModelFile& into);
/// A SavedModel's directory.
void read_saved_model(const std::string& directory, ModelFile& into);

/// What torch.export.save wrote; false where the archive is none.
bool read_exported_program(const ZipArchive& archive, ModelFile& into);

/// Whether the bytes are a GraphDef, such as a frozen graph of TensorFlow 1.
bool is_tensorflow_graph(std::string_view bytes);
/// The GraphDef in a MetaGraphDef, such as a checkpoint's .meta file; "" where it is none.
std::string_view graph_of_meta_graph(std::string_view bytes);
/// `format` as the result has it: "tensorflow_graph", "saved_model".
void read_tensorflow_graph(std::string_view graph, const char* format, ModelFile& into);
/// The layers of a GraphDef that cuDNN's and other operators compute.
void add_graph_cells(std::string_view graph, ModelFile& into);
/// TensorFlow.js' model.json: a Keras model or a graph.
void read_tensorflow_js(const Json& model, ModelFile& into);
/// A model that Paddle 3 saves in JSON (magic "pir").
void read_paddle_program(const Json& program, ModelFile& into);
/// Adds the layer of one operator "1.rnn" of it.
void add_paddle_layer(const Json& node, ModelFile& into);

/// A Python program, and the code cells of a notebook.
void read_python(std::string_view text, ModelFile& into);
void read_notebook(const Json& notebook, ModelFile& into);

/// What a file is that is no model which is read, and what to do.
[[noreturn]] void reject_kind(std::string_view bytes, const std::string& path);
/// InputError where joblib wrote the pickle.
void reject_joblib(std::string_view bytes);
/// What JSON is that is no model, and which file to give instead.
std::string advice_for_json(const Json& json);

/// Texts and datasets in an HDF5 file, as h5py writes it for Keras.
struct Hdf5 {
    /// attributes of the root and of its group model_weights:
    /// "model_config"; of several the first
    TextMap texts;
    /// by their path; without bytes where these are compressed or in pieces
    Weights datasets;
};

/// Superblocks 0 and 1, object headers 1, groups with a symbol table: what h5py writes unless it is
/// specified otherwise. InputError where the file has another form. Format:
/// https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html.
Hdf5 read_hdf5(std::string_view bytes);

/// Null where it is none, or a value of another type.
const Json& member(const Json& object, const char* name);
/// The text of a member; "" where it is none.
std::string text_member(const Json& object, const char* name);
/// InputError where it is not JSON.
Json parsed_json(std::string_view text, const std::string& what);

}  // namespace rnncheck::model
