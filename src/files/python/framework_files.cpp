// Each framework leaves what it was built with in another place: a generated
// Python file, the name of the package, or the names that its libraries need.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/elf/elf_file.hpp"
#include "files/pe/pe_file.hpp"
#include "files/python/frameworks.hpp"

namespace rnncheck::python {

namespace {

/// Generated files are a few kilobytes long.
constexpr std::size_t most_framework_text = 64 * 1024, most_framework_names = 4096;

std::optional<Literals> literals_of(const Root& root, const std::string& path) {
    const auto text = root.read(path, most_framework_text);
    if (!text)
        return std::nullopt;
    return read_literals(*text);
}

/// "cu124".
std::string cu_flavour(const Version& cuda) {
    return "cu" + std::to_string(cuda.major()) + std::to_string(cuda.minor());
}

/// The first of these files that is there.
std::optional<std::string> first_of(
    const Root& root, const std::string& directory, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (const std::string path = directory + '/' + std::string(name); root.exists(path))
            return path;
    return std::nullopt;
}

std::optional<std::string> file_that_begins(
    const Root& root, const std::string& directory, std::string_view beginning) {
    for (const std::string& name : root.names_in(directory, most_framework_names))
        if (name.starts_with(beginning))
            return directory + '/' + name;
    return std::nullopt;
}

/// "libcublas.so.12" among the needed names gives 12, and so does "cublas64_12.dll".
std::optional<Version> number_behind(const std::vector<std::string>& names, std::string_view stem) {
    for (const std::string& name : names)
        if (name.starts_with(stem))
            return leading_version(std::string_view(name).substr(stem.size()));
    return std::nullopt;
}

/// "64_112", as TensorFlow's packages for Windows name the end of a DLL's name, is
/// CUDA 11.2; "64_8" is cuDNN 8, and "64_10" CUDA 10. Other texts stay as they are.
std::string without_bits(const std::string& text) {
    constexpr std::string_view bits = "64_";
    constexpr std::size_t with_minor = 3;
    if (!text.starts_with(bits))
        return text;
    std::string number = text.substr(bits.size());
    if (number.size() == with_minor && is_number(number))
        number.insert(2, ".");
    return number;
}

/// The oldest release that the bounds allow, cuDNN's three numbers of it.
std::optional<Version> lower_bound(const std::string& bounds) {
    for (const std::string& bound : split(bounds, ',')) {
        if (!bound.starts_with("==") && !bound.starts_with(">=") && !bound.starts_with("~="))
            continue;
        const auto version = leading_version(std::string_view(bound).substr(2));
        if (version && std::ranges::count(version->text, '.') == 3)
            return shortened(*version, 3);
        if (version)
            return version;
    }
    return std::nullopt;
}

/// What its metadata requests is what it was built with, or the
/// oldest that its makers allow.
void take_pins(
    const Root& root,
    const std::vector<Distribution>& distributions,
    Framework& framework,
    std::vector<std::string>& left_out) {
    for (const Distribution& distribution : distributions) {
        const auto metadata = metadata_of(root, distribution, left_out);
        if (!metadata || framework.cudnn_wanted)
            continue;
        for (const Requirement& need : metadata->needs) {
            if (!need.name.starts_with("nvidia-cudnn"))
                continue;
            const auto version = lower_bound(need.bounds);
            if (!version || (framework.cudnn && framework.cudnn->major() != version->major()))
                continue;
            framework.cudnn_wanted = need.name + need.bounds;
            framework.cudnn = version;
        }
    }
}

/// "compute_80" in TensorFlow's own list means machine code and PTX code of 8.0.
std::string targets_of_tensorflow(const std::vector<std::string>& words) {
    std::vector<std::string> targets;
    for (const std::string& word : words) {
        if (word.starts_with("compute_"))
            targets.push_back("sm_" + word.substr(8));
        if (word.starts_with("compute_") || word.starts_with("sm_"))
            targets.push_back(word);
    }
    return join(targets, " ");
}

/// The library of TensorFlow that opens cuDNN is the one that defines cuDNN's
/// functions itself and passes each call on (tsl/cuda/cudnn_stub.cc). Where
/// none does, as in builds that link cuDNN, the one with the operations.
std::optional<std::string> library_with_cudnn_stubs(
    const Root& root, const std::string& directory) {
    for (const char* name :
         {"libtensorflow_framework.so.2",
          "libtensorflow_framework.so.1",
          "libtensorflow_cc.so.2",
          "python/_pywrap_tensorflow_internal.so",
          "python/_pywrap_tensorflow_common.so"})
        if (const std::string path = directory + '/' + name;
            elf::defines_symbol(root, path, "cudnnCreate"))
            return path;
    return first_of(
        root,
        directory,
        {"libtensorflow_cc.so.2",
         "libtensorflow_cc.so.1",
         "python/_pywrap_tensorflow_internal.so",
         "python/_pywrap_tensorflow_internal.pyd"});
}

/// build_info.py is written by TensorFlow's build:
/// https://github.com/tensorflow/tensorflow/blob/master/tensorflow/tools/build_info/gen_build_info.py
void read_tensorflow(const Root& root, const Installed& installed, Framework& framework) {
    const std::string directory = installed.directory + "/tensorflow",
                      source_file = directory + "/python/platform/build_info.py";
    framework.core = library_with_cudnn_stubs(root, directory);
    const auto info = literals_of(root, source_file);
    if (!info)
        return;
    framework.uses_cuda = info->yes_no("is_cuda_build");
    if (framework.uses_cuda)
        framework.evidence = source_file;
    if (info->yes_no("is_rocm_build").value_or(false))
        framework.build = "rocm";
    if (!framework.uses_cuda.value_or(false))
        return;
    const bool with_wheels =
        installed.bundles_cudnn && framework.version && *framework.version >= make_version({2, 14});
    framework.build = "cuda";
    if (with_wheels)
        framework.build = "and-cuda";
    for (const char* name : {"cuda_version", "cuda_version_number"})
        if (!framework.cuda)
            framework.cuda = parse_version(without_bits(info->one(name).value_or("")));
    for (const char* name : {"cudnn_version", "cudnn_version_number"})
        if (!framework.cudnn)
            framework.cudnn = leading_version(without_bits(info->one(name).value_or("")));
    if (const auto words = info->all("cuda_compute_capabilities"); !words.empty())
        framework.targets = targets_of_tensorflow(words);
}

/// version.py is written by PyTorch's build; "+cu121" in the version names the
/// build, "cuda" the CUDA it was compiled with.
void read_torch(const Root& root, const Installed& installed, Framework& framework) {
    const std::string directory = installed.directory + "/torch",
                      source_file = directory + "/version.py";
    framework.core = first_of(
        root,
        directory,
        {"lib/libtorch_cuda_cpp.so", "lib/libtorch_cuda.so", "lib/torch_cuda.dll"});
    const auto info = literals_of(root, source_file);
    if (!info)
        return;
    const auto cuda = info->one("cuda"), written = info->one("__version__");
    if (written)
        if (const auto version = leading_version(*written))
            framework.version = version;
    if (!info->all("cuda").empty())
        framework.uses_cuda = cuda.has_value();
    if (framework.uses_cuda)
        framework.evidence = source_file;
    framework.cuda = parse_version(cuda.value_or(""));
    std::string local;
    if (written && contains(*written, "+"))
        local = written->substr(written->find('+') + 1);
    if (local.starts_with("cu") || local == "cpu")
        framework.build = local;
    else if (framework.cuda)
        framework.build = cu_flavour(*framework.cuda);
    else if (info->one("hip"))
        framework.build = "rocm";
    else if (framework.uses_cuda)
        framework.build = "cpu";
}

/// Older wheels of jaxlib were built with CUDA themselves; newer ones have it in
/// a plug-in, a distribution of its own.
void read_jax(const Root& root, const Installed& installed, Framework& framework) {
    // 0.4.14+cuda12.cudnn89
    const std::string& name = installed.distributions.front().version;
    if (const auto at = name.find("+cuda"); at != std::string::npos) {
        framework.build = "cuda" + name.substr(at + 5, 2);
        framework.core = first_of(root, installed.directory, {"jaxlib/xla_extension.so"});
        framework.evidence = installed.distributions.front().metadata;
    }
    for (const Distribution& plugin : installed.plugins) {
        framework.build = parse_distribution_name(plugin.name)->build;
        framework.evidence = plugin.metadata;
        framework.core = first_of(
            root,
            plugin.directory,
            {"jax_plugins/xla_" + *framework.build + "/xla_cuda_plugin.so"});
    }
    framework.uses_cuda = framework.build && framework.build->starts_with("cuda");
    if (*framework.uses_cuda)
        framework.cuda = parse_version(framework.build->substr(4));
    if (!framework.build)
        framework.build = "cpu";
    if (!framework.evidence)
        framework.evidence = installed.distributions.front().metadata;
}

/// The provider for CUDA is a library of its own: a build without CUDA does not
/// have it.
void read_onnxruntime(const Root& root, const Installed& installed, Framework& framework) {
    const std::string directory = installed.directory + "/onnxruntime/capi";
    framework.core = first_of(
        root, directory, {"libonnxruntime_providers_cuda.so", "onnxruntime_providers_cuda.dll"});
    framework.uses_cuda = framework.core.has_value();
    framework.evidence = framework.core.value_or(directory);
    if (framework.core)
        framework.build = "cuda";
}

/// paddle/version/__init__.py is written by Paddle's build, "False" for a build
/// without CUDA.
void read_paddle(const Root& root, const Installed& installed, Framework& framework) {
    const std::string directory = installed.directory + "/paddle",
                      source_file = directory + "/version/__init__.py";
    framework.core = first_of(
        root,
        directory,
        {"base/libpaddle.so", "fluid/libpaddle.so", "fluid/core_avx.so", "base/libpaddle.pyd"});
    const auto info = literals_of(root, source_file);
    if (!info)
        return;
    framework.cuda = parse_version(info->one("cuda_version").value_or(""));
    framework.cudnn = parse_version(info->one("cudnn_version").value_or(""));
    if (!info->all("cuda_version").empty())
        framework.uses_cuda = framework.cuda.has_value();
    if (framework.uses_cuda)
        framework.evidence = source_file;
    if (framework.cuda)
        framework.build = cu_flavour(*framework.cuda);
}

/// For Windows it contains the front of cuDNN, which opens the parts of that
/// version elsewhere.
void read_ctranslate2_of_windows(
    const Root& root, const std::string& directory, Framework& framework) {
    const std::string library = directory + "/ctranslate2.dll";
    const auto front = file_that_begins(root, directory, "cudnn64_");
    framework.cuda = number_behind(pe::embedded_library_names(root, library), "cublas64_");
    if (!framework.cuda)
        return;
    framework.uses_cuda = true;
    framework.evidence = library;
    framework.core = library;
    framework.build = "cuda";
    framework.uses_cudnn = front.has_value();
    if (!front)
        return;
    if (const auto version = pe::version_resource(root, *front))
        framework.cudnn = shortened(version->file, 3);
}

/// Up to 4.6.2 its own front library of cuDNN, libcudnn-74a4c495.so.9.1.0,
/// opens the parts of that version elsewhere; later ones do without cuDNN.
void read_ctranslate2(const Root& root, const Installed& installed, Framework& framework) {
    const std::string directory = installed.directory + "/ctranslate2.libs";
    framework.core = file_that_begins(root, installed.directory + "/ctranslate2", "_ext.");
    const auto library = file_that_begins(root, directory, "libctranslate2-");
    if (!library)
        return read_ctranslate2_of_windows(root, installed.directory + "/ctranslate2", framework);
    // cuBLAS is opened by name alone: no header shows its major. A build
    // without CUDA does not name it.
    framework.cuda = number_behind(elf::embedded_library_names(root, *library), "libcublas.so.");
    const auto front = file_that_begins(root, directory, "libcudnn-");
    if (!front && !framework.cuda)
        return;
    framework.uses_cuda = true;
    framework.uses_cudnn = front.has_value();
    framework.evidence = library;
    if (front)
        framework.evidence = front;
    framework.build = "cuda";
    if (!front)
        return;
    if (const auto at = front->find(".so."); at != std::string::npos)
        framework.cudnn = parse_version(front->substr(at + 4));
}

/// The package's name has the CUDA that it is for; the module for cuDNN was
/// removed in 14.0.
void read_cupy(const Root& root, const Installed& installed, Framework& framework) {
    if (!framework.build || !framework.build->starts_with("cuda"))
        return;
    framework.uses_cuda = true;
    framework.evidence = installed.distributions.front().metadata;
    framework.cuda = parse_version(framework.build->substr(4, 2));
    framework.core =
        file_that_begins(root, installed.directory + "/cupy_backends/cuda/libs", "cudnn.");
    framework.uses_cudnn = framework.core.has_value();
    if (!framework.core)
        framework.core =
            file_that_begins(root, installed.directory + "/cupy_backends/cuda/libs", "cublas.");
}

/// libmxnet.so needs cuDNN by its headers, which take_majors reads.
void read_mxnet(const Root& root, const Installed& installed, Framework& framework) {
    framework.core = first_of(root, installed.directory, {"mxnet/libmxnet.so"});
    framework.uses_cuda = framework.build && framework.build->starts_with("cu");
    framework.evidence = installed.distributions.front().metadata;
}

/// The names that the core needs carry the majors; exact numbers from other files stay.
void take_majors(const Root& root, Framework& framework) {
    if (!framework.core)
        return;
    if (framework.core->ends_with(".dll") || framework.core->ends_with(".pyd")) {
        std::vector<std::string> names = pe::read_pe_file(root, *framework.core).imports;
        append(names, pe::embedded_library_names(root, *framework.core));
        if (!framework.cudnn)
            framework.cudnn = number_behind(names, "cudnn64_");
        if (!framework.cuda)
            framework.cuda = number_behind(names, "cublas64_");
        return;
    }
    const auto needed = elf::read_elf_file(root, *framework.core).needed;
    if (!framework.cudnn)
        framework.cudnn = number_behind(needed, "libcudnn.so.");
    if (!framework.cuda)
        framework.cuda = number_behind(needed, "libcublas.so.");
}

}  // namespace

void read_framework_files(
    const Root& root,
    const Installed& installed,
    Framework& framework,
    std::vector<std::string>& left_out) {
    if (installed.name == "tensorflow")
        read_tensorflow(root, installed, framework);
    if (installed.name == "pytorch")
        read_torch(root, installed, framework);
    if (installed.name == "jax")
        read_jax(root, installed, framework);
    if (installed.name == "onnxruntime")
        read_onnxruntime(root, installed, framework);
    if (installed.name == "paddlepaddle")
        read_paddle(root, installed, framework);
    if (installed.name == "ctranslate2")
        read_ctranslate2(root, installed, framework);
    if (installed.name == "cupy")
        read_cupy(root, installed, framework);
    if (installed.name == "mxnet")
        read_mxnet(root, installed, framework);
    if (framework.uses_cuda.value_or(false)) {
        for (const auto* distributions : {&installed.distributions, &installed.plugins})
            take_pins(root, *distributions, framework, left_out);
        take_majors(root, framework);
    } else {
        for (const Distribution& plugin : installed.plugins)
            framework.build = parse_distribution_name(plugin.name)->build;
    }
}

}  // namespace rnncheck::python
