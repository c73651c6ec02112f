// What `rnncheck model` prints for people.
#include <cmath>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/rnn_runs.hpp"
#include "report/outline.hpp"

namespace rnncheck {

namespace {

/// `without_findings`: not what the finding of a layer contains.
enum class LayerDetails { all, without_findings };

/// In the order of LayerKind.
const char* name_for_people(LayerKind kind) {
    constexpr const char* names[] = {
        "LSTM",
        "GRU",
        "RNN (tanh)",
        "RNN (ReLU)",
        "RNN",
        "LSTM cell",
        "GRU cell",
        "RNN cell",
        "stack of cells",
        "convolutional LSTM",
        "custom cell"};
    return names[static_cast<std::size_t>(kind)];
}

/// A model that is a single layer has no name for it.
std::string name_or_model(const JudgedLayer& layer) {
    if (layer.name.empty())
        return "(the model itself)";
    return layer.name;
}

/// "GRU, input 128, hidden 256, 2 layers, both directions, float32".
std::string outline(const JudgedLayer& layer) {
    const std::string* const used = look_up(layer.settings, "used");
    std::vector<std::string> parts = {
        name_for_people(layer.kind),
        if_any("input ", layer.input),
        if_any("hidden ", layer.hidden)};
    if (layer.layers > 1)
        parts.push_back(concat(layer.layers, " layers"));
    if (layer.directions == 2)
        parts.emplace_back("both directions");
    parts.push_back(layer.dtype.value_or(""));
    parts.push_back(if_any("used ", used));
    return shown(listed(std::move(parts)));
}

/// Whether cuDNN can compute a masked layer is known only with the data: their
/// padding has to be at the end of each sequence.
bool has_mask(const JudgedLayer& layer) {
    const std::string* const mask = look_up(layer.settings, "mask");
    return mask && *mask != "none";
}

/// The six rows that a layer can have.
std::pair<Mark, const char*> use_in_words(const JudgedLayer& layer) {
    if (layer.cpu_only)
        return {Mark::failed, "CPU only: the GPU does not compute this layer at all"};
    switch (layer.cudnn) {
        case CudnnUse::yes:
            return {Mark::passed, "yes: on a GPU, cuDNN computes the whole sequence in one call"};
        case CudnnUse::depends:
            if (has_mask(layer))
                return {Mark::warning, "depends on the mask at run time"};
            return {Mark::warning, "depends on what it is run with"};
        case CudnnUse::unknown:
            return {
                Mark::undetermined,
                "not known from this file, which does not contain all settings that decide"};
        case CudnnUse::no:
            break;
    }
    if (too_large_for_cudnn(layer))
        return {Mark::failed, "no: cuDNN cannot compute a layer of this size"};
    if (layer.settings.contains("contradiction"))
        return {Mark::failed, "no: the file contradicts itself, so this layer cannot be run"};
    if (layer.settings.contains("opset"))
        return {Mark::failed, "no: ONNX Runtime rejects this layer on a GPU"};
    return {Mark::failed, "no: the GPU computes each time step separately, which is slower"};
}

/// From the sizes alone: no framework was run.
std::string estimated(const ModelMemory& memory) {
    return "weights " + mebibytes(memory.weights) + ", inputs and outputs " +
           mebibytes(memory.data) + ", workspace " + mebibytes(memory.workspace) +
           ", for training also " + mebibytes(memory.reserve) + " (estimated)";
}

/// Of a model of the GPU, so that a layer's change is not made on a wrong
/// promise.
std::string gain_in_words(double speedup) {
    return "about " + short_number(std::round(speedup * 10) / 10) +
           " times as fast (not measured; model of docs/speed.md for 32 sequences of 100 steps or "
           "the sizes given)";
}

/// Whether the change is a line of code to be typed as it is.
bool is_code(const JudgedLayer& layer, std::size_t change) {
    return change < layer.changes_are_code.size() && layer.changes_are_code[change];
}

/// Why a layer does not use cuDNN, and what to change. Documents with findings have them there.
void write_why(Page& page, const JudgedLayer& layer) {
    for (const std::string& reason : layer.reasons)
        page.labelled("Why", shown(reason));
    for (std::size_t i = 0; i < layer.changes.size(); ++i)
        if (is_code(layer, i))
            page.unwrapped("Change", shown(layer.changes[i]));  // to be copied
        else
            page.labelled("Change", shown(layer.changes[i]));
    if (layer.modeled_speedup)
        page.labelled("Gain", gain_in_words(*layer.modeled_speedup));
}

/// What the layer is, whether cuDNN computes it, then why and what to change.
void write_layer(Page& page, const JudgedLayer& layer, LayerDetails details) {
    page.line();
    const std::string name = name_or_model(layer);
    page.wrap(page.styled(TextStyle::bold, shown(name)) + "  ", outline(layer), 4);
    const auto setting = [](const auto& known) { return known.first + " " + known.second; };
    if (page.is_verbose())
        page.labelled("Settings", shown(join(mapped(layer.settings, setting), ", ")));
    const auto [mark, use] = use_in_words(layer);
    page.wrap("  " + page.mark(mark) + " cuDNN  ", use);
    const bool is_finding = layer.cudnn == CudnnUse::no;
    if (details == LayerDetails::all || !is_finding)
        write_why(page, layer);
    for (const std::string& place : layer.on_this_machine)
        page.labelled("Here", shown(place));
    if (layer.memory)
        page.labelled("Memory", estimated(*layer.memory));
    if (page.is_verbose())
        for (const std::string& source : layer.sources)
            page.unwrapped("Source", shown(source));
}

/// For formats that list findings; the text form has a place for each layer. It
/// is a warning: such a layer works, but slowly.
Finding finding_of(const JudgedLayer& layer) {
    Finding finding{
        .rule = "layer_without_cudnn",
        .title = "A recurrent layer of the model does not use cuDNN",
        .layer = Layer::runtime,
        .severity = Severity::warning,
        .subject = layer.name,
        .message = "layer '" + layer.name + "' does not use cuDNN: " + join(layer.reasons, "; "),
    };
    if (layer.modeled_speedup)
        finding.evidence.push_back({"gain", gain_in_words(*layer.modeled_speedup), ""});
    for (std::size_t i = 0; i < layer.changes.size(); ++i)
        finding.remedies.push_back({
            .action = Action::change_program,
            .text = layer.changes[i],
            .text_is_code = is_code(layer, i),
        });
    if (!finding.remedies.empty() && !layer.sources.empty())
        finding.remedies.front().link = layer.sources.front();
    return finding;
}

/// "GPU 0, /usr/lib/libcudnn.so.9: ok: first run 3 ms, second 0.3 ms".
std::string run_in_words(const RnnRun& run) {
    std::string_view api;
    if (run.rnn_api == RnnApi::legacy)
        api = " (legacy RNN API)";
    return concat("GPU ", run.gpu, ", ", shown(run.library), api, ": ", how_it_went(run));
}

/// A network is computed the same way with any weights, but only those of the
/// file show that its numbers suit the data type.
std::string weights_in_words(const LayerRuns& runs) {
    if (runs.own_weights)
        return "those of the file";
    return "made by formula, not those of the file" + if_any(": ", runs.why_formula);
}

/// The same as write_runs(), for a cell of a table.
std::vector<std::string> runs_in_words(const LayerRuns& runs) {
    std::vector<std::string> lines = mapped(runs.runs, run_in_words);
    lines.push_back("Weights: " + weights_in_words(runs));
    return lines;
}

/// With --run: how the layer went with each cuDNN on each GPU.
void write_runs(Page& page, const LayerRuns& runs) {
    for (const RnnRun& run : runs.runs)
        page.labelled("Run", run_in_words(run));
    if (runs.algorithm)
        page.labelled(
            "Algorithm",
            std::string(name_of(*runs.algorithm)) + ", which the framework requests here");
    page.labelled("Weights", weights_in_words(runs));
}

}  // namespace

/// A sentence where there is no layer; else each layer, with how it ran.
static void write_layers(
    Page& page,
    const JudgedModel& model,
    const std::vector<LayerRuns>& runs,
    LayerDetails details) {
    const std::string framework = model.framework + if_any(" ", model.version);
    if (model.layers.empty() && !model.unclear.empty()) {
        page.wrap(
            "",
            shown(model.file) + " (" + shown(framework) +
                "): unknown whether it has recurrent layers; none was recognized");
    } else if (model.layers.empty()) {
        page.wrap("", shown(model.file) + " (" + shown(framework) + ") has no recurrent layer");
    } else {
        page.wrap(
            "",
            shown(model.file) + ": " +
                pluralized(model.layers.size(), "recurrent layer", "recurrent layers") + ", " +
                shown(framework));
        for (std::size_t i = 0; i < model.layers.size(); ++i) {
            write_layer(page, model.layers[i], details);
            if (const auto* const run = find_by(runs, &LayerRuns::layer, static_cast<int>(i + 1)))
                write_runs(page, *run);
        }
        page.line();
    }
    for (const std::string& reason : model.unclear)
        page.wrap("unknown: ", shown(reason));
    for (const std::string& note : model.notes)
        page.wrap("note: ", shown(note));
}

void write_layers(Page& page, const JudgedModel& model, const std::vector<LayerRuns>& runs) {
    write_layers(page, model, runs, LayerDetails::all);
}

/// Several models in one table: each layer on a line, the reasons of the first that differ below.
static void write_table(Page& page, const ModelDocument& document) {
    for (const JudgedModel& model : document.models) {
        if (&model != &document.models.front())
            page.line();
        page.wrap(
            "",
            page.styled(TextStyle::bold, shown(model.file)) + "  " +
                shown(model.framework + if_any(" ", model.version)));
        if (model.layers.empty() && model.unclear.empty())
            page.wrap("  ", "no recurrent layer");
        for (const JudgedLayer& layer : model.layers) {
            const auto [mark, use] = use_in_words(layer);
            page.wrap(
                "  " + page.mark(mark) + " ",
                concat(name_of(layer.cudnn), "  ", shown(layer.name), "  ", outline(layer)),
                4);
            if (!layer.reasons.empty())
                page.wrap("      ", shown(layer.reasons.front()));
        }
        for (const std::string& reason : model.unclear)
            page.wrap("  unknown: ", shown(reason));
    }
    if (!document.unread.empty())
        page.line();
    for (const UnreadModel& model : document.unread)
        page.wrap("not read: ", shown(model.file + ": " + model.reason));
}

/// What the cell of a layer has beside whether it uses cuDNN; the reasons only where no finding has
/// them.
static std::string details_of(const JudgedLayer& layer, const LayerRuns* runs) {
    std::vector<std::string> lines;
    if (layer.cudnn != CudnnUse::no) {
        append(lines, layer.reasons);
        for (const std::string& change : layer.changes)
            lines.push_back("Change: " + change);
        if (layer.modeled_speedup)
            lines.push_back("Gain: " + gain_in_words(*layer.modeled_speedup));
    }
    append(lines, layer.on_this_machine);
    if (layer.memory)
        lines.push_back("Memory: " + estimated(*layer.memory));
    if (runs)
        append(lines, runs_in_words(*runs));
    return join(lines, "\n");
}

/// The layers, for formats that draw tables.
static OutlineTable table_of(const JudgedModel& model, const std::vector<LayerRuns>& runs = {}) {
    OutlineTable table{
        concat(model.file, " (", model.framework, known(" ", model.version), ")"),
        {"Layer", "Network", "cuDNN", "Details"},
        {}};
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        const JudgedLayer& layer = model.layers[i];
        const auto [mark, use] = use_in_words(layer);
        const LayerRuns* const run = find_by(runs, &LayerRuns::layer, static_cast<int>(i + 1));
        table.rows.push_back(
            {{name_or_model(layer)}, {outline(layer)}, {use, mark}, {details_of(layer, run)}});
    }
    // An empty column would only take space.
    const auto has_no_details = [](const auto& row) { return row.back().text.empty(); };
    if (std::ranges::all_of(table.rows, has_no_details)) {
        table.columns.pop_back();
        for (auto& row : table.rows)
            row.pop_back();
    }
    if (table.rows.empty() && model.unclear.empty())
        table.below.emplace_back("It has no recurrent layer");
    for (const std::string& reason : model.unclear)
        table.below.push_back("Unknown: " + reason);
    for (const std::string& note : model.notes)
        table.below.push_back("Note: " + note);
    return table;
}

/// One table for each model, and what could not be read of an archive or
/// directory.
static std::vector<OutlineTable> tables_of(const ModelDocument& document) {
    if (document.models.empty() && document.unread.empty())
        return {table_of(document, document.runs)};
    std::vector<OutlineTable> tables =
        mapped(document.models, [](const JudgedModel& model) { return table_of(model); });
    OutlineTable unread{.title = "Not read"};
    for (const UnreadModel& model : document.unread)
        unread.below.push_back(model.file + ": " + model.reason);
    if (!unread.below.empty())
        tables.push_back(std::move(unread));
    return tables;
}

/// A layer for which it depends on the data is no fault, and not fine either.
static Mark mark_of_layers(const ModelDocument& document) {
    const auto depends = [](const JudgedModel& model) {
        return find_by(model.layers, &JudgedLayer::cudnn, CudnnUse::depends) != nullptr;
    };
    const bool any = depends(document) || std::ranges::any_of(document.models, depends);
    const Mark mark = mark_of(document.verdict);
    if (any && mark == Mark::passed)
        return Mark::warning;
    return mark;
}

/// One model in detail, several in one table, then the report of this machine.
void write_document(Page& page, const ModelDocument& document) {
    if (page.is_quiet())
        return page.line(shown(document.sentence));
    const bool has_nothing =
        document.models.empty() && document.unread.empty() && document.layers.empty();
    if (has_nothing && document.unclear.empty())
        return write_layers(page, document);  // a sentence by itself
    page.wrap(
        headline(document.tool, mark_of_layers(document), "", page), shown(document.sentence), 2);
    page.line();
    if (!document.models.empty() || !document.unread.empty())
        return write_table(page, document);
    write_layers(page, document, document.runs);
    if (!document.report)
        return;
    page.line();
    write_document(page, *document.report);
}

/// That of the report about this machine, if there is one, with the layers
/// added: their findings, one check for all of them, and their section as the
/// first.
Outline outline_of(const ModelDocument& document) {
    Outline of_report;
    if (document.report)
        of_report = outline_of(*document.report);
    Outline outline = outline_with(document, document.verdict, std::move(of_report));
    bool unknown = !document.unclear.empty() || !document.unread.empty(), without = false;
    const auto add = [&](const JudgedModel& model) {
        unknown |= !model.unclear.empty() ||
                   find_by(model.layers, &JudgedLayer::cudnn, CudnnUse::unknown) != nullptr;
        for (const JudgedLayer& layer : model.layers)
            if (layer.cudnn == CudnnUse::no)
                outline.findings.push_back(finding_of(layer));
    };
    add(document);
    for (const JudgedModel& model : document.models)
        add(model);
    without = !outline.findings.empty() &&
              find_by(outline.findings, &Finding::rule, "layer_without_cudnn");
    Outcome outcome = Outcome::pass;
    if (unknown)
        outcome = Outcome::undecided;
    if (without)
        outcome = Outcome::fault;
    outline.checks.push_back({
        .rule = "layer_without_cudnn",
        .outcome = outcome,
        .reason = document.sentence,
        .layer = Layer::runtime,
    });
    outline.sections.insert(
        outline.sections.begin(), section(SectionKind::layers, [&](Page& page) {
            if (document.models.empty())
                write_layers(page, document, document.runs, LayerDetails::without_findings);
            else
                write_table(page, document);
        }));
    outline.sections.front().tables = tables_of(document);
    return outline;
}

}  // namespace rnncheck
