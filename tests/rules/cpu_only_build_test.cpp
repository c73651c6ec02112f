#include "base/text.hpp"
#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(
    cpu_only_build,
    Fires{
        {{"the flavour reports it",
          given({"pytorch=2.4+cpu", "os=linux"}),
          "PyTorch 2.4 (cpu) is a CPU-only build"},
         {"no release has CUDA on this system",
          given({"jax=0.4.30", "os=windows"}),
          "JAX 0.4.30 is a CPU-only build"},
         {"specified on a machine without a GPU",
          but([](Facts& f) {
              no_machine(f);
              request(f, "pytorch", "2.4").build = "cpu";
          }),
          "PyTorch 2.4 (cpu) is a CPU-only build"},
         {"installed",
          but([](Facts& f) { add_tensorflow_cpu(f); }),
          "TensorFlow 2.15.1 (cpu) in /srv/environment is a CPU-only build"}}},
    Silent{
        {{"with CUDA", given({"pytorch=2.4+cu124", "os=linux"}), ""},
         {"the Windows rule shows it", given({"tensorflow=2.15", "os=windows"}), ""},
         {"a plugin", given({"tensorflow=2.10+directml", "os=windows"}), ""},
         {"no GPU that it could use",
          but([](Facts& f) {
              add_tensorflow_cpu(f);
              no_machine(f);
          }),
          ""},
         {"in an environment that is not active",
          but([](Facts& f) {
              add_tensorflow_cpu(f);
              f.pythons.front().active = false;
          }),
          ""},
         {"with CUDA, installed", but([](Facts& f) { add_torch(f); }), ""},
         {"specified, of no specified build",
          but([](Facts& f) { request(f, "pytorch", "2.4"); }),
          ""},
         {"a machine", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"its files cannot be read",
          but([](Facts& f) { add_tensorflow_cpu(f).uses_cuda.reset(); }),
          ""},
         {"no release", given({"framework=pytorch"}), ""},
         {"a version newer than the data", given({"pytorch=99.0"}), ""}}})

namespace {

rnncheck::Finding finding_of(const rnncheck::Facts& facts) {
    const auto rule = rnncheck::find_named(rnncheck::all_rules(), "cpu_only_build");
    return (*rule)->check(facts, rnncheck::Matrix::bundled()).findings.at(0);
}

rnncheck::Remedy remedy_for(const rnncheck::Facts& facts) {
    return finding_of(facts).remedies.at(0);
}

/// ONNX Runtime 1.30.0 without CUDA, which does not train.
rnncheck::Framework& add_onnxruntime_cpu(rnncheck::Facts& f) {
    rnncheck::Framework& runtime = rnncheck::test::add_tensorflow_cpu(f);
    runtime.name = "onnxruntime";
    runtime.version = rnncheck::test::v("1.30.0");
    runtime.package = "onnxruntime 1.30.0";
    return runtime;
}

/// PyTorch 2.4.1 without CUDA, on a GPU and a driver.
rnncheck::Facts torch_for_cpu(const std::string& capability, const std::string& driver) {
    using namespace rnncheck::test;
    return but([&](rnncheck::Facts& f) {
        rnncheck::Framework& torch = add_tensorflow_cpu(f);
        torch.name = "pytorch";
        torch.version = v("2.4.1");
        torch.package = "torch 2.4.1+cpu";
        f.cuda_devices.resize(1);
        f.cuda_devices.front().name.reset();
        f.cuda_devices.front().compute_capability = v(capability);
        for (auto& library : f.libraries)
            if (library.kind == rnncheck::LibraryKind::cuda)
                library.version_in_name = v(driver);
        f.driver.library.reset();
        f.driver.library_version = v(driver);
    });
}

std::string last_command(const rnncheck::Facts& facts) {
    return remedy_for(facts).commands.back();
}

}  // namespace

TEST_CASE("the suggested build is one that GPU and driver run") {
    const std::string pip = "/srv/environment/bin/python -m pip install torch==2.4.1";
    CHECK(
        last_command(torch_for_cpu("8.6", "550.54.14")) ==
        pip + " --index-url https://download.pytorch.org/whl/cu124");
    CHECK(last_command(torch_for_cpu("8.6", "535.104.05")) == pip);
    CHECK(
        last_command(torch_for_cpu("8.6", "470.82.01")) ==
        pip + " --index-url https://download.pytorch.org/whl/cu118");
    CHECK(
        remedy_for(torch_for_cpu("8.6", "550.54.14")).commands.front() ==
        "/srv/environment/bin/python -m pip uninstall -y torch");
}

TEST_CASE("where no build with CUDA is known to run, none is suggested to install") {
    using namespace rnncheck;
    Facts unknown_gpu = torch_for_cpu("8.6", "550.54.14");
    unknown_gpu.cuda_devices.clear();
    for (const Facts& facts :
         {torch_for_cpu("12.0", "580.65.06"), torch_for_cpu("8.6", "390.48"), unknown_gpu})
        CHECK(
            remedy_for(facts).commands ==
            std::vector<std::string>{"rnncheck matrix plan --for pytorch==2.4.1"});
}

TEST_CASE(
    "a build that bundles its libraries is suggested before one that wants the system's, with its "
    "own "
    "source") {
    using namespace rnncheck;
    const Facts facts =
        test::but([](Facts& f) { test::add_tensorflow_cpu(f).version = test::v("2.18.0"); });
    const Remedy remedy = remedy_for(facts);
    CHECK(
        remedy.commands.back() ==
        "/srv/environment/bin/python -m pip install \"tensorflow[and-cuda]==2.18.0\"");
    CHECK(contains(remedy.link, "pypi.org/project/tensorflow"));
}

TEST_CASE("a CPU-only build is a note where it does not train and another framework has CUDA") {
    using namespace rnncheck;
    using test::but;
    CHECK(finding_of(but([](Facts& f) { add_onnxruntime_cpu(f); })).severity == Severity::warning);
    CHECK(
        finding_of(but([](Facts& f) { test::add_tensorflow_cpu(f); })).severity == Severity::error);
    CHECK(finding_of(but([](Facts& f) {
              test::add_torch(f);
              test::add_tensorflow_cpu(f);
          })).severity == Severity::warning);
    CHECK(finding_of(but([](Facts& f) {
              test::add_torch(f);
              add_onnxruntime_cpu(f);
          })).severity == Severity::note);
}

TEST_CASE("what has to be done after the installation is a sentence of its own") {
    using namespace rnncheck;
    const Remedy remedy = remedy_for(test::but([](Facts& f) {
        add_onnxruntime_cpu(f);
        f.driver.library_version = test::v("580.65.06");
        for (Library& library : f.libraries)
            if (library.kind == LibraryKind::cuda)
                library.version_in_name = test::v("580.65.06");
    }));
    INFO(remedy.text);
    CHECK(
        contains(remedy.text, "build. Call onnxruntime.preload_dlls() before the first session."));
}
