#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "rules/causes/log_causes.hpp"
#include "rules/support/remedies.hpp"
#include "rules/support/repairs.hpp"
#include "stack/questions.hpp"

namespace rnncheck::rules {

namespace {

constexpr int oldest_cudnn_of_wheels = 8;  // https://pypi.org/project/nvidia-cudnn-cu11/
/// https://pypi.org/project/nvidia-cuda-nvrtc-cu11/#history: 11.7.99 and 11.8.89 only.
constexpr int oldest_minor_of_nvrtc_11 = 7;

using stack::Stack;

/// "==9.*"; with a minor ">=8.6,<9": a framework takes its own minor of cuDNN and later ones. Never
/// a version without code for the GPU; nothing where there is no other.
std::optional<std::string> range_of(const Version& cudnn, int cuda, const KnownOfLog& t) {
    const auto gpu = gpu_capability(t);
    const CudnnBuild* end = gpu ? stack::first_cudnn_without(*gpu, cudnn, cuda, t.matrix) : nullptr;
    if (end && end->cudnn <= cudnn)
        return std::nullopt;
    if (end)
        return ">=" + cudnn.text + ",<" + stack::as_bound(end->cudnn);
    return parts_written(cudnn) > 1 ? ">=" + cudnn.text + ",<" + std::to_string(cudnn.major() + 1)
                                    : "==" + cudnn.text + ".*";
}

/// Nothing where no such package was published.
std::optional<std::string> package(const std::string& name, const std::string& range,
                                   const Stack& asked, const KnownOfLog& t) {
    const int cuda = asked.cuda ? asked.cuda->major() : 0;
    if (cuda < oldest_cuda_with_wheels)
        return std::nullopt;
    if (name == "nvidia-cudnn") {
        std::optional<std::string> wanted(range);
        if (range.empty() && (!asked.cudnn || asked.cudnn->major() < oldest_cudnn_of_wheels))
            return std::nullopt;
        if (range.empty())
            wanted = range_of(*asked.cudnn, cuda, t);
        return wanted ? std::optional(wheel(name, cuda, *wanted)) : std::nullopt;
    }
    const bool is_exact = name == "nvidia-cuda-nvrtc" && parts_written(*asked.cuda) > 1;
    if (is_exact && cuda == 11 && asked.cuda->minor() < oldest_minor_of_nvrtc_11)
        return std::nullopt;
    return wheel(name, cuda, "==" + (is_exact ? asked.cuda->text : std::to_string(cuda)) + ".*");
}

/// For the system and the framework of the log, too.
std::string plan(const KnownOfLog& t) {
    const std::string command = plan_command(gpu_capability(t), driver_in_log(t));
    const auto& frameworks = t.said.stack.frameworks;
    const bool planned =
        frameworks.size() == 1 && !t.matrix.framework_builds(frameworks.front().name).empty();
    // Where the log does not name the GPU, the machine does.
    constexpr const char* of_this_gpu =
        "rnncheck matrix plan gpu=\"$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n "
        "1)\"";
    if (command.empty() && t.has("os_windows"))
        return "rnncheck doctor";
    return (command.empty() ? of_this_gpu : command) +
           (planned ? " framework=" + frameworks.front().name : "") +
           (t.has("os_windows") ? " os=windows" : "");
}

/// The command with its placeholders filled in; nothing where one of them cannot be.
std::optional<std::string> filled_in(std::string command, const Stack& asked, const KnownOfLog& t) {
    for (auto at = command.find('{'); at != std::string::npos; at = command.find('{', at + 1)) {
        if (at > 0 && command[at - 1] == '$')
            continue;
        const auto end = command.find('}', at);
        const std::string inside = command.substr(at + 1, end - at - 1),
                          name = inside.substr(0, inside.find('>'));
        const auto value = inside == "plan" ? std::optional(plan(t))
                                            : package(name, inside.substr(name.size()), asked, t);
        if (!value)
            return std::nullopt;
        command.replace(at, end + 1 - at, *value);
        at += value->size() - 1;
    }
    return command;
}

/// What stands between the separators, those in double quotes left alone.
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

/// Whether the frameworks that the log names have builds for this CUDA; of those without builds in
/// the data, yes.
bool may_use(int cuda_major, const KnownOfLog& t) {
    return std::ranges::all_of(t.said.stack.frameworks, [&](const stack::Framework& framework) {
        const auto builds = t.matrix.framework_builds(framework.name);
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
std::vector<Version> cudas_of(const Version& cudnn, const KnownOfLog& t) {
    std::set<int, std::greater<>> majors;
    for (const CudnnBuild& build : t.matrix.cudnn_builds())
        if (may_be_of(build, cudnn) && build.cuda_major >= oldest_cuda_with_wheels)
            majors.insert(build.cuda_major);
    std::vector<Version> newest;
    for (const int major : majors)
        if (newest.size() < 2 && may_use(major, t))
            newest.push_back(make_version({major}));
    constexpr int most_used = 12;
    std::ranges::stable_partition(newest,
                                  [](const Version& cuda) { return cuda.major() == most_used; });
    return newest;
}

/// The version that the command names itself, as in "{nvidia-cudnn>=8.9.2,<9}", or that the log
/// asks for.
std::optional<Version> cudnn_for(const LogCause& cause, const KnownOfLog& t) {
    const auto at = cause.command.find(">=");
    if (at == std::string::npos)
        return wanted_cudnn(t);
    return parse_version(cause.command.substr(at + 2, cause.command.find(',', at) - at - 2));
}

/// The versions of CUDA that the log leaves open, of those for which there are packages; none where
/// the major version of cuDNN is not known either, for a package of the wrong one would replace the
/// right one.
std::vector<Stack> possible(const LogCause& cause, const KnownOfLog& t) {
    const auto cudnn = cudnn_for(cause, t), cuda = wanted_cuda(t);
    std::vector<Stack> all;
    if (!cudnn)
        return all;
    for (const Version& toolkit : cuda ? std::vector{*cuda} : cudas_of(*cudnn, t)) {
        const bool is_made =
            std::ranges::any_of(t.matrix.cudnn_builds(), [&](const CudnnBuild& build) {
                return build.cudnn.major() == cudnn->major() && build.cuda_major == toolkit.major();
            });
        if (is_made)
            all.push_back({.cuda = stack::known_cuda(toolkit, t.matrix),
                           .cudnn = stack::known_cudnn(*cudnn, t.matrix)});
    }
    return all;
}

Remedy plain_remedy(const LogCause& cause) {
    return {.action = from_name<Action>(cause.action).value_or(Action::other),
            .text = cause.remedy,
            .risk = from_name<Risk>(cause.risk).value_or(Risk::safe),
            .link = cause.source.url};
}

Remedy with_package_of_cudnn(const LogCause& cause, const KnownOfLog& t) {
    Remedy remedy = plain_remedy(cause);
    const auto pairs = possible(cause, t);
    if (pairs.size() > 1)
        remedy.text = "If the program uses CUDA " + std::to_string(pairs.front().cuda->major()) +
                      ": " + remedy.text;
    for (const Stack& asked : pairs) {
        const auto command = filled_in(cause.command, asked, t);
        if (command && remedy.commands.empty())
            remedy.commands = commands_of(*command, " && ");
        else if (command)
            remedy.text +=
                ". If it uses CUDA " + std::to_string(asked.cuda->major()) + ": " + *command;
    }
    return remedy;
}

/// Google Colab, Kaggle: https://github.com/googlecolab/colabtools/issues/1685
bool on_hosted_notebook(const KnownOfLog& t) {
    return t.has("on_colab") || t.has("kaggle") || t.said.says("kaggle");
}

/// A cell begins a command of the shell with "!".
void speak_to_notebook(Remedy& remedy, const LogCause& cause) {
    if (cause.layer == "driver") {
        remedy = rules::remedy("driver_too_old/hosted", {remedy.link});
        return;
    }
    for (std::string& command : remedy.commands)
        if (command.starts_with("python -m pip"))
            command.insert(0, "!");
    remedy.text +=
        ". Then restart the session; the versions in the images of Google Colab and Kaggle change "
        "without "
        "notice, so name the versions that the notebook needs in its first cell";
}

void speak_to_conda(Remedy& remedy, const KnownOfLog& t) {
    if (const auto name = t.told("conda_in_path", "environment"))
        remedy.commands.insert(remedy.commands.begin(), "conda activate " + *name);
    remedy.text +=
        ". Run it in the program's conda environment; packages that 'conda list' shows from "
        "another channel "
        "than pypi are conda's: change those with conda install (cuDNN: conda install -c "
        "conda-forge cudnn)";
}

/// https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html: the packages are in
/// NVIDIA's repository, where those of Ubuntu 24.04 begin with cuDNN 9.
constexpr const char* packages_of_apt =
    ". For apt, set up NVIDIA's repository first (package cuda-keyring): it has libcudnn8 up to "
    "Ubuntu 22.04, and only "
    "cuDNN 9 (libcudnn9-cuda-12) for later systems";

/// ". CUDA 12.6 needs driver 560.28.03 or later": an image wants a driver whose own CUDA is as new,
/// a build the oldest that runs it. "" where the log tells no CUDA, or the driver is new enough, or
/// drops the log's GPU.
std::string driver_wanted(const KnownOfLog& t) {
    constexpr const char* of_image = "container_cli_requirement";
    if (const auto required = t.version(of_image, "driver"))
        return ". The image requires driver " + required->text + " or later";
    const auto of_its_cuda = t.version(of_image, "cuda");
    const auto cuda = of_its_cuda ? of_its_cuda : build_cuda(t);
    const bool on_windows = t.has("os_windows") || t.has("os_wsl");
    const auto row = cuda ? stack::drivers_for(*cuda, on_windows ? "windows" : "linux", t.matrix)
                          : Answer<DriverForCuda>();
    if (!row)
        return "";
    const Version& driver = of_its_cuda ? row->full_driver : row->oldest_driver;
    const auto installed = driver_in_log(t), gpu = gpu_capability(t);
    if (installed && reaches(*installed, driver))
        return "";
    if (gpu && stack::driver_still_drives(driver, *gpu, t.matrix).fit == Fit::does_not_work)
        return "";
    return ". CUDA " + cuda->text + " needs driver " + driver.text + " or later";
}

/// "libcusparse" of the library that the log says is missing, in any of the forms of its name; ""
/// where there is none.
std::string named_library(const KnownOfLog& t) {
    for (const char* signature : {"missing_cuda_companion", "missing_cuda_library", "missing_nvrtc",
                                  "ort_tensorrt_requested"})
        if (const auto name = missing_library(t, signature))
            return name->substr(0, std::min(name->find(".so"), name->find("64_")));
    for (const char* field : {"what", "what2"})
        if (const auto what = t.told("jax_cannot_load_cuda", field); what && *what != "CUDA")
            return "lib" + lower(*what);
    return "";
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
    constexpr std::string_view names[] = {"nvidia-cusparselt", "nvidia-nccl", "nvidia-cudss",
                                          "nvidia-nvshmem"};
    return includes(names, package);
}

/// The package of the library that the log names, for the CUDA of the build.
void name_package_of_library(Remedy& remedy, const KnownOfLog& t) {
    const std::string library = named_library(t), package = package_of_library(library);
    if (package.empty())
        return;
    const int cuda = wanted_cuda(t).value_or(make_version({12})).major();
    if (cuda < oldest_cuda_with_wheels)
        return;
    const std::string name =
        keeps_its_suffix(package) ? concat(package, "-cu", cuda) : wheel(package, cuda, "");
    remedy.text += concat(": ", library, " is in ", name);
    if (contains(library, "cudss"))
        remedy.text += " and, on a Jetson, in the package cudss of NVIDIA's apt repository";
    if (!t.has("gpu_jetson"))
        remedy.commands = {"python -m pip install " + name};
}

/// The words of torch/cuda/__init__.py.
bool is_message_of_torch(const KnownOfLog& t) {
    const LogEvent* event =
        find_by(t.log.events, &LogEvent::signature, "torch_not_built_with_cuda");
    return event && contains(event->text, "Torch not compiled with CUDA");
}

/// The build with CUDA of the framework that the log names.
void name_build_with_cuda(Remedy& remedy, const KnownOfLog& t) {
    constexpr std::pair<std::string_view, std::string_view> builds[] = {
        {"jax", "python -m pip install -U \"jax[cuda12]\""},
        {"onnxruntime",
         "python -m pip uninstall -y onnxruntime && python -m pip install onnxruntime-gpu"},
        {"paddlepaddle",
         "python -m pip uninstall -y paddlepaddle && python -m pip install paddlepaddle-gpu -i "
         "https://www.paddlepaddle.org.cn/packages/stable/cu126/"},
        {"pytorch",
         "python -m pip install --force-reinstall torch --index-url "
         "https://download.pytorch.org/whl/cu128"}};
    // https://k2-fsa.github.io/k2/installation/from_wheels.html;
    // https://mxnet.apache.org/get_started; https://pypi.jetson-ai-lab.io
    constexpr std::pair<std::string_view, std::string_view> others[] = {
        {"k2_without_cuda",
         "python -m pip install --force-reinstall k2 -f https://k2-fsa.github.io/k2/cuda.html"},
        {"mxnet_without_cuda",
         "python -m pip uninstall -y mxnet && python -m pip install mxnet-cu112"},
        {"gpu_jetson",
         "python -m pip install --force-reinstall torch --index-url "
         "https://pypi.jetson-ai-lab.io/jp6/cu126"}};
    for (const auto& [word, chain] : others)
        if (t.has(word)) {
            remedy.commands = commands_of(std::string(chain), " && ");
            return;
        }
    const auto& frameworks = t.said.stack.frameworks;
    if (frameworks.size() > 1)
        return;
    for (const auto& [framework, chain] : builds) {
        // The message is PyTorch's where no framework is named.
        const bool is_torch =
            frameworks.empty() && is_message_of_torch(t) && framework == "pytorch";
        if (!t.said.framework(framework) && !is_torch)
            continue;
        remedy.commands = commands_of(std::string(chain), " && ");
        // The row's text is about TensorFlow and PyTorch, and about layers that only Keras has in
        // two kinds.
        remedy.text = "Install the build with CUDA in the same version";
    }
}

/// "ERROR: " begins a line of Julia, and of others: of R with its Python.
bool is_julia(const KnownOfLog& t) {
    return t.has("julia_cudnn_missing") || t.has("julia_library") ||
           (t.has("julia_error") && !t.has("r_error") && t.said.stack.frameworks.empty());
}

/// What a program outside Python has no use for.
bool is_outside_python(const KnownOfLog& t) {
    return is_julia(t) || t.has("r_error") || t.has("panic_or_exception") || t.has("go_program") ||
           t.has("kaldi_active_gpu");
}

/// cuDNN for a program that Python's packages are no use to:
/// https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html and
/// https://github.com/JuliaGPU/CUDA.jl/issues/1783
Remedy cudnn_outside_python(const LogCause& cause, const KnownOfLog& t) {
    Remedy remedy = plain_remedy(cause);
    if (is_julia(t)) {
        remedy.text +=
            ". In Julia cuDNN is a package beside CUDA: import Pkg; Pkg.add([\"CUDA\", \"cuDNN\"])";
        return remedy;
    }
    const auto cudnn = wanted_cudnn(t), cuda = wanted_cuda(t);
    if (cudnn && cudnn->major() >= 9 && !t.has("os_windows"))
        remedy.commands = {concat("sudo apt-get install libcudnn", cudnn->major(), "-cuda-",
                                  cuda ? cuda->major() : 12)};
    return remedy;
}

void speak_to_cluster(Remedy& remedy, const LogCause& cause, const KnownOfLog& t) {
    if (cause.cause == "gpu_hidden_by_setting" && t.has("in_slurm"))
        remedy.commands.clear();
    if (cause.cause != "container_no_gpu_runtime")
        return;
    const auto take = [&](std::string_view runtime) {
        remedy = rules::remedy(concat("container_no_gpu_runtime/", runtime));
    };
    if (t.has("cdi_unresolvable") && t.has("in_kubernetes")) {
        // https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/cdi.html
        remedy.text =
            "The node has no current description (CDI) of the GPU that the pod was given: restart "
            "the pods of the "
            "container toolkit and of the device plugin on that node (GPU Operator), or generate "
            "it there: sudo "
            "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml";
        remedy.commands = {"kubectl get pods --all-namespaces -o wide | grep -i nvidia"};
    } else if (t.has("in_kubernetes"))
        take("kubernetes");
    else if (t.has("cdi_unresolvable"))
        take("podman");
    else if (t.said.says("singularity") || t.said.says("apptainer") || t.has("apptainer_in_log"))
        take("apptainer");
}

/// What the image contains of the driver hides what the toolkit mounts; a reboot changes neither.
void speak_to_image(Remedy& remedy, const LogCause& cause, const KnownOfLog& t) {
    // These lines are the host's: nvidia-container-cli runs there.
    if (!t.has("in_container") || t.has("container_cli_mismatch"))
        return;
    if (cause.cause != "driver_userland_kernel_mismatch")
        return;
    remedy.text =
        "If nvidia-smi fails on the host as well, reboot the host. Otherwise remove what the image "
        "contains of the "
        "driver (packages nvidia-driver, nvidia-utils, libnvidia-compute or cuda-compat, and the "
        "directory "
        "/usr/local/cuda/compat from {search_path}), and start a new container: the container "
        "toolkit mounts the "
        "host's libraries. The command lists the libraries of the image";
    remedy.commands = {"find / -xdev \\( -name \"libcuda.so*\" -o -name \"libnvidia-ml.so*\" \\)"};
}

/// Modules, nodes and services are the host's.
void speak_to_host(Remedy& remedy, const KnownOfLog& t) {
    const auto is_of_host = [](const std::string& command) {
        constexpr std::string_view starts[] = {"sudo reboot",    "sudo rmmod",
                                               "sudo modprobe",  "sudo nvidia-modprobe",
                                               "sudo systemctl", "sudo nvidia-smi"};
        return std::ranges::any_of(starts, [&](auto start) { return command.starts_with(start); });
    };
    if (t.has("in_container") && std::ranges::any_of(remedy.commands, is_of_host))
        remedy.text += ". Run the command on the host, not in the container";
}

/// https://www.kaggle.com/docs/notebooks: its P100 is older than the PyTorch of its image supports
/// (https://github.com/Kaggle/kaggle-cli/issues/1151).
void name_other_gpu_of_service(Remedy& remedy, const LogCause& cause, const KnownOfLog& t) {
    if (!on_hosted_notebook(t))
        return;
    if (cause.cause == "gpu_too_old" || cause.cause == "gpu_arch_not_in_build")
        remedy.text =
            "Choose another accelerator in the settings of the notebook (T4 or L4 instead of "
            "P100). Otherwise: " +
            remedy.text;
}

/// The variable with the directories that the loader of the reader's system searches.
void speak_to_system(Remedy& remedy, const KnownOfLog& t) {
    replace_all(remedy.text, "{search_path}", t.has("os_windows") ? "PATH" : "LD_LIBRARY_PATH");
}

/// What else the reader must know where the program runs.
void speak_to_place(Remedy& remedy, const LogCause& cause, const KnownOfLog& t) {
    if (cause.cause == "cuda_library_not_installed")
        name_package_of_library(remedy, t);
    if (cause.cause == "cpu_only_build")
        name_build_with_cuda(remedy, t);
    speak_of_what_failed(remedy, cause, t);
    speak_of_builds(remedy, cause, t);
    if (cause.cause == "package_not_available" && t.has("installer_lacks_cuda"))
        remedy.text =
            "Choose a CUDA version that the installer has (torch in R: the variable CUDA), or a "
            "newer version of the "
            "package";
    speak_to_cluster(remedy, cause, t);
    speak_to_image(remedy, cause, t);
    speak_to_host(remedy, t);
    name_other_gpu_of_service(remedy, cause, t);
    speak_to_system(remedy, t);
    if (is_outside_python(t))
        std::erase_if(remedy.commands,
                      [](const std::string& command) { return contains(command, "python"); });
    const bool installs = std::ranges::any_of(remedy.commands, [](const std::string& command) {
        return command.starts_with("python -m pip install");
    });
    const bool cudnn = contains(join(remedy.commands, " "), "nvidia-cudnn");
    if (cause.cause == "driver_too_old")
        remedy.text += driver_wanted(t);
    if (installs && cudnn && t.has("os_windows"))
        remedy.text += dlls_of_packages;
    if (installs && t.has("apt_cudnn_unknown"))
        remedy.text += packages_of_apt;
    if (cause.cause == "cudnn_installation_broken" &&
        t.has("cudnn_in_torch_lib"))  // PyTorch for Windows contains it
        remedy = rules::remedy("cudnn_installation_broken/torch_lib");
    if (on_hosted_notebook(t) && (installs || cause.layer == "driver"))
        speak_to_notebook(remedy, cause);
    else if (installs && t.has("conda_in_path"))
        speak_to_conda(remedy, t);
}

Remedy remedy_of(const LogCause& cause, const KnownOfLog& t) {
    if (contains(cause.command, "{nvidia-cudnn"))
        return is_outside_python(t) ? cudnn_outside_python(cause, t)
                                    : with_package_of_cudnn(cause, t);
    Remedy remedy = plain_remedy(cause);
    const std::string& command = for_shell(cause.command, cause.windows_command, t);
    Stack wanted;
    if (const auto cuda = wanted_cuda(t))
        wanted.cuda = stack::known_cuda(*cuda, t.matrix);
    if (const auto filled = filled_in(command, wanted, t))
        remedy.commands = commands_of(*filled, " && ");
    return remedy;
}

}  // namespace

bool is_for_unix(std::string_view command) {
    constexpr std::string_view words[] = {
        "$(",   "/dev/",    "/usr/", "LD_",  "cat /", "dpkg",      "env -u ", "export ", "find /",
        "grep", "ldconfig", "ls -",  "rm -", "sudo ", "systemctl", "unset ",  "~/"};
    const std::string_view name =
        command.substr(0, command.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
    const bool sets_variable = !name.empty() && command.substr(name.size()).starts_with('=');
    bool quoted = false, joined = false;
    for (const char c : command) {
        quoted ^= c == '"';
        joined |= c == ';' && !quoted;
    }
    return sets_variable || joined ||
           std::ranges::any_of(words, [&](auto word) { return contains(command, word); });
}

const std::string& for_shell(const std::string& command, const std::string& on_windows,
                             const KnownOfLog& t) {
    static const std::string none;
    if (!t.has("os_windows"))
        return command;
    if (on_windows.empty() && is_for_unix(command))
        return none;
    return on_windows.empty() ? command : on_windows;
}

std::vector<Remedy> remedies_for(const LogCause& cause, const KnownOfLog& t) {
    std::vector<Remedy> remedies;
    const auto gpu = gpu_capability(t);
    // The image that is running is no way out of itself.
    if (cause.cause == "gpu_arch_not_in_build" && gpu && !t.has("in_container") &&
        !t.said.says("nvcr.io"))
        for (const stack::Framework& framework : t.said.stack.frameworks)
            append(remedies,
                   image_instead(t.has("os_windows"), framework.name, *gpu, {}, t.matrix));
    remedies.push_back(remedy_of(cause, t));
    for (Remedy& remedy : remedies)
        speak_to_place(remedy, cause, t);
    return remedies;
}

/// Of commands joined by "; " those that do not ask a framework other than the log's, which may not
/// be installed.
static std::string for_framework(const std::string& chain, const KnownOfLog& t) {
    static constexpr std::pair<std::string_view, std::string_view> asking[] = {
        {"import torch", "pytorch"}, {"import tensorflow", "tensorflow"}, {"import jax", "jax"}};
    std::string kept;
    for (const std::string& command : commands_of(chain, "; ")) {
        const bool asks_another = std::ranges::any_of(asking, [&](const auto& one) {
            return contains(command, one.first) && !t.said.framework(one.second);
        });
        if (t.said.stack.frameworks.empty() || !asks_another)
            kept += (kept.empty() ? "" : "; ") + command;
    }
    return kept;
}

DecidingCheck check_for(const LogCause& cause, const KnownOfLog& t) {
    if (auto own = check_of_what_failed(cause, t))
        return *std::move(own);
    std::string command =
        for_framework(for_shell(cause.check_command, cause.windows_check_command, t), t);
    const std::string library = named_library(t);
    replace_all(command, "{library}", library.empty() ? "libcudart" : library);
    return {cause.check, command, !cause.needs_no_check};
}

}  // namespace rnncheck::rules
