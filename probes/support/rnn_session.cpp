#include "support/rnn_session.hpp"

#include "support/copies.hpp"

namespace rnncheck::probes {

std::unique_ptr<RnnSession> open_rnn(const Job& job, ProbeWriter& writer, const RnnTarget& target) {
    auto rnn = std::make_unique<RnnSession>();
    rnn->gpu = open_gpu(writer, target.gpu);
    rnn->failure = rnn->gpu->failure;
    if (rnn->failure) return rnn;
    for (const auto& companion : companions_of(job.facts, target.library))
        vendor::open_library(writer, job.root.outside(companion));
    const vendor::Library library = vendor::open_library(writer, job.root.outside(target.library));
    if (!library.handle) {
        rnn->failure = CallResult{"dlopen", vendor::missing_symbol, library.error};
        return rnn;
    }
    rnn->cudnn.load(library);
    rnn->session.emplace(
        vendor::Session{rnn->gpu->cuda, rnn->cudnn, rnn->gpu->check, vendor::cudnn_checker(writer, rnn->cudnn)});
    rnn->failure = start_session(*rnn->session);
    return rnn;
}

}  // namespace rnncheck::probes
