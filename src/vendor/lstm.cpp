#include "vendor/lstm.hpp"

#include "vendor/lstm_common.hpp"

namespace rnncheck::vendor {

std::optional<CallResult> start_session(Session& session) {
    Bench bench(session);
    bench.cudnn(session.cudnn.cudnnCreate, &session.handle);
    bench.cudnn(session.cudnn.cudnnCreateDropoutDescriptor, &session.no_dropout);
    // Without dropout no random numbers are made, so no state is needed; PyTorch sets its descriptor the same way.
    bench.cudnn(session.cudnn.cudnnSetDropoutDescriptor, session.no_dropout, session.handle, 0.0F, nullptr,
                std::size_t{0}, 0ULL);
    return bench.failed();
}

LstmRun run_lstm(const Session& session, Dialect dialect, const RnnCase& rnn_case, const DeviceImage& image) {
    LstmRun run;
    Bench bench(session);
    if (dialect == Dialect::v8)
        run_v8(bench, rnn_case, image, run);
    else
        run_legacy(bench, rnn_case, image, run);
    run.failed = bench.failed();
    return run;
}

}  // namespace rnncheck::vendor
