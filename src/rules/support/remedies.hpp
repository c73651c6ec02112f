// What to do, in the words of the place: container, batch system, distribution, Python environment.
// Pure.
#pragma once

#include "rules/support/frameworks.hpp"

namespace rnncheck::rules {

/// One that a page lists at its head: "gpu_memory_low", or "driver_init_failed/mps" where it lists
/// several. Each "{1}" in it becomes the first of the values; commands that only the facts show
/// come in the place of the page's.
Remedy remedy(
    std::string_view place,
    const std::vector<std::string>& values = {},
    std::vector<std::string> commands = {});

/// How a GPU is given to this container, in the words of its runtime.
Remedy gpu_for_container(const Facts& facts);

/// "Slurm", "PBS" or "LSF" where this process belongs to a job of it; empty elsewhere.
std::string batch_system(const Facts& facts);

/// How a job requests a GPU from this batch system.
Remedy gpu_for_job(const Facts& facts);

/// Both, of what this process belongs to.
std::vector<Remedy> requests_for_gpu(const Facts& facts);

/// A remedy that acts on kernel, driver or hardware: in a container it belongs to the host, under
/// WSL to Windows, in a job to the cluster's administrators, and reports it.
Remedy on_host(const Facts& facts, Remedy remedy);

/// One remedy in a container; otherwise the other, as on_host() shows it.
Remedy for_place(const Facts& facts, Remedy in_a_container, Remedy elsewhere);

/// There is no GPU to drive: what has to change is which machine this is, or what it is given.
Remedy check_machine(const Facts& facts);

/// Where bus_without_gpu. A container sees the PCI bus of its host, so no option of its runtime
/// helps; a job or a pod is to be given a node with a GPU.
Remedy machine_without_gpu(const Facts& facts);

/// The PCI bus could be read, and no display controller of NVIDIA is on it.
bool bus_without_gpu(const Facts& facts);

/// Their number on the PCI bus, or "unknown".
std::string gpus_on_bus(const Facts& facts);

/// Kernel drivers other than NVIDIA's that hold a GPU: nouveau, vfio-pci; empty when none does.
std::string foreign_kernel_driver(const Facts& facts);

/// What to do about such a driver; only where there is one.
Remedy against_foreign_driver(const Facts& facts);

/// "'/home/ada/venv/bin/python' -m pip install ..." for the framework's environment; "python -m
/// pip" where its interpreter is unknown.
std::string pip(const Facts& facts, const Framework& framework, const std::string& what);
std::string pip(const PythonEnvironment* environment, const std::string& what);

/// The tables' "pip install ..." with the environment's own python; nothing of another command.
std::optional<std::string> by_pip(const PythonEnvironment* environment, const std::string& install);

/// The command of the tables for the environment in use: that of conda has its own python, and what
/// conda installed of the framework has to go first.
std::vector<std::string> install_here(
    const Facts& facts, const std::string& framework, const std::string& install);

/// The shell command that puts directories, parted by colons, ahead of what LD_LIBRARY_PATH has.
std::string export_of_loader_path(const std::string& directories);

/// "rnncheck matrix plan gpu=8.6 driver=535.104.05"; "" when neither is known.
std::string plan_command(const std::optional<Version>& gpu, const std::optional<Version>& driver);

/// NVIDIA's Python packages exist from this CUDA on: https://pypi.org/search/?q=nvidia-cudnn-cu
inline constexpr int oldest_cuda_with_wheels = 11;

/// The command that installs the newest version of the row as a Python package; none where there is
/// no such package.
std::vector<std::string> pip_commands_for(const CudnnBuild& build);
/// cuDNN loads its other DLLs by their names alone, which searches PATH but not what
/// os.add_dll_directory() names: https://github.com/cupy/cupy/issues/5103. The packages' directory
/// as in https://github.com/microsoft/onnxruntime/pull/23744
constexpr const char* dlls_of_packages =
    ". Windows does not search site-packages\\nvidia\\cudnn\\bin, where the package puts its DLLs: "
    "add that directory "
    "to PATH before the program starts (os.add_dll_directory() does not reach cuDNN's other DLLs), "
    "or load them first "
    "(import torch; ONNX Runtime since 1.21: onnxruntime.preload_dlls())";

/// "nvidia-cudnn-cu12", or in double quotes with a range of versions ("==9.*"); of packages whose
/// names do not show the CUDA, those of this major.
std::string wheel(const std::string& name, int cuda, const std::string& range = "");

/// The CUDA major that packages should be for: that of the driver, else of the runtimes found,
/// else 12. A driver runs what is made for an older CUDA, so none newer than the packages there are
/// is named.
int cuda_major_here(const Facts& facts);
/// That this installation of cuDNN was built for; 12 when it is unknown.
int cuda_major_of(const CudnnInstallation& installation);

/// The remedy with the commands that reinstall cuDNN where this copy came from: the Python
/// environment or the package manager of the distribution that its path names; none for files of an
/// archive.
Remedy reinstalling_cudnn(const Facts& facts, const CudnnInstallation& installation, Remedy remedy);

/// The same for a cuDNN for this CUDA major that is to come in the place of this copy, or where
/// there is none (null): then into the Python environment in use if it has frameworks, else by the
/// distribution's package manager.
Remedy installing_cudnn(
    const Facts& facts, const CudnnInstallation* installation, int cuda, Remedy remedy);

/// "sudo apt-get install zlib1g", by the package's name on Debian, Red Hat and SUSE; none where the
/// distribution is not known.
std::vector<std::string> system_install_commands(
    const Facts& facts, const std::string& deb, const std::string& rpm, const std::string& suse);

/// "dpkg --search FILE", which names the package that owns the file; none where the distribution is
/// not known, nor for a file of a Python package.
std::vector<std::string> owner_commands(const Facts& facts, const std::string& path);

/// Commands that add NVIDIA's package repository, without which Debian and Ubuntu have no cuDNN 9;
/// none where this system's is not known.
std::vector<std::string> nvidia_repository_commands(const Facts& facts);

/// Commands that install an NVIDIA driver of `needed` or later, with the kernel modules that the
/// GPUs here take; none where we know none, where no driver does for all of them, nor in a
/// container or under WSL, whose driver is the host's.
std::vector<std::string> driver_install_commands(
    const Facts& facts, const std::optional<Version>& needed = {});

/// The remedy with the commands that install the cuDNN package which the framework's metadata names
/// for, or one that serves it. Where it never looks among Python packages, the text and the
/// commands show how it finds one all the same.
Remedy installing_cudnn(const Facts& facts, const Framework& framework, Remedy remedy);

/// The same with cuBLAS and the runtime of the CUDA that the framework was built for; no commands
/// where that is not known.
Remedy installing_cublas(const Facts& facts, const Framework& framework, Remedy remedy);

/// A wheel of cuDNN, whatever the CUDA version.
bool is_cudnn(const PythonPackage& package);

}  // namespace rnncheck::rules
