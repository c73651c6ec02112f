// How exactly versions are known, which they may be, and the document form of a stack.
#include "stack/stack.hpp"

#include <algorithm>
#include <set>

#include "base/if_any.hpp"
#include "base/program.hpp"
#include "matrix/ranges.hpp"
#include "stack/questions.hpp"

namespace rnncheck::stack {

namespace {

/// "9.1" of a cuDNN, which has three numbers, is a prefix.
Known known(
    const Version& version,
    std::size_t parts_when_complete,
    Coverage coverage,
    const std::string& source) {
    Known known{version, source, Exactness::exact, version.text};
    if (coverage == Coverage::newer_than_data)
        known.exactness = Exactness::newer_than_data;
    if (parts_written(version) < parts_when_complete)
        known.exactness = Exactness::prefix;
    return known;
}

/// Of what is exact or outside the tables there is one.
bool may_be_several(const std::optional<Known>& known) {
    return known && known->exactness == Exactness::prefix;
}

/// Every CUDA of the tables that begins as it was written.
std::vector<Version> cudas_meant(const Stack& stack, const Matrix& matrix) {
    std::vector<Version> meant;
    if (!may_be_several(stack.cuda))
        return meant;
    for (const DriverForCuda& row : matrix.driver_for_cuda())
        if (agree(row.cuda, *stack.cuda))
            meant.push_back(row.cuda);
    return meant;
}

/// The ends of each row of builds and of each defect: what lies between them is alike.
std::vector<Version> cudnns_meant(const Stack& stack, const Matrix& matrix) {
    std::set<Version> meant;
    if (!may_be_several(stack.cudnn))
        return {};
    const Version& cudnn = *stack.cudnn;
    for (const CudnnBuild& build : matrix.cudnn_builds())
        for (const Version& version : {build.cudnn, build.cudnn_last.value_or(build.cudnn)})
            if (agree(version, cudnn))
                meant.insert(version);
    for (const RnnDefect& defect : matrix.rnn_defects())
        for (const Version& version : {defect.first, defect.fixed.value_or(defect.first)})
            if (agree(version, cudnn) &&
                matrix.cudnn_build(version, 0).coverage == Coverage::silent)
                meant.insert(version);
    // Whose CUDA is known is one that was built for it.
    if (stack.cudnn_cuda)
        std::erase_if(meant, [&](const Version& version) {
            return !matrix.cudnn_build(version, stack.cudnn_cuda->major());
        });
    return {meant.begin(), meant.end()};
}

/// Of each stack one with each of these versions, which is worded as what was specified.
std::vector<Stack> with_each(
    const std::vector<Stack>& stacks,
    std::optional<Known> Stack::*part,
    const std::vector<Version>& meant) {
    if (meant.empty())
        return stacks;
    std::vector<Stack> more;
    for (const Stack& stack : stacks)
        for (const Version& version : meant) {
            Known& exact = *(more.emplace_back(stack).*part);
            exact = {version, exact.source, Exactness::exact, version_in_words(exact)};
        }
    return more;
}

}  // namespace

Known known_driver(const Version& version, const Matrix& matrix) {
    Known driver =
        known(version, 3, matrix.cuda_of_driver(version).coverage, "driver.library_version");
    if (parts_written(version) == 1)
        driver.exactness = Exactness::branch;
    return driver;
}

Known known_cuda(const Version& version, const Matrix& matrix) {
    return known(version, 2, matrix.driver_for_cuda(version).coverage, "runtimes");
}

Known known_cudnn(const Version& version, const Matrix& matrix) {
    return known(version, 3, matrix.cudnn_build(version, 0).coverage, "cudnns");
}

Known known_capability(const Version& version, const Matrix& matrix) {
    return known(version, 2, matrix.architecture(version).coverage, "cuda_devices");
}

Known known_python(const Version& version) {
    return known(version, 2, Coverage::known, "pythons");
}

Driver driver_for(const Stack& stack, const std::string& os) {
    Driver driver;
    if (stack.driver)
        driver.version = *stack.driver;
    driver.os = os;
    if (stack.wsl)
        driver.os = "windows";
    return driver;
}

Driver driver_of(const Stack& stack) {
    return driver_for(stack, stack.os.value_or("linux"));
}

/// By the form of the version, where no system was specified.
std::vector<std::string> systems_of_driver(const Stack& stack) {
    if (stack.wsl)
        return {"windows"};  // WSL has the driver of Windows
    if (stack.os)
        return {*stack.os};
    if (parts_written(*stack.driver) == 2)
        return {"linux", "windows"};
    return {"linux"};
}

const Gpu* gpu_of(const Stack& stack) {
    if (stack.gpus.empty() || !stack.gpus.front().capability)
        return nullptr;
    return &stack.gpus.front();
}

std::optional<Version> capability_of(const Stack& stack) {
    const Gpu* gpu = gpu_of(stack);
    if (!gpu)
        return std::nullopt;
    return *gpu->capability;
}

/// By the processor, or by the board that the GPU's name shows.
bool on_arm(const Stack& stack, const Matrix& matrix) {
    return stack.arm || std::ranges::any_of(stack.gpus, [&](const Gpu& gpu) {
               const auto product = matrix.gpu_product(gpu.name.value_or(""));
               return (product && product->arm) || is_jetson_as_server(gpu.capability, matrix);
           });
}

std::vector<Stack> possible_stacks(const Stack& stack, const Matrix& matrix) {
    const auto with_cuda = with_each({stack}, &Stack::cuda, cudas_meant(stack, matrix));
    return with_each(with_cuda, &Stack::cudnn, cudnns_meant(stack, matrix));
}

/// The stage "given" marks facts that nobody collected.
Facts document_of(const Stack& stack) {
    Facts facts;
    facts.tool = {std::string(version_of_rnncheck()), {"given"}};
    facts.host.platform = stack.os;
    if (!stack.os_name.empty())
        facts.host.os = stack.os_name;
    if (stack.os == "linux")
        facts.host.wsl = stack.wsl;
    if (stack.arm)
        facts.host.machine = "aarch64";
    if (stack.driver)
        facts.driver.library_version = *stack.driver;
    if (stack.cuda || !stack.image.empty()) {
        Runtime& cuda = facts.runtimes.emplace_back();
        cuda.library = stack.image;
        if (stack.cuda)
            cuda.version = *stack.cuda;
    }
    if (stack.cudnn) {
        Cudnn& cudnn = facts.cudnns.emplace_back();
        cudnn.library = stack.image;
        cudnn.version = *stack.cudnn;
        cudnn.built_for_cuda = stack.cudnn_cuda;
    }
    for (const Gpu& gpu : stack.gpus) {
        rnncheck::Gpu& listed = facts.cuda_devices.emplace_back();
        listed.index = gpu.index;
        listed.name = gpu.name;
        if (gpu.capability)
            listed.compute_capability = *gpu.capability;
    }
    if (stack.python)
        facts.pythons.push_back(python_of(*stack.python));
    for (const Framework& framework : stack.frameworks) {
        rnncheck::Framework& listed = facts.frameworks.emplace_back();
        listed.name = framework.name;
        listed.version = framework.version;
        listed.build = framework.build;
    }
    facts.network = stack.network;
    return facts;
}

/// The reverse of document_of().
Stack stack_of_document(const Facts& facts, const Matrix& matrix) {
    Stack stack;
    stack.os = facts.host.platform;
    stack.os_name = facts.host.os.value_or("");
    stack.wsl = facts.host.wsl.value_or(false);
    stack.arm = facts.host.machine == "aarch64";
    if (facts.driver.library_version)
        stack.driver = known_driver(*facts.driver.library_version, matrix);
    if (!facts.runtimes.empty()) {
        stack.image = facts.runtimes.front().library;
        if (const auto& cuda = facts.runtimes.front().version)
            stack.cuda = known_cuda(*cuda, matrix);
    }
    if (!facts.cudnns.empty() && facts.cudnns.front().version) {
        stack.cudnn = known_cudnn(*facts.cudnns.front().version, matrix);
        stack.cudnn_cuda = facts.cudnns.front().built_for_cuda;
    }
    for (const rnncheck::Gpu& gpu : facts.cuda_devices) {
        Gpu& listed = stack.gpus.emplace_back(Gpu{gpu.index, gpu.name});
        if (gpu.compute_capability)
            listed.capability = known_capability(*gpu.compute_capability, matrix);
    }
    if (!facts.pythons.empty()) {
        const auto& python = facts.pythons.front().version;
        if (python)
            stack.python = known_python(*python);
        stack.has_unknown_python = !python;
    }
    for (const rnncheck::Framework& framework : facts.frameworks)
        stack.frameworks.push_back({framework.name, framework.version, framework.build});
    stack.network = facts.network;
    return stack;
}

std::optional<Stack> described_stack(const Facts& facts, const Matrix& matrix) {
    if (facts.tool.stages != std::vector<std::string>{"given"})
        return std::nullopt;
    return stack_of_document(facts, matrix);
}

std::string subject_of(const Gpu& gpu) {
    return "GPU " + std::to_string(gpu.index) + if_any(" (", gpu.name, ")");
}

std::string words_of(const Gpu& gpu) {
    const std::string capability = "compute capability " + gpu.capability->text;
    if (gpu.name)
        return *gpu.name + " (" + capability + ")";
    return capability;
}

std::string words_of(const Framework& framework) {
    static constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"tensorflow", "TensorFlow"},
        {"keras", "Keras"},
        {"pytorch", "PyTorch"},
        {"jax", "JAX"},
        {"onnxruntime", "ONNX Runtime"},
        {"paddlepaddle", "PaddlePaddle"},
        {"ctranslate2", "CTranslate2"},
        {"cupy", "CuPy"},
        {"mxnet", "MXNet"}};
    const auto* name =
        find_where(names, [&](const auto& one) { return one.first == framework.name; });
    std::string words(name ? name->second : framework.name);
    if (framework.version)
        words += ' ' + framework.version->text;
    if (framework.build)
        words += " (" + *framework.build + ")";
    return words;
}

}  // namespace rnncheck::stack
