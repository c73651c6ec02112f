// Names of NVIDIA's packages end in the CUDA major they are for. Pure.
#pragma once

#include "rules/support/cudnn_support.hpp"

namespace rnncheck::rules {

/// Remedies written for the packages of CUDA 12 (nvidia-cudnn-cu12, libcudnn9-cuda-12), turned to this CUDA major.
std::vector<Remedy> for_cuda_major(int major, std::vector<Remedy> remedies);

/// Turned to the CUDA that the driver supports, else to that of the runtimes found; as they are when neither is known.
/// A driver runs what is made for an older CUDA, so none newer than the packages there are is named.
std::vector<Remedy> for_cuda_here(const Facts& facts, std::vector<Remedy> remedies);

/// Remedies written for the packages of CUDA 12 (nvidia-cudnn-cu12, libcudnn9-cuda-12), turned to the CUDA that this
/// copy of cuDNN was built for; as they are when that is unknown.
std::vector<Remedy> for_cuda_of(const CudnnCopy& copy, std::vector<Remedy> remedies);

/// The same for a release of cuDNN that was given: turned to the CUDA given, else to the newest this release is for.
std::vector<Remedy> for_cuda_given(const Facts& facts, const Matrix& matrix, std::vector<Remedy> remedies);

/// The remedy with the commands that install cuDNN anew where this copy came from: the Python environment or the
/// package manager of the distribution that its path names; none for files of an archive. Of CUDA 12, see
/// for_cuda_major.
Remedy reinstalling_cudnn(const Facts& facts, const CudnnCopy& copy, Remedy remedy);

/// The same for a cuDNN that is to come in the place of this copy, or where there is none (null): then into the Python
/// environment in use if it has frameworks, else by the distribution's package manager.
Remedy installing_cudnn(const Facts& facts, const CudnnCopy* copy, Remedy remedy);

/// "sudo apt-get install zlib1g", by the package's name on Debian, Red Hat and SUSE; none where the distribution is not
/// known.
std::vector<std::string> system_install_commands(const Facts& facts, const std::string& deb, const std::string& rpm,
                                                 const std::string& suse);

/// Commands that install the NVIDIA driver on this distribution; none where we know none, nor in a container or under
/// WSL, whose driver is the host's.
std::vector<std::string> driver_install_commands(const Facts& facts);

}  // namespace rnncheck::rules
