#include "rules/causes/log_packages.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "rules/causes/log_installs.hpp"
#include "rules/support/remedies.hpp"
#include "rules/support/repairs.hpp"
#include "stack/questions.hpp"

namespace rnncheck::rules {

namespace {

using stack::Stack;

constexpr int oldest_cudnn_of_wheels = 8;  // https://pypi.org/project/nvidia-cudnn-cu11/
/// https://pypi.org/project/nvidia-cuda-nvrtc-cu11/#history: 11.7.99 and 11.8.89 only.
constexpr int oldest_minor_of_nvrtc_11 = 7;

/// "==9.*"; with a minor ">=8.6,<9": a framework takes its own minor of cuDNN and later ones. Never
/// a version without code for the GPU; nothing where there is no other.
std::optional<std::string> range_of(const Version& cudnn, int cuda, const LogContext& log) {
    const auto gpu = gpu_capability(log);
    const CudnnBuild* end =
        gpu ? stack::first_cudnn_without(*gpu, cudnn, cuda, log.matrix) : nullptr;
    if (end && end->cudnn <= cudnn)
        return std::nullopt;
    if (end)
        return ">=" + cudnn.text + ",<" + stack::as_bound(end->cudnn);
    if (parts_written(cudnn) > 1)
        return ">=" + cudnn.text + ",<" + std::to_string(cudnn.major() + 1);
    return "==" + cudnn.text + ".*";
}

/// Nothing where no such package was published.
std::optional<std::string> package(
    const std::string& name,
    const std::string& range,
    const Stack& requested,
    const LogContext& log) {
    const int cuda = requested.cuda ? requested.cuda->major() : 0;
    if (cuda < oldest_cuda_with_wheels)
        return std::nullopt;
    if (name == "nvidia-cudnn") {
        std::optional<std::string> wanted(range);
        if (range.empty() &&
            (!requested.cudnn || requested.cudnn->major() < oldest_cudnn_of_wheels))
            return std::nullopt;
        if (range.empty())
            wanted = range_of(*requested.cudnn, cuda, log);
        if (!wanted)
            return std::nullopt;
        return wheel(name, cuda, *wanted);
    }
    const bool is_exact = name == "nvidia-cuda-nvrtc" && parts_written(*requested.cuda) > 1;
    if (is_exact && cuda == 11 && requested.cuda->minor() < oldest_minor_of_nvrtc_11)
        return std::nullopt;
    return wheel(
        name, cuda, "==" + (is_exact ? requested.cuda->text : std::to_string(cuda)) + ".*");
}

/// For the system and the framework of the log, too.
std::string plan(const LogContext& log) {
    const std::string command = plan_command(gpu_capability(log), driver_in_log(log));
    const auto& frameworks = log.hints.stack.frameworks;
    const bool planned =
        frameworks.size() == 1 && !log.matrix.framework_builds(frameworks.front().name).empty();
    // Where the log does not name the GPU, the machine does.
    constexpr const char* of_this_gpu =
        "rnncheck matrix plan gpu=\"$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n "
        "1)\"";
    if (command.empty() && log.has("os_windows"))
        return "rnncheck doctor";
    std::string plan = command.empty() ? of_this_gpu : command;
    if (planned)
        plan += " framework=" + frameworks.front().name;
    if (log.has("os_windows"))
        plan += " os=windows";
    return plan;
}

/// Whether the frameworks that the log names have builds for this CUDA; of those without builds in
/// the data, yes.
bool may_use(int cuda_major, const LogContext& log) {
    return std::ranges::all_of(log.hints.stack.frameworks, [&](const stack::Framework& framework) {
        const auto builds = log.matrix.framework_builds(framework.name);
        const auto is_used = [&](const FrameworkBuild& build) {
            return build.cuda && build.cuda->major() == cuda_major &&
                   (!framework.version || covers(build.first, build.last, *framework.version));
        };
        const auto with_cuda = [](const FrameworkBuild& build) { return build.cuda.has_value(); };
        return std::ranges::none_of(builds, with_cuda) || std::ranges::any_of(builds, is_used);
    });
}

/// The newest two CUDA majors for which there are packages of this cuDNN, of those that the program
/// may use: of 8.1 none is for CUDA 12, and CTranslate2 has no build for CUDA 13. CUDA 12 comes
/// first, which most builds use.
std::vector<Version> cudas_of(const Version& cudnn, const LogContext& log) {
    std::set<int, std::greater<>> majors;
    for (const CudnnBuild& build : log.matrix.cudnn_builds())
        if (may_be_of(build, cudnn) && build.cuda_major >= oldest_cuda_with_wheels)
            majors.insert(build.cuda_major);
    std::vector<Version> newest;
    for (const int major : majors)
        if (newest.size() < 2 && may_use(major, log))
            newest.push_back(make_version({major}));
    constexpr int most_used = 12;
    std::ranges::stable_partition(
        newest, [](const Version& cuda) { return cuda.major() == most_used; });
    return newest;
}

/// The version that the command names itself, as in "{nvidia-cudnn>=8.9.2,<9}", or that the log
/// requests.
std::optional<Version> cudnn_for(const LogCause& cause, const LogContext& log) {
    const auto at = cause.command.find(">=");
    if (at == std::string::npos)
        return wanted_cudnn(log);
    return parse_version(cause.command.substr(at + 2, cause.command.find(',', at) - at - 2));
}

/// The versions of CUDA that the log leaves open, of those for which there are packages; none where
/// the major version of cuDNN is not known either, for a package of the wrong one would replace the
/// right one.
std::vector<Stack> possible(const LogCause& cause, const LogContext& log) {
    const auto cudnn = cudnn_for(cause, log), cuda = wanted_cuda(log);
    std::vector<Stack> all;
    if (!cudnn)
        return all;
    for (const Version& toolkit : cuda ? std::vector{*cuda} : cudas_of(*cudnn, log)) {
        const bool is_made =
            std::ranges::any_of(log.matrix.cudnn_builds(), [&](const CudnnBuild& build) {
                return build.cudnn.major() == cudnn->major() && build.cuda_major == toolkit.major();
            });
        if (is_made)
            all.push_back(
                {.cuda = stack::known_cuda(toolkit, log.matrix),
                 .cudnn = stack::known_cudnn(*cudnn, log.matrix)});
    }
    return all;
}

/// The Python package that contains a CUDA library; "" for one without.
std::string package_of_library(std::string_view library) {
    constexpr std::pair<std::string_view, std::string_view> packages[] = {
        {"cudart", "nvidia-cuda-runtime"},
        {"cublas", "nvidia-cublas"},
        {"cufft", "nvidia-cufft"},
        {"curand", "nvidia-curand"},
        {"cusolver", "nvidia-cusolver"},
        {"cusparseLt", "nvidia-cusparselt"},
        {"cusparse", "nvidia-cusparse"},
        {"nvJitLink", "nvidia-nvjitlink"},
        {"nccl", "nvidia-nccl"},
        {"cufile", "nvidia-cufile"},
        {"cudss", "nvidia-cudss"},
        {"nvshmem", "nvidia-nvshmem"},
        {"cupti", "nvidia-cuda-cupti"},
        {"nvrtc", "nvidia-cuda-nvrtc"},
        {"npp", "nvidia-npp"},
        {"nvToolsExt", "nvidia-nvtx"}};
    for (const auto& [part, package] : packages)
        if (contains(library, part))
            return std::string(package);
    return "";
}

/// These are named after the CUDA that they are for, those of CUDA 13 included.
bool keeps_its_suffix(std::string_view package) {
    constexpr std::string_view names[] = {
        "nvidia-cusparselt", "nvidia-nccl", "nvidia-cudss", "nvidia-nvshmem"};
    return includes(names, package);
}

/// The words of torch/cuda/__init__.py.
bool is_message_of_torch(const LogContext& log) {
    const LogEvent* event =
        find_by(log.parsed.events, &LogEvent::signature, "torch_not_built_with_cuda");
    return event && contains(event->text, "Torch not compiled with CUDA");
}

/// "ERROR: " begins a line of Julia, and of others: of R with its Python.
bool is_julia(const LogContext& log) {
    return log.has("julia_cudnn_missing") || log.has("julia_library") ||
           (log.has("julia_error") && !log.has("r_error") && log.hints.stack.frameworks.empty());
}

}  // namespace

std::vector<std::string> commands_of(const std::string& chain, std::string_view separator) {
    std::vector<std::string> commands;
    std::size_t start = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < chain.size(); ++at) {
        if (chain[at] == '"')
            quoted = !quoted;
        if (quoted || chain.compare(at, separator.size(), separator) != 0)
            continue;
        commands.push_back(chain.substr(start, at - start));
        start = at + separator.size();
    }
    if (start < chain.size())
        commands.push_back(chain.substr(start));
    return commands;
}

std::optional<std::string> filled_in(
    std::string command, const Stack& requested, const LogContext& log) {
    for (auto at = command.find('{'); at != std::string::npos; at = command.find('{', at + 1)) {
        if (at > 0 && command[at - 1] == '$')
            continue;
        const auto end = command.find('}', at);
        const std::string inside = command.substr(at + 1, end - at - 1),
                          name = inside.substr(0, inside.find('>'));
        std::optional<std::string> value;
        if (inside == "plan")
            value = plan(log);
        else
            value = package(name, inside.substr(name.size()), requested, log);
        if (!value)
            return std::nullopt;
        command.replace(at, end + 1 - at, *value);
        at += value->size() - 1;
    }
    return command;
}

Remedy plain_remedy(const LogCause& cause) {
    return {
        .action = from_name<Action>(cause.action).value_or(Action::other),
        .text = cause.remedy,
        .risk = from_name<Risk>(cause.risk).value_or(Risk::safe),
        .link = cause.source.url};
}

Remedy with_package_of_cudnn(const LogCause& cause, const LogContext& log) {
    Remedy remedy = plain_remedy(cause);
    const auto pairs = possible(cause, log);
    if (pairs.size() > 1)
        remedy.text = "If the program uses CUDA " + std::to_string(pairs.front().cuda->major()) +
                      ": " + remedy.text;
    for (const Stack& requested : pairs) {
        const auto command = filled_in(cause.command, requested, log);
        if (command && remedy.commands.empty())
            remedy.commands = commands_of(*command, " && ");
        else if (command)
            remedy.text +=
                ". If it uses CUDA " + std::to_string(requested.cuda->major()) + ": " + *command;
    }
    return remedy;
}

std::string named_library(const LogContext& log) {
    for (const char* signature :
         {"missing_cuda_companion",
          "missing_cuda_library",
          "missing_nvrtc",
          "ort_tensorrt_requested"})
        if (const auto name = missing_library(log, signature))
            return name->substr(0, std::min(name->find(".so"), name->find("64_")));
    for (const char* field : {"what", "what2"})
        if (const auto what = log.field("jax_cannot_load_cuda", field); what && *what != "CUDA")
            return "lib" + lower(*what);
    return "";
}

void name_package_of_library(Remedy& remedy, const LogContext& log) {
    const std::string library = named_library(log), package = package_of_library(library);
    if (package.empty())
        return;
    const int cuda = wanted_cuda(log).value_or(make_version({12})).major();
    if (cuda < oldest_cuda_with_wheels)
        return;
    const std::string name =
        keeps_its_suffix(package) ? concat(package, "-cu", cuda) : wheel(package, cuda, "");
    remedy.text += concat(": ", library, " is in ", name);
    if (contains(library, "cudss"))
        remedy.text += " and, on a Jetson, in the package cudss of NVIDIA's apt repository";
    if (!log.has("gpu_jetson"))
        remedy.commands = {"python -m pip install " + name};
}

namespace {

/// PyTorch's index with CUDA builds for the Python in the log: those of cu128 begin with 3.9.
/// https://github.com/pytorch/pytorch/blob/main/RELEASE.md#release-compatibility-matrix
std::string torch_index_for_python(const LogContext& log) {
    const auto python = python_known(log);
    if (!python || *python >= make_version({3, 9}))
        return "cu128";
    if (*python >= make_version({3, 8}))
        return "cu121";
    return *python >= make_version({3, 7}) ? "cu117" : "cu113";
}

/// Where no published build fits what the log shows, or the log shows nothing that decides.
std::vector<std::string> usual_build_with_cuda(
    const std::string& framework, const LogContext& log) {
    if (framework == "pytorch")
        return {concat(
            "python -m pip install --force-reinstall torch torchvision torchaudio "
            "--index-url https://download.pytorch.org/whl/",
            torch_index_for_python(log))};
    if (framework == "jax")
        return {"python -m pip install -U \"jax[cuda12]\""};
    if (framework == "onnxruntime")
        return {
            "python -m pip uninstall -y onnxruntime onnxruntime-gpu",
            "python -m pip install onnxruntime-gpu"};
    if (framework == "paddlepaddle")
        return {
            "python -m pip uninstall -y paddlepaddle",
            "python -m pip install paddlepaddle-gpu -i "
            "https://www.paddlepaddle.org.cn/packages/stable/cu126/"};
    return {};
}

/// Of JAX before 0.4, which is in no table, with the extras that those versions have on PyPI:
/// "cuda" from 0.2.26 on, before that one for each CUDA (https://pypi.org/project/jax/0.2.13/).
std::vector<std::string> old_jax_with_cuda(
    const Version& version, const std::optional<stack::Known>& cuda) {
    constexpr std::string_view cudas[] = {"10.1", "10.2", "11.0", "11.1"};
    std::string extra = "cuda";
    if (version < make_version({0, 2, 13}))
        return {};
    if (version < make_version({0, 2, 26})) {
        if (!cuda || !includes(cudas, cuda->text))
            return {};
        std::string digits = cuda->text;
        std::erase(digits, '.');
        extra += digits;
    }
    return {concat(
        "python -m pip install \"jax[",
        extra,
        "]==",
        version.text,
        "\" -f https://storage.googleapis.com/jax-releases/jax_cuda_releases.html")};
}

/// Of a version that is in no table; empty where only its documentation shows it.
std::vector<std::string> unlisted_build_with_cuda(
    const std::string& framework, const Version& version, const LogContext& log) {
    const auto python = python_known(log);
    const bool is_too_new = python && *python > make_version({3, 10});
    const bool is_elsewhere = log.has("os_windows") || log.has("processor_is_arm");
    if (framework == "jax" && version < make_version({0, 4}) && !is_elsewhere && !is_too_new)
        return old_jax_with_cuda(version, log.hints.stack.cuda);
    return {};
}

/// The version that the log names stays: other packages belong to it.
void name_version_with_cuda(
    Remedy& remedy, const stack::Framework& framework, const LogContext& log) {
    remedy.text = "Install the CUDA build of the same version";
    if (const auto build = build_that_runs(framework.name, framework.version, log)) {
        remedy.commands = commands_that_install(framework.name, *build);
        remedy.text += pythons_of_build(*build, log);
        return;
    }
    remedy.commands = unlisted_build_with_cuda(framework.name, *framework.version, log);
    if (!remedy.commands.empty())
        return;
    remedy.text = concat(
        "The compatibility data contain no CUDA build of ",
        words_of(framework),
        " for this system, processor and Python");
    if (const auto build = build_that_runs(framework.name, {}, log)) {
        remedy.text += "; the command installs the newest version that has one";
        remedy.commands = commands_that_install(framework.name, *build);
    }
}

/// Where the log names no version.
void name_newest_with_cuda(Remedy& remedy, const std::string& framework, const LogContext& log) {
    const bool shows_machine = log.hints.stack.cuda || gpu_capability(log) || driver_in_log(log);
    remedy.text = "Install a build with CUDA";
    remedy.commands.clear();
    if (!shows_machine) {
        remedy.commands = usual_build_with_cuda(framework, log);
        return;
    }
    if (const auto build = build_that_runs(framework, {}, log))
        remedy.commands = commands_that_install(framework, *build);
    else
        remedy.text += ": the compatibility data contain none for this system, processor and GPU";
}

/// MXNet's message is the same for its package without CUDA and for one's own build:
/// https://mxnet.apache.org/versions/1.9.1/get_started/build_from_source
/// The CUDA of the package must be known: it contains none.
void name_mxnet_with_cuda(
    Remedy& remedy, const std::optional<Version>& version, const LogContext& log) {
    const bool is_known = version && log.hints.stack.cuda;
    const auto build =
        is_known ? build_that_runs("mxnet", version, log) : std::optional<PlannedBuild>();
    remedy.commands =
        build ? commands_that_install("mxnet", *build) : std::vector<std::string>{"nvcc --version"};
    remedy.text =
        "Install the package for the CUDA version (mxnet-cu112 for CUDA 11.2). If you compiled "
        "MXNet yourself, set USE_CUDA=1 in config.mk or USE_CUDA=ON in CMake, and compile it again "
        "from the start";
}

/// Builds of other projects. https://k2-fsa.github.io/k2/installation/from_wheels.html;
/// https://pypi.jetson-ai-lab.io
std::vector<std::string> build_of_other_project(const LogContext& log) {
    if (log.has("k2_without_cuda"))
        return {
            "python -m pip install --force-reinstall k2 -f https://k2-fsa.github.io/k2/cuda.html"};
    const bool is_torch = is_message_of_torch(log) || log.hints.framework("pytorch");
    if (log.has("gpu_jetson") && is_torch)
        return {
            "python -m pip install --force-reinstall torch --index-url "
            "https://pypi.jetson-ai-lab.io/jp6/cu126"};
    return {};
}

}  // namespace

void name_build_with_cuda(Remedy& remedy, const LogContext& log) {
    if (auto commands = build_of_other_project(log); !commands.empty()) {
        remedy.commands = std::move(commands);
        return;
    }
    const stack::Framework* framework = only_framework(log);
    // The message is PyTorch's, or MXNet's, where no framework is named.
    std::string name = framework ? framework->name : "";
    if (log.hints.stack.frameworks.empty() && is_message_of_torch(log))
        name = "pytorch";
    if (log.hints.stack.frameworks.empty() && log.has("mxnet_without_cuda"))
        name = "mxnet";
    if (name.empty())
        return;
    const auto version = framework ? framework->version : std::nullopt;
    if (log.has("mxnet_without_cuda"))
        name_mxnet_with_cuda(remedy, version, log);
    else if (version)
        name_version_with_cuda(remedy, {.name = name, .version = version}, log);
    else
        name_newest_with_cuda(remedy, name, log);
}

bool is_outside_python(const LogContext& log) {
    return is_julia(log) || log.has("r_error") || log.has("panic_or_exception") ||
           log.has("go_program") || log.has("kaldi_active_gpu");
}

Remedy cudnn_outside_python(const LogCause& cause, const LogContext& log) {
    Remedy remedy = plain_remedy(cause);
    if (is_julia(log)) {
        remedy.text +=
            ". In Julia cuDNN is a package beside CUDA: import Pkg; Pkg.add([\"CUDA\", \"cuDNN\"])";
        return remedy;
    }
    const auto cudnn = wanted_cudnn(log), cuda = wanted_cuda(log);
    if (cudnn && cudnn->major() >= 9 && !log.has("os_windows"))
        remedy.commands = {concat(
            "sudo apt-get install libcudnn", cudnn->major(), "-cuda-", cuda ? cuda->major() : 12)};
    return remedy;
}

}  // namespace rnncheck::rules
