// Facts about the host, the driver and the GPUs.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

/// A graphics or compute controller of NVIDIA on the PCI bus, as /sys shows it:
/// there whether or not a driver is.
struct PciGpu {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string, address, "PCI address, domain:bus:device.function in lower-case hexadecimal");
    RNNCHECK_FIELD(std::string, device_id, "PCI device id, e.g. 0x2204");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        kernel_driver,
        "kernel driver bound to it: nvidia, nouveau, vfio-pci");
    RNNCHECK_FIELDS_END
};

/// A limit of the process that examined the machine, which its children inherited.
struct ResourceLimit {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(LimitKind, kind, "what is limited") = LimitKind::memory;
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        value,
        "the limit, in bytes, or a number of processes or files");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        hard,
        "up to what this user may raise it; absent for no limit");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>, peak, "the most that was used at once, in the same unit");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        times_reached,
        "how often a process was killed, or not started, because of it");
    RNNCHECK_FIELD(
        std::string,
        place,
        "the file of the control group, or the limit's name: memory.max, RLIMIT_AS");
    RNNCHECK_FIELDS_END

    std::string key() const {
        return std::string(name_of(kind)) + ' ' + place;
    }
};

/// What only Windows has.
struct WindowsHost {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::optional<bool>,
        gpu_timeout,
        "whether Windows resets a display GPU whose kernel runs for too long (TDR; "
        "TdrLevel of the registry)");
    RNNCHECK_FIELD(
        std::optional<int>, gpu_timeout_s, "after how many seconds (TdrDelay of the registry)");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>, commit_limit_mib, "memory and page files together, in MiB");
    RNNCHECK_FIELD(std::optional<std::int64_t>, commit_free_mib, "what of it was free, in MiB");
    RNNCHECK_FIELD(
        std::optional<Version>, vc_runtime, "version of the Visual C++ runtime that is installed");
    RNNCHECK_FIELD(
        std::optional<Version>,
        driver_version,
        "version of NVIDIA's display driver in the registry");
    RNNCHECK_FIELDS_END
};

/// The system that the probes ran in: in a container its own files, but the
/// kernel of the host.
struct Host {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::optional<std::string>, platform, "linux, windows or macos");
    RNNCHECK_FIELD(
        std::optional<std::string>, os, "distribution, from os-release, or version of Windows");
    RNNCHECK_FIELD(std::optional<std::string>, kernel, "kernel release");
    RNNCHECK_FIELD(std::optional<std::string>, libc, "C library and its version, e.g. glibc 2.36");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        machine,
        "processor architecture as the kernel names it, e.g. x86_64");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        container,
        "kind of container we run in (docker, podman, kubernetes, lxc, ...)");
    RNNCHECK_FIELD(std::optional<bool>, wsl, "whether this is the Windows Subsystem for Linux");
    RNNCHECK_FIELD(
        TextMap,
        environment,
        "the environment variables that matter to CUDA, cuDNN and the loader");
    RNNCHECK_FIELD(std::vector<PciGpu>, pci_gpus, "NVIDIA display controllers on the PCI bus");
    RNNCHECK_FIELD(std::optional<bool>, pci_listed, "whether the PCI bus could be read at all");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        hidden_directories,
        "those of /proc, /sys and /dev that are empty or closed to us");
    RNNCHECK_FIELD(
        std::vector<ResourceLimit>,
        limits,
        "what the process that examined the machine may use at most");
    RNNCHECK_FIELD(std::optional<WindowsHost>, windows, "what only Windows has");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        boot_id_hash,
        "hash of the kernel's random boot id: another one means that the machine was restarted");
    RNNCHECK_FIELDS_END
};

/// A file in /dev through which CUDA reaches the driver. Nodes are looked at
/// and never opened, as opening one may load a module.
struct DeviceNode {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string, path, "/dev/nvidiactl, /dev/nvidia0, /dev/nvidia-uvm, /dev/dxg, ...");
    RNNCHECK_FIELD(
        std::string, mode, "permission bits in octal, owner and group numbers: 0666 0:0");
    RNNCHECK_FIELD(bool, readable, "whether this user may open it for reading") = false;
    RNNCHECK_FIELD(bool, writable, "whether this user may open it for writing") = false;
    RNNCHECK_FIELDS_END
};

/// A fault that the driver wrote into the kernel log: "NVRM: Xid
/// (PCI:0000:01:00): 79, pid=..., GPU has fallen off the bus."
struct XidEvent {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, code, "number of the fault, see NVIDIA's list of Xid errors") = 0;
    RNNCHECK_FIELD(
        std::optional<std::string>,
        pci,
        "PCI address of the GPU, domain:bus:device in lower-case hexadecimal");
    RNNCHECK_FIELD(std::optional<double>, seconds_ago, "age of the message when it was read");
    RNNCHECK_FIELD(std::string, text, "the message");
    RNNCHECK_FIELDS_END
};

/// The driver in three parts that may differ in version: the kernel module,
/// libcuda, and NVML.
struct Driver {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::optional<bool>,
        module_loaded,
        "whether the kernel shows the nvidia module (/proc, /sys)");
    RNNCHECK_FIELD(std::optional<Version>, kernel_version, "version of the loaded kernel module");
    RNNCHECK_FIELD(std::optional<std::string>, kernel_flavour, "open or proprietary kernel module");
    RNNCHECK_FIELD(std::vector<DeviceNode>, device_nodes, "the driver's device nodes that exist");
    RNNCHECK_FIELD(
        std::optional<bool>,
        modprobe_helper,
        "whether a set-user-id nvidia-modprobe is installed, which makes missing nodes "
        "on the first CUDA call");
    RNNCHECK_FIELD(std::optional<std::string>, library, "the libcuda that was opened, resolved");
    RNNCHECK_FIELD(
        std::optional<Version>, library_version, "version of that libcuda, from its file name");
    RNNCHECK_FIELD(
        std::optional<Version>,
        cuda_version,
        "newest CUDA the driver library supports, from cuDriverGetVersion");
    RNNCHECK_FIELD(std::optional<CallResult>, init, "answer of cuInit");
    RNNCHECK_FIELD(std::optional<Version>, nvml_version, "driver version according to NVML");
    RNNCHECK_FIELD(std::optional<Version>, nvml_cuda_version, "newest CUDA according to NVML");
    RNNCHECK_FIELD(std::optional<CallResult>, nvml_init, "answer of nvmlInit_v2");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        mps_pipe,
        "directory in which the control daemon of MPS keeps its pipes, where its "
        "`control` pipe exists");
    RNNCHECK_FIELD(
        std::optional<bool>,
        kernel_log_read,
        "whether the kernel log could be read; tried only when a probe hangs");
    RNNCHECK_FIELD(
        std::vector<XidEvent>,
        xids,
        "faults that the driver wrote into the kernel log, newest last");
    RNNCHECK_FIELDS_END
};

/// A GPU as a CUDA program sees it: after CUDA_VISIBLE_DEVICES, in CUDA's order.
struct Gpu {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, index, "CUDA's ordinal") = 0;
    RNNCHECK_FIELD(std::optional<std::string>, name, "as the driver names it");
    RNNCHECK_FIELD(std::optional<std::string>, uuid, "GPU-...");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        pci,
        "PCI address, domain:bus:device.0 in lower-case hexadecimal");
    RNNCHECK_FIELD(std::optional<Version>, compute_capability, "major.minor");
    RNNCHECK_FIELD(std::optional<std::int64_t>, memory_total_mib, "memory in MiB");
    RNNCHECK_FIELD(std::optional<int>, multiprocessors, "number of streaming multiprocessors");
    RNNCHECK_FIELD(std::optional<int>, clock_mhz, "highest clock of the multiprocessors, in MHz");
    RNNCHECK_FIELD(
        std::optional<int>,
        memory_clock_mhz,
        "highest clock of the memory, in MHz; two transfers in each");
    RNNCHECK_FIELD(std::optional<int>, memory_bus_bits, "width of the memory bus, in bits");
    RNNCHECK_FIELD(
        std::optional<std::string>, compute_mode, "default, exclusive_process or prohibited");
    RNNCHECK_FIELDS_END

    int key() const {
        return index;
    }
};

/// A process that computes on the board, as
/// nvmlDeviceGetComputeRunningProcesses lists it.
struct GpuProcess {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::int64_t, pid, "process id in the driver's view") = 0;
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        memory_mib,
        "GPU memory it uses in MiB, if the driver reports it");
    RNNCHECK_FIELDS_END
};

/// A GPU as NVML sees it: every one that the driver manages,
/// regardless of CUDA_VISIBLE_DEVICES.
struct Board {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, index, "NVML's index, the one of nvidia-smi") = 0;
    RNNCHECK_FIELD(std::optional<std::string>, name, "product name");
    RNNCHECK_FIELD(std::optional<std::string>, uuid, "GPU-...");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        pci,
        "PCI address, domain:bus:device.0 in lower-case hexadecimal");
    RNNCHECK_FIELD(std::optional<std::int64_t>, memory_total_mib, "memory in MiB");
    RNNCHECK_FIELD(std::optional<std::int64_t>, memory_free_mib, "free memory in MiB when queried");
    RNNCHECK_FIELD(
        std::optional<bool>,
        ecc_enabled,
        "whether error correction is on; unset where the board has none");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        ecc_uncorrected_since_boot,
        "uncorrected errors since the driver loaded");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        ecc_uncorrected_lifetime,
        "uncorrected errors over the board's life");
    RNNCHECK_FIELD(
        std::optional<int>,
        retired_pages,
        "memory pages retired for double-bit errors (before Ampere)");
    RNNCHECK_FIELD(
        std::optional<bool>, retirement_pending, "a page waits for a reboot to be retired");
    RNNCHECK_FIELD(
        std::optional<int>,
        remapped_rows,
        "memory rows remapped for uncorrectable errors (Ampere and later)");
    RNNCHECK_FIELD(
        std::optional<bool>, remapping_pending, "a row waits for a reset to be remapped");
    RNNCHECK_FIELD(
        std::optional<bool>,
        remapping_failed,
        "a row could not be remapped: the board is to be replaced");
    RNNCHECK_FIELD(
        std::optional<std::string>, compute_mode, "default, exclusive_process or prohibited");
    RNNCHECK_FIELD(std::optional<bool>, mig, "whether the board is split into MIG instances");
    RNNCHECK_FIELD(std::optional<bool>, persistence, "whether persistence mode is on");
    RNNCHECK_FIELD(std::vector<std::string>, throttle_reasons, "why clocks are held down just now");
    RNNCHECK_FIELD(std::vector<GpuProcess>, processes, "compute processes on the board");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        virtualization,
        "none, passthrough, vgpu, host_vgpu or host_vsga");
    RNNCHECK_FIELD(std::optional<bool>, display_active, "whether a display is driven by it");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        driver_model,
        "on Windows wddm, tcc or mcdm: how Windows uses the board");
    RNNCHECK_FIELD(
        std::optional<int>,
        busy_percent,
        "share of the last second in which a kernel ran on it, queried while a probe hung");
    RNNCHECK_FIELD(
        std::optional<CallResult>,
        unreachable,
        "the call and answer that showed the board lost, e.g. NVML code 15");
    RNNCHECK_FIELDS_END

    int key() const {
        return index;
    }
};

/// A test kernel in PTX loaded, launched and checked on one GPU.
struct KernelRun {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(int, gpu, "CUDA's ordinal") = 0;
    RNNCHECK_FIELD(
        std::optional<CallResult>,
        result,
        "the first call that failed, or the last one when all went well");
    RNNCHECK_FIELD(std::optional<bool>, correct, "whether the kernel's result is correct");
    RNNCHECK_FIELDS_END

    int key() const {
        return gpu;
    }
};

}  // namespace rnncheck
