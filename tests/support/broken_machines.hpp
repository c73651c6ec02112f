// Machines on which the driver does not serve: the starting points of many rule tests.
#pragma once

#include <stdexcept>

#include "support/healthy_machine.hpp"
#include "support/rule_test.hpp"

namespace rnncheck::test {

/// Nothing ran on a GPU.
inline void no_runs(Facts& f) {
    f.cuda_devices.clear();
    f.kernel_runs.clear();
    f.rnn_runs.clear();
    std::erase_if(f.probe_runs, [](const ProbeRun& run) {
        return run.probe == "ptx_launch" || run.probe == "rnn_forward";
    });
}

/// No part of a driver; the GPU is in its slot.
inline Facts without_driver() {
    Facts f = a_healthy_machine();
    std::erase_if(f.libraries, [](const Library& l) {
        return l.kind == LibraryKind::cuda || l.kind == LibraryKind::nvml;
    });
    f.driver = {};
    f.driver.module_loaded = false;
    f.nvml_devices.clear();
    no_runs(f);
    return f;
}

/// cuInit answers `code`; NVML still lists the board.
inline Facts init_returns(std::int64_t code, const std::string& text = "") {
    Facts f = a_healthy_machine();
    f.driver.init = CallResult{"cuInit", code, text};
    no_runs(f);
    return f;
}

/// The driver library is there, the kernel module is not.
inline Facts library_without_module() {
    Facts f = init_returns(100, "CUDA_ERROR_NO_DEVICE");
    f.driver.module_loaded = false;
    f.driver.kernel_version.reset();
    f.driver.device_nodes.clear();
    f.driver.nvml_init = CallResult{"nvmlInit_v2", 9, "Driver Not Loaded"};
    f.driver.nvml_version.reset();
    f.nvml_devices.clear();
    return f;
}

/// The kernel module is loaded and its nodes exist; there is no libcuda.
inline Facts module_without_library() {
    Facts f = a_healthy_machine();
    std::erase_if(f.libraries, [](const Library& l) { return l.kind == LibraryKind::cuda; });
    f.driver.library.reset();
    f.driver.library_version.reset();
    f.driver.cuda_version.reset();
    f.driver.init.reset();
    no_runs(f);
    return f;
}

/// A container into which nothing of the host's driver was passed; /proc shows the host's module
/// all the same.
inline Facts container_without_gpu_access() {
    Facts f = without_driver();
    f.host.container = "docker";
    f.host.environment["NVIDIA_VISIBLE_DEVICES"] = "all";
    f.driver.module_loaded = true;
    f.driver.kernel_version = v("550.54.14");
    return f;
}

inline Library& library_of(Facts& f, LibraryKind kind) {
    for (auto& library : f.libraries)
        if (library.kind == kind)
            return library;
    throw std::out_of_range("no library of this kind");
}

inline ProbeRun& probe_run(Facts& f, const std::string& probe) {
    for (auto& run : f.probe_runs)
        if (run.probe == probe)
            return run;
    throw std::out_of_range(probe);
}

/// Where no rule about how a probe's process ended fires, but those of its other ends.
inline Silent silent_about_probe_ends() {
    return {
        {{"healthy", a_healthy_machine(), ""},
         {"a crash at exit",
          but([](Facts& f) { probe_run(f, "nvml_devices").end = ProbeEnd::crashed_at_exit; }),
          ""}}};
}

inline WhenUndecided undecided_about_probe_ends() {
    return {
        {{"nothing collected", nothing_collected(), ""},
         {"not started",
          but([](Facts& f) { probe_run(f, "nvml_devices").end = ProbeEnd::not_started; }),
          ""},
         {"another bad end",
          but([](Facts& f) { probe_run(f, "nvml_devices").end = ProbeEnd::timed_out; }),
          ""}}};
}

/// Those facts with one change.
template <class Change>
Facts after(Facts facts, Change change) {
    change(facts);
    return facts;
}

}  // namespace rnncheck::test
