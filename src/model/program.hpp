// The recurrent layers that a Python program builds, with the arguments that
// are written there. Nothing is executed or imported: a reader of tokens that
// follows names through imports and simple assignments.
#pragma once

#include <functional>

#include "model/keras_masks.hpp"
#include "model/readers.hpp"
#include "model/whole_program.hpp"

namespace rnncheck::model {

/// Follows the calls of a program; adds to `file` each layer, and what is not followed.
class ProgramLayers : private WholeProgram {
  public:
    /// `place` names a line: "line 3", "cell 2, line 3".
    ProgramLayers(
        std::string_view text, ModelFile& file, std::function<std::string(std::size_t)> place)
        : WholeProgram(text), file_(file), place_(std::move(place)), masks_(*this, place_) {
    }

    /// Adds the layers to the file.
    void read();

  private:
    static constexpr std::size_t most_layers = 5000;

    /// An attribute that is set after a layer was built: what it becomes is not followed.
    struct Change {
        std::string of;  ///< the name of the layer; "" of a layer of a model
        std::string setting, text;
    };

    void add(const Call& call);
    /// A cell in keras.layers.RNN(...), which is what is listed.
    bool is_inside_rnn(const Call& call) const;
    std::optional<int> size_argument(const Call& call, const char* name, int position) const;
    void add_other(const Call& call, const std::string& name, ModelLayer& layer) const;
    /// Classes that are named without being called: in a table, as an
    /// argument, chosen by a condition.
    void add_references();
    static void set_chosen(ModelLayer& layer, bool torch, const std::string& what);
    /// In an import, an annotation, a list of base classes or
    /// isinstance(): no layer is built there.
    bool is_declaration(std::size_t first, std::size_t last) const;
    bool in_braces(std::size_t at) const;
    /// Classes that are derived from recurrent layers, and those of other files
    /// and libraries: what they compute is not in the program.
    void note_others();
    /// Without a layer here the program may take its model from elsewhere.
    void note_elsewhere();

    // PyTorch: program_torch.cpp
    static LayerKind torch_kind(const std::string& name);
    /// dtype=torch.float16, or a parameter whose value the program shows.
    void set_torch_type(const Call& call, ModelLayer& layer) const;
    void add_torch(const Call& call, const std::string& name, ModelLayer& layer) const;

    // Keras: program_keras.cpp
    static LayerKind keras_kind(const std::string& name);
    void add_keras(const Call& call, const std::string& name, ModelLayer& layer) const;
    static void set_defaults(ModelLayer& layer, bool v1);
    /// What the program around a Keras layer decides.
    void add_surroundings(const Call& call, const std::string& name, ModelLayer& layer) const;
    static void set(
        ModelLayer& layer,
        const std::string& setting,
        const std::optional<std::string>& value,
        const std::string& written);
    void read_keras_arguments(const Call& call, ModelLayer& layer) const;
    /// layer.activation = ..., model.layers[0].activation = ..., and the
    /// functions and classes of the program.
    void read_statements();
    void note_changes(const Call& call, ModelLayer& layer) const;
    static bool decides(const std::string& setting);
    /// The call with the arguments that cuDNN needs.
    std::string changed_line(
        const Call& call, std::vector<std::pair<const Argument*, const char*>> wrong) const;

    ModelFile& file_;
    std::function<std::string(std::size_t)> place_;
    KerasMasks masks_;
    std::vector<Change> changes_;
    /// "def LSTM", by the name
    std::map<std::string_view, std::string> definitions_;
};

}  // namespace rnncheck::model
