#include "commands/lstm_offer.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "matrix/matrix.hpp"
#include "rnn/network.hpp"
#include "rules/support/rnn_support.hpp"

namespace rnncheck {

namespace {

const Matrix& matrix() {
    static const Matrix bundled = Matrix::bundled();
    return bundled;
}

bool is_plain(const RnnCase& c) {
    return c.cell == Cell::lstm && c.projection == 0 && c.clip == 0 && c.input_mode == InputMode::linear &&
           c.bias == BiasMode::both;
}

Answer<RnnRequiredSupport> obligation(const Facts& facts, const RnnRun& run) {
    const auto cudnn = std::ranges::find_if(facts.cudnns, [&](const Cudnn& c) { return c.library == run.library; });
    const Gpu* const gpu = rules::gpu_at(facts, run.gpu);
    if (cudnn == facts.cudnns.end() || !cudnn->version || !gpu || !gpu->compute_capability) return {};
    return matrix().requires_support(*cudnn->version, *gpu->compute_capability, name_of(run.rnn_case.dtype),
                               name_of(run.rnn_case.algorithm));
}

}  // namespace

bool is_owed(const Facts& facts, const RnnRun& run) {
    if (run.end != RunEnd::not_offered || !is_plain(run.rnn_case) || rules::not_promised(facts, run)) return false;
    if (run.result && rules::explained_elsewhere(facts, run.gpu, run.library, *run.result)) return false;
    return static_cast<bool>(obligation(facts, run));
}

std::vector<Remark> offers_of(const Facts& facts) {
    std::map<std::tuple<int, std::string, Dialect>, std::vector<const RnnRun*>> owed;
    for (const RnnRun& run : facts.rnn_runs)
        if (is_owed(facts, run)) owed[{run.gpu, run.library, run.dialect}].push_back(&run);
    std::vector<Remark> remarks;
    for (const auto& [place, runs] : owed) {
        const auto row = obligation(facts, *runs.front());
        remarks.push_back({"offers", Weight::wrong,
                           counted(runs.size(), "case", "cases") + " not offered on GPU " +
                               std::to_string(runs.front()->gpu) + " that this cuDNN must offer, first '" +
                               describe(runs.front()->rnn_case) + "': " + row->dtype + " " + row->algorithm +
                               " is offered since cuDNN " + row->first.text + ", compute capability " +
                               row->capability_min.text + " (" + row->source.url + ")"});
    }
    return remarks;
}

}  // namespace rnncheck
