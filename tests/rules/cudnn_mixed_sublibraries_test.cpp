#include "base/text.hpp"
#include "support/installed_machines.hpp"

namespace {

/// LD_LIBRARY_PATH leads a Python package's cuDNN to the parts of another.
void mix_the_wheel(rnncheck::Facts& f) {
    const std::string other = "/usr/local/cuda-13.0/lib/";
    f.host.environment["LD_LIBRARY_PATH"] = other;
    f.cudnns.back().built_for_cuda = rnncheck::test::v("13.1");
    f.cudnns.back().parts_mapped = {other + "libcudnn_graph.so.9", rnncheck::test::own_cudnn9};
}

}  // namespace

RULE_TEST(
    cudnn_mixed_sublibraries,
    Fires{{{"cuDNN says so",
            but([](Facts& f) { rnn_api_fails(f, "cudnnOpsInferVersionCheck", 14, "CUDNN_STATUS_VERSION_MISMATCH"); }),
            "is mixed with libraries of another cuDNN version: failed call, cudnnOpsInferVersionCheck returned 14"},
           {"cuDNN 9 has another number for it", but([](Facts& f) {
                f.cudnns.front() = add_wheel_cudnn9(f);
                f.cudnns.resize(1);
                rnn_api_fails(f, "cudnnAdvVersionCheck", 1002, "");
            }),
            "returned 1002"},
           {"a case says so", but([](Facts& f) {
                one_case(f, RunEnd::failed, {"cudnnRNNForward", 14, "CUDNN_STATUS_VERSION_MISMATCH"});
            }),
            "cudnnRNNForward returned 14"},
           {"a part from LD_LIBRARY_PATH is older", but([](Facts& f) {
                rnn_api_fails(f, "cudnnCreateRNNDescriptor", 4, "CUDNN_STATUS_INTERNAL_ERROR");
                Library& part = library_named(f, "libcudnn_adv_infer.so.8");
                part.picked_by_loader = false;
                add_library(f, LibraryKind::cudnn_part, "/home/me/lib/libcudnn_adv_infer.so.8",
                            "/home/me/lib/libcudnn_adv_infer.so.8.6.0", true)
                    .found_via = FoundVia::ld_library_path;
            }),
            "/home/me/lib/libcudnn_adv_infer.so.8, version 8.6.0, not 8.9.7"},
           {"loaded from two directories", but([](Facts& f) {
                rnn_api_fails(f, "cudnnCreateRNNDescriptor", 4, "CUDNN_STATUS_INTERNAL_ERROR");
                f.cudnns.front().parts_mapped = {"/a/libcudnn.so.8", "/b/libcudnn_ops_infer.so.8"};
            }),
            "/a/libcudnn.so.8 and /b/libcudnn_ops_infer.so.8"}}},
    Silent{{{"healthy", a_healthy_machine(), ""},
            {"the number means something else in another major", but([](Facts& f) {
                 f.cudnns.front() = add_wheel_cudnn9(f);
                 f.cudnns.resize(1);
                 for (auto& run : f.rnn_runs) run.library = f.cudnns.front().library;
                 one_case(f, RunEnd::failed, {"cudnnRNNForward", 14, "CUDNN_UNKNOWN_STATUS"});
             }),
             ""},
            {"names differ, but cuDNN has checked its parts",
             but([](Facts& f) { library_named(f, "libcudnn_adv_infer.so.8").version_in_name = v("8.6.0"); }), ""},
            {"two whole copies of different releases", but([](Facts& f) { add_wheel_cudnn9(f); }), ""},
            {"the RNN half fails for another reason",
             but([](Facts& f) { rnn_api_fails(f, "cudnnCreateRNNDescriptor", 4, "CUDNN_STATUS_INTERNAL_ERROR"); }), ""},
            {"a copy that nothing loads", but([](Facts& f) {
                 add_wheel_cudnn9(f);
                 mix_the_wheel(f);
             }),
             ""},
            {"none installed", but(no_cudnn), ""}}},
    CannotTell{{{"nothing learnt", nothing_learnt(), ""},
                {"it was not asked to the end and its files name no release", but([](Facts& f) {
                     f.cudnns.front().rnn_usable.reset();
                     for (auto& l : f.libraries) l.version_in_name.reset();
                 }),
                 ""}}})

TEST_CASE("mixed parts of a framework's own cuDNN are its error, with variable and directory") {
    using namespace rnncheck;
    const Facts facts = test::but([](Facts& f) {
        test::add_torch(f);
        mix_the_wheel(f);
    });
    const auto ask = [&](const char* rule) {
        return (*find_named(all_rules(), rule))->check(facts, Matrix::bundled());
    };
    const Verdict mixed = ask("cudnn_mixed_sublibraries");
    REQUIRE(mixed.findings.size() == 1);
    CHECK(mixed.findings.front().severity == Severity::error);
    CHECK(contains(mixed.findings.front().message,
                   "LD_LIBRARY_PATH includes the directory of those, /usr/local/cuda-13.0/lib"));
    const Verdict other_cuda = ask("cudnn_built_for_other_cuda");
    CHECK(other_cuda.outcome == Outcome::not_applicable);
    CHECK(other_cuda.findings.empty());
}
