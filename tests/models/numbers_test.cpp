// The weights of a file, in cuDNN's order, give what the framework computed with them on a CPU, to
// 1e-10 in fp64.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/json.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/judge_model.hpp"
#include "rnn/network.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;

std::vector<double> flat(const Json& json) {
    std::vector<double> numbers;
    if (json.is_number())
        return {json.get<double>()};
    for (const Json& part : json)
        append(numbers, flat(part));
    return numbers;
}

/// The GRU whose reset gate comes before the matrix, which cuDNN does not have: one direction, one
/// layer.
std::vector<double> reset_before(const RnnCase& c, const RnnInputs& inputs) {
    const auto sum = [&](const std::vector<double>& matrix, int row, int columns, auto&& value) {
        double total = 0;
        for (int i = 0; i < columns; ++i)
            total += matrix[static_cast<std::size_t>(row * columns + i)] * value(i);
        return total;
    };
    const LayerWeights& w = inputs.layers[0];
    std::vector<double> y;
    for (int sequence = 0; sequence < c.batch; ++sequence) {
        std::vector<double> h(static_cast<std::size_t>(c.hidden));
        for (int step = 0; step < c.sequence_length; ++step) {
            const double* const x =
                &inputs
                     .x[static_cast<std::size_t>((sequence * c.sequence_length + step) * c.input)];
            const auto gate = [&](int g, int row, auto&& state) {
                const auto at = static_cast<std::size_t>(row);
                return sum(w.input[g], row, c.input, [&](int i) { return x[i]; }) +
                       sum(w.recurrent[g], row, c.hidden, state) + w.input_bias[g][at] +
                       w.recurrent_bias[g][at];
            };
            const auto squashed = [](double value) { return 1 / (1 + std::exp(-value)); };
            const auto now = [&](int i) { return h[static_cast<std::size_t>(i)]; };
            const auto after_reset = [&](int i) { return squashed(gate(0, i, now)) * now(i); };
            std::vector<double> next;
            for (int i = 0; i < c.hidden; ++i) {
                const double z = squashed(gate(1, i, now));
                next.push_back(z * now(i) + (1 - z) * std::tanh(gate(2, i, after_reset)));
            }
            append(y, h = next);
        }
    }
    return y;
}

double largest_difference(const Json& numbers) {
    const std::string directory = std::string(TEST_DIRECTORY) + "/";
    const ModelFile file = read_model(directory + numbers["file"].get<std::string>(), 1'000'000);
    const ModelLayer* layer =
        find_by(file.layers, &ModelLayer::name, numbers["layer"].get<std::string>());
    REQUIRE(layer);
    REQUIRE(layer->weights);
    const Json& x = numbers["input"];
    RnnCase c =
        case_of(*layer, {static_cast<int>(x.size()), static_cast<int>(x[0].size())}).value();
    c.dtype = Dtype::fp64;
    RnnInputs inputs = make_inputs(c);
    inputs.x = flat(x);
    REQUIRE(use_weights(c, *layer->weights, inputs));
    const std::vector<double> wanted = flat(numbers["output"]);
    const std::vector<double> found =
        numbers.value("reset_after", true) ? reference(c, inputs).y : reset_before(c, inputs);
    REQUIRE(found.size() == wanted.size());
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        largest = std::max(largest, std::abs(found[i] - wanted[i]));
    return largest;
}

}  // namespace

TEST_CASE("models: the weights of a file give the numbers that the framework computed") {
    int files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(TEST_DIRECTORY) + "/numbers")) {
        INFO(entry.path());
        std::ifstream text(entry.path());
        CHECK(largest_difference(Json::parse(text)) < 1e-10);
        ++files;
    }
    CHECK(files == 29);
}
