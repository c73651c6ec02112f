#include "base/text.hpp"
#include "judge.hpp"
#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

/// No case finds the memory it requests; NVML shows so much of it free.
Facts nothing_fits(std::int64_t free_mib) {
    return but([&](Facts& f) {
        CallResult rejected{"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY: out of memory"};
        rejected.bytes = 3 << 20;
        all_cases(f, RunEnd::out_of_memory, rejected);
        for (RnnRun& run : f.rnn_runs)
            run.free_bytes = 20 << 20;
        f.nvml_devices.front().memory_free_mib = free_mib;
    });
}

Facts no_handle(std::int64_t code, const std::string& text, std::int64_t free_mib) {
    return but([&](Facts& f) {
        all_cases(f, RunEnd::skipped, {"cudnnCreate", code, text});
        f.nvml_devices.front().memory_free_mib = free_mib;
    });
}

/// Whatever NVML shows.
Facts little_for_cuda(Facts facts) {
    for (RnnRun& run : facts.rnn_runs)
        run.free_bytes = 100 << 20;
    return facts;
}

Facts held(Facts facts) {
    facts.nvml_devices.front().processes = {{4711, 20'000}, {4712, {}}};
    return facts;
}

Finding finding_on(const Facts& facts) {
    const auto* rule = find_named(all_rules(), "gpu_out_of_memory");
    const Verdict verdict = (*rule)->check(facts, Matrix::bundled());
    REQUIRE(verdict.findings.size() == 1);
    return verdict.findings.front();
}

std::string evidence_on(const Facts& facts) {
    std::string text;
    for (const Evidence& evidence : finding_on(facts).evidence)
        text += evidence.what + ": " + evidence.value + "\n";
    return text;
}

std::vector<std::string> errors_on(const Facts& facts) {
    std::vector<std::string> errors;
    for (const Finding& finding : judge(facts, Matrix::bundled(), {}).findings)
        if (finding.severity != Severity::note)
            errors.push_back(finding.rule);
    return errors;
}

}  // namespace

RULE_TEST(
    gpu_out_of_memory,
    Fires{
        {{"held by others",
          held(nothing_fits(300)),
          "GPU 0 (NVIDIA GeForce RTX 3090) ran out of memory: cuMemAlloc_v2 returned 2 "
          "(CUDA_ERROR_OUT_OF_MEMORY: "
          "out of memory) for 3 MiB; 300 of 24576 MiB are free, in use by process 4711 (20000 MiB) "
          "and process 4712; "
          "no recurrent network could be run"},
         {"in a container",
          after(nothing_fits(300), [](Facts& f) { f.host.container = "docker"; }),
          "processes outside this container are not visible; no recurrent network could be run"},
         {"under WSL",
          after(nothing_fits(300), [](Facts& f) { f.host.wsl = true; }),
          "Windows processes are not visible from WSL"},
         {"one case",
          but([](Facts& f) {
              one_case(
                  f, RunEnd::out_of_memory, {"cudnnRNNForward", 2, "CUDNN_STATUS_ALLOC_FAILED"});
          }),
          " recurrent networks could not be run"},
         {"no context",
          but([](Facts& f) {
              all_cases(
                  f, RunEnd::skipped, {"cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"});
              f.kernel_runs = {
                  {0, CallResult{"cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"}, {}}};
          }),
          "cuDevicePrimaryCtxRetain returned 2"},
         {"no handle of cuDNN 8",
          no_handle(2, "CUDNN_STATUS_ALLOC_FAILED", 23'000),
          "cudnnCreate returned 2"},
         {"no handle of cuDNN 9",
          no_handle(4004, "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", 23'000),
          "cudnnCreate returned 4004"},
         {"no handle, with hardly any memory free",
          no_handle(1, "CUDNN_STATUS_NOT_INITIALIZED", 100),
          "ran out of memory: cudnnCreate returned 1"},
         {"no handle, with hardly any memory free according to CUDA",
          little_for_cuda(no_handle(1, "CUDNN_STATUS_NOT_INITIALIZED", 23'000)),
          "ran out of memory: cudnnCreate returned 1"},
         {"memory of the host according to cuDNN, but the GPU's is full",
          no_handle(4003, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED", 300),
          "GPU 0 (NVIDIA GeForce RTX 3090) ran out of memory: cudnnCreate returned 4003"},
         {"memory of the host according to cuDNN, but CUDA saw little free",
          little_for_cuda(
              no_handle(4003, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED", 23'000)),
          "GPU 0 (NVIDIA GeForce RTX 3090) ran out of memory: cudnnCreate returned 4003"},
         {"a failed kernel of cuDNN 9, with CUDA's error in its words",
          no_handle(
              5003,
              "CUDNN_STATUS_EXECUTION_FAILED_CUDART (err 2 out of memory != cudaSuccess)",
              300),
          "ran out of memory: cudnnCreate returned 5003"},
         {"memory of the host",
          no_handle(4003, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED", 23'000),
          "cannot be used because the host ran out of memory: cudnnCreate returned 4003"},
         {"much is free",
          after(
              nothing_fits(23'000),
              [](Facts& f) {
                  for (RnnRun& run : f.rnn_runs)
                      run.free_bytes.reset();
              }),
          "23000 of 24576 MiB are free, which should be enough"},
         {"much is free for NVML, little for CUDA",
          nothing_fits(23'000),
          "23000 of 24576 MiB are free, but CUDA reported only 20 MiB"},
         {"NVML is silent",
          after(nothing_fits(0), [](Facts& f) { f.nvml_devices.clear(); }),
          "the free memory is unknown"},
         {"a MIG instance",
          after(
              nothing_fits(30'000),
              [](Facts& f) {
                  f.cuda_devices.front().name = "NVIDIA A100-SXM4-40GB MIG 1g.5gb";
                  f.cuda_devices.front().memory_total_mib = 4864;
              }),
          "are free on the whole board, this MIG instance has 4864 MiB in total"},
         {"a limit of MPS",
          after(
              nothing_fits(23'000),
              [](Facts& f) { f.host.environment["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = "0=1G"; }),
          "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT is 0=1G"},
         {"an MPS server",
          after(nothing_fits(23'000), [](Facts& f) { f.driver.mps_pipe = "/tmp/nvidia-mps"; }),
          "the MPS server may limit each program's memory"},
         {"the test kernel alone",
          but([](Facts& f) {
              f.kernel_runs = {{0, CallResult{"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"}, {}}};
          }),
          "no recurrent network was affected"}}},
    silent_about_cases(
        {{"little is free and nothing failed",
          but([](Facts& f) { f.nvml_devices.front().memory_free_mib = 100; }),
          ""},
         {"no handle for another cause",
          but([](Facts& f) {
              all_cases(f, RunEnd::failed, {"cudnnRNNForward", 8, "CUDNN_STATUS_EXECUTION_FAILED"});
          }),
          ""}}),
    undecided_about_cases(
        {{"a case failed without a reason",
          but([](Facts& f) {
              one_case(f, RunEnd::failed, {});
              for (auto& run : f.rnn_runs)
                  if (run.end == RunEnd::failed)
                      run.result.reset();
          }),
          ""},
         {"no handle, and much is free",
          no_handle(1, "CUDNN_STATUS_NOT_INITIALIZED", 23'000),
          ""}}))

TEST_CASE("memory that ran out is one error, reported by one rule") {
    const std::vector<std::string> one = {"gpu_out_of_memory"};
    CHECK(errors_on(nothing_fits(23'000)) == one);
    CHECK(errors_on(nothing_fits(100)) == one);
    CHECK(errors_on(held(nothing_fits(100))) == one);
    CHECK(errors_on(no_handle(1, "CUDNN_STATUS_NOT_INITIALIZED", 100)) == one);
    CHECK(errors_on(held(no_handle(4, "CUDNN_STATUS_INTERNAL_ERROR", 100))) == one);
    CHECK(errors_on(but([](Facts& f) {
              one_case(f, RunEnd::out_of_memory, {"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"});
          })) == one);
    CHECK(errors_on(but([](Facts& f) {
              all_cases(
                  f, RunEnd::skipped, {"cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"});
              f.kernel_runs = {
                  {0, CallResult{"cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"}, {}}};
          })) == one);
}

TEST_CASE("memory that ran out is reported with what is free and what bounds it") {
    Facts facts = held(nothing_fits(300));
    facts.host.environment = {
        {"CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=1G"}, {"XLA_PYTHON_CLIENT_PREALLOCATE", "true"}};
    const std::string evidence = evidence_on(facts);
    for (const char* text :
         {"for 3 MiB",
          "free memory according to NVML: 300 of 24576 MiB",
          "free memory according to CUDA: 20 MiB",
          "processes on the GPU: process 4711 (20000 MiB) and process 4712",
          "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT: 0=1G",
          "XLA_PYTHON_CLIENT_PREALLOCATE: true"})
        CHECK(contains(evidence, text));
    CHECK(contains(finding_on(facts).remedies.front().text, "TensorFlow and JAX"));
}

TEST_CASE("memory that was there a moment later is a warning") {
    const Facts facts = but([](Facts& f) {
        f.kernel_runs = {{0, CallResult{"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"}, {}}};
    });
    CHECK(finding_on(facts).severity == Severity::warning);
    CHECK(finding_on(nothing_fits(100)).severity == Severity::error);
}

TEST_CASE("that small networks fit here does not refute a log whose network did not") {
    const auto* rule = find_named(all_rules(), "gpu_out_of_memory");
    CHECK((*rule)->check(a_healthy_machine(), Matrix::bundled()).outcome == Outcome::pass);
    CHECK(
        (*rule)->check(but([](Facts& f) { f.log.emplace(); }), Matrix::bundled()).outcome ==
        Outcome::not_applicable);
}
