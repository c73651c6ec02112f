// Long because placeholders, privileges and commands of a remedy depend on each other.
#include "rules/support/remedies.hpp"

#include <algorithm>

#include "base/if_any.hpp"
#include "rules/support/frameworks.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules {

namespace {

/// A batch system: the variable that it sets in a job, and how a GPU is
/// requested.
struct Scheduler {
    const char *variable, *name, *command, *link;
};

constexpr Scheduler schedulers[] = {
    {"SLURM_JOB_ID", "Slurm", "srun --gpus=1 nvidia-smi -L", "https://slurm.schedmd.com/gres.html"},
    {"PBS_JOBID", "PBS", "qsub -I -l select=1:ngpus=1", "https://openpbs.org/"},
    {"LSB_JOBID",
     "LSF",
     "bsub -gpu num=1 -I nvidia-smi -L",
     "https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=o-gpu"}};

/// Null outside of a job.
const Scheduler* scheduler(const Facts& facts) {
    return find_where(
        schedulers, [&](const Scheduler& one) { return environment(facts, one.variable); });
}

}  // namespace

Remedy gpu_for_container(const Facts& facts) {
    constexpr const char* by_runtime[] = {
        "container_no_gpu_runtime/docker",
        "container_no_gpu_runtime/podman",
        "container_no_gpu_runtime/kubernetes",
        "container_no_gpu_runtime/apptainer",
        "container_no_gpu_runtime/enroot",
        "container_no_gpu_runtime/lxc"};
    const std::string own = "container_no_gpu_runtime/" + facts.host.container.value_or("");
    if (includes(by_runtime, own))
        return remedy(own);
    return remedy("container_no_gpu_runtime/other");
}

std::string batch_system(const Facts& facts) {
    const Scheduler* found = scheduler(facts);
    if (!found)
        return "";
    return found->name;
}

Remedy gpu_for_job(const Facts& facts) {
    const Scheduler& found = *scheduler(facts);
    return {
        .action = Action::request_gpu,
        .text = std::string("Request a GPU from ") + found.name +
                ": a job sees only the GPUs assigned to it",
        .commands = {found.command},
        .verify = "nvidia-smi -L",
        .link = found.link,
    };
}

std::vector<Remedy> requests_for_gpu(const Facts& facts) {
    std::vector<Remedy> requests;
    if (scheduler(facts))
        requests.push_back(gpu_for_job(facts));
    if (in_container(facts))
        requests.push_back(gpu_for_container(facts));
    return requests;
}

Remedy on_host(const Facts& facts, Remedy remedy) {
    const std::string job = batch_system(facts);
    if (on_wsl(facts))
        remedy.text = "In Windows, not inside WSL: " + remedy.text;
    else if (in_container(facts))
        remedy.text = "On the host, not in this container: " + remedy.text;
    else if (!job.empty())
        remedy.text = "For the administrators of this " + job + " cluster: " + remedy.text;
    return remedy;
}

Remedy check_machine(const Facts& facts) {
    std::string why;
    if (in_container(facts) && bus_without_gpu(facts))
        why = ": the container sees the PCI bus of its host, which has no NVIDIA GPU";
    return remedy("driver_missing/machine", {why});
}

Remedy machine_without_gpu(const Facts& facts) {
    if (!batch_system(facts).empty())
        return gpu_for_job(facts);
    if (facts.host.container == "kubernetes")
        return gpu_for_container(facts);
    return check_machine(facts);
}

bool bus_without_gpu(const Facts& facts) {
    return facts.host.pci_listed.value_or(false) && facts.host.pci_gpus.empty();
}

std::string gpus_on_bus(const Facts& facts) {
    if (facts.host.pci_listed.value_or(false))
        return std::to_string(facts.host.pci_gpus.size());
    return "unknown";
}

Remedy for_place(const Facts& facts, Remedy in_a_container, Remedy elsewhere) {
    if (in_container(facts))
        return in_a_container;
    return on_host(facts, std::move(elsewhere));
}

std::string foreign_kernel_driver(const Facts& facts) {
    const PciGpu* gpu = find_where(facts.host.pci_gpus, [](const PciGpu& one) {
        return one.kernel_driver && !one.kernel_driver->starts_with("nvidia");
    });
    if (!gpu)
        return "";
    return *gpu->kernel_driver;
}

Remedy against_foreign_driver(const Facts& facts) {
    const std::string driver = foreign_kernel_driver(facts);
    if (driver == "vfio-pci")
        return remedy("kernel_module_missing/vfio");
    return remedy("kernel_module_missing/foreign", {escaped(driver, 40)});
}

std::string plan_command(const std::optional<Version>& gpu, const std::optional<Version>& driver) {
    if (!gpu && !driver)
        return "";
    return "rnncheck matrix plan" + if_any(" gpu=", gpu) + if_any(" driver=", driver);
}

constexpr int one_directory_since =
    13;  // https://pypi.org/project/nvidia-cublas/: nvidia/cu13/lib holds all of CUDA

std::string wheel(const std::string& name, int cuda, const std::string& range) {
    const std::string major = std::to_string(cuda);
    // pip rejects nvidia-cuda-nvrtc-cu13 and its like:
    // https://pypi.org/project/nvidia-cuda-nvrtc-cu13/
    if (cuda >= one_directory_since && name != "nvidia-cudnn")
        return '"' + name + "==" + major + ".*\"";
    if (range.empty())
        return name + "-cu" + major;
    return '"' + name + "-cu" + major + range + '"';
}

int cuda_major_here(const Facts& facts) {
    constexpr int usual = 12, newest_packages = 13;  // https://pypi.org/search/?q=nvidia-cudnn-cu
    int major = 0;
    if (facts.driver.cuda_version)
        major = facts.driver.cuda_version->major();
    for (const Runtime& runtime : facts.runtimes)
        if (!facts.driver.cuda_version && runtime.version)
            major = std::max(major, runtime.version->major());
    if (major < oldest_cuda_with_wheels)
        return usual;
    return std::min(major, newest_packages);
}

int cuda_major_of(const CudnnInstallation& installation) {
    if (installation.answer && installation.answer->built_for_cuda)
        return installation.answer->built_for_cuda->major();
    return 12;
}

std::vector<std::string> pip_commands_for(const CudnnBuild& build) {
    if (build.cuda_major < oldest_cuda_with_wheels)
        return {};
    return {
        "pip install " + wheel("nvidia-cudnn", build.cuda_major, "==" + build.last().text + ".*")};
}

std::string pip(const PythonEnvironment* environment, const std::string& what) {
    std::string python = "python";
    if (environment && environment->interpreter)
        python = shell_quoted(*environment->interpreter);
    return python + " -m pip " + what;
}

std::string pip(const Facts& facts, const Framework& framework, const std::string& what) {
    return pip(environment_of(facts, framework), what);
}

/// https://conda-forge.org/docs/maintainer/knowledge_base/#cuda-builds
static std::string conda_install(const PythonEnvironment& environment, const std::string& what) {
    return "conda install --prefix " + shell_quoted(environment.path) + " -c conda-forge " + what;
}

/// What conda itself installed of these packages; null when there is none. Its files need not be
/// pip's.
static const PythonPackage* conda_package(
    const PythonEnvironment& environment, const std::vector<std::string>& names) {
    return find_where(environment.packages, [&](const PythonPackage& package) {
        return environment.kind == "conda" && package.directory == environment.path &&
               includes(names, package.name);
    });
}

std::optional<std::string> by_pip(
    const PythonEnvironment* environment, const std::string& install) {
    constexpr std::string_view word = "pip ";
    if (!install.starts_with(word))
        return std::nullopt;
    return pip(environment, install.substr(word.size()));
}

std::vector<std::string> install_here(
    const Facts& facts, const std::string& framework, const std::string& install) {
    const PythonEnvironment* environment = active_environment(facts);
    const auto command = by_pip(environment, install);
    if (!environment || environment->kind != "conda" || !command)
        return {install};
    // conda's packages with the files of the framework.
    std::vector<std::string> names = {framework, "lib" + framework};
    if (framework == "tensorflow")
        names = {"tensorflow-base"};
    const PythonPackage* package = conda_package(*environment, names);
    if (!package)
        return {*command};
    return {
        "conda remove --prefix " + shell_quoted(environment->path) + " " + package->name, *command};
}

std::string export_of_loader_path(const std::string& directories) {
    return "export LD_LIBRARY_PATH=" + shell_quoted(directories) +
           "\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"";
}

bool is_cudnn(const PythonPackage& package) {
    return package.name.starts_with("nvidia-cudnn-cu");
}

namespace {

/// The beginnings of its commands; the name of a package or file follows.
struct PackageManager {
    const char *install, *reinstall, *owner;
};
constexpr PackageManager apt{
    "sudo apt-get install ", "sudo apt-get install --reinstall ", "dpkg --search "};
constexpr PackageManager dnf{"sudo dnf install ", "sudo dnf reinstall ", "rpm --query --file "};
constexpr PackageManager zypper{
    "sudo zypper install ", "sudo zypper install --force ", "rpm --query --file "};

/// By the name in os-release; null where we know none.
const PackageManager* package_manager(const Facts& facts) {
    static constexpr std::pair<std::string_view, const PackageManager*> managers[] = {
        {"Ubuntu", &apt},
        {"Debian", &apt},
        {"Mint", &apt},
        {"Pop!_OS", &apt},
        {"Fedora", &dnf},
        {"Red Hat", &dnf},
        {"Rocky", &dnf},
        {"AlmaLinux", &dnf},
        {"CentOS", &dnf},
        {"Amazon Linux", &dnf},
        {"SUSE", &zypper}};
    for (const auto& [distribution, manager] : managers)
        if (contains(facts.host.os.value_or(""), distribution))
            return manager;
    return nullptr;
}

/// The risk of a remedy follows from its commands: whether they need root.
Remedy with_commands(Remedy remedy, std::vector<std::string> commands) {
    remedy.commands = std::move(commands);
    const bool as_root = std::ranges::any_of(
        remedy.commands, [](const auto& line) { return line.starts_with("sudo "); });
    remedy.risk = as_root ? Risk::needs_root : Risk::safe;
    return remedy;
}

/// The environment among whose packages the file lies; null when there is none.
const PythonEnvironment* environment_with(const Facts& facts, const std::string& path) {
    return find_where(facts.pythons, [&](const PythonEnvironment& environment) {
        return std::ranges::any_of(
            environment.package_directories,
            [&](const std::string& directory) { return path.starts_with(directory + '/'); });
    });
}

bool is_python_package(const std::string& path) {
    return contains(path, "/site-packages/") || contains(path, "/dist-packages/");
}

/// The conda environment to whose own libraries the file belongs; null when there is none.
const PythonEnvironment* conda_with(const Facts& facts, const std::string& path) {
    return find_where(facts.pythons, [&](const PythonEnvironment& environment) {
        return environment.kind == "conda" && !is_python_package(path) &&
               path.starts_with(environment.path + "/lib/");
    });
}

bool is_of_system(const std::string& path) {
    return path.starts_with("/usr/lib") || path.starts_with("/lib");
}

/// "nvidia-cudnn-cu12==9.1.0.70" where the environment has it in that version, else what is known
/// of the version: pip would install the newest one, which may be of another major version.
std::string wheel_again(
    const PythonEnvironment* environment, const CudnnInstallation& installation) {
    const PythonPackage* package = nullptr;
    if (environment)
        package = find_where(environment->packages, is_cudnn);
    if (package)
        return shell_quoted(package->name + "==" + package->version);
    std::string version = if_any("", installation.version);
    if (!installation.version && installation.major > 0)
        version = std::to_string(installation.major);
    return wheel("nvidia-cudnn", cuda_major_of(installation), if_any("==", version, ".*"));
}

/// "libcudnn9-cuda-12": since 9, names end in -cuda-12.
/// https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html
std::string package_of_system(const CudnnInstallation& installation) {
    const std::string name = "libcudnn" + std::to_string(installation.major);
    if (installation.major < 9)
        return name;
    return name + "-cuda-" + std::to_string(cuda_major_of(installation));
}

}  // namespace

Remedy reinstalling_cudnn(
    const Facts& facts, const CudnnInstallation& installation, Remedy remedy) {
    const PackageManager* manager = package_manager(facts);
    std::vector<std::string> commands;
    if (is_python_package(installation.path)) {
        const PythonEnvironment* environment = environment_with(facts, installation.path);
        commands = {
            pip(environment,
                "install --force-reinstall --no-deps " + wheel_again(environment, installation))};
    } else if (const PythonEnvironment* conda = conda_with(facts, installation.path)) {
        std::string name = "cudnn";
        if (const PythonPackage* package = conda_package(*conda, {"libcudnn", "cudnn"}))
            name = package->name;
        // conda-forge has split its package cudnn since 9: the libraries are in
        // libcudnn.
        commands = {conda_install(*conda, "--force-reinstall " + name)};
    } else if (is_of_system(installation.path) && manager && installation.major > 0) {
        commands = {manager->reinstall + package_of_system(installation)};
    }
    return with_commands(std::move(remedy), std::move(commands));
}

Remedy installing_cudnn(
    const Facts& facts, const CudnnInstallation* installation, int cuda, Remedy remedy) {
    const PackageManager* manager = package_manager(facts);
    const PythonEnvironment* environment =
        installation ? environment_with(facts, installation->path) : active_environment(facts);
    int major = installation ? installation->major
                             : 0;  // else that of a framework: pip would install the newest one
    for (const Framework& framework : facts.frameworks)
        if (major == 0 && framework.cudnn)
            major = framework.cudnn->major();
    const std::string version = major > 0 ? std::to_string(major) : "";
    const std::string for_cuda = std::to_string(cuda);
    const bool has_frameworks = environment && !facts.frameworks.empty();
    const bool into_python = installation ? is_python_package(installation->path) : has_frameworks;
    const PythonEnvironment* conda =
        installation ? conda_with(facts, installation->path) : environment;
    const bool of_conda =
        conda &&
        (installation || conda_package(*conda, {"pytorch", "libtorch", "tensorflow-base"}));
    std::vector<std::string> commands;
    if (of_conda)
        commands = {
            conda_install(*conda, "cudnn" + if_any("=", version) + " cuda-version=" + for_cuda)};
    else if (into_python || !manager)
        commands = {pip(
            environment, "install " + wheel("nvidia-cudnn", cuda, if_any("==", version, ".*")))};
    else if (
        (!installation || is_of_system(installation->path)) &&
        (major == 9 || (!installation && major == 0))) {
        if (!installation && manager == &apt)
            commands = nvidia_repository_commands(facts);  // where it is from is configured
        commands.push_back(manager->install + ("cudnn9-cuda-" + for_cuda));
    }
    return with_commands(std::move(remedy), std::move(commands));
}

std::vector<std::string> system_install_commands(
    const Facts& facts, const std::string& deb, const std::string& rpm, const std::string& suse) {
    const PackageManager* manager = package_manager(facts);
    if (!manager)
        return {};
    if (manager == &apt)
        return {manager->install + deb};
    if (manager == &dnf)
        return {manager->install + rpm};
    return {manager->install + suse};
}

std::vector<std::string> owner_commands(const Facts& facts, const std::string& path) {
    const PackageManager* manager = package_manager(facts);
    if (!manager || is_python_package(path))
        return {};
    return {manager->owner + shell_quoted(path)};
}

namespace {

/// What pip installs, and the directories below site-packages in which its libraries then lie.
struct Wheels {
    std::string names;
    std::vector<std::string> directories;
    std::string of_conda =
        {};  ///< the same as packages of conda-forge; "" where they are not known
};

/// The package that the framework's metadata names; else one of its major, not
/// older than what it was built with. Unset where either version is unknown.
std::optional<Wheels> cudnn_for(const Framework& framework) {
    const std::vector<std::string> directories = {"nvidia/cudnn/lib"};
    if (framework.cudnn_wanted)
        return Wheels{shell_quoted(*framework.cudnn_wanted), directories};
    if (!framework.cuda || !framework.cudnn || framework.cuda->major() < oldest_cuda_with_wheels)
        return std::nullopt;
    const std::string major = std::to_string(framework.cudnn->major()),
                      cuda = std::to_string(framework.cuda->major());
    std::string from;
    if (parts_written(*framework.cudnn) > 1)
        from = ">=" + framework.cudnn->text + ",";
    return Wheels{
        wheel("nvidia-cudnn", framework.cuda->major(), from + "==" + major + ".*"),
        directories,
        "cudnn=" + major + " cuda-version=" + cuda};
}

/// cuBLAS and the runtime that it requires.
std::optional<Wheels> cublas_for(const Framework& framework) {
    if (!framework.cuda || framework.cuda->major() < oldest_cuda_with_wheels)
        return std::nullopt;
    const int major = framework.cuda->major();
    const std::string cuda = std::to_string(major);
    const std::string names =
        wheel("nvidia-cublas", major) + ' ' + wheel("nvidia-cuda-runtime", major);
    if (major >= one_directory_since)
        return Wheels{names, {"nvidia/cu" + cuda + "/lib"}};
    // Before CUDA 12 conda-forge had all of CUDA in one package.
    std::string of_conda = "libcublas cuda-cudart cuda-version=" + cuda;
    if (major == 11)
        of_conda = "cudatoolkit=11";
    return Wheels{names, {"nvidia/cublas/lib", "nvidia/cuda_runtime/lib"}, of_conda};
}

/// NVIDIA's Python packages lie where the framework looks for its libraries: among its own
/// directories, or its metadata requests them.
bool reaches_wheels(const Framework& framework) {
    if (std::ranges::any_of(
            directories_of(framework), [](const auto& one) { return contains(one, "/nvidia/"); }))
        return true;
    // ONNX Runtime's extras bring packages that only its function preload_dlls() loads:
    // https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html
    return framework.cudnn_wanted && framework.name != "onnxruntime";
}

/// `may_add`: whether packages that the framework does not search may be added
/// for it; then LD_LIBRARY_PATH has to name their directories.
Remedy installing(
    const Facts& facts,
    const Framework& framework,
    const std::optional<Wheels>& wheels,
    bool may_add,
    Remedy remedy) {
    remedy.commands.clear();
    if (!wheels)
        return remedy;
    const std::string install = pip(facts, framework, "install " + wheels->names);
    if (reaches_wheels(framework)) {
        remedy.commands = {install};
        return remedy;
    }
    const PythonEnvironment* environment = environment_of(facts, framework);
    if (environment && environment->kind == "conda" && !wheels->of_conda.empty()) {
        const std::string libraries = environment->path + "/lib";
        remedy.commands = {conda_install(*environment, wheels->of_conda)};
        if (!includes(directories_of(framework), libraries))
            remedy.commands.push_back(export_of_loader_path(libraries));
        return remedy;
    }
    remedy.text += ". " + words_of(framework) +
                   " does not search Python packages: install it system-wide, or add the directory "
                   "of a package's "
                   "libraries to LD_LIBRARY_PATH";
    if (may_add && environment && !environment->package_directories.empty()) {
        const auto directories = mapped(wheels->directories, [&](const std::string& directory) {
            return environment->package_directories.front() + '/' + directory;
        });
        remedy.commands = {install, export_of_loader_path(join(directories, ":"))};
    }
    return remedy;
}

}  // namespace

Remedy installing_cudnn(const Facts& facts, const Framework& framework, Remedy remedy) {
    // All cuDNN packages put their files into one directory: a second one would take another
    // framework's cuDNN from it.
    const PythonEnvironment* environment = environment_of(facts, framework);
    const bool may_add = environment && std::ranges::none_of(environment->packages, is_cudnn);
    return installing(facts, framework, cudnn_for(framework), may_add, std::move(remedy));
}

Remedy installing_cublas(const Facts& facts, const Framework& framework, Remedy remedy) {
    return installing(facts, framework, cublas_for(framework), true, std::move(remedy));
}

}  // namespace rnncheck::rules
