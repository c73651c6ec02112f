// The reference against outputs and gradients that PyTorch computed in fp64 (frozen/README.md).
#include "rnn/frozen.hpp"

#include <cstring>
#include <fstream>

#include "base/json.hpp"
#include "rnn/compare.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

std::vector<double> decoded(const std::string& base64) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<unsigned char> bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char letter : base64) {
        if (letter == '=')
            break;
        bits = bits << 6 | static_cast<unsigned>(digits.find(letter));
        if ((count += 6) >= 8)
            bytes.push_back(static_cast<unsigned char>(bits >> (count -= 8)));
    }
    std::vector<double> numbers(bytes.size() / sizeof(double));
    if (!numbers.empty())
        std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
    return numbers;
}

RnnOutputs outputs_of(const RnnCase& rnn_case, const Json& json) {
    const auto numbers = [](const Json& text) { return decoded(text.get<std::string>()); };
    RnnOutputs outputs{
        numbers(json["y"]),
        numbers(json["hy"]),
        numbers(json["cy"]),
        numbers(json["dx"]),
        numbers(json["dhx"]),
        numbers(json["dcx"]),
        {}};
    for (const Json& layer : json["dweights"]) {
        LayerWeights& weights = outputs.dweights.emplace_back();
        const auto gates = [&](const char* name, std::vector<double>(&to)[4]) {
            for (std::size_t gate = 0; gate < layer[name].size(); ++gate)
                to[gate] = numbers(layer[name][gate]);
        };
        gates("W", weights.input);
        gates("R", weights.recurrent);
        gates("bW", weights.input_bias);
        gates("bR", weights.recurrent_bias);
        weights.projection = numbers(layer["P"]);
    }
    if (!rnn_case.states)
        outputs.dhx.resize(outputs.hy.size());
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

Json frozen_document() {
    std::ifstream file(TEST_DIRECTORY "/frozen/vectors.json");
    return Json::parse(file);
}

RnnCase case_of(const Json& document, const Json& entry) {
    RnnCase rnn_case;
    from_json(document["plain"], rnn_case, "plain");
    from_json(entry["case"], rnn_case, "case");
    return rnn_case;
}

}  // namespace

TEST_CASE(
    "the reference agrees with PyTorch to 1e-12: outputs and gradients of every kind of case") {
    const Json document = frozen_document();
    long number = 0;
    double largest = 0;
    for (const Json& entry : document["cases"]) {
        const RnnCase rnn_case = case_of(document, entry);
        CAPTURE(number, describe(rnn_case));
        const double found = difference(
            rnn_case,
            reference(rnn_case, frozen_inputs(rnn_case, number)),
            outputs_of(rnn_case, entry));
        CHECK(found < 1e-12);
        largest = std::max(largest, found);
        ++number;
    }
    CHECK(number == 101);
    INFO("largest difference " << largest);
    CHECK(largest > 0);  // a witness of its own rounds differently
}

TEST_CASE("what the program has of them for its self-test is PyTorch's") {
    const Json document = frozen_document();
    for (const FrozenCase& frozen : frozen_cases()) {
        const Json& entry = document["cases"][static_cast<std::size_t>(frozen.number)];
        CAPTURE(frozen.number);
        CHECK(describe(case_of(document, entry)) == describe(frozen.rnn_case));
        CHECK(
            std::abs(
                weighted_sum(frozen.rnn_case, outputs_of(frozen.rnn_case, entry)) - frozen.sum) <
            1e-12);
    }
    CHECK(largest_frozen_difference() < frozen_limit / 100);
}
