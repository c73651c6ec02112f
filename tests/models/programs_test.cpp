// Programs, each with the layers that stand there and what their framework decides for them (programs.jsonl).
#include <fstream>

#include "base/json.hpp"
#include "base/lists.hpp"
#include "model/judge_model.hpp"
#include "model/readers.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

std::vector<JudgedLayer> judged_program(const ModelFile& file) {
    return judged_layers(file, {}, {}, bundled_matrix());
}

ModelFile program(const std::string& text) {
    ModelFile file;
    model::read_python(text, file);
    return file;
}

}  // namespace

TEST_CASE("programs: every call is judged as its framework decides") {
    std::ifstream table(std::string(TEST_DIRECTORY) + "/programs.jsonl");
    std::size_t programs = 0;
    for (std::string line; std::getline(table, line); ++programs) {
        const Json row = Json::parse(line);
        INFO(row["why"] << "\n" << row["program"].get<std::string>());
        const ModelFile file = program(row["program"].get<std::string>());
        Json found = Json::array();
        for (const JudgedLayer& layer : judged_program(file))
            found.push_back({layer.name, name_of(layer.kind), name_of(layer.cudnn)});
        CHECK(found.dump() == row["layers"].dump());
        CHECK(file.unclear.empty() != row.value("unclear", false));
    }
    CHECK(programs >= 60);
}

TEST_CASE("programs: the changed line can be pasted") {
    const auto layers = judged_program(
        program("import keras\nx = keras.layers.LSTM(64, activation=\"relu\",\n    recurrent_dropout=0.1)(x)\n"));
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].changes.front() == "line 2: keras.layers.LSTM(64, activation=\"tanh\",     recurrent_dropout=0)");
}

TEST_CASE("programs: what is known only at run time is named") {
    const auto layers =
        judged_program(program("import keras\ndef f(act):\n    return keras.layers.LSTM(8, activation=act)\n"));
    REQUIRE(layers.size() == 1);
    CHECK(contains(layers[0].reasons.front(), "activation is 'act', which is known only when the program runs"));
}

TEST_CASE("programs: a notebook's layers are named by cell and line") {
    const Json notebook = {
        {"nbformat", 4},
        {"cells",
         {{{"cell_type", "markdown"}, {"source", "# LSTM"}},
          {{"cell_type", "code"}, {"source", {"%matplotlib inline\n", "from keras.layers import LSTM\n"}}},
          {{"cell_type", "code"}, {"source", "!pip install keras\n\nm.add(LSTM(8, activation='relu'))"}}}}};
    ModelFile file;
    model::read_notebook(notebook, file);
    REQUIRE(file.layers.size() == 1);
    CHECK(file.layers[0].name == "cell 3, line 3");
    CHECK(judged_program(file)[0].cudnn == CudnnUse::no);
}
