// A part of the simulated cuDNN 8 or 9: it states its version; what it would compute is in libcudnn
// itself.
#include <cstdio>

#include "abi.hpp"

extern "C" __attribute__((visibility("default"))) int cudnnSimulatedPartVersion();

SIM_LOAD_AND_EXIT(SIM_PART)

int cudnnSimulatedPartVersion() {
    constexpr const char* by_default = SIM_MAJOR == 8 ? "8.9.7" : "9.19.0";
    int parts[3] = {};
    std::sscanf(
        sim::setting("cudnn", by_default, {SIM_PART}).c_str(),
        "%d.%d.%d",
        &parts[0],
        &parts[1],
        &parts[2]);
    if (parts[0] != SIM_MAJOR)
        std::sscanf(by_default, "%d.%d.%d", &parts[0], &parts[1], &parts[2]);
    return parts[0] * (parts[0] >= 9 ? 10000 : 1000) + parts[1] * 100 + parts[2];
}
