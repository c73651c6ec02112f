// NumPy's .npy format (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html)
// and the files of Equinox, which are such arrays one after the other.
#include <re2/re2.h>

#include <algorithm>

#include "base/text.hpp"
#include "model/arrays.hpp"

namespace rnncheck::model {

namespace {

using re2::RE2;

/// Types of the header's `descr`, all of the lowest byte first, that a layer computes in.
constexpr std::pair<std::string_view, const char*> descr_types[] = {
    {"<f4", "float32"}, {"<f8", "float64"}, {"<f2", "float16"}};

/// Other types keep the name that NumPy gives them.
std::string dtype_of_descr(const std::string& descr) {
    for (const auto& [name, dtype] : descr_types)
        if (descr == name)
            return dtype;
    return descr;
}

/// Bytes of one number: the digits behind byte order and kind of "<f4"; 0 where
/// the type has none, as of an array of records.
std::uint64_t item_size(const std::string& descr) {
    if (descr.size() <= 2)
        return 0;
    return number_from<std::uint64_t>(descr.substr(2)).value_or(0);
}

/// Equinox has no class of a plain RNN: three gates are its GRUCell, four its LSTMCell.
ModelLayer cell_of_equinox(
    const std::string& name, const CellSizes& sizes, const std::string& dtype) {
    ModelLayer layer;
    layer.name = name;
    layer.kind = kind_by(sizes.gates, true);
    layer.input = size_from(sizes.input);
    layer.hidden = size_from(sizes.hidden);
    if (!dtype.empty())
        layer.dtype = dtype;
    layer.settings["class"] = "Equinox' LSTMCell";
    if (sizes.gates == 3)
        layer.settings["class"] = "Equinox' GRUCell";
    return layer;
}

/// The arrays in the file's order, up to the first bytes that are none.
std::vector<Tensor> arrays_in(std::string_view bytes) {
    constexpr std::size_t most_arrays = 100'000;
    std::vector<Tensor> arrays;
    std::uint64_t end = 0;
    for (; bytes.size() > 10 && arrays.size() < most_arrays;
         bytes.remove_prefix(std::min<std::uint64_t>(end, bytes.size()))) {
        const auto array = npy_tensor(bytes, &end);
        if (!array)
            break;
        arrays.push_back(*array);
    }
    return arrays;
}

}  // namespace

std::optional<Tensor> npy_tensor(std::string_view bytes, std::uint64_t* end) {
    static const RE2 form(R"('descr':\s*'([^']*)'.*'shape':\s*\(([0-9, ]*)\))", RE2::Latin1);
    if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12)
        return std::nullopt;
    // Version 1 of the format has 2 bytes for the length of its header, later ones 4.
    std::uint64_t width = 4;
    if (little(bytes, 6, 1) == 1)
        width = 2;
    const std::uint64_t length = little(bytes, 8, width);
    std::string type, shape;
    if (!RE2::PartialMatch(slice(bytes, 8 + width, length), form, &type, &shape))
        return std::nullopt;
    Tensor tensor;
    double count = 1;
    for (const std::string& size : split(shape, ','))
        if (const auto number = number_from<std::int64_t>(trim(size))) {
            tensor.shape.push_back(*number);
            count *= static_cast<double>(*number);
        }
    tensor.dtype = dtype_of_descr(type);
    if (!end)
        return tensor;
    // A shape of the file can have any product: as a double it cannot overflow,
    // and an array of such a size ends with the file.
    const double size = count * static_cast<double>(item_size(type));
    *end = bytes.size();
    if (size < 9e15)
        *end = 8 + width + length + static_cast<std::uint64_t>(size);
    return tensor;
}

void read_npy_arrays(std::string_view bytes, ModelFile& into) {
    into.format = "npy";
    into.framework = "numpy";
    if (bytes.starts_with('{'))
        if (const auto end = bytes.find('\n'); end != std::string_view::npos)
            bytes.remove_prefix(end + 1);
    const std::vector<Tensor> arrays = arrays_in(bytes);
    if (arrays.size() < 2)
        throw InputError("it is one NumPy array (.npy), not a model; give the model's file");
    // equinox/_serialisation.py writes the arrays in the order of the class's
    // fields: weight_ih, weight_hh, bias.
    into.format = "eqx";
    int cells = 0;
    for (std::size_t i = 0; i + 1 < arrays.size(); ++i) {
        const Tensor &of_input = arrays[i], &of_state = arrays[i + 1];
        const auto sizes = cell_sizes(of_input, of_state, false);
        if (!sizes || sizes->gates <= 1)
            continue;
        const std::string name = "cell_" + std::to_string(cells++);
        into.layers.push_back(cell_of_equinox(name, *sizes, of_state.dtype));
        into.framework = "jax";
        ++i;
    }
    if (into.layers.empty())
        into.unclear.emplace_back(
            "it holds arrays without names, and none has the shapes of a known cell");
}

}  // namespace rnncheck::model
