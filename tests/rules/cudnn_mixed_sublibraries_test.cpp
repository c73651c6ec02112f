#include "base/lists.hpp"
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

/// The only cuDNN is 9.19 as a Python package, all of whose files show that they are for CUDA 12.
rnncheck::Cudnn& only_the_wheel(rnncheck::Facts& f) {
    const rnncheck::Cudnn wheel9 = rnncheck::test::add_wheel_cudnn9(f);
    f.cudnns = {wheel9};
    rnncheck::Cudnn& cudnn = f.cudnns.front();
    cudnn.built_for_cuda = rnncheck::test::v("12.9");
    for (const char* part : {"libcudnn.so.9", "libcudnn_adv.so.9", "libcudnn_ops.so.9"}) {
        cudnn.parts_mapped.push_back(rnncheck::test::wheel + part);
        cudnn.files.push_back({rnncheck::test::wheel + part, {}, 12});
    }
    cudnn.files.front().version = cudnn.version;
    return cudnn;
}

/// All but libcudnn from the system's directory.
void take_parts_from_elsewhere(rnncheck::Cudnn& cudnn) {
    for (std::size_t i = 1; i < cudnn.files.size(); ++i)
        cudnn.files[i].path = cudnn.parts_mapped[i] =
            "/usr/lib/" + rnncheck::file_name(cudnn.files[i].path);
}

}  // namespace

RULE_TEST(
    cudnn_mixed_sublibraries,
    Fires{
        {{"cuDNN reports it",
          but([](Facts& f) {
              rnn_api_fails(f, "cudnnOpsInferVersionCheck", 14, "CUDNN_STATUS_VERSION_MISMATCH");
          }),
          "is mixed with libraries of another cuDNN version: failed call, "
          "cudnnOpsInferVersionCheck returned 14"},
         {"cuDNN 9 has another number for it",
          but([](Facts& f) {
              f.cudnns.front() = add_wheel_cudnn9(f);
              f.cudnns.resize(1);
              rnn_api_fails(f, "cudnnAdvVersionCheck", 1002, "");
          }),
          "returned 1002"},
         {"a case reports it",
          but([](Facts& f) {
              one_case(f, RunEnd::failed, {"cudnnRNNForward", 14, "CUDNN_STATUS_VERSION_MISMATCH"});
          }),
          "cudnnRNNForward returned 14"},
         {"a part from LD_LIBRARY_PATH is older",
          but([](Facts& f) {
              rnn_api_fails(f, "cudnnCreateRNNDescriptor", 4, "CUDNN_STATUS_INTERNAL_ERROR");
              Library& part = library_named(f, "libcudnn_adv_infer.so.8");
              part.picked_by_loader = false;
              add_library(
                  f,
                  LibraryKind::cudnn_part,
                  "/home/me/lib/libcudnn_adv_infer.so.8",
                  "/home/me/lib/libcudnn_adv_infer.so.8.6.0",
                  true)
                  .found_via = FoundVia::ld_library_path;
          }),
          "/home/me/lib/libcudnn_adv_infer.so.8, version 8.6.0, not 8.9.7"},
         {"libcudnn is of another version than its libraries",
          but([](Facts& f) { only_the_wheel(f).files.front().version = v("9.28.0"); }),
          "libcudnn.so.9, version 9.28.0, but the libraries that it loads are of version 9.19.0"},
         {"a library of the same version is for another CUDA",
          but([](Facts& f) { only_the_wheel(f).files[1].cuda_major = 13; }),
          "is mixed with libraries for another CUDA version: " + wheel +
              "libcudnn_adv.so.9, built for CUDA 13, but libcudnn_graph for CUDA 12"},
         {"libraries of two directories that do not all show how they were built",
          but([](Facts& f) {
              Cudnn& cudnn = only_the_wheel(f);
              take_parts_from_elsewhere(cudnn);
              cudnn.files.pop_back();
          }),
          "files loaded together"},
         {"only where a function for RNNs is called first",
          but([](Facts& f) {
              const CallResult failure{"cudnnCreateRNNDescriptor", 1002, ""};
              only_the_wheel(f).rnn_first =
                  CudnnRnnFirst{{"/other/libcudnn_ops.so.9", own_cudnn9}, failure};
              add_probe_run(f, "cudnn_rnn_first", own_cudnn9);
              f.probe_runs.back().failed_calls = {failure};
          }),
          "if a program calls a function for RNNs first, as JAX does: failed call, "
          "cudnnCreateRNNDescriptor returned "
          "1002"},
         {"cuDNN 8 aborts",
          but([](Facts& f) {
              f.cudnns.front().rnn_usable.reset();
              ProbeRun& run = probe_run(f, "cudnn_library");
              run.end = ProbeEnd::crashed;
              run.signal = "SIGABRT";
              run.last_call = "cudnnAdvInferVersionCheck";
              run.output_tail =
                  "Could not load library libcudnn_adv_infer.so.8. Error: "
                  "/a/libcudnn_adv_infer.so.8: "
                  "undefined symbol: _ZN5cudnn3opsE, version libcudnn_ops_infer.so.8";
          }),
          "process aborted in cudnnAdvInferVersionCheck, Could not load library "
          "libcudnn_adv_infer.so.8"},
         {"loaded from two directories",
          but([](Facts& f) {
              rnn_api_fails(f, "cudnnCreateRNNDescriptor", 4, "CUDNN_STATUS_INTERNAL_ERROR");
              f.cudnns.front().parts_mapped = {"/a/libcudnn.so.8", "/b/libcudnn_ops_infer.so.8"};
          }),
          "/a/libcudnn.so.8 and /b/libcudnn_ops_infer.so.8"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"the number means something else in another major",
          but([](Facts& f) {
              f.cudnns.front() = add_wheel_cudnn9(f);
              f.cudnns.resize(1);
              for (auto& run : f.rnn_runs)
                  run.library = f.cudnns.front().library;
              one_case(f, RunEnd::failed, {"cudnnRNNForward", 14, "CUDNN_UNKNOWN_STATUS"});
          }),
          ""},
         {"names differ, but cuDNN has checked its parts",
          but([](Facts& f) {
              library_named(f, "libcudnn_adv_infer.so.8").version_in_name = v("8.6.0");
          }),
          ""},
         {"two whole installations of different releases",
          but([](Facts& f) { add_wheel_cudnn9(f); }),
          ""},
         {"the RNN API fails for another reason",
          but([](Facts& f) {
              rnn_api_fails(f, "cudnnCreateRNNDescriptor", 4, "CUDNN_STATUS_INTERNAL_ERROR");
          }),
          ""},
         {"a copy that nothing loads",
          but([](Facts& f) {
              add_wheel_cudnn9(f);
              mix_the_wheel(f);
          }),
          ""},
         {"libraries of two directories that were built alike",
          but([](Facts& f) { take_parts_from_elsewhere(only_the_wheel(f)); }),
          ""},
         {"both orders of calls work",
          but([](Facts& f) {
              only_the_wheel(f).rnn_first = CudnnRnnFirst{{own_cudnn9}, {}};
          }),
          ""},
         {"none installed", but(no_cudnn), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"how a file was built is unknown",
          but([](Facts& f) { only_the_wheel(f).files[1].cuda_major.reset(); }),
          ""},
         {"the other order of calls ended early",
          but([](Facts& f) {
              only_the_wheel(f);
              add_probe_run(f, "cudnn_rnn_first", own_cudnn9);
          }),
          ""},
         {"it was not queried to the end and its files name no release",
          but([](Facts& f) {
              f.cudnns.front().rnn_usable.reset();
              for (auto& l : f.libraries)
                  l.version_in_name.reset();
          }),
          ""}}})

TEST_CASE("mixed parts of a framework's own cuDNN are its error, with variable and directory") {
    using namespace rnncheck;
    const Facts facts = test::but([](Facts& f) {
        test::add_torch(f);
        mix_the_wheel(f);
    });
    const auto query = [&](const char* rule) {
        return (*find_named(all_rules(), rule))->check(facts, Matrix::bundled());
    };
    const Verdict mixed = query("cudnn_mixed_sublibraries");
    REQUIRE(mixed.findings.size() == 1);
    CHECK(mixed.findings.front().severity == Severity::error);
    CHECK(contains(
        mixed.findings.front().message,
        "LD_LIBRARY_PATH includes the directory of those, /usr/local/cuda-13.0/lib"));
    const Verdict other_cuda = query("cudnn_built_for_other_cuda");
    CHECK(other_cuda.outcome == Outcome::not_applicable);
    CHECK(other_cuda.findings.empty());
}

TEST_CASE(
    "a libcudnn of another version that works is a warning, and the abort of a mixture is "
    "explained") {
    using namespace rnncheck;
    const auto findings = [](const char* rule, const Facts& facts) {
        return (*find_named(all_rules(), rule))->check(facts, Matrix::bundled()).findings;
    };
    const Facts other_version =
        test::but([](Facts& f) { only_the_wheel(f).files.front().version = test::v("9.28.0"); });
    CHECK(findings("cudnn_mixed_sublibraries", other_version).at(0).severity == Severity::warning);
    const Facts aborted = test::but([](Facts& f) {
        f.cudnns.front().rnn_usable.reset();
        ProbeRun& run = test::probe_run(f, "cudnn_library");
        run.end = ProbeEnd::crashed;
        run.output_tail = "undefined symbol: x, version libcudnn_ops_infer.so.8";
    });
    const Finding crash = findings("probe_crashed", aborted).at(0);
    const Finding mixture = findings("cudnn_mixed_sublibraries", aborted).at(0);
    CHECK(std::ranges::all_of(
        crash.symptoms, [&](const auto& place) { return includes(mixture.explains, place); }));
}
