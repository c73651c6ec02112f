#include "base/text.hpp"
#include "judge.hpp"
#include "support/dll_machines.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(
    cudnn_built_for_other_cuda,
    Fires{
        {{"a DLL for another CUDA",
          with_cudnn_8("8.9.7.29", "12.2"),
          "was built for CUDA 11.2, but the cuDNN at C:\\cuda\\bin\\cudnn64_8.dll, which it "
          "loads, was built for CUDA 12.2"},
         {"a framework gets one for another CUDA",
          but([](Facts& f) {
              add_torch(f);
              f.cudnns.back().built_for_cuda = v("13.0");
          }),
          "PyTorch 2.4.1 (cu121) was built for CUDA 12.1, but the cuDNN that it loads"},
         {"only cuBLAS of another major",
          but([](Facts& f) {
              no_cases(f);
              f.cudnns.front().built_for_cuda = v("11.8");
          }),
          "was built for CUDA 11.8, but only cuBLAS of CUDA 12 is installed"},
         {"newer than the driver",
          but([](Facts& f) {
              no_cases(f);
              f.cudnns.front().built_for_cuda = v("13.0");
              add_library(
                  f, LibraryKind::cublaslt, "/opt/libcublasLt.so.13", "/opt/libcublasLt.so.13");
          }),
          "was built for CUDA 13.0, but the driver supports CUDA up to 12.4"},
         {"with a driver that does not start",
          after(
              library_without_module(),
              [](Facts& f) {
                  f.cudnns.front().built_for_cuda = v("13.0");
                  add_library(
                      f, LibraryKind::cublaslt, "/opt/libcublasLt.so.13", "/opt/libcublasLt.so.13");
              }),
          "but the driver supports CUDA up to 12.4"}}},
    Silent{
        {{"a DLL for the same CUDA", with_cudnn_8("8.9.7.29", "11.8"), ""},
         {"healthy", a_healthy_machine(), ""},
         {"a case ran with it",
          but([](Facts& f) { f.cudnns.front().built_for_cuda = v("11.8"); }),
          ""},
         {"a newer minor of the driver's major",
          but([](Facts& f) {
              no_cases(f);
              f.cudnns.front().built_for_cuda = v("12.9");
          }),
          ""},
         {"its cuBLAS is a Python package",
          but([](Facts& f) {
              no_cases(f);
              f.cudnns.front().built_for_cuda = v("11.8");
              add_library(
                  f, LibraryKind::cublaslt, "/opt/libcublasLt.so.11", "/opt/libcublasLt.so.11");
          }),
          ""},
         {"cuDNN 7 needs no cuBLAS",
          but([](Facts& f) {
              no_cases(f);
              cudnn_version(f, "7.6.5");
              f.cudnns.front().built_for_cuda = v("10.2");
          }),
          ""},
         {"the runtime is too new for the driver as well",
          but([](Facts& f) {
              no_cases(f);
              f.cudnns.front().built_for_cuda = v("13.0");
              f.runtimes.front().version = v("13.0");
              add_library(
                  f, LibraryKind::cublaslt, "/opt/libcublasLt.so.13", "/opt/libcublasLt.so.13");
          }),
          ""},
         {"it borrows the parts of another copy",
          but([](Facts& f) {
              no_cases(f);
              f.cudnns.front().built_for_cuda = v("11.8");
              f.cudnns.front().parts_mapped = {
                  "/usr/lib/libcudnn.so.9", "/opt/other/libcudnn_ops.so.9"};
          }),
          ""},
         {"no driver", without_driver(), ""},
         {"none installed", but(no_cudnn), ""}}},
    WhenUndecided{
        {{"a DLL that was not queried",
          after(with_cudnn_8("8.9.7.29", "11.8"), [](Facts& f) { f.cudnns.clear(); }),
          ""},
         {"nothing collected", nothing_collected(), ""},
         {"it was silent",
          but([](Facts& f) {
              no_cases(f);
              f.cudnns.front().built_for_cuda.reset();
          }),
          ""},
         {"the driver was silent",
          but([](Facts& f) {
              no_cases(f);
              f.driver.cuda_version.reset();
          }),
          ""}}})

TEST_CASE("the package named is that of the CUDA that is here") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto commands = [](const Facts& facts) {
        for (const auto& rule : all_rules())
            if (rule.name == "cudnn_built_for_other_cuda")
                return rule->check(facts, Matrix::bundled()).findings.at(0).remedies.at(0).commands;
        return std::vector<std::string>();
    };
    auto facts = but([](Facts& f) {
        no_cases(f);
        f.cudnns.front().built_for_cuda = v("11.8");
    });
    CHECK(commands(facts).empty());  // it lies beside CUDA, unpacked from an archive
    const std::string wheel =
        "/srv/venv/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.8";
    for (auto& library : facts.libraries)
        if (library.path == facts.cudnns.front().library)
            library.path = wheel, library.real_path = wheel;
    facts.cudnns.front().library = wheel;
    CHECK(commands(facts).at(0) == "python -m pip install \"nvidia-cudnn-cu12==8.*\"");
    for (auto& library : facts.libraries)
        if (library.kind == LibraryKind::cublas || library.kind == LibraryKind::cublaslt)
            if (const auto at = library.path.find(".so.12"); at != std::string::npos)
                library.path.replace(at, 6, ".so.13");
    CHECK(commands(facts).at(0) == "python -m pip install \"nvidia-cudnn-cu13==8.*\"");
}

namespace {

/// PyTorch for CUDA 12 with its pinned cuDNN, on a machine with the CUDA 13 toolkit alone.
rnncheck::Facts torch_beside_cuda_13() {
    using namespace rnncheck::test;
    return but([](rnncheck::Facts& f) {
        no_cases(f);
        no_cudnn(f);
        loses(add_torch(f), "libcublas");
        f.cudnns.back().built_for_cuda = v("12.4");
        f.driver.cuda_version = v("13.0");
        without(f, rnncheck::LibraryKind::cublas);
        without(f, rnncheck::LibraryKind::cublaslt);
        const std::string cublas = "/usr/local/cuda-13.0/lib64/libcublas.so.13";
        add_library(f, rnncheck::LibraryKind::cublas, cublas, cublas, true);
    });
}

rnncheck::Verdict judged(const rnncheck::Facts& facts) {
    return (*rnncheck::find_named(rnncheck::all_rules(), "cudnn_built_for_other_cuda"))
        ->check(facts, rnncheck::Matrix::bundled());
}

}  // namespace

TEST_CASE("a cuDNN that suits its framework stays: what lacks is cuBLAS") {
    using namespace rnncheck;
    Facts facts = torch_beside_cuda_13();
    const Report report = judge(facts, Matrix::bundled(), {});
    CHECK(
        std::ranges::find(report.findings, "cuda_version_mismatch", &Finding::rule) !=
        report.findings.end());
    CHECK(
        std::ranges::find(report.findings, "cudnn_built_for_other_cuda", &Finding::rule) ==
        report.findings.end());
    test::no_machine(facts);
    facts.driver.cuda_version = test::v("13.0");
    const Verdict verdict = judged(facts);
    REQUIRE(verdict.findings.size() == 1);
    const Finding& finding = verdict.findings.front();
    CHECK(finding.severity == Severity::error);
    CHECK(contains(finding.message, "PyTorch 2.4.1 (cu121) loads this cuDNN"));
    REQUIRE(!finding.remedies.front().commands.empty());
    CHECK(
        finding.remedies.front().commands.front() ==
        "/srv/environment/bin/python -m pip install nvidia-cublas-cu12 nvidia-cuda-runtime-cu12");
    for (const Remedy& remedy : finding.remedies)
        for (const std::string& command : remedy.commands)
            CHECK(!contains(command, "nvidia-cudnn"));
}

TEST_CASE("a driver too old for a framework's cuDNN is no reason to replace that cuDNN") {
    using namespace rnncheck;
    Facts facts = torch_beside_cuda_13();
    facts.runtimes.clear();
    facts.driver.cuda_version = test::v("11.8");
    const Verdict verdict = judged(facts);
    REQUIRE(verdict.findings.size() == 1);
    CHECK(contains(verdict.findings.front().message, "the driver supports CUDA up to 11.8"));
    for (const Remedy& remedy : verdict.findings.front().remedies)
        for (const std::string& command : remedy.commands)
            CHECK(!contains(command, "pip install"));
}

TEST_CASE(
    "a framework's cuDNN for another CUDA is an error of its own, whatever cuBLAS is installed") {
    using namespace rnncheck;
    Facts facts = torch_beside_cuda_13();
    facts.cudnns.back().built_for_cuda = test::v("11.8");
    const Report report = judge(facts, Matrix::bundled(), {});
    CHECK(
        std::ranges::find(report.findings, "cuda_version_mismatch", &Finding::rule) !=
        report.findings.end());
    CHECK(std::ranges::any_of(report.findings, [](const Finding& finding) {
        return contains(finding.message, "was built for CUDA 12.1, but the cuDNN that it loads");
    }));
}
