#include "vendor_sim/machine.hpp"

#include <fcntl.h>

#include <cstdlib>
#include <map>

#include "support/catch.hpp"

namespace rnncheck::test {

namespace {

ProbeWriter& nowhere() {
    static ProbeWriter writer(open("/dev/null", O_WRONLY));
    return writer;
}

template <class Api>
vendor::Opened<Api> open_simulated(const std::string& file) {
    auto opened = vendor::open_as<Api>(nowhere(), SIM_DIRECTORY "/" + file);
    INFO((opened.failure ? opened.failure->text : ""));
    REQUIRE(opened.handle);
    return opened;
}

const vendor::Opened<vendor::CudaApi>& simulated_driver() {
    static vendor::Opened<vendor::CudaApi> cuda;
    if (cuda.cuInit)
        return cuda;
    cuda = open_simulated<vendor::CudaApi>("base/libcuda.so.1");
    vendor::CudaContext context = nullptr;
    REQUIRE(cuda.cuInit.function(0) == 0);
    REQUIRE(cuda.cuDevicePrimaryCtxRetain.function(&context, 0) == 0);
    REQUIRE(cuda.cuCtxSetCurrent.function(context) == 0);
    return cuda;
}

}  // namespace

void simulate(const std::string& sim) {
    setenv("SIM", ("gpus=1 cc=8.6; " + sim).c_str(), 1);
}

const vendor::Session& simulated_session(int major) {
    static std::map<int, vendor::Session> sessions;
    const auto [entry, is_new] = sessions.try_emplace(major);
    vendor::Session& session = entry->second;
    if (!is_new)
        return session;
    const std::string number = std::to_string(major);
    session = {
        simulated_driver(),
        open_simulated<vendor::CudnnApi>("cudnn" + number + "/libcudnn.so." + number)};
    start(session);
    REQUIRE_FALSE(session.failure);
    return session;
}

Outcome run_and_compare(
    int major, RnnApi rnn_api, const RnnCase& rnn_case, const ReducedPrecision& reduced) {
    const RnnInputs inputs = make_inputs(rnn_case);
    Outcome outcome;
    outcome.run.rnn_api = rnn_api;
    outcome.run.rnn_case = rnn_case;
    outcome.outputs =
        run_lstm(simulated_session(major), vendor::device_image(rnn_case, inputs), outcome.run);
    if (outcome.run.result)
        return outcome;
    const Computation computation = compute(rnn_case, inputs);
    outcome.comparison = compare(
        rnn_case,
        computation.outputs,
        outcome.outputs.first,
        outcome.outputs.again,
        limits_for(rnn_case, inputs, computation, reduced));
    return outcome;
}

ReducedPrecision reduced_there(int major, const RnnCase& rnn_case) {
    return {
        .tf32_allowed = major >= 8 && rnn_case.math != MathType::fma,
        .tf32_exists = major >= 8,
        .fast_math = rnn_case.algorithm != Algorithm::standard};
}

RnnPlace place_there(int major, RnnApi rnn_api) {
    RnnPlace place(rnn_api);
    place.cudnn = parse_version(major == 7 ? "7.6.5" : major == 8 ? "8.9.7" : "9.19.0");
    place.capability = parse_version("8.6");
    place.multiprocessors = 82;
    return place;
}

}  // namespace rnncheck::test
