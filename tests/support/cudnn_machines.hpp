// Machines with one thing changed about CUDA, cuDNN or the cases that ran: the starting points of
// many rule tests.
#pragma once

#include <algorithm>
#include <iterator>

#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace rnncheck::test {

inline const std::string toolkit = "/usr/local/cuda-12.4/lib64/";
inline const std::string cudnn8 = toolkit + "libcudnn.so.8";
inline const std::string cudart12 = toolkit + "libcudart.so.12";
inline const std::string nvrtc12 = toolkit + "libnvrtc.so.12";
inline const std::string wheel = "/usr/lib/python3/site-packages/nvidia/cudnn/lib/";

/// The GPU is there, no case was run on it.
inline void no_cases(Facts& f) {
    f.rnn_runs.clear();
    std::erase_if(f.probe_runs, [](const ProbeRun& run) { return run.probe == "rnn_forward"; });
}

inline void without(Facts& f, LibraryKind kind) {
    std::erase_if(f.libraries, [kind](const Library& library) { return library.kind == kind; });
}

inline void no_cudnn(Facts& f) {
    without(f, LibraryKind::cudnn);
    without(f, LibraryKind::cudnn_part);
    f.cudnns.clear();
    no_cases(f);
}

inline Library& library_named(Facts& f, const std::string& name) {
    for (auto& library : f.libraries)
        if (library.path.ends_with('/' + name))
            return library;
    throw std::out_of_range(name);
}

inline void remove_library(Facts& f, const std::string& name) {
    std::erase_if(
        f.libraries, [&](const Library& library) { return library.path.ends_with('/' + name); });
}

/// Another file of a kind; `real_path` names its release as packages do.
inline Library& add_library(
    Facts& f,
    LibraryKind kind,
    const std::string& path,
    const std::string& real_path,
    bool picked = false) {
    Library library;
    library.kind = kind;
    library.path = path;
    library.real_path = real_path;
    library.soname = path.substr(path.rfind('/') + 1);
    library.machine = "64-bit x86-64";
    library.found_via = picked ? FoundVia::loader_cache : FoundVia::wheel;
    library.picked_by_loader = picked;
    if (const auto at = real_path.find(".so."); at != std::string::npos)
        library.version_in_name = parse_version(real_path.substr(at + 4));
    return f.libraries.emplace_back(library);
}

/// The run of a probe on a library went well.
inline void add_probe_run(Facts& f, const std::string& probe, const std::string& target) {
    ProbeRun run;
    run.probe = probe;
    run.target = target;
    f.probe_runs.push_back(run);
}

/// A whole cuDNN 9 as a Python package beside the healthy machine's 8.9.7; it answers, no case was
/// run with it.
inline Cudnn& add_wheel_cudnn9(Facts& f) {
    for (const char* name :
         {"libcudnn",
          "libcudnn_graph",
          "libcudnn_ops",
          "libcudnn_cnn",
          "libcudnn_adv",
          "libcudnn_engines_precompiled",
          "libcudnn_engines_runtime_compiled",
          "libcudnn_heuristic"}) {
        const std::string path = wheel + name + ".so.9";
        add_library(
            f,
            path.ends_with("libcudnn.so.9") ? LibraryKind::cudnn : LibraryKind::cudnn_part,
            path,
            path);
    }
    add_probe_run(f, "cudnn_library", wheel + "libcudnn.so.9");
    Cudnn cudnn;
    cudnn.library = wheel + "libcudnn.so.9";
    cudnn.version = v("9.19.0");
    cudnn.built_for_cuda = v("12.9");
    cudnn.newest_capability = v("12.1");
    cudnn.rnn_apis = {"v8"};
    cudnn.rnn_usable = true;
    return f.cudnns.emplace_back(cudnn);
}

/// The machine's cuDNN has this version, by name and by answer.
inline void cudnn_version(Facts& f, const std::string& version) {
    const std::string path = toolkit + "libcudnn.so." + std::to_string(v(version).major());
    f.cudnns.front().version = v(version);
    f.cudnns.front().library = path;
    for (auto& run : f.rnn_runs)
        run.library = path;
    for (auto& library : f.libraries) {
        if (library.kind != LibraryKind::cudnn && library.kind != LibraryKind::cudnn_part)
            continue;
        library.version_in_name = v(version);
        if (library.kind == LibraryKind::cudnn)
            library.path = path;
    }
}

/// The RNN API of the machine's cuDNN does not work.
inline void rnn_api_fails(
    Facts& f, const std::string& call, std::int64_t code, const std::string& text) {
    f.cudnns.front().rnn_usable = false;
    f.cudnns.front().failure = CallResult{call, code, text};
    no_cases(f);
}

/// Every case ends so, with this answer.
inline void all_cases(Facts& f, RunEnd end, const CallResult& result) {
    for (auto& run : f.rnn_runs) {
        run.end = end;
        run.result = result;
        run.largest_error.reset();
        run.bitwise_repeatable.reset();
        run.precision.reset();
    }
}

/// The first case that went well.
inline RnnRun& good_case(Facts& f) {
    return *std::find_if(f.rnn_runs.begin(), f.rnn_runs.end(), [](const RnnRun& run) {
        return run.end == RunEnd::ok;
    });
}

/// One good case ends otherwise, with this answer.
inline void one_case(Facts& f, RunEnd end, const CallResult& result) {
    RnnRun& run = good_case(f);
    run.end = end;
    run.result = result;
    run.bitwise_repeatable.reset();
    run.precision.reset();
}

/// A second GPU like the first, on which everything went as well.
inline void add_second_gpu(Facts& f) {
    Gpu gpu = f.cuda_devices.front();
    gpu.index = 1;
    gpu.uuid = "GPU-22222222-2222-3333-4444-555555555555";
    gpu.pci = "0000:02:00.0";
    f.cuda_devices.push_back(gpu);
    KernelRun kernel = f.kernel_runs.front();
    kernel.gpu = 1;
    f.kernel_runs.push_back(kernel);
    const auto runs = f.rnn_runs;
    for (RnnRun run : runs) {
        run.gpu = 1;
        f.rnn_runs.push_back(run);
    }
}

/// Where every rule about cases is silent, with `more` of one rule's own.
inline Silent silent_about_cases(std::vector<RuleCase> more) {
    Silent silent{
        {{"healthy", a_healthy_machine(), ""},
         {"no driver", without_driver(), ""},
         {"no cuDNN", but(no_cudnn), ""},
         {"its RNN API does not work",
          but([](Facts& f) { rnn_api_fails(f, "cudnnCreateRNNDescriptor", 4, ""); }),
          ""}}};
    std::move(more.begin(), more.end(), std::back_inserter(silent.cases));
    return silent;
}

/// Where none of them can decide.
inline WhenUndecided undecided_about_cases(std::vector<RuleCase> more) {
    WhenUndecided when_undecided{
        {{"nothing collected", nothing_collected(), ""},
         {"no case was run", but(no_cases), ""},
         {"all cases were skipped",
          but([](Facts& f) {
              all_cases(
                  f, RunEnd::skipped, {"?", -1, "not tried: earlier cases ended the process"});
          }),
          ""}}};
    std::move(more.begin(), more.end(), std::back_inserter(when_undecided.cases));
    return when_undecided;
}

}  // namespace rnncheck::test
