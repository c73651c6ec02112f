// What `rnncheck model` prints for people.
#include <cmath>

#include "base/text.hpp"
#include "report/documents.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t label_width = 10;

const char* name_for_people(LayerKind kind) {
    constexpr const char* names[] = {"LSTM",           "GRU",      "RNN (tanh)", "RNN (ReLU)",     "RNN",
                                     "LSTM cell",      "GRU cell", "RNN cell",   "stack of cells", "convolutional LSTM",
                                     "cell of its own"};
    return names[static_cast<std::size_t>(kind)];
}

/// "GRU, input 128, hidden 256, 2 layers, both directions, float32".
std::string outline(const JudgedLayer& layer) {
    std::vector<std::string> parts{name_for_people(layer.kind)};
    if (layer.input) parts.push_back("input " + std::to_string(*layer.input));
    if (layer.hidden) parts.push_back("hidden " + std::to_string(*layer.hidden));
    if (layer.layers > 1) parts.push_back(std::to_string(layer.layers) + " layers");
    if (layer.directions == 2) parts.push_back("both directions");
    if (layer.dtype) parts.push_back(*layer.dtype);
    if (const auto used = layer.settings.find("used"); used != layer.settings.end())
        parts.push_back("used " + used->second);
    return shown(join(parts, ", "));
}

/// The five rows that a layer can have.
std::pair<Mark, const char*> use_in_words(const JudgedLayer& layer) {
    if (layer.cpu_only) return {Mark::failed, "CPU only: the GPU does not compute this layer at all"};
    switch (layer.cudnn) {
        case CudnnUse::yes:
            return {Mark::passed, "yes: on a GPU, cuDNN computes the whole sequence in one call"};
        case CudnnUse::depends:
            return {Mark::warning, layer.settings.contains("mask") && layer.settings.at("mask") != "none"
                                       ? "depends on the mask at run time"
                                       : "depends on what it is run with"};
        case CudnnUse::unknown:
            return {Mark::undetermined, "not from this file: it does not hold what decides"};
        case CudnnUse::no:
            break;
    }
    return {Mark::failed, "no: the GPU computes each time step separately, which is slower"};
}

std::string mebibytes_in_words(std::int64_t bytes) {
    return short_number(std::round(static_cast<double>(bytes) / (1 << 20) * 10) / 10) + " MiB";
}

void write_layer(Page& page, const JudgedLayer& layer) {
    page.line();
    page.wrap(page.styled(TextStyle::bold, shown(layer.name.empty() ? "(the model itself)" : layer.name)) + "  ",
              outline(layer), 4);
    const auto [mark, use] = use_in_words(layer);
    page.wrap("  " + page.mark(mark) + " cuDNN  ", use);
    for (const std::string& reason : layer.reasons) page.labelled("Why", shown(reason), label_width);
    for (const std::string& change : layer.changes) page.labelled("Change", shown(change), label_width);
    if (layer.modeled_speedup)
        page.labelled("Gain",
                      "about " + short_number(std::round(*layer.modeled_speedup * 10) / 10) +
                          " times as fast, by the model of docs/speed.md, not measured",
                      label_width);
    if (layer.memory)
        page.labelled("Memory",
                      "weights " + mebibytes_in_words(layer.memory->weights) + ", inputs and outputs " +
                          mebibytes_in_words(layer.memory->data) + ", workspace " +
                          mebibytes_in_words(layer.memory->workspace) + ", for training also " +
                          mebibytes_in_words(layer.memory->reserve) + " (estimated)",
                      label_width);
    if (page.is_verbose())
        for (const std::string& source : layer.sources) page.line("  " + padded("Source", label_width) + shown(source));
}

}  // namespace

std::string text_of(const ModelDocument& document, const Style& style) {
    Page page(style);
    const std::string framework = document.framework + (document.version ? " " + *document.version : "");
    if (document.layers.empty()) {
        page.wrap("", shown(document.file) + " (" + shown(framework) + ") has no recurrent layer");
    } else {
        page.wrap("", shown(document.file) + ": " +
                          pluralized(document.layers.size(), "recurrent layer", "recurrent layers") + ", " +
                          shown(framework));
        for (const JudgedLayer& layer : document.layers) write_layer(page, layer);
        page.line();
    }
    for (const std::string& note : document.notes) page.wrap("note: ", shown(note));
    return page.text();
}

}  // namespace rnncheck
