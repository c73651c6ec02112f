// Programs, each with the layers that are there and what their framework decides for them
// (programs.jsonl).
#include <fstream>
#include <map>
#include <set>

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

ModelFile notebook(const Json& cells) {
    Json code = Json::array();
    for (const Json& cell : cells)
        code.push_back({{"cell_type", "code"}, {"source", cell}});
    ModelFile file;
    model::read_notebook({{"nbformat", 4}, {"cells", code}}, file);
    return file;
}

ModelFile program(const std::string& text) {
    ModelFile file;
    model::read_python(text, file);
    return file;
}

}  // namespace

TEST_CASE("programs: every call is judged as its framework decides") {
    std::ifstream table(std::string(TEST_DIRECTORY) + "/programs.jsonl");
    std::size_t programs = 0, notebooks = 0, traced = 0, depends = 0;
    for (std::string line; std::getline(table, line);) {
        const Json row = Json::parse(line);
        INFO(row.dump());
        const ModelFile file = row.contains("cells") ? notebook(row["cells"])
                                                     : program(row["program"].get<std::string>());
        ++(row.contains("cells") ? notebooks : programs);
        Json found = Json::array();
        std::map<std::string, std::set<std::string>> verdicts;
        for (const JudgedLayer& layer : judged_program(file)) {
            found.push_back({layer.name, name_of(layer.kind), name_of(layer.cudnn)});
            verdicts[layer.name].emplace(name_of(layer.cudnn));
        }
        CHECK(found.dump() == row["layers"].dump());
        CHECK(file.unclear.empty() != row.value("unclear", false));
        // What the framework did when it ran the program, by the line of the call.
        const Json traces = row.value("traced", Json::object());
        for (const auto& [name, decided] : traces.items()) {
            ++traced;
            const bool undecided = verdicts[name].size() != 1 || verdicts[name].contains("depends");
            depends += undecided && decided != "depends";
            if (!undecided)
                CHECK(*verdicts[name].begin() == decided.get<std::string>());
        }
    }
    CHECK(programs >= 120);
    CHECK(notebooks >= 29);
    CHECK(traced >= 120);
    CHECK(depends * 100 <= traced * 15);
}

TEST_CASE("programs: the changed line can be pasted") {
    const auto layers =
        judged_program(program("import keras\nx = keras.layers.LSTM(64, activation=\"relu\",\n    "
                               "recurrent_dropout=0.1)(x)\n"));
    REQUIRE(layers.size() == 1);
    CHECK(
        layers[0].changes.front() ==
        "line 2: keras.layers.LSTM(64, activation=\"tanh\", recurrent_dropout=0)");
    CHECK(
        layers[0].changes.size() == 1);  // those of the settings in the line are not printed again
}

TEST_CASE("programs: what is known only at run time is named") {
    const auto layers = judged_program(
        program("import keras\ndef f(act):\n    return keras.layers.LSTM(8, activation=act)\n"));
    REQUIRE(layers.size() == 1);
    CHECK(contains(
        layers[0].reasons.front(),
        "activation is 'act', which is known only when the program runs"));
}

TEST_CASE("programs: a notebook's layers are named by cell and line") {
    const Json notebook = {
        {"nbformat", 4},
        {"cells",
         {{{"cell_type", "markdown"}, {"source", "# LSTM"}},
          {{"cell_type", "code"},
           {"source", {"%matplotlib inline\n", "from keras.layers import LSTM\n"}}},
          {{"cell_type", "code"},
           {"source", "!pip install keras\n\nm.add(LSTM(8, activation='relu'))"}}}}};
    ModelFile file;
    model::read_notebook(notebook, file);
    REQUIRE(file.layers.size() == 1);
    CHECK(file.layers[0].name == "cell 3, line 3");
    CHECK(judged_program(file)[0].cudnn == CudnnUse::no);
}
