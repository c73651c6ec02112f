#include "given/given.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "given/values.hpp"

namespace rnncheck {

namespace {

/// Puts the value in its place, or says what was expected: "a version like 12.4".
using Read = std::string (*)(const std::string& value, const Matrix& matrix, Facts& facts);

struct Key {
    std::string_view name;
    Read read;
};

std::string read_driver(const std::string& value, const Matrix&, Facts& facts) {
    facts.driver.library_version = driver_as_written(value);
    return facts.driver.library_version ? "" : "a release or branch of the driver, like 535.104.05 or 535";
}

std::string read_cuda(const std::string& value, const Matrix&, Facts& facts) {
    const auto version = version_as_written(value);
    if (!version) return "a version of CUDA, like 12.4";
    facts.runtimes.emplace_back().version = version;
    return "";
}

std::string read_cudnn(const std::string& value, const Matrix&, Facts& facts) {
    const auto version = cudnn_as_written(value);
    if (!version) return "a version of cuDNN, like 8.9.7";
    facts.cudnns.emplace_back().version = version;
    return "";
}

std::string read_gpu(const std::string& value, const Matrix& matrix, Facts& facts) {
    Gpu gpu;
    gpu.index = asked_about;
    gpu.compute_capability = capability_as_written(value);
    if (!gpu.compute_capability) {
        const auto products = matrix.gpu_products_named(value);
        const auto product = matrix.gpu_product(value);
        if (!product && !products.empty()) return "a name of one GPU: " + what_it_may_mean(products);
        if (!product) return "a GPU of the data or its compute capability, like RTX 3090 or 8.6";
        gpu.name = product->name;
        gpu.compute_capability = product->capability;
    }
    facts.gpus.push_back(std::move(gpu));
    return "";
}

std::string read_os(const std::string& value, const Matrix&, Facts& facts) {
    facts.host.platform = platform_as_written(value);
    if (!facts.host.platform) return "an operating system: linux, windows, wsl or macos";
    facts.host.os = value;
    facts.host.wsl = contains(lower(value), "wsl");
    return "";
}

std::string read_python(const std::string& value, const Matrix&, Facts& facts) {
    const auto version = version_as_written(value);
    if (!version) return "a version of Python, like 3.11";
    facts.pythons.push_back({"", version});
    return "";
}

std::string read_dtype(const std::string& value, const Matrix&, Facts& facts) {
    facts.wanted.dtype = dtype_as_written(value);
    return facts.wanted.dtype ? "" : "a data type: fp32, fp16, bf16 or fp64";
}

std::string read_framework(const std::string& value, const Matrix&, Facts& facts) {
    const auto framework = framework_as_written(value);
    if (!framework) return "a framework and perhaps its release, like 'pytorch 2.4'";
    facts.frameworks.push_back(*framework);
    return "";
}

constexpr std::array keys{
    Key{"driver", read_driver}, Key{"cuda", read_cuda},     Key{"cudnn", read_cudnn}, Key{"gpu", read_gpu},
    Key{"os", read_os},         Key{"python", read_python}, Key{"dtype", read_dtype}, Key{"framework", read_framework}};

/// "tensorflow=2.15" and "pytorch=2.4+cu124".
std::string read_release(const std::string& name, const std::string& value, Facts& facts) {
    const auto framework = framework_as_written(name + ' ' + value);
    if (!framework || !framework->version) return "a release, like 2.4 or 2.4+cu124";
    facts.frameworks.push_back(*framework);
    return "";
}

void read_item(const std::string& item, const Matrix& matrix, Given& given) {
    const auto at = item.find('=');
    const std::string name = lower(trim(std::string_view(item).substr(0, at)));
    const std::string value(at == std::string::npos ? "" : trim(std::string_view(item).substr(at + 1)));
    const auto complain = [&](const std::string& what) { given.not_understood.push_back(escaped(item) + ": " + what); };
    const auto known = given_keys();
    if (at == std::string::npos) return complain("write it as KEY=VALUE, e.g. driver=535");
    if (std::find(known.begin(), known.end(), name) == known.end())
        return complain("there is no key '" + escaped(name) + "'; the keys are " + listing(known));
    if (!given.keys.insert(name).second) return complain("'" + name + "' is given twice");
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& one) { return one.name == name; });
    const std::string expected =
        key != keys.end() ? key->read(value, matrix, given.facts) : read_release(name, value, given.facts);
    if (expected.empty()) return;
    given.keys.erase(name);
    complain("'" + escaped(value) + "' is not understood as " + expected);
}

}  // namespace

const std::vector<std::string>& given_keys() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Key& key : keys) all.emplace_back(key.name);
        for (const std::string_view name : framework_words()) all.emplace_back(name);
        return all;
    }();
    return names;
}

Given read_given(const std::vector<std::string>& items, const Matrix& matrix) {
    Given given;
    given.facts.tool.stages = {std::string(stage_of_given_facts)};
    for (const std::string& item : items) read_item(item, matrix, given);
    return given;
}

}  // namespace rnncheck
