// Each simulated library exports the functions of its groups, and none of the groups its original
// does not have.
#include <fcntl.h>

#include "support/catch.hpp"
#include "vendor/cuda_abi.hpp"
#include "vendor/cudnn_abi.hpp"
#include "vendor/nvml_abi.hpp"

using namespace rnncheck;

namespace {

#define NAME(name, result, parameters) #name,
const std::vector<std::string> cuda_functions = {RNNCHECK_CUDA_FUNCTIONS(NAME)};
const std::vector<std::string> nvml_functions = {RNNCHECK_NVML_FUNCTIONS(NAME)
                                                     RNNCHECK_NVML_OLDER(NAME)};
const std::vector<std::string> cudart_functions = {RNNCHECK_CUDART_FUNCTIONS(NAME)};
const std::vector<std::string> nvrtc_functions = {RNNCHECK_NVRTC_FUNCTIONS(NAME)};
const std::vector<std::string> everywhere = {RNNCHECK_CUDNN_EVERYWHERE(NAME)};
const std::vector<std::string> legacy = {RNNCHECK_CUDNN_LEGACY(NAME)};
const std::vector<std::string> v8 = {RNNCHECK_CUDNN_V8(NAME)};
const std::vector<std::string> checks_8 = {RNNCHECK_CUDNN_CHECKS_8(NAME)};
const std::vector<std::string> checks_9 = {RNNCHECK_CUDNN_CHECKS_9(NAME)};
const std::vector<std::string> since_8_6 = {RNNCHECK_CUDNN_SINCE_8_6(NAME)};

vendor::Library open_simulated(const std::string& file) {
    static ProbeWriter nowhere(open("/dev/null", O_WRONLY));
    auto library = vendor::open_library(nowhere, SIM_DIRECTORY "/" + file);
    INFO((library.failure ? library.failure->text : ""));
    REQUIRE(library.handle);
    return library;
}

void check_exports(
    const vendor::Library& library, const std::vector<std::string>& names, bool wanted) {
    for (const auto& name : names) {
        INFO(library.path << " " << name);
        CHECK((library.symbol(name.c_str()) != nullptr) == wanted);
    }
}

}  // namespace

TEST_CASE("the simulated driver, NVML, runtime and NVRTC export their lists") {
    check_exports(open_simulated("base/libcuda.so.1"), cuda_functions, true);
    check_exports(open_simulated("base/libnvidia-ml.so.1"), nvml_functions, true);
    check_exports(open_simulated("base/libcudart.so.12"), cudart_functions, true);
    check_exports(open_simulated("cuda13/libcudart.so.13"), cudart_functions, true);
    check_exports(open_simulated("base/libnvrtc.so.12"), nvrtc_functions, true);
}

TEST_CASE("each simulated cuDNN exports the groups of its major and no other") {
    for (const int major : {7, 8, 9}) {
        const std::string number = std::to_string(major);
        const auto library = open_simulated("cudnn" + number + "/libcudnn.so." + number);
        check_exports(library, everywhere, true);
        check_exports(library, legacy, major <= 8);
        check_exports(library, v8, major >= 8);
        check_exports(library, checks_8, major == 8);
        check_exports(library, checks_9, major == 9);
        check_exports(library, since_8_6, major >= 8);
    }
}
