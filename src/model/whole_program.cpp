// Calls and assignments that decide for a whole program are looked for anywhere
// in it: which of them run, and in which order, is not followed.
#include "model/whole_program.hpp"

#include <re2/re2.h>

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::model {

/// What holds for the whole program: precision, devices, compilation, the back end.
void WholeProgram::read_whole_program() {
    for (std::size_t i = 0; i + 3 < tokens_.size(); ++i)
        read_environment(i);
    // Functions by their full names, as imports make them.
    for (const Call& call : calls_) {
        const std::string name = last_of(call.path);
        if (name == "compile" || call.path == "tensorflow.function")
            read_compile(call);
        if (name == "set_global_policy" || name == "set_policy" || name == "set_dtype_policy")
            if (!call.arguments.empty())
                policy_ = literal(call.arguments[0].first, call.arguments[0].last).value_or("?");
        if (name == "set_backend" && is_keras(call.path) && !call.arguments.empty())
            backend_ = literal(call.arguments[0].first, call.arguments[0].last).value_or("?");
        if (name == "disable_eager_execution" || name == "disable_v2_behavior")
            eager_ = false;
        if (name == "quantize_dynamic")
            quantized_ = true;
        if (name == "set_default_dtype" && !call.arguments.empty())
            torch_dtype_ = last_of(source(call.arguments[0].first, call.arguments[0].last));
        if (name == "autocast")
            if (const Argument* const type = find(call, "dtype", 1))
                if (last_of(source(type->first, type->last)) == "bfloat16")
                    torch_dtype_ = "bfloat16";
        if (name == "backward" || contains(call.path, "torch.optim."))
            trains_ = true;
        if (call.path.ends_with("cudnn.flags"))
            read_cudnn_flags(call);
        if (name == "set_visible_devices" && call.arguments.size() > 1 &&
            is(call.arguments[0].first, "[") && is(call.arguments[0].first + 1, "]"))
            hidden_ = source(call.at, call.close + 1);
        if (contains(call.path, "lightning") || contains(call.path, "accelerate") ||
            contains(call.path, "Trainer"))
            other_trainer_ = true;
        if (contains(call.path, "set_default_device") ||
            contains(call.path, "set_default_tensor_type"))
            read_device(call);
    }
    for (const auto& package : imports_)
        other_trainer_ |= contains(package, "lightning") || package == "accelerate" ||
                          package == "fastai" || package == "transformers";
    // Methods by their names alone, as the class of what they are called on is
    // not known: net.cuda(), loss.backward(), model.compile(...).
    for (std::size_t i = 1; i + 2 < tokens_.size(); ++i) {
        if (!is(i - 1, ".") || !is(i + 1, "(") || matching_[i + 1] == 0)
            continue;
        const Call call{
            std::string(tokens_[i].text),
            i,
            i + 1,
            matching_[i + 1],
            arguments_of(i + 1, matching_[i + 1])};
        if (call.path == "cuda")
            on_gpu_ = true;
        if (call.path == "half")
            torch_dtype_ = "float16";
        if (call.path == "bfloat16")
            torch_dtype_ = "bfloat16";
        if (call.path == "to")
            read_device(call);
        const bool to_cpu = call.path == "to" &&
                            literal(call.open + 1, call.close) == std::optional<std::string>("cpu");
        if (to_cpu || (call.path == "cpu" && call.arguments.empty()))
            note_moved_back(i);
        if (call.path == "backward")
            trains_ = true;
        if (call.path == "compile")
            read_compile(call);
    }
}

/// with torch.backends.cudnn.flags(enabled=False): what is computed in it is not followed.
void WholeProgram::read_cudnn_flags(const Call& call) {
    const Argument* const enabled = find(call, "enabled", 0);
    if (enabled && literal(enabled->first, enabled->last) != std::optional<std::string>("True"))
        cudnn_variable_ = source(call.at, call.close + 1);
}

/// Whether the program itself, not only a function or a class of it, builds a
/// layer or a class of its own and calls it: a file of classes alone is moved
/// to a GPU by those who use it.
bool WholeProgram::runs_itself() const {
    return std::ranges::any_of(calls_, [&](const Call& call) {
        const bool own = !contains(call.path, ".") && classes_.contains(call.path);
        const bool layer = is_torch(call.path) && is_recurrent(call.path);
        return (own || layer) && !function_around(call.at) && !in_class(call.at) && is_called(call);
    });
}

/// What the call builds is called: Net()(x), or net(x) of net = Net().
bool WholeProgram::is_called(const Call& call) const {
    if (is(call.close + 1, "("))
        return true;
    const std::string target = target_of(call);
    return !target.empty() &&
           std::ranges::any_of(calls_, [&](const Call& use) { return use.path == target; });
}

std::string WholeProgram::device_around(const Call& call) const {
    const std::size_t column = indentation(call.at);
    for (const Call& device : calls_) {
        if (device.path != "tensorflow.device" && device.path != "keras.device")
            continue;
        const std::string text = source(device.at, device.close + 1);
        const bool block = device.at < call.at && is(statement_of(device.at), "with") &&
                           indentation(device.at) < column && in_block(device.close, call.at);
        if (block && contains(lower(text), "cpu"))
            return "with " + text;
    }
    const std::size_t next = call.close + 1;
    const bool moved =
        is(next, ".") && (is(next + 1, "to") || is(next + 1, "cpu")) && is(next + 2, "(");
    std::string text;
    if (moved)
        text = source(next, closing(next + 2) + 1);
    static const re2::RE2 to_cpu(R"(\.cpu\(\)|\.to\((?:torch\.device\()?["']cpu["']\)?\))");
    if (!re2::RE2::FullMatch(text, to_cpu))
        return "";
    return text;
}

/// Whether every line between the head of a block and a token is
/// indented further than the head.
bool WholeProgram::in_block(std::size_t head, std::size_t at) const {
    const std::size_t column = indentation(head);
    for (std::size_t i = head; i < at; ++i)
        if (ends_line(i) && !ends_line(i + 1) && indentation(i + 1) <= column)
            return false;
    return true;
}

/// An instance of a class of the program, or a recurrent layer.
bool WholeProgram::is_model(const std::string& name) const {
    return std::ranges::any_of(calls_, [&](const Call& call) {
        const bool builds =
            classes_.contains(call.path) || (is_torch(call.path) && is_recurrent(call.path));
        return builds && target_of(call) == name;
    });
}

/// net.cpu() or net = net.to("cpu"), after which net is called; out.cpu() is no model.
void WholeProgram::note_moved_back(std::size_t at) {
    const std::size_t first = statement_of(at);
    std::size_t end = first;
    std::string moved = dotted(end);
    if (is(end, "="))
        moved = dotted(++end);
    if (end != at + 1 || !contains(moved, "."))
        return;
    const std::string name = moved.substr(0, moved.rfind('.'));
    const bool used = std::ranges::any_of(
        calls_, [&](const Call& use) { return use.path == name && use.at > at; });
    if (used && is_model(name))
        moved_back_ = source(first, closing(at + 1) + 1);
}

/// Whether the class before a place has it in its body, by indentation.
bool WholeProgram::in_class(std::size_t at) const {
    const std::size_t column = indentation(at);
    for (std::size_t i = statement_of(at); i-- > 0;)
        if (is(i, "class") && statement_of(i) == i)
            return column > indentation(i);
    return false;
}

/// jit_compile of model.compile() or tf.function(); torch.compile has none.
void WholeProgram::read_compile(const Call& call) {
    const Argument* const jit = find(call, "jit_compile", 99);
    if (!jit)
        return;
    const auto value = literal(jit->first, jit->last);
    if (!value)
        jit_variable_ = source(jit->first, jit->last);
    else if (call.path == "tensorflow.function")
        xla_ |= *value == "True";
    else
        jit_ = *value;
}

/// os.environ["KERAS_BACKEND"] = "torch", os.environ.setdefault(...),
/// torch.backends.cudnn.enabled = False.
void WholeProgram::read_environment(std::size_t at) {
    const Token& token = tokens_[at];
    if (token.kind == TokenKind::text) {
        const bool set = is(at + 1, "]") && is(at + 2, "=");
        const bool by_default = is(at + 1, ",");
        if (!set && !by_default)
            return;
        std::size_t from = at + 2;
        if (set)
            from = at + 3;
        if (from >= tokens_.size())
            return;
        const auto value = literal(from, from + 1);
        if (token.text == "KERAS_BACKEND")
            backend_ = value.value_or("?" + std::string(tokens_[from].text));
        if (token.text == "TF_USE_LEGACY_KERAS" && (!value || *value != "0"))
            legacy_ = true;
        if (token.text == "CUDA_VISIBLE_DEVICES" && value && (*value == "-1" || value->empty()))
            hidden_ = "CUDA_VISIBLE_DEVICES=" + *value;
    }
    if (is(at, "cudnn") && is(at + 1, ".") && is(at + 2, "enabled") && is(at + 3, "=")) {
        const auto value = literal(at + 4, at + 5);
        if (value && *value == "False")
            cudnn_off_ = true;
        if (!value)
            cudnn_variable_ = at + 4 < tokens_.size() ? tokens_[at + 4].text : "";
    }
}

/// .to(device): a literal, what is chosen with is_available(), or a variable.
void WholeProgram::read_device(const Call& call) {
    if (call.arguments.empty())
        return;
    const Argument* const given = find(call, "device", 0);
    if (!given)
        return;
    const std::string text = source(given->first, given->last);
    note_device(text, given->first, given->last, 0);
    if (const Argument* const type = find(call, "dtype", 1))
        note_type(source(type->first, type->last));
}

/// PyTorch has a second name for two types.
static std::string dtype_of_torch(std::string_view type) {
    if (type == "half")
        return "float16";
    if (type == "double")
        return "float64";
    return std::string(type);
}

void WholeProgram::note_type(const std::string& text) {
    for (const char* const type : {"bfloat16", "float16", "half", "float64", "double"})
        if (last_of(text) == type && contains(text, "torch"))
            torch_dtype_ = dtype_of_torch(type);
}

/// The device that a function of the program returns, get_device(),
/// or that a parameter is given.
bool WholeProgram::note_device_given(const std::string& text, std::size_t first, int depth) {
    if (depth > 3)
        return false;
    if (const Function* const around = function_around(first)) {
        std::string name = text.substr(text.rfind('.') + 1);
        if (const auto given = given_for(*around, name); given && given->first != first) {
            const std::string value = source(given->first, given->second);
            if (contains(value, "cuda") || contains(value, "cpu") ||
                contains(value, "is_available")) {
                note_device(value, given->first, given->second, depth + 1);
                return true;
            }
        }
    }
    for (const Function& function : functions_) {
        const bool returned =
            text.starts_with(function.name + "(") || returns_of(text) == function.name;
        std::string body;
        if (returned)
            body = source(function.first, function.last);
        if (!contains(body, "is_available"))
            continue;
        on_gpu_ = true;
        return true;
    }
    return false;
}

/// The function whose result is assigned to a name: get_device of device = get_device().
std::string WholeProgram::returns_of(const std::string& name) const {
    const auto* const value = look_up(values_, name);
    if (!value)
        return "";
    std::size_t end = *value;
    const std::string called = dotted(end);
    if (!is(end, "("))
        return "";
    return called;
}

/// What a device is, by the text in its place: a type, as .to() takes these too; a GPU;
/// the processor; else what the names in it are bound to, up to three of them in a row.
void WholeProgram::note_device(
    const std::string& text, std::size_t first, std::size_t last, int depth) {
    static const re2::RE2 type(
        "(?:torch\\.)?(?:bfloat16|float16|float32|float64|half|float|double|long|int64|int32|int|"
        "bool)|.*dtype.*|.*"
        "\\.type\\(.*");
    if (re2::RE2::FullMatch(text, type))
        return note_type(text);
    if (contains(text, "cuda") || contains(text, "is_available")) {
        on_gpu_ = true;
        return;
    }
    if (contains(text, "\"cpu\"") || contains(text, "'cpu'") || contains(text, "mps")) {
        on_cpu_ = true;
        return;
    }
    // self.device and device are what is assigned to them, by whichever name.
    const std::string name = text.substr(text.rfind('.') + 1);
    bool found = false;
    for (std::size_t i = 0; i + 2 < tokens_.size() && depth < 3; ++i) {
        if (!is_name(i) || tokens_[i].text != name || !is(i + 1, "=") || (first <= i && i < last))
            continue;
        std::size_t end = i + 2;
        while (end < tokens_.size() && tokens_[end].kind != TokenKind::line_end)
            ++end;
        const std::string value = source(i + 2, end);
        if (value == text || value.empty())
            continue;
        found =
            contains(value, "cuda") || contains(value, "cpu") || contains(value, "is_available");
        if (found)
            note_device(value, i + 2, end, depth + 1);
    }
    if (!found)
        found = note_device_given(text, first, depth);
    if (!found && device_variable_.empty())
        device_variable_ = text;
}

}  // namespace rnncheck::model
