// A mask comes from Masking or Embedding(mask_zero=True) and goes on through layers
// that pass it; a program shows its way only where the data's way can be followed.
#include "model/keras_masks.hpp"

#include <re2/re2.h>

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::model {

constexpr int deepest_flow = 40;

/// An argument decides alone; then the way of the data; at last the order in
/// which the layers are written.
std::string KerasMasks::before(const Call& call) const {
    if (const std::string given = of_argument(call); !given.empty())
        return given;
    if (!in_sequential(call.at))
        if (const Mask flown = by_flow(call, 0))
            return *flown;
    return by_order(call);
}

/// In a Sequential model, and where the data's way is not followed: of a
/// Masking or an Embedding before it.
std::string KerasMasks::by_order(const Call& call) const {
    std::string mask;
    const bool in_model = in_sequential(call.at);
    // Outside a Sequential model the data may come from any model of the program.
    const std::size_t begin = in_model ? start_of_model(call.at) : 0;
    for (const Call& before : program_.calls()) {
        if (before.at >= call.at)
            break;
        if (before.at < begin || !is_keras(before.path + "."))
            continue;
        const std::string name = last_of(before.path);
        if (name == "Masking")
            mask = "from Masking, " + place_(program_.tokens()[before.at].line);
        if (name == "Embedding")
            if (const std::string own = of_embedding(before); !own.empty())
                mask = own;
        if (in_model && in_sequential(before.at) && drops(before))
            mask.clear();
    }
    return mask;
}

/// "? zero" where mask_zero is an expression that is known only when the program runs.
std::string KerasMasks::of_embedding(const Call& call) const {
    const Argument* const zero = program_.find(call, "mask_zero", 4);
    if (!zero)
        return "";
    const auto value = program_.literal(zero->first, zero->last);
    if (!value)
        return "? " + program_.source(zero->first, zero->last);
    if (*value != "True")
        return "";
    return "from Embedding, " + place_(program_.tokens()[call.at].line);
}

/// Layers that change the steps or the axes, and recurrent ones that return the
/// last step alone.
bool KerasMasks::drops(const Call& call) const {
    static const re2::RE2 dropping(
        "Conv.*|.*Pooling.*|Flatten|Reshape|Permute|RepeatVector|UpSampling.*|ZeroPadding.*");
    const std::string name = last_of(call.path);
    if (re2::RE2::FullMatch(name, dropping))
        return true;
    if (name != "LSTM" && name != "GRU" && name != "SimpleRNN")
        return false;
    const Argument* const sequences = program_.find(call, "return_sequences", 99);
    return !sequences || program_.literal(sequences->first, sequences->last) ==
                             std::optional<std::string>("False");
}

/// Where the model begins that a token is in: the last Sequential or class before it.
std::size_t KerasMasks::start_of_model(std::size_t at) const {
    std::size_t begin = 0;
    for (const Call& call : program_.calls())
        if (call.at < at && last_of(call.path) == "Sequential" && is_keras(call.path + "."))
            begin = call.at;
    for (std::size_t i = begin; i < at; ++i)
        if (program_.is(i, "class") && program_.statement_of(i) == i)
            begin = i;
    return begin;
}

/// In the list of a Sequential model, or in model.add(...).
bool KerasMasks::in_sequential(std::size_t at) const {
    const auto next = sequentials_.lower_bound(at);
    return next != sequentials_.begin() && std::prev(next)->second > at;
}

/// Calls come in the order of their places, so that the last end so far covers
/// those within.
void KerasMasks::read_sequentials() {
    std::size_t last = 0;
    for (const Call& call : program_.calls()) {
        const bool list = last_of(call.path) == "Sequential", added = call.path.ends_with(".add");
        if (!list && !added)
            continue;
        last = std::max(last, call.close);
        sequentials_[call.open] = last;
    }
}

/// LSTM(...)(x, mask=m), or self.lstm(x, mask=m) of the layer that is assigned
/// to self.lstm.
std::string KerasMasks::of_argument(const Call& call) const {
    for (const std::size_t open : uses_of(call)) {
        const auto arguments = program_.arguments_of(open, program_.closing(open));
        const auto* const mask = find_by(arguments, &Argument::name, "mask");
        if (mask && program_.literal(mask->first, mask->last) != std::optional<std::string>("None"))
            return "from the argument mask";
    }
    return "";
}

std::vector<std::size_t> KerasMasks::uses_of(const Call& call) const {
    std::vector<std::size_t> uses;
    const auto add = [&](std::size_t open) {
        if (program_.is(open, "(") && program_.closing(open) != 0)
            uses.push_back(open);
    };
    add(call.close + 1);
    // Bidirectional(LSTM(8))(x) and the name that it is assigned to.
    for (const Call& outer : program_.calls()) {
        const std::string name = last_of(outer.path);
        const bool wraps = is_keras(outer.path) &&
                           (name == "Bidirectional" || name == "RNN" || name == "TimeDistributed");
        if (wraps && outer.open < call.at && call.at < outer.close)
            add(outer.close + 1);
    }
    const std::string target = program_.target_of(call);
    if (!uses.empty() || target.empty())
        return uses;
    const auto& tokens = program_.tokens();
    const std::string_view head = std::string_view(target).substr(0, target.find('.'));
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].text != head || !program_.is_name(i) || (i > 0 && program_.is(i - 1, ".")))
            continue;
        std::size_t behind = i;
        if (program_.dotted(behind) == target)
            add(behind);
    }
    return uses;
}

/// A layer that is called several times has a mask if any of its calls has one.
KerasMasks::Mask KerasMasks::by_flow(const Call& call, int depth) const {
    const auto uses = uses_of(call);
    if (uses.empty() || depth > deepest_flow)
        return std::nullopt;
    std::string found;
    for (const std::size_t open : uses) {
        const Mask mask = of_input(open, depth + 1);
        if (!mask)
            return std::nullopt;
        if (!mask->empty())
            found = *mask;
    }
    return found;
}

KerasMasks::Mask KerasMasks::of_input(std::size_t open, int depth) const {
    const auto arguments = program_.arguments_of(open, program_.closing(open));
    for (const Argument& one : arguments)
        if (one.name.empty() || one.name == "inputs" || one.name == "sequences")
            return of_expression(one.first, one.last, depth);
    return std::nullopt;
}

const Call* KerasMasks::layer_called(std::size_t at) const {
    std::size_t end = at;
    const std::string path = program_.dotted(end);
    const Call* built = nullptr;
    for (const Call& call : program_.calls()) {
        if (call.at == at && is_keras(call.path + ".")) {
            if (!program_.is(call.close + 1, "("))
                return nullptr;
            return &call;
        }
        if (is_keras(call.path + ".") && program_.target_of(call) == path && call.at != at &&
            program_.ends_line(call.close + 1)) {
            // one of several
            if (built)
                return nullptr;
            built = &call;
        }
    }
    return built;
}

KerasMasks::Mask KerasMasks::of_expression(std::size_t first, std::size_t last, int depth) const {
    if (depth > deepest_flow || !program_.is_name(first))
        return std::nullopt;
    std::size_t end = first;
    const std::string path = program_.dotted(end);
    if (end == last)
        return of_name(path, first, depth + 1);
    const std::string called = last_of(program_.followed(path));
    if (called == "Input" || called == "InputLayer")
        return "";
    const Call* const layer = layer_called(first);
    if (!layer || !program_.is(end, "("))
        return std::nullopt;
    std::size_t open = end;
    if (layer->at == first)
        open = layer->close + 1;
    if (program_.closing(open) + 1 != last)
        return std::nullopt;
    return of_output(*layer, open, depth + 1);
}

/// What was assigned to the name last before this token; where that is one
/// branch of several, all of them.
KerasMasks::Mask KerasMasks::of_name(const std::string& name, std::size_t before, int depth) const {
    if (depth > deepest_flow)
        return std::nullopt;
    const auto* const function = program_.function_around(before);
    const std::size_t column = program_.indentation(before);
    std::size_t from = 0;
    if (function)
        from = function->first;
    std::string found;
    bool any = false;
    const std::size_t statement = program_.statement_of(before);
    for (std::size_t i = statement; i-- > from;) {
        if (!program_.is_name(i) || program_.statement_of(i) != i)
            continue;
        std::size_t end = i;
        if (program_.dotted(end) != name || program_.function_around(i) != function)
            continue;
        // out, state = ...
        while (program_.is(end, ",") && program_.is_name(end + 1))
            program_.dotted(++end);
        if (!program_.is(end, "="))
            continue;
        std::size_t last = end + 1;
        while (!program_.ends_line(last))
            ++last;
        const Mask mask = of_expression(end + 1, last, depth + 1);
        if (!mask)
            return std::nullopt;
        any = true;
        if (!mask->empty())
            found = *mask;
        if (program_.indentation(i) <= column)
            return found;
    }
    // The parameter of call(self, inputs): what the model is given, which has no mask.
    if (function && function->name == "call" && !function->parameters.empty() &&
        function->parameters[0] == name)
        return found;
    if (!any)
        return std::nullopt;
    return Mask(found);
}

/// What a layer gives on: its own mask, none, or that of its input.
KerasMasks::Mask KerasMasks::of_output(const Call& call, std::size_t open, int depth) const {
    static const re2::RE2 passing(
        "Dropout|SpatialDropout1D|Activation|Dense|ReLU|LeakyReLU|.*Normalization|GaussianNoise|"
        "AlphaDropout|"
        "TimeDistributed|LSTM|GRU|SimpleRNN|Bidirectional|Masking|Embedding");
    const std::string name = last_of(call.path);
    if (name == "Masking")
        return "from Masking, " + place_(program_.tokens()[call.at].line);
    if (name == "Embedding")
        return of_embedding(call);
    if (drops(call) || name == "Lambda")
        return "";
    if (!re2::RE2::FullMatch(name, passing))
        return std::nullopt;
    if (name == "Bidirectional")
        for (const Call& inner : program_.calls())
            if (call.open < inner.at && inner.at < call.close && is_recurrent(inner.path) &&
                drops(inner))
                return "";
    return of_input(open, depth + 1);
}

}  // namespace rnncheck::model
