#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

namespace rnncheck::test {

/// The active environment has these packages of cuDNN.
static Facts with_packages(const std::vector<std::pair<std::string, std::string>>& packages) {
    return but([&](Facts& f) {
        PythonEnvironment& python = add_environment(f);
        for (const auto& [name, version] : packages) {
            PythonPackage& package = python.packages.emplace_back();
            package.name = name;
            package.version = version;
            package.directory = python.path + "/lib/python3.11/site-packages";
        }
    });
}

}  // namespace rnncheck::test

RULE_TEST(
    framework_requirements_conflict,
    Fires{
        {{"two that require one version each",
          given({"torch=2.9.1+cu128", "tensorflow=2.19.1+and-cuda", "os=linux"}),
          "pip cannot install PyTorch 2.9.1 (cu128) and TensorFlow 2.19.1 (and-cuda) in one "
          "environment: one "
          "requires cuDNN 9.10.2 for CUDA 12 exactly, the other cuDNN 9.3.0 for CUDA 12 exactly"},
         {"different majors",
          given({"torch=2.4.1", "tensorflow=2.15.1+and-cuda", "os=linux"}),
          "the other cuDNN 8.9.4 for CUDA 12 exactly"},
         {"one older than the other's oldest",
          given({"torch=2.6.0", "jax=0.12.0+cuda12", "os=linux"}),
          "one requires cuDNN 9.10.2 for CUDA 12 or later"},
         {"packages for different CUDA",
          given({"torch=2.9.1+cu128", "jax=0.9.0+cuda13", "os=linux"}),
          "the later one overwrites the other"},
         {"one with its own cuDNN, one with the system's",
          given({"torch=2.5.1", "ctranslate2=4.5.0", "cudnn=9.5.1", "cuda=12.4", "os=linux"}),
          "both get that of the framework imported first, 9.1.0 if it is PyTorch 2.5.1"},
         {"both packages installed",
          with_packages({{"nvidia-cudnn-cu12", "9.10.2.21"}, {"nvidia-cudnn-cu13", "9.12.0.46"}}),
          "are both installed in"}}},
    Silent{
        {{"open bounds",
          given({"torch=2.9.1+cu128", "tensorflow=2.20.0+and-cuda", "os=linux"}),
          ""},
         {"the same CUDA, open bounds",
          given({"torch=2.11.0", "jax=0.11.2+cuda13", "os=linux"}),
          ""},
         {"one takes cuDNN from the system",
          given({"torch=2.4.1", "tensorflow=2.15.1", "os=linux"}),
          ""},
         {"the system has the cuDNN of the other",
          given({"torch=2.5.1", "ctranslate2=4.5.0", "cudnn=9.1.0", "cuda=12.4", "os=linux"}),
          ""},
         {"the system's cuDNN has another file name",
          given({"torch=2.4.1", "tensorflow=2.15.1", "cudnn=8.9.4", "cuda=12.2", "os=linux"}),
          ""},
         {"on Windows libraries have their own directories",
          given({"torch=2.5.1", "ctranslate2=4.5.0", "cudnn=9.5.1", "cuda=12.4", "os=windows"}),
          ""},
         {"one package", with_packages({{"nvidia-cudnn-cu12", "9.10.2.21"}}), ""},
         {"cuDNN 8 and 9 have different file names",
          with_packages({{"nvidia-cudnn-cu11", "8.9.6.50"}, {"nvidia-cudnn-cu12", "9.10.2.21"}}),
          ""}}},
    WhenUndecided{
        {{"one framework", given({"torch=2.9.1"}), ""},
         {"a version that is not in the data", given({"torch=2.9.1", "tensorflow=99.0"}), ""}}})
