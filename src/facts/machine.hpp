// Facts about the host, the driver and the GPUs.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

/// A graphics or compute controller of NVIDIA on the PCI bus, as /sys shows it: there whether or not a driver is.
struct PciGpu {
    std::string address;
    std::string device_id;
    std::optional<std::string> kernel_driver;

    static void fields(auto& self, auto&& visit) {
        visit("address", self.address, "PCI address, domain:bus:device.function in lower-case hexadecimal");
        visit("device_id", self.device_id, "PCI device id, e.g. 0x2204");
        visit("kernel_driver", self.kernel_driver, "kernel driver bound to it: nvidia, nouveau, vfio-pci");
    }
};

struct Host {
    std::optional<std::string> platform;
    std::optional<std::string> os;
    std::optional<std::string> kernel;
    std::optional<std::string> libc;
    std::optional<std::string> machine;
    std::optional<std::string> container;
    std::optional<bool> wsl;
    TextMap environment;
    std::vector<PciGpu> pci_gpus;
    std::optional<bool> pci_listed;
    std::vector<std::string> hidden_directories;
    std::optional<std::string> boot_id_hash;

    static void fields(auto& self, auto&& visit) {
        visit("platform", self.platform, "linux, windows or macos");
        visit("os", self.os, "distribution, from os-release");
        visit("kernel", self.kernel, "kernel release");
        visit("libc", self.libc, "C library and its version, e.g. glibc 2.36");
        visit("machine", self.machine, "processor architecture as the kernel names it, e.g. x86_64");
        visit("container", self.container, "kind of container we run in (docker, podman, kubernetes, lxc, ...)");
        visit("wsl", self.wsl, "whether this is the Windows Subsystem for Linux");
        visit("environment", self.environment, "the environment variables that matter to CUDA, cuDNN and the loader");
        visit("pci_gpus", self.pci_gpus, "NVIDIA display controllers on the PCI bus");
        visit("pci_listed", self.pci_listed, "whether the PCI bus could be read at all");
        visit("hidden_directories", self.hidden_directories,
              "those of /proc, /sys and /dev that are empty or closed to us");
        visit("boot_id_hash", self.boot_id_hash,
              "hash of the kernel's random boot id: another one means that the machine was restarted");
    }
};

struct DeviceNode {
    std::string path;
    std::string mode;
    bool readable = false;
    bool writable = false;

    static void fields(auto& self, auto&& visit) {
        visit("path", self.path, "/dev/nvidiactl, /dev/nvidia0, /dev/nvidia-uvm, /dev/dxg, ...");
        visit("mode", self.mode, "permission bits in octal, owner and group numbers: 0666 0:0");
        visit("readable", self.readable, "whether this user may open it for reading");
        visit("writable", self.writable, "whether this user may open it for writing");
    }
};

/// A fault that the driver wrote into the kernel log: "NVRM: Xid (PCI:0000:01:00): 79, pid=..., GPU has fallen off the
/// bus."
struct XidEvent {
    int code = 0;
    std::optional<std::string> pci;
    std::optional<double> seconds_ago;
    std::string text;

    static void fields(auto& self, auto&& visit) {
        visit("code", self.code, "number of the fault, see NVIDIA's list of Xid errors");
        visit("pci", self.pci, "PCI address of the GPU, domain:bus:device in lower-case hexadecimal");
        visit("seconds_ago", self.seconds_ago, "age of the message when it was read");
        visit("text", self.text, "the message");
    }
};

struct Driver {
    std::optional<bool> module_loaded;
    std::optional<Version> kernel_version;
    std::optional<std::string> kernel_flavour;
    std::vector<DeviceNode> device_nodes;
    std::optional<bool> modprobe_helper;
    std::optional<std::string> library;
    std::optional<Version> library_version;
    std::optional<Version> cuda_version;
    std::optional<CallResult> init;
    std::optional<Version> nvml_version;
    std::optional<Version> nvml_cuda_version;
    std::optional<CallResult> nvml_init;
    std::optional<std::string> mps_pipe;
    std::optional<bool> kernel_log_read;
    std::vector<XidEvent> xids;

    static void fields(auto& self, auto&& visit) {
        visit("module_loaded", self.module_loaded, "whether the kernel shows the nvidia module (/proc, /sys)");
        visit("kernel_version", self.kernel_version, "version of the loaded kernel module");
        visit("kernel_flavour", self.kernel_flavour, "open or proprietary kernel module");
        visit("device_nodes", self.device_nodes, "the driver's device nodes that exist");
        visit("modprobe_helper", self.modprobe_helper,
              "whether a set-user-id nvidia-modprobe is installed, which makes missing nodes on the first CUDA call");
        visit("library", self.library, "the libcuda that was opened, resolved");
        visit("library_version", self.library_version, "version of that libcuda, from its file name");
        visit("cuda_version", self.cuda_version, "newest CUDA the driver library supports, from cuDriverGetVersion");
        visit("init", self.init, "answer of cuInit");
        visit("nvml_version", self.nvml_version, "driver version according to NVML");
        visit("nvml_cuda_version", self.nvml_cuda_version, "newest CUDA according to NVML");
        visit("nvml_init", self.nvml_init, "answer of nvmlInit_v2");
        visit("mps_pipe", self.mps_pipe,
              "directory in which the control daemon of MPS keeps its pipes, where its `control` pipe exists");
        visit("kernel_log_read", self.kernel_log_read,
              "whether the kernel log could be read; tried only when a probe hangs");
        visit("xids", self.xids, "faults that the driver wrote into the kernel log, newest last");
    }
};

/// A GPU as a CUDA program sees it: after CUDA_VISIBLE_DEVICES, in CUDA's order.
struct Gpu {
    int index = 0;
    std::optional<std::string> name;
    std::optional<std::string> uuid;
    std::optional<std::string> pci;
    std::optional<Version> compute_capability;
    std::optional<std::int64_t> memory_total_mib;
    std::optional<int> multiprocessors;
    std::optional<int> clock_mhz;
    std::optional<int> memory_clock_mhz;
    std::optional<int> memory_bus_bits;
    std::optional<std::string> compute_mode;

    int key() const { return index; }

    static void fields(auto& self, auto&& visit) {
        visit("index", self.index, "CUDA's ordinal");
        visit("name", self.name, "as the driver names it");
        visit("uuid", self.uuid, "GPU-...");
        visit("pci", self.pci, "PCI address, domain:bus:device.0 in lower-case hexadecimal");
        visit("compute_capability", self.compute_capability, "major.minor");
        visit("memory_total_mib", self.memory_total_mib, "memory in MiB");
        visit("multiprocessors", self.multiprocessors, "number of streaming multiprocessors");
        visit("clock_mhz", self.clock_mhz, "highest clock of the multiprocessors, in MHz");
        visit("memory_clock_mhz", self.memory_clock_mhz, "highest clock of the memory, in MHz; two transfers in each");
        visit("memory_bus_bits", self.memory_bus_bits, "width of the memory bus, in bits");
        visit("compute_mode", self.compute_mode, "default, exclusive_process or prohibited");
    }
};

struct GpuProcess {
    std::int64_t pid = 0;
    std::optional<std::int64_t> memory_mib;

    static void fields(auto& self, auto&& visit) {
        visit("pid", self.pid, "process id in the driver's view");
        visit("memory_mib", self.memory_mib, "GPU memory it uses in MiB, if the driver reports it");
    }
};

/// A GPU as NVML sees it: every one that the driver manages, whatever CUDA_VISIBLE_DEVICES says.
struct Board {
    int index = 0;
    std::optional<std::string> name;
    std::optional<std::string> uuid;
    std::optional<std::string> pci;
    std::optional<std::int64_t> memory_total_mib;
    std::optional<std::int64_t> memory_free_mib;
    std::optional<bool> ecc_enabled;
    std::optional<std::int64_t> ecc_uncorrected_since_boot;
    std::optional<std::int64_t> ecc_uncorrected_lifetime;
    std::optional<int> retired_pages;
    std::optional<bool> retirement_pending;
    std::optional<int> remapped_rows;
    std::optional<bool> remapping_pending;
    std::optional<bool> remapping_failed;
    std::optional<std::string> compute_mode;
    std::optional<bool> mig;
    std::optional<bool> persistence;
    std::vector<std::string> throttle_reasons;
    std::vector<GpuProcess> processes;
    std::optional<std::string> virtualization;
    std::optional<bool> display_active;
    std::optional<int> busy_percent;
    std::optional<CallResult> unreachable;

    int key() const { return index; }

    static void fields(auto& self, auto&& visit) {
        visit("index", self.index, "NVML's index, the one of nvidia-smi");
        visit("name", self.name, "product name");
        visit("uuid", self.uuid, "GPU-...");
        visit("pci", self.pci, "PCI address, domain:bus:device.0 in lower-case hexadecimal");
        visit("memory_total_mib", self.memory_total_mib, "memory in MiB");
        visit("memory_free_mib", self.memory_free_mib, "free memory in MiB when queried");
        visit("ecc_enabled", self.ecc_enabled, "whether error correction is on; unset where the board has none");
        visit("ecc_uncorrected_since_boot", self.ecc_uncorrected_since_boot,
              "uncorrected errors since the driver loaded");
        visit("ecc_uncorrected_lifetime", self.ecc_uncorrected_lifetime, "uncorrected errors over the board's life");
        visit("retired_pages", self.retired_pages, "memory pages retired for double-bit errors (before Ampere)");
        visit("retirement_pending", self.retirement_pending, "a page waits for a reboot to be retired");
        visit("remapped_rows", self.remapped_rows, "memory rows remapped for uncorrectable errors (Ampere and later)");
        visit("remapping_pending", self.remapping_pending, "a row waits for a reset to be remapped");
        visit("remapping_failed", self.remapping_failed, "a row could not be remapped: the board is to be replaced");
        visit("compute_mode", self.compute_mode, "default, exclusive_process or prohibited");
        visit("mig", self.mig, "whether the board is split into MIG instances");
        visit("persistence", self.persistence, "whether persistence mode is on");
        visit("throttle_reasons", self.throttle_reasons, "why clocks are held down just now");
        visit("processes", self.processes, "compute processes on the board");
        visit("virtualization", self.virtualization, "none, passthrough, vgpu, host_vgpu or host_vsga");
        visit("display_active", self.display_active, "whether a display is driven by it");
        visit("busy_percent", self.busy_percent,
              "share of the last second in which a kernel ran on it, queried while a probe hung");
        visit("unreachable", self.unreachable, "the call and answer that showed the board lost, e.g. NVML code 15");
    }
};

/// A test kernel in PTX loaded, launched and checked on one GPU.
struct KernelRun {
    int gpu = 0;
    std::optional<CallResult> result;
    std::optional<bool> correct;

    int key() const { return gpu; }

    static void fields(auto& self, auto&& visit) {
        visit("gpu", self.gpu, "CUDA's ordinal");
        visit("result", self.result, "the first call that failed, or the last one when all went well");
        visit("correct", self.correct, "whether the kernel's result is correct");
    }
};

}  // namespace rnncheck
