// Opens one libcudnn and queries its version, then whether its RNN API works. cuDNN
// 8 and 9 load their parts on demand, so an installation can return its version and
// fail at the first RNN call; descriptor calls show that without a GPU.
#include "process/probe.hpp"
#include "rnn/case.hpp"
#include "support/cudnn.hpp"
#include "support/libraries.hpp"

namespace rnncheck::probes::cudnn_library {

/// These calls need neither a GPU nor the other libraries of cuDNN.
static void query_versions(const CudnnApi& cudnn, ProbeWriter& writer, Cudnn& found) {
    if (!cudnn.cudnnGetVersion) {
        found.failure = CallResult{
            cudnn.cudnnGetVersion.name,
            missing_symbol,
            "the library does not export this function"};
        return;
    }
    found.version = cudnn_version_from_number(call(writer, cudnn.cudnnGetVersion));
    if (cudnn.cudnnGetCudartVersion)
        found.built_for_cuda =
            cuda_version_from_number(static_cast<int>(call(writer, cudnn.cudnnGetCudartVersion)));
    // 100 * major + 10 * minor: 1210 is 12.1
    if (cudnn.cudnnGetMaxDeviceVersion)
        if (const auto number = call(writer, cudnn.cudnnGetMaxDeviceVersion);
            number > 0 && number < 100'000)
            found.newest_capability =
                make_version({static_cast<int>(number / 100), static_cast<int>(number % 100 / 10)});
    if (cudnn.speaks_legacy())
        found.rnn_apis.emplace_back(name_of(RnnApi::legacy));
    if (cudnn.speaks_v8())
        found.rnn_apis.emplace_back(name_of(RnnApi::v8));
}

/// In two reports: the version is kept if the RNN API then ends the process.
static void run(const Job& job, ProbeWriter& writer) {
    Facts news, later;
    Cudnn& found = news.cudnns.emplace_back();
    found.library = job.target;
    const CudnnApi cudnn = open_cudnn(job, writer, job.target);
    found.failure = cudnn.failure;
    if (!cudnn.failure)
        found.failure = why_not_to_call(job.root, job.target);
    if (!found.failure)
        query_versions(cudnn, writer, found);
    writer.facts(news);
    if (found.failure)
        return;
    Cudnn& rnn_api = later.cudnns.emplace_back();
    rnn_api.library = job.target;
    rnn_api.failure = try_rnn_api(cudnn, FirstCall::ops);
    rnn_api.rnn_usable = !rnn_api.failure;
    rnn_api.parts_mapped = vendor::mapped_files("cudnn");
    rnn_api.files = builds_of(rnn_api.parts_mapped);
    writer.facts(later);
}

extern const Probe probe{
    .title = "Queries the version of each cuDNN installation and tests its RNN API, without a GPU",
    .stage = Stage::query,
    .limit = std::chrono::seconds(30),
    .run = run,
    .targets = installations_to_query<LibraryKind::cudnn>};

}  // namespace rnncheck::probes::cudnn_library
