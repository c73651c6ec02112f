// Reads KEY=VALUE strictly: a value that is understood in part would lead to a wrong verdict that
// looks certain.
#include "stack/given.hpp"

#include <re2/re2.h>

#include <array>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/questions.hpp"

namespace rnncheck::stack {

namespace {

/// Takes the value into the stack; false when it is not understood.
using Take = bool (*)(Stack&, const std::string&, const Matrix&);

/// A key of `matrix check`: what it expects, in the words of its error message.
struct Key {
    std::string_view name;
    std::string_view expected;
    Take take;
    bool may_repeat = false;
};

/// What a pattern captures of the whole text without blanks at its ends; "" if it does not match.
std::string captured(std::string_view text, const LazyRE2& pattern) {
    std::string part;
    re2::RE2::FullMatch(normalized(text), *pattern, &part);
    return part;
}

/// "535.104.05", "535", "R535".
bool take_driver(Stack& stack, const std::string& value, const Matrix& matrix) {
    // Below are no drivers: 12.4 is a CUDA version given by mistake.
    constexpr int oldest_branch_with_cuda = 100;
    static const LazyRE2 form = {R"([rv]? *([0-9]{3,4}(?:\.[0-9]+){0,2}))"};
    const auto version = parse_version(captured(value, form));
    if (!version || version->major() < oldest_branch_with_cuda)
        return false;
    stack.driver = known_driver(*version, matrix);
    return true;
}

/// "12.4", "12.4.1", "cu124", CUDA's own coding 12040.
bool take_cuda(Stack& stack, const std::string& value, const Matrix& matrix) {
    static const LazyRE2 coded = {"(?:cuda-?|cu|v)? *([0-9]{4,5})"},
                         glued = {"(?:cuda-?|cu) *([0-9]{2,3})"};
    static const LazyRE2 dotted = {R"((?:cuda-?|cu|v)? *([0-9]{1,2}(?:\.[0-9]+){0,2})(?:\.x)?)"};
    auto version = cuda_version_from_number(number_from(captured(value, coded)).value_or(0));
    if (!version)
        version = cuda_of_digits(captured(value, glued));
    if (!version)
        version = parse_version(captured(value, dotted));
    if (version)
        stack.cuda = known_cuda(*version, matrix);
    return version.has_value();
}

/// "8.9.7", the package's "8.9.7.29", cuDNN's own coding 8907, "9", "9.10.2+cu12".
bool take_cudnn(Stack& stack, const std::string& value, const Matrix& matrix) {
    static const LazyRE2 form = {
        R"((?:cudnn |v)? *([0-9]+(?:\.[0-9]+){0,3})(?:\.x)? *[-+_,]?(.*))"};
    static const LazyRE2 flavour = {R"( *(?:for )?cu(?:da)?-? *([0-9]+(?:\.[0-9]+)?))"};
    std::string digits, rest, cuda;
    if (!re2::RE2::FullMatch(normalized(value), *form, &digits, &rest))
        return false;
    if (!rest.empty() && !re2::RE2::FullMatch(rest, *flavour, &cuda))
        return false;
    auto version = is_number(digits) && digits.size() >= 4
                       ? cudnn_version_from_number(number_from<std::size_t>(digits).value_or(0))
                       : parse_version(digits);
    if (!version || version->major() > 99)
        return false;
    if (parts_written(*version) == 4)
        version = shortened(*version, 3);                             // without the package's own
    const bool is_version = contains(cuda, ".") || cuda.size() == 1;  // 8 in "7.1.4+cu8"
    const auto built_for = is_version ? parse_version(cuda) : cuda_of_digits(cuda);
    if (!rest.empty() && !built_for)
        return false;
    stack.cudnn = known_cudnn(*version, matrix);
    stack.cudnn_cuda = built_for;
    return true;
}

/// The CUDA and cuDNN of a framework's image are those that its build takes from the system.
void add_libraries_of_build(Stack& stack, const Framework& framework, const Matrix& matrix) {
    for (const FrameworkBuild& row : matrix.framework_builds(framework.name)) {
        const bool is_meant = row.os == "linux" && row.build == framework.build &&
                              row.libraries == "system" &&
                              covers(row.first, row.last, *framework.version);
        if (!is_meant)
            continue;
        stack.cuda = known_cuda(*row.cuda, matrix);
        if (!row.cudnn)
            return;
        stack.cudnn = known_cudnn(*row.cudnn, matrix);
        stack.cudnn_cuda = make_version({row.cuda->major()});
        return;
    }
}

/// An image that is in no row: what its tag shows. Without a version of CUDA its content is
/// unknown, which version_not_in_data reports.
bool take_image_by_tag(Stack& stack, const std::string& name, const Matrix& matrix) {
    const auto image = image_by_tag(name);
    if (!image)
        return false;
    stack.image = name;
    if (image->cuda)
        stack.cuda = known_cuda(*image->cuda, matrix);
    if (image->framework.empty())
        return true;
    const Framework framework{image->framework, image->framework_version, image->build};
    stack.frameworks.push_back(framework);
    if (framework.version)
        add_libraries_of_build(stack, framework, matrix);
    return true;
}

/// The framework in it is NVIDIA's own build, whose version no table covers.
bool take_image(Stack& stack, const std::string& value, const Matrix& matrix) {
    const std::string name = normalized(value);
    const ContainerImage* const image = image_named(name, matrix);
    if (!image)
        return take_image_by_tag(stack, name, matrix);
    stack.image = name;
    stack.cuda = known_cuda(image->cuda, matrix);
    if (image->cudnn) {
        stack.cudnn = known_cudnn(*image->cudnn, matrix);
        stack.cudnn_cuda = make_version({image->cuda.major()});
    }
    if (!image->framework.empty())
        stack.frameworks.push_back({image->framework});
    return true;
}

/// "8.6", "sm_86", "compute_86", or a name.
bool take_gpu(Stack& stack, const std::string& value, const Matrix& matrix) {
    static const LazyRE2 coded = {"(?:sm_?|compute_) *([0-9]+)[af]*"},
                         dotted = {R"((?:cc)? *([0-9]{1,2}\.[0-9]+))"};
    Gpu gpu{.index = static_cast<int>(stack.gpus.size())};
    auto capability = capability_of_digits(captured(value, coded));
    if (!capability)
        capability = parse_version(captured(value, dotted));
    if (!capability) {
        const auto product = matrix.gpu_product(value);
        if (!product)
            return false;
        capability = product->capability;
        gpu.name = product->name;
    }
    gpu.capability = known_capability(*capability, matrix);
    stack.gpus.push_back(std::move(gpu));
    return true;
}

/// "linux", "Ubuntu 22.04", "Windows 10", "wsl2".
bool take_os(Stack& stack, const std::string& value, const Matrix&) {
    struct System {
        std::string_view platform;
        LazyRE2 names;
    };
    static const System systems[] = {
        {"linux", {"wsl"}},
        {"windows", {"^win"}},
        {"macos", {"^mac|^os x|^darwin$"}},
        {"linux",
         {"linux|ubuntu|debian|centos|fedora|red "
          "?hat|rhel|rocky|alma|suse|arch|mint|manjaro|pop[!_ ]+os|gentoo|nixos|"
          "kali|cachyos|colab|kaggle|docker|podman|container|jetson|jetpack|l4t|kubernetes|k8s|"
          "openshift|slurm|hpc|"
          "cluster|singularity|apptainer|sagemaker|databricks"}}};
    const std::string name = normalized(value);
    const System* known = find_where(
        systems, [&](const System& one) { return re2::RE2::PartialMatch(name, *one.names); });
    if (!known)
        return false;
    stack.os = known->platform;
    stack.os_name = value;
    stack.wsl = known->platform == "linux" && contains(name, "wsl");
    return true;
}

/// "3.11", "3.11.4", "cp311".
bool take_python(Stack& stack, const std::string& value, const Matrix&) {
    static const LazyRE2 form = {R"((?:python|cp|py)? *([0-9]\.?[0-9]{1,2}(?:\.[0-9]+)?))"};
    std::string digits = captured(value, form);
    if (is_number(digits))
        digits.insert(1, ".");
    const auto version = parse_version(digits);
    if (version)
        stack.python = known_python(*version);
    return version.has_value();
}

/// Of a key that is a framework's name the value is its version.
std::optional<Framework> framework_given(const GivenValue& item) {
    if (item.key == "framework")
        return framework_from(item.value);
    auto framework = framework_named(item.key);
    const auto named = framework_version_from(item.value);
    if (!framework || !named)
        return std::nullopt;
    framework->version = named->version;
    if (named->build)
        framework->build = named->build;
    return framework;
}

/// The network of the stack, which the first key about it creates.
Network& network_of(Stack& stack) {
    if (!stack.network)
        stack.network.emplace();
    return *stack.network;
}

/// "bf16", "bfloat16", "half".
bool take_dtype(Stack& stack, const std::string& value, const Matrix&) {
    static const std::map<std::string_view, Dtype> others = {
        {"bfloat16", Dtype::bf16},
        {"float16", Dtype::fp16},
        {"half", Dtype::fp16},
        {"float32", Dtype::fp32},
        {"float", Dtype::fp32},
        {"single", Dtype::fp32},
        {"float64", Dtype::fp64},
        {"double", Dtype::fp64}};
    const std::string word = normalized(value);
    auto dtype = from_name<Dtype>(word);
    if (const Dtype* const other = look_up(others, word))
        dtype = *other;
    if (dtype)
        network_of(stack).dtype = dtype;
    return dtype.has_value();
}

/// "yes", "no", "true", "0".
bool take_masked(Stack& stack, const std::string& value, const Matrix&) {
    const std::string word = normalized(value);
    const bool yes = word == "yes" || word == "true" || word == "1";
    if (!yes && word != "no" && word != "false" && word != "0")
        return false;
    network_of(stack).masked = yes;
    return true;
}

constexpr const char* a_single_value = "a single value (another one was given before)";
constexpr std::string_view framework_version =
    "a version (2.4.0), with its build if known (2.4.0+cu124, 2.15+cpu)";

/// Frameworks have no function of their own.
constexpr auto keys = std::to_array<Key>({
    {"ctranslate2", framework_version, nullptr},
    {"cuda", "the version of the CUDA runtime (12.4), or only its major version (12)", take_cuda},
    {"cudnn",
     "the installed cuDNN version (8.9.7, 9), with its CUDA version if known (9.10.2+cu12)",
     take_cudnn},
    {"cupy", framework_version, nullptr},
    {"driver", "a version (535.104.05) or a branch (535)", take_driver},
    {"dtype", "the data type of the network: fp64, fp32, fp16 or bf16", take_dtype},
    {"framework",
     "a framework and its version (pytorch 2.4.0), once for each framework",
     nullptr,
     true},
    {"gpu",
     "a compute capability (8.6, sm_86) or the name of a GPU of one generation (RTX 3090)",
     take_gpu,
     true},
    {"image",
     "a container image and its tag (nvcr.io/nvidia/pytorch:25.01-py3, "
     "nvidia/cuda:12.4.1-base-ubuntu22.04)",
     take_image},
    {"jax", framework_version, nullptr},
    {"keras", framework_version, nullptr},
    {"masked", "yes if the network's sequences are padded and masked, otherwise no", take_masked},
    {"mxnet", framework_version, nullptr},
    {"onnxruntime", framework_version, nullptr},
    {"os",
     "linux, windows, macos, wsl, or the operating system's name (Ubuntu 22.04, Windows 10)",
     take_os},
    {"paddlepaddle", framework_version, nullptr},
    {"python", "a Python version (3.11)", take_python},
    {"pytorch", framework_version, nullptr},
    {"tensorflow", framework_version, nullptr},
    {"torch", framework_version, nullptr},
});

/// The products that an ambiguous name may mean, else what the key takes.
std::string expected_gpu(
    const std::string& value, const Matrix& matrix, std::string_view otherwise) {
    const auto names = mapped(matrix.gpu_products_named(value), [](const GpuProduct& product) {
        return product.name + " (" + product.capability.text + ")";
    });
    if (names.empty())
        return std::string(otherwise);
    return "the name or compute capability of one of " + join_with_and(names);
}

/// A key given twice, or what the image has already set.
bool is_known(const Given& given, const Key& key) {
    const bool cuda = given.stack.cuda || !given.stack.image.empty(),
               cudnn = given.stack.cudnn.has_value();
    if (key.name == "image")
        return cuda || cudnn;
    return (given.keys.contains(std::string(key.name)) && !key.may_repeat) ||
           (key.name == "cuda" && cuda) || (key.name == "cudnn" && cudnn);
}

/// The value as it may be meant: 12.4 of "12,4", 2.4.0+cu124 of "2.4.0cu124", 4090 of "4090ti", a
/// GPU that does not exist.
std::string perhaps_meant(const std::string& written) {
    static const LazyRE2 comma = {"([0-9]),([0-9])"},
                         glued = {"^([0-9]+(?:\\.[0-9]+)+)(cu[0-9]+|cpu)$"};
    static const LazyRE2 variant = {"^(.*[0-9]) *(?:ti|super)$"};
    std::string value = normalized(written);
    re2::RE2::GlobalReplace(&value, *comma, "\\1.\\2");
    re2::RE2::Replace(&value, *glued, "\\1+\\2");
    re2::RE2::Replace(&value, *variant, "\\1");
    return value;
}

/// A value that the key takes.
bool takes(const Key& key, const GivenValue& item, const Matrix& matrix) {
    Stack any;
    if (key.take)
        return key.take(any, item.value, matrix);
    return framework_given(item).has_value();
}

/// What would have been right in place of this value; empty when it was.
std::string take(Given& given, const GivenValue& item, const Matrix& matrix) {
    const Key* const key = find_by(keys, &Key::name, item.key);
    if (!key)
        return "one of the keys " + join_with_and(given_keys());
    if (is_known(given, *key))
        return a_single_value;
    if (key->take && key->take(given.stack, item.value, matrix))
        return "";
    std::optional<stack::Framework> framework;
    if (!key->take)
        framework = framework_given(item);
    if (framework) {
        if (find_by(given.stack.frameworks, &Framework::name, framework->name))
            return a_single_value;
        given.stack.frameworks.push_back(std::move(*framework));
        return "";
    }
    const GivenValue meant{item.key, perhaps_meant(item.value)};
    if (meant.value != normalized(item.value) && takes(*key, meant, matrix))
        return meant.key + "=" + meant.value;
    if (key->take == take_gpu)
        return expected_gpu(item.value, matrix, key->expected);
    return std::string(key->expected);
}

}  // namespace

std::string normalized(std::string_view text) {
    constexpr std::size_t longest_value = 200;
    return lower(trim(text.substr(0, longest_value)));
}

/// "torch==2.4.0" of pip is taken, too, and names of packages as frameworks.
std::optional<GivenValue> split_given(std::string_view text) {
    const auto at = text.find('=');
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::size_t behind = text.find_first_not_of('=', at);  // pip's "torch==2.4.0", too
    if (behind == std::string_view::npos)
        return GivenValue{normalized(text.substr(0, at)), ""};
    GivenValue item{normalized(text.substr(0, at)), std::string(trim(text.substr(behind)))};
    if (find_by(keys, &Key::name, item.key) || !framework_named(item.key))
        return item;
    return GivenValue{"framework", item.key + " " + item.value};
}

std::vector<std::string> given_keys() {
    return mapped(keys, [](const Key& key) { return std::string(key.name); });
}

std::string_view expected_of(std::string_view key) {
    return find_by(keys, &Key::name, key)->expected;
}

/// Each item by itself; what is not understood changes nothing.
Given read_given(const std::vector<GivenValue>& values, const Matrix& matrix) {
    Given given;
    for (const GivenValue& item : values) {
        const std::string expected = take(given, item, matrix);
        if (expected.empty())
            given.keys.insert(item.key);
        else
            given.not_understood.push_back({item, expected});
    }
    return given;
}

/// What a change replaces has to go first: a key is taken once only.
Stack with_changes(Stack stack, const std::vector<GivenValue>& changes, const Matrix& matrix) {
    for (const GivenValue& change : changes) {
        if (change.key == "cuda" || change.key == "image")
            stack.cuda.reset();
        if (change.key == "cudnn" || change.key == "image")
            stack.cudnn.reset();
        if (change.key == "cudnn" || change.key == "image")
            stack.cudnn_cuda.reset();
        if (change.key == "cuda" || change.key == "image")
            stack.image.clear();
        if (change.key == "image")
            stack.frameworks.clear();
        if (change.key == "driver")
            stack.driver.reset();
        if (change.key == "python")
            stack.python.reset();
        std::erase_if(stack.frameworks, [&](const Framework& framework) {
            return framework.name == change.key;
        });
        Given changed{std::move(stack), {}, {}};
        take(changed, change, matrix);
        stack = std::move(changed.stack);
    }
    return stack;
}

/// "cuda=12,4 is not understood: cuda=12.4 is expected".
std::string in_words(const NotUnderstood& complaint) {
    return complaint.given.key + "=" + complaint.given.value +
           " is not understood: " + complaint.expected + " is expected";
}

}  // namespace rnncheck::stack
