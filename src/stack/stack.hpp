// A stack: the versions of driver, CUDA, cuDNN, GPUs, Python and frameworks that are to work
// together, wherever they come from. What is unset is unknown.
#pragma once

#include "facts/facts.hpp"
#include "matrix/matrix.hpp"

namespace rnncheck::stack {

/// How exactly a version is known: itself; by its first numbers (9.1 of 9.1.0, 525.60 of
/// 525.60.13); by the newest that it may be (of the GPUs that have the name "GT 710"); a driver by
/// its branch (535); exactly, but it is newer than the tables.
RNNCHECK_ENUM(Exactness, exact, prefix, range, branch, newer_than_data)

/// A version in a stack.
struct Known : Version {
    std::string source = {};  ///< where it comes from: a place in the facts, or "container image"
    Exactness exactness = Exactness::exact;
    std::string words =
        {};  ///< as it was specified: "9.x" where this is one of the versions that it may be
};

/// Null when it is unknown.
inline const Known* version_in(const std::optional<Known>& known) {
    return known ? &*known : nullptr;
}

/// A driver, as the functions about drivers take it.
struct Driver {
    std::optional<Version> version;  ///< version (535.104.05) or branch (535)
    std::optional<Version>
        cuda;                  ///< newest CUDA that the driver reports; unset: that of the tables
    std::string os = "linux";  ///< whose drivers: linux, windows (under WSL, too)
};

/// A GPU by its CUDA ordinal; its name is as it was specified or as CUDA
/// reports it.
struct Gpu {
    int index = 0;
    std::optional<std::string> name = {};
    std::optional<Known> capability = {};
};

/// A framework, or one that is to be installed.
struct Framework {
    std::string name;  ///< as in FrameworkBuild::framework
    std::optional<Version> version = {};
    std::optional<std::string> build = {};  ///< as in FrameworkBuild::build
};

/// One machine or environment, real or only described.
struct Stack {
    std::optional<std::string> os = {};  ///< linux, windows or macos
    std::string os_name = {};            ///< as it was specified: "Ubuntu 22.04"
    bool wsl = false;
    bool arm = false;  ///< the processor is Arm's, as the machine shows; see on_arm()
    std::optional<Known> driver = {};
    std::optional<Known> cuda = {};
    std::optional<Known> cudnn = {};
    std::optional<Version> cudnn_cuda = {};  ///< the CUDA that the cuDNN is built for
    std::vector<Gpu> gpus = {};
    std::optional<Known> python = {};
    bool has_unknown_python = false;
    std::vector<Framework> frameworks = {};
    std::string image = {};  ///< the container image that CUDA and cuDNN come from
    std::optional<Network> network = {};
};

/// A version with how exactly it is known and the place of the facts that has it.
Known known_driver(const Version& version, const Matrix& matrix);
Known known_cuda(const Version& version, const Matrix& matrix);
Known known_cudnn(const Version& version, const Matrix& matrix);
Known known_capability(const Version& version, const Matrix& matrix);
Known known_python(const Version& version);

/// The stack's driver, with the system whose drivers count.
Driver driver_of(const Stack& stack);
/// The same for builds of a system, which under WSL run on the driver of Windows.
Driver driver_for(const Stack& stack, const std::string& os);
/// Whose drivers it may be among. Three numbers are Linux's alone; two may be either's (570.26,
/// 528.33), and a branch
/// ("535") is named alike on both. The stack has a driver.
std::vector<std::string> systems_of_driver(const Stack& stack);
/// The first GPU whose compute capability is known; null if there is none.
const Gpu* gpu_of(const Stack& stack);
std::optional<Version> capability_of(const Stack& stack);

/// Whether the builds for Linux on Arm are the stack's: on an Arm server, on a board with a
/// processor of Arm's, which the GPU's name shows (GH200, DGX Spark), and on Jetson Thor, whose
/// software is that of Arm servers.
bool on_arm(const Stack& stack, const Matrix& matrix);

/// Once for each CUDA and cuDNN of the tables that the stack may have; itself if both are complete,
/// or not in the tables.
std::vector<Stack> possible_stacks(const Stack& stack, const Matrix& matrix);

/// The document form of a stack (the member `facts` of what `matrix check` prints), and back.
Facts document_of(const Stack& stack);
Stack stack_of_document(const Facts& facts, const Matrix& matrix);
/// The same if the facts are such a document; unset where they are of a machine or a log.
std::optional<Stack> described_stack(const Facts& facts, const Matrix& matrix);

/// "GPU 0 (NVIDIA H200)".
std::string subject_of(const Gpu& gpu);
/// "compute capability 8.6", "GeForce RTX 3090 (compute capability 8.6)"; of a GPU whose capability
/// is known.
std::string words_of(const Gpu& gpu);
/// "PyTorch 2.4", "TensorFlow 2.10 (cpu)".
std::string words_of(const Framework& framework);

}  // namespace rnncheck::stack
