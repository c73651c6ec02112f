// Where this process runs, and what a remedy has to be there. Pure.
#pragma once

#include "report/finding.hpp"
#include "rules/support/driver_support.hpp"

namespace rnncheck::rules {

/// How a GPU is given to this container, in the words of its runtime.
Remedy gpu_for_container(const Facts& facts);

/// "Slurm", "PBS" or "LSF" where this process belongs to a job of it; empty elsewhere.
std::string batch_system(const Facts& facts);

/// How a job asks this batch system for a GPU.
Remedy gpu_for_job(const Facts& facts);

/// A remedy that acts on kernel, driver or hardware: in a container it belongs to the host, under WSL to Windows, in a
/// job to the cluster's administrators, and says so.
Remedy on_host(const Facts& facts, Remedy remedy);

/// Where nodes_made_on_demand: the run that lets the helper make them.
Remedy let_helper_make_nodes();

/// The PCI bus could be read, and no display controller of NVIDIA is on it.
bool bus_without_gpu(const Facts& facts);

/// Kernel drivers other than NVIDIA's that hold a GPU: nouveau, vfio-pci; empty when none does.
std::string foreign_kernel_driver(const Facts& facts);

/// What to do about such a driver; only where there is one.
Remedy against_foreign_driver(const Facts& facts);

/// Where versions do not fit, the next question is what would: each finding offers the plan for its GPU and the driver
/// as its last remedy.
Verdict with_plan(Verdict verdict, const Facts& facts);

}  // namespace rnncheck::rules
