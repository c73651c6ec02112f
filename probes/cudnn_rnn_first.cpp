// Calls a function of cuDNN's for RNNs before any other of its parts, as JAX
// does. libcudnn_adv.so.9 then takes what it needs from LD_LIBRARY_PATH, which
// is searched before its own run path, and not from beside libcudnn.so.9.
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "process/probe.hpp"
#include "support/cudnn.hpp"
#include "support/libraries.hpp"

namespace rnncheck::probes::cudnn_rnn_first {

static bool is_ops_of_library_path(const Library& library) {
    return library.kind == LibraryKind::cudnn_part &&
           library.found_via == FoundVia::ld_library_path &&
           file_name(library.path).starts_with("libcudnn_ops.so.9");
}

/// Each cuDNN 9 for which LD_LIBRARY_PATH has the library that the
/// order of calls decides about.
static std::vector<std::string> targets(const Facts& facts) {
    std::vector<std::string> paths = installations_to_query(facts, LibraryKind::cudnn);
    std::erase_if(paths, [&](const std::string& path) {
        return !file_name(path).starts_with("libcudnn.so.9") ||
               std::ranges::none_of(facts.libraries, [&](const Library& library) {
                   return is_ops_of_library_path(library) &&
                          directory_of(library.path) != directory_of(path);
               });
    });
    return paths;
}

static void run(const Job& job, ProbeWriter& writer) {
    const CudnnApi cudnn = open_cudnn(job, writer, job.target);
    if (cudnn.failure || !cudnn.cudnnGetVersion)
        return;  // cudnn_library reports that
    call(writer, cudnn.cudnnGetVersion);
    Facts news;
    Cudnn& found = news.cudnns.emplace_back();
    found.library = job.target;
    found.rnn_first.emplace();
    found.rnn_first->failure = try_rnn_api(cudnn, FirstCall::adv);
    found.rnn_first->parts_mapped = vendor::mapped_files("cudnn");
    writer.facts(news);
}

extern const Probe probe{
    .title = "Tests the RNN API of cuDNN 9 with an RNN function as the first, as JAX calls it",
    .stage = Stage::query,
    .limit = std::chrono::seconds(30),
    .run = run,
    .targets = targets};

}  // namespace rnncheck::probes::cudnn_rnn_first
