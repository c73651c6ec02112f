// The simulated libnvrtc of the major SIM_MAJOR: a program compiles when it has a source.
#include "abi.hpp"
#include "vendor/cuda_abi.hpp"

using namespace rnncheck::vendor;
using namespace sim;

SIM_EXPORTS(RNNCHECK_NVRTC_FUNCTIONS)
SIM_LOAD_AND_EXIT("libnvrtc")

namespace rnncheck::vendor {
struct OpaqueNvrtcProgram {
    std::string source;
    bool compiled = false;
};
}  // namespace rnncheck::vendor

namespace {
const Tags tags = {"libnvrtc", "libnvrtc" + std::to_string(SIM_MAJOR)};
enum NvrtcError { invalid_input = 3, invalid_program = 4, compilation = 6 };
}  // namespace

int nvrtcVersion(int* major, int* minor) {
    if (const auto forced = act(__func__, tags).result)
        return static_cast<int>(*forced);
    const std::string text = setting("nvrtc", SIM_MAJOR == 12 ? "12.4" : "13.0", tags);
    const auto dot = text.find('.');
    *major = std::stoi(text.substr(0, dot));
    *minor = std::stoi(text.substr(dot + 1));
    return 0;
}

const char* nvrtcGetErrorString(int code) {
    if (act(__func__, tags).result)
        return nullptr;
    switch (code) {
        case 0:
            return "NVRTC_SUCCESS";
        case 3:
            return "NVRTC_ERROR_INVALID_INPUT";
        case 4:
            return "NVRTC_ERROR_INVALID_PROGRAM";
        case 6:
            return "NVRTC_ERROR_COMPILATION";
        case 7:
            return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
        default:
            return "NVRTC_ERROR unknown";
    }
}

int nvrtcCreateProgram(
    NvrtcProgram* program,
    const char* source,
    const char*,
    int,
    const char* const*,
    const char* const*) {
    if (const auto forced = act(__func__, tags).result)
        return static_cast<int>(*forced);
    if (!program || !source)
        return invalid_input;
    *program = new OpaqueNvrtcProgram{source, false};
    return 0;
}

int nvrtcCompileProgram(NvrtcProgram program, int, const char* const*) {
    if (const auto forced = act(__func__, tags).result)
        return static_cast<int>(*forced);
    if (!program)
        return invalid_program;
    program->compiled = program->source.find("__global__") != std::string::npos;
    return program->compiled ? 0 : compilation;
}

int nvrtcGetPTXSize(NvrtcProgram program, std::size_t* bytes) {
    if (const auto forced = act(__func__, tags).result)
        return static_cast<int>(*forced);
    if (!program || !program->compiled)
        return invalid_program;
    *bytes = 1024;
    return 0;
}
