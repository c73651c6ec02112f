#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"
#include "support/given_machine.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

stack::Given read(const char* text) {
    return stack::read_given({stack::split_given(text).value()}, bundled_matrix());
}

std::string cudnn(const char* text) {
    return given({text}).cudnns.at(0).version->text;
}
std::string capability(const char* text) {
    return given({text}).cuda_devices.at(0).compute_capability->text;
}
std::string driver(const char* text) {
    return given({text}).driver.library_version->text;
}
std::string cuda(const char* text) {
    return given({text}).runtimes.at(0).version->text;
}

std::string framework(const char* text) {
    const Framework found = given({text}).frameworks.at(0);
    return found.name + " " + (found.version ? found.version->text : "?") + " " +
           found.build.value_or("-");
}

}  // namespace

TEST_CASE("versions are read as people write them") {
    CHECK(driver("driver=535.104.05") == "535.104.05");
    CHECK(driver("driver=535") == "535");
    CHECK(driver("Driver = R535") == "535");
    CHECK(cuda("cuda=12.4") == "12.4");
    CHECK(cuda("cuda=cu118") == "11.8");
    CHECK(cuda("cuda=CUDA 9.2") == "9.2");
    CHECK(cuda("cuda=cuda9.2") == "9.2");
    CHECK(cuda("cuda=cu92") == "9.2");
    CHECK(cuda("cuda=cu12") == "12");
    CHECK(cuda("cuda=v8.0") == "8.0");
    CHECK(cuda("cuda=12040") == "12.4");
    CHECK(cudnn("cudnn=8.9.7") == "8.9.7");
    CHECK(cudnn("cudnn=8.9.7.29") == "8.9.7");
    CHECK(cudnn("cudnn=8907") == "8.9.7");
    CHECK(cudnn("cudnn=91002") == "9.10.2");
    CHECK(cudnn("cudnn=9") == "9");
    CHECK(given({"cudnn=9.10.2+cu12"}).cudnns.at(0).built_for_cuda->text == "12");
    CHECK(given({"cudnn=7.6.5+cu92"}).cudnns.at(0).built_for_cuda->text == "9.2");
    CHECK(given({"python=3.11"}).pythons.at(0).version->text == "3.11");
    CHECK(given({"python=cp312"}).pythons.at(0).version->text == "3.12");
}

TEST_CASE("a GPU is a capability or a name") {
    CHECK(capability("gpu=8.6") == "8.6");
    CHECK(capability("gpu=sm_120") == "12.0");
    CHECK(capability("gpu=sm_90a") == "9.0");
    CHECK(capability("gpu=RTX 3090 Ti") == "8.6");
    CHECK(capability("gpu=tesla k80") == "3.7");
    CHECK(given({"gpu=8.6", "gpu=12.0"}).cuda_devices.at(1).index == 1);
    CHECK(read("gpu=RTX 6000").not_understood.size() == 1);  // three generations have that name
}

TEST_CASE("a framework is a key or a value, with its build where it was specified") {
    CHECK(framework("pytorch=2.4.0+cu124") == "pytorch 2.4.0 cu124");
    CHECK(framework("torch=2.4") == "pytorch 2.4 -");
    CHECK(framework("tensorflow=2.15+cpu") == "tensorflow 2.15 cpu");
    CHECK(framework("framework=pytorch 1.4") == "pytorch 1.4 -");
    CHECK(framework("framework=tensorflow-gpu==1.15") == "tensorflow 1.15 gpu");
    CHECK(framework("framework=jax") == "jax ? -");
}

TEST_CASE("a system is specified by its name") {
    const auto platform = [](const char* text) { return given({text}).host.platform.value(); };
    CHECK(platform("os=linux") == "linux");
    CHECK(platform("os=Ubuntu 22.04") == "linux");
    CHECK(platform("os=Windows 10") == "windows");
    CHECK(platform("os=macos") == "macos");
    CHECK(given({"os=WSL2"}).host.wsl == true);
    CHECK_FALSE(given({"os=windows"}).host.wsl.has_value());
}

TEST_CASE("what was not specified stays unset") {
    const Facts facts = given({"cuda=12.4"});
    CHECK(stack::described_stack(facts, bundled_matrix()));
    CHECK_FALSE(facts.host.platform.has_value());
    CHECK_FALSE(facts.driver.library_version.has_value());
    CHECK_FALSE(facts.driver.cuda_version.has_value());
    CHECK_FALSE(facts.network.has_value());
    CHECK(
        (facts.cuda_devices.empty() && facts.cudnns.empty() && facts.frameworks.empty() &&
         facts.libraries.empty()));
}

TEST_CASE("what is not understood is listed with what would be, and left out") {
    for (const char* text :
         {"driver=12.4",
          "driver=new",
          "cuda=twelve",
          "cudnn=x",
          "cudnn=8.9.7+rocm",
          "gpu=8",
          "gpu=Radeon VII",
          "os=BeOS",
          "python=3",
          "pytorch=latest",
          "pytorch=2.4.0rc1",
          "dtype=int8",
          "masked=perhaps",
          "framework=caffe9",
          "colour=blue",
          "cuda="}) {
        const stack::Given given = read(text);
        INFO(text);
        REQUIRE(given.not_understood.size() == 1);
        CHECK_FALSE(given.not_understood.front().expected.empty());
        CHECK(given.keys.empty());
        CHECK(given.stack.frameworks.empty());
    }
}

TEST_CASE("what is written almost right gets the right form") {
    const std::pair<const char*, const char*> forms[] = {
        {"cuda=12,4", "cuda=12.4"},
        {"torch=2.4.0cu124", "torch=2.4.0+cu124"},
        {"gpu=4090ti", "gpu=4090"},
        {"gpu=RTX 4080 Ti", "gpu=rtx 4080"}};
    for (const auto& [text, right] : forms) {
        const stack::Given given = read(text);
        INFO(text);
        REQUIRE(given.not_understood.size() == 1);
        CHECK(given.not_understood.front().expected == right);
    }
    CHECK(read("torch==2.4.0").stack.frameworks.front().version == parse_version("2.4.0"));
    CHECK(read("gpu=3080ti").not_understood.empty());
}

TEST_CASE("a second value for the same thing is not guessed away") {
    const stack::Given given = stack::read_given(
        {{"cuda", "12.4"}, {"cuda", "11.8"}, {"torch", "2.4"}, {"pytorch", "2.5"}},
        bundled_matrix());
    CHECK(given.not_understood.size() == 2);
    for (const stack::NotUnderstood& second : given.not_understood)
        CHECK(second.expected.starts_with("a single value"));
    CHECK(given.stack.cuda == parse_version("12.4"));
    CHECK(given.stack.frameworks.size() == 1);
}

TEST_CASE("hostile values cost nothing and are not understood") {
    const std::string long_text(1'000'000, '9');
    for (const std::string& key : stack::given_keys())
        CHECK(stack::read_given({{key, long_text}}, bundled_matrix()).not_understood.size() == 1);
    CHECK_FALSE(stack::split_given("no equals sign").has_value());
}

TEST_CASE("a conda build string names its flavour") {
    CHECK(stack::framework_version_from("2.0.1=py3.9_cuda11.8_cudnn8.7.0_0")->build == "cu118");
    CHECK(stack::framework_version_from("1.7.1=py3.8_cuda9.2.148_cudnn7.6.3_0")->build == "cu92");
    CHECK(
        stack::framework_version_from("2.6.0-cuda126_generic_py312_h460ed29_200")->build ==
        "cu126");
    CHECK(stack::framework_version_from("2.1.0=cuda118py310h5e7c1c9_0")->build == "cu118");
    CHECK(stack::framework_version_from("2.1.0=py3.10_cpu_0")->build == "cpu");
    CHECK_FALSE(stack::framework_version_from("2.1.0=h5e7c1c9_0"));
}

TEST_CASE("a package's name and its extra name the build") {
    const auto build_of = [](const char* text) {
        const auto framework = stack::framework_from(text);
        return framework ? framework->name + " " + framework->build.value_or("any") : "none";
    };
    CHECK(build_of("tensorflow-gpu==2.10") == "tensorflow gpu");
    CHECK(build_of("tensorflow[and-cuda]==2.16.1") == "tensorflow and-cuda");
    CHECK(build_of("jax[cuda12_pip]==0.4.30") == "jax cuda12");
    CHECK(build_of("cupy-cuda12x==13.3.0") == "cupy cuda12x");
    CHECK(build_of("mxnet-cu112==1.9.1") == "mxnet cu112");
    CHECK(build_of("jaxlib==0.4.30") == "jax any");
    CHECK(build_of("tf-keras==2.16") == "none");
    CHECK(build_of("torchvision==0.15.1") == "none");
    CHECK(stack::split_given("onnxruntime-gpu=1.18")->key == "framework");
    CHECK(stack::split_given("torch=2.4")->key == "torch");
}

TEST_CASE("figures in brackets are a compute capability only where they are alone") {
    const auto text = [](const char* gpu) {
        Facts facts;
        facts.log.emplace().user_hints.push_back({"gpu", gpu, {}});
        const auto hints = stack::given_with_log(facts, bundled_matrix());
        return hints.stack.gpus.empty() ? "unknown" : hints.stack.gpus.front().capability->text;
    };
    CHECK(text("GeForce GT 620 (2.1)") == "2.1");
    CHECK(text("a card of the RTX 50 series (compute capability 12.0)") == "12.0");
    CHECK(text("GTX 1650 (3.8 GB)") == "7.5");
    CHECK(text("Tesla K80 (11.2 GiB)") == "3.7");
}
