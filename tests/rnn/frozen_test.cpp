// The reference against outputs and gradients that PyTorch computed in fp64 (frozen/README.md).
#include <cstring>
#include <fstream>

#include "facts/json.hpp"
#include "rnn/compare.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

std::vector<double> decoded(const std::string& base64) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<unsigned char> bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char letter : base64) {
        if (letter == '=') break;
        bits = bits << 6 | static_cast<unsigned>(digits.find(letter));
        if ((count += 6) >= 8) bytes.push_back(static_cast<unsigned char>(bits >> (count -= 8)));
    }
    std::vector<double> numbers(bytes.size() / sizeof(double));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
    return numbers;
}

/// The formula of frozen/make.py.
class Numbers {
  public:
    explicit Numbers(long number) : number_(number) {}

    void fill(std::vector<double>& values, double scale = 1) {
        for (double& value : values) {
            value = static_cast<double>((n_ * n_ * 31 + n_ * 17 + number_ * 101) % 251 - 125) / 128 * scale;
            ++n_;
        }
    }

  private:
    long number_, n_ = 0;
};

/// The shapes are those of make_inputs, the numbers those of the frozen case.
RnnInputs inputs_of(const RnnCase& rnn_case, long number) {
    RnnInputs inputs = make_inputs(rnn_case);
    Numbers numbers(number);
    for (LayerWeights& weights : inputs.layers) {
        for (int gate = 0; gate < gates_of(rnn_case.cell); ++gate)
            for (auto* values : {&weights.input[gate], &weights.recurrent[gate], &weights.input_bias[gate],
                                 &weights.recurrent_bias[gate]})
                numbers.fill(*values);
        numbers.fill(weights.projection);
    }
    const double bound = rnn_case.clip > 0 ? std::min(1.0, rnn_case.clip) : 1;
    numbers.fill(inputs.x);
    numbers.fill(inputs.hx);
    numbers.fill(inputs.cx, bound);
    std::vector<double> dy = inputs.dy;
    numbers.fill(dy);
    for (std::size_t i = 0; i < dy.size(); ++i)
        if (inputs.dy[i] != 0) inputs.dy[i] = dy[i];  // the padding stays 0
    numbers.fill(inputs.dhy);
    numbers.fill(inputs.dcy, bound);
    return inputs;
}

RnnOutputs outputs_of(const RnnCase& rnn_case, const Json& json) {
    const auto numbers = [](const Json& text) { return decoded(text.get<std::string>()); };
    RnnOutputs outputs{numbers(json["y"]),
                       numbers(json["hy"]),
                       numbers(json["cy"]),
                       numbers(json["dx"]),
                       numbers(json["dhx"]),
                       numbers(json["dcx"]),
                       {}};
    for (const Json& layer : json["dweights"]) {
        LayerWeights& weights = outputs.dweights.emplace_back();
        const auto gates = [&](const char* name, std::vector<double>(&to)[4]) {
            for (std::size_t gate = 0; gate < layer[name].size(); ++gate) to[gate] = numbers(layer[name][gate]);
        };
        gates("W", weights.input);
        gates("R", weights.recurrent);
        gates("bW", weights.input_bias);
        gates("bR", weights.recurrent_bias);
        weights.projection = numbers(layer["P"]);
    }
    if (!rnn_case.states) outputs.dhx.resize(outputs.hy.size());
    return outputs;
}

double difference(const RnnCase& rnn_case, const RnnOutputs& reference, const RnnOutputs& frozen) {
    const auto ours = arrays_of(rnn_case, reference), theirs = arrays_of(rnn_case, frozen);
    REQUIRE(ours.size() == theirs.size());
    double largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        INFO(ours[i].name << " " << ours[i].part);
        REQUIRE(ours[i].values->size() == theirs[i].values->size());
        for (std::size_t at = 0; at < ours[i].values->size(); ++at) {
            const double one = (*ours[i].values)[at], other = (*theirs[i].values)[at];
            REQUIRE(std::isfinite(one));
            largest = std::max(largest, std::abs(one - other));
        }
    }
    return largest;
}

}  // namespace

TEST_CASE("the reference agrees with PyTorch to 1e-12: outputs and gradients of every kind of case") {
    std::ifstream file(TEST_FOLDER "/frozen/vectors.json");
    const Json document = Json::parse(file);
    RnnCase plain;
    from_json(document["plain"], plain, "plain");
    long number = 0;
    double largest = 0;
    for (const Json& entry : document["cases"]) {
        RnnCase rnn_case = plain;
        from_json(entry["case"], rnn_case, "case");
        CAPTURE(number, describe(rnn_case));
        const double found =
            difference(rnn_case, reference(rnn_case, inputs_of(rnn_case, number)), outputs_of(rnn_case, entry));
        CHECK(found < 1e-12);
        largest = std::max(largest, found);
        ++number;
    }
    CHECK(number == 101);
    INFO("largest difference " << largest);
    CHECK(largest > 0);  // a witness of its own rounds differently
}
