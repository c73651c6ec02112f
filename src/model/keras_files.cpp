// The files of Keras: .keras, which is a ZIP archive, and HDF5.
#include <algorithm>

#include "base/text.hpp"
#include "model/arrays.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

/// HDF5 that another program wrote: the cells that its arrays show, or
/// why it is no model of Keras.
void read_other_hdf5(const Weights& weights, ModelFile& into) {
    into.format = "hdf5";
    into.framework = "numpy";
    std::vector<NamedTensor> tensors;
    for (const auto& [path, tensor] : weights)
        tensors.push_back({"", path, tensor});
    add_cells_by_names(tensors, into);
    if (into.layers.empty() && into.unclear.empty())
        throw InputError(
            "it is HDF5, but not of Keras: it has neither the attribute model_config nor "
            "layer_names; if it is data, "
            "give the file of the model, if Keras wrote it, save the model again with "
            "model.save(\"model.keras\")");
}

/// The version is what the rules are selected by.
void set_version(ModelFile& file, const std::string& version) {
    file.framework = "keras";
    if (!version.empty())
        file.version = version;
}

}  // namespace

void read_keras_zip(const ZipArchive& archive, ModelFile& into) {
    const auto json_of = [&](const char* name) -> Json {
        const auto* const entry = archive.find(name);
        if (!entry)
            return {};
        return parsed_json(archive.content(*entry), name);
    };
    const Json config = json_of("config.json");
    if (text_member(config, "class_name").empty())
        throw InputError("config.json describes no Keras model");
    into.format = "keras";
    set_version(into, text_member(json_of("metadata.json"), "keras_version"));
    Weights weights;
    const auto* const entry = archive.find("model.weights.h5");
    if (entry && entry->size > 0)
        weights = read_hdf5(archive.content(*entry)).datasets;
    add_keras_layers(config, weights, into);
}

/// Keras 3 names weights "/vars/0"; Keras 1 and 2 list the names of the layers
/// in an attribute.
void read_keras_hdf5(std::string_view bytes, ModelFile& into) {
    Hdf5 hdf5 = read_hdf5(bytes);
    const std::string config = hdf5.texts["model_config"];
    const bool keras_3 = std::ranges::any_of(
        hdf5.datasets, [](const auto& one) { return contains(one.first, "/vars/"); });
    if (config.empty() && !keras_3 && !hdf5.texts.contains("layer_names") &&
        !hdf5.texts.contains("keras_version"))
        return read_other_hdf5(hdf5.datasets, into);
    set_version(into, hdf5.texts["keras_version"]);
    into.format = "keras_weights";
    if (!config.empty()) {
        into.format = "hdf5";
        return add_keras_layers(parsed_json(config, "model_config"), hdf5.datasets, into);
    }
    add_keras_layers(hdf5.datasets, into);
    if (into.layers.empty())
        add_keras_1_layers(hdf5.datasets, into);
    note_unknown_weights(hdf5.datasets, into);
    into.notes.emplace_back(
        "the file contains only weights: activations, masks and dropout are unknown; save the "
        "whole model with "
        "model.save(\"model.keras\") and check that file");
}

}  // namespace rnncheck::model
