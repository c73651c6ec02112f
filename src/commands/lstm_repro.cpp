#include <algorithm>
#include <sstream>

#include "base/directory_list.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/lstm.hpp"
#include "facts/queries.hpp"
#include "process/processors.hpp"
#include "rnn/case.hpp"
#include "rnn/compare.hpp"
#include "rnn/network.hpp"
#include "support/rnn.hpp"

namespace rnncheck {

namespace {

/// For a comment of the program: without line ends, at most so many bytes.
std::string one_line(const std::string& text, std::size_t most = 200) {
    std::string line = escaped(text, most);
    std::ranges::replace(
        line,
        '\\',
        '/');  // a backslash at the end would join the next line to the comment
    return line;
}

/// "y[3]: 0.25 instead of 0.5", "cudnnRNNForward: CUDNN_STATUS_EXECUTION_FAILED".
std::string what_happened(const RnnRun& run) {
    if (run.where)
        return *run.where;
    if (run.result)
        return run.result->call + ": " + run.result->text;
    return std::string(name_of(run.end));
}

/// On what it failed: a person at NVIDIA looks for the same.
std::string machine_of(const Facts& facts, const RnnRun& run) {
    std::vector<std::string> parts;
    for (const Cudnn& cudnn : facts.cudnns)
        if (cudnn.library == run.library && cudnn.version)
            parts.push_back("cuDNN " + cudnn.version->text);
    const Gpu* const gpu = gpu_at(facts, run.gpu);
    if (gpu && gpu->name)
        parts.push_back(*gpu->name);
    if (gpu && gpu->compute_capability)
        parts.push_back("compute capability " + gpu->compute_capability->text);
    if (facts.driver.library_version)
        parts.push_back("driver " + facts.driver.library_version->text);
    if (parts.empty())
        return "an unknown machine";
    return join(parts, ", ");
}

/// cuDNN's words for the values of our enumerations, in their order.
template <class E, std::size_t N>
std::string word(E value, const char* const (&words)[N]) {
    return words[static_cast<std::size_t>(value)];
}

/// The program's expression for the address of an array of the outputs, by its place among
/// arrays_of().
std::string address_of(const RnnCase& c, std::size_t number) {
    constexpr const char* names[] = {"y", "hy", "cy", "dx", "dhx", "dcx"};
    if (number < std::size(names))
        return names[number];
    const int gates = gates_of(c.cell), parts = 4 * gates + 1,
              at = static_cast<int>(number - std::size(names));
    const int part = at % parts;
    const bool is_projection = part == 4 * gates, is_bias = !is_projection && part % 4 >= 2;
    // cudnnGetRNNWeightParams numbers the matrices of the input first, then those of the recurrent
    // state; linear layer 8 is the projection of an LSTM.
    int linear = part / 4 + part % 2 * gates;
    if (is_projection)
        linear = 8;
    std::ostringstream out;
    out << "part(dw, " << at / parts << ", " << linear << ", " << std::boolalpha << is_bias << ")";
    return out.str();
}

/// The element that the comparison named, as array and index; without one, the first that there is.
std::pair<std::size_t, std::size_t> worst_element(
    const RnnRun& run, const std::vector<OutputArray>& arrays) {
    const std::string where = run.where.value_or("");
    for (std::size_t array = 0; array < arrays.size(); ++array)
        for (std::size_t index = 0; index < arrays[array].values->size(); ++index)
            if (where.starts_with(place_of(run.rnn_case, arrays[array], index) + ":"))
                return {array, index};
    return {};
}

/// The worst element and others of its array: their expected values and their positions.
std::string checks_of(const Facts& facts, const RnnRun& run) {
    const RnnCase& c = run.rnn_case;
    const RnnInputs inputs = make_inputs(c);
    const int threads = process::usable_processors();
    const Computation computation = compute(c, inputs, threads);
    const Limits limits =
        limits_for(c, inputs, computation, probes::reduced_precision(facts, run.gpu, c), threads);
    const auto expected = arrays_of(c, computation.outputs),
               allowed = arrays_of(c, limits.allowed());
    const auto [number, worst] = worst_element(run, expected);
    const OutputArray& array = expected[number];
    // The first, and at one and two thirds: whether all is wrong or one element.
    std::vector<std::size_t> checked = {worst};
    for (std::size_t third = 0; third < 3; ++third)
        add_once(checked, third * array.values->size() / 3);
    std::string lines;
    for (const std::size_t index : checked)
        lines += "    {" + std::to_string(index) + ", " + exact_number((*array.values)[index]) +
                 ", " + exact_number((*allowed[number].values)[index]) + "},  // " +
                 place_of(c, array, index) + "\n";
    const std::string address = address_of(c, number);
    std::string name = address;
    if (array.kind == OutputArray::Kind::weights)
        name = "dw";
    // Arrays of data have a row for each step and sequence, whose place depends on the layout.
    std::string columns = "0";
    if (address == "y")
        columns = "width";
    if (address == "dx")
        columns = "input";
    return "// What must come out: cudnnRNNMode_t's equations in fp64 on the numbers below, and "
           "how far the device may "
           "be "
           "from it.\nconst struct { size_t index; double expected, limit; } checks[] = {\n" +
           lines + "};\nconst char* const checked = \"" + name + "\";\n#define CHECKED " + address +
           "\n#define CHECKED_COLUMNS " + columns;
}

/// Of a std::vector, as it is made.
std::string lengths_of(const RnnCase& c) {
    if (c.lengths.empty())
        return "(batch, steps)";
    constexpr std::size_t numbers_in_line = 20;
    std::string text;
    for (std::size_t i = 0; i < c.lengths.size(); ++i) {
        if (i > 0 && i % numbers_in_line == 0)
            text += ",\n    ";
        else if (i > 0)
            text += ", ";
        text += std::to_string(c.lengths[i]);
    }
    return " = {" + text + "}";
}

/// Number, which holds the case's data, and cuDNN's names for the values of the case.
std::string types_of(const RnnCase& c) {
    const std::string narrow =
        word(c.dtype, {"double", "float", "__double2half", "__double2bfloat16"});
    const std::pair<const char*, std::string> constants[] = {
        {"type", "DATA_" + word(c.dtype, {"DOUBLE", "FLOAT", "HALF", "BFLOAT16"})},
        {"sums", "DATA_" + word(c.dtype, {"DOUBLE", "FLOAT", "FLOAT", "FLOAT"})},
        {"cell", word(c.cell, {"LSTM", "GRU", "RNN_TANH", "RNN_RELU"})},
        {"math", word(c.math, {"DEFAULT", "TENSOR_OP", "FMA"}) + "_MATH"},
        {"algorithm",
         "RNN_ALGO_" +
             word(
                 c.algorithm,
                 {"STANDARD", "PERSIST_STATIC", "PERSIST_DYNAMIC", "PERSIST_STATIC_SMALL_H"})},
        {"direction", word(c.direction, {"UNIDIRECTIONAL", "BIDIRECTIONAL"})},
        {"layout",
         "RNN_DATA_LAYOUT_" +
             word(c.layout, {"SEQ_MAJOR_UNPACKED", "SEQ_MAJOR_PACKED", "BATCH_MAJOR_UNPACKED"})},
        {"bias_mode",
         "RNN_" + word(c.bias, {"NO_BIAS", "SINGLE_INP_BIAS", "SINGLE_REC_BIAS", "DOUBLE_BIAS"})},
        {"input_mode", word(c.input_mode, {"LINEAR_INPUT", "SKIP_INPUT"})}};
    std::string text =
        word(c.dtype, {"", "", "#include <cuda_fp16.h>\n", "#include <cuda_bf16.h>\n"}) +
        "using Number = " + word(c.dtype, {"double", "float", "__half", "__nv_bfloat16"}) +
        ";\nNumber narrow(double from) { return " + narrow +
        "(from); }\ndouble wide(Number from) { return " +
        word(c.dtype, {"double", "double", "__half2float", "__bfloat162float"}) + "(from); }\n";
    for (const auto& [name, value] : constants)
        text += std::string("constexpr auto ") + name + " = CUDNN_" + value + ";\n";
    return text;
}

/// The other constants of the program, as the template uses them, and the key of its numbers.
std::string sizes_of(const RnnCase& c, int device) {
    const bool both = c.bias == BiasMode::both;
    std::ostringstream out;
    out << std::boolalpha << "constexpr bool input_bias = " << (both || c.bias == BiasMode::input)
        << ", recurrent_bias = " << (both || c.bias == BiasMode::recurrent) << ";\n"
        << "constexpr bool states = " << c.states << ", training = " << c.training << ";\n"
        << "constexpr int device = " << device << ", layers = " << c.layers
        << ", directions = " << c.directions() << ", gates = " << gates_of(c.cell)
        << ", batch = " << c.batch << ", steps = " << c.sequence_length << ";\n"
        << "constexpr int input = " << c.input << ", hidden = " << c.hidden
        << ", output = " << c.output() << ";\n"
        << "constexpr double clip = " << exact_number(c.clip_bound()) << ";\n"
        << "const std::vector<int> lengths" << lengths_of(c) << ";\n"
        << "uint64_t key = 0x" << std::hex << key_of(c) << "u;\n";
    return out.str();
}

}  // namespace

std::string reproducer(const Facts& facts, const RnnRun& run) {
    const RnnCase& c = run.rnn_case;
    std::string program(page_named(reproducers(), "lstm_reproducer"));
    replace_all(program, "@CASE@", types_of(c) + sizes_of(c, run.gpu) + checks_of(facts, run));
    replace_all(
        program,
        "@SEEN@",
        one_line(what_happened(run)) + "\n// Seen with " + one_line(machine_of(facts, run)) +
            ". Written by rnncheck " + std::string(version_of_rnncheck()) + " for the case\n//   " +
            one_line(options_of(c), 400));
    return program;
}

}  // namespace rnncheck
