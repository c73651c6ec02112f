#include "base/text.hpp"
#include "files/python/environments.hpp"
#include "files/python/used_libraries.hpp"
#include "support/catch.hpp"
#include "support/python_root.hpp"

using namespace rnncheck;
using namespace rnncheck::python;
using namespace rnncheck::test;

namespace {

struct Read {
    PythonEnvironment environment;
    std::vector<Framework> frameworks;

    const Framework& only() const {
        REQUIRE(frameworks.size() == 1);
        return frameworks.front();
    }
};

Read read(const FakeRoot& root, const std::string& library_path = "") {
    Read read;
    read.environment = active_environment(root.root(), {}, venv).value();
    read.frameworks = frameworks_of(root.root(), read.environment);
    const loader::Loader loader = loader::loader_of(root.root(), {library_path});
    for (Framework& framework : read.frameworks)
        find_used_libraries(loader, read.environment.packages, framework);
    return read;
}

const FrameworkLibrary& library(const Framework& framework, const std::string& soname) {
    for (const FrameworkLibrary& candidate : framework.libraries)
        if (candidate.soname == soname)
            return candidate;
    FAIL(soname << " is not listed");
    throw 0;
}

}  // namespace

TEST_CASE("PyTorch with NVIDIA's wheels: flavour, pins and the libraries of its own run path") {
    FakeRoot root;
    add_cublas_wheel(add_cudnn_wheel(add_torch(add_venv(root)), "9.1.0.70"));
    const Read all = read(root);
    const Framework& torch = all.only();
    CHECK(torch.name == "pytorch");
    CHECK(torch.version->text == "2.4.1");
    CHECK(torch.build == "cu121");
    CHECK(torch.package == "torch 2.4.1");
    CHECK(torch.uses_cuda == true);
    CHECK(torch.cuda->text == "12.1");
    CHECK(torch.cudnn->text == "9.1.0");
    CHECK(torch.cudnn_wanted == "nvidia-cudnn-cu12==9.1.0.70");
    const FrameworkLibrary& cudnn = library(torch, "libcudnn.so.9");
    CHECK(cudnn.found_by == "rpath");
    CHECK(cudnn.version->text == "9.1.0.70");
    CHECK(cudnn.cuda_major == 12);
    CHECK(all.environment.distributions == 3);
    CHECK(all.environment.packages.size() == 3);
}

TEST_CASE("what is in LD_LIBRARY_PATH comes before TensorFlow's run path, not before PyTorch's") {
    FakeRoot root;
    add_tensorflow(add_cudnn_wheel(add_torch(add_venv(root)), "9.3.0.75"));
    root.file("/opt/old/libcudnn.so.9.0.0", library_bytes("libcudnn.so.9"))
        .link("/opt/old/libcudnn.so.9", "libcudnn.so.9.0.0");
    for (const Framework& framework : read(root, "/opt/old").frameworks) {
        INFO(framework.name);
        const FrameworkLibrary& cudnn = library(framework, "libcudnn.so.9");
        CHECK(cudnn.found_by == (framework.name == "tensorflow" ? "LD_LIBRARY_PATH" : "rpath"));
        CHECK(cudnn.version->text == (framework.name == "tensorflow" ? "9.0.0" : "9.3.0.75"));
    }
}

TEST_CASE("TensorFlow's build info shows CUDA, GPUs and whether there is CUDA at all") {
    FakeRoot root;
    add_tensorflow(add_venv(root));
    const Framework with = read(root).only();
    CHECK(with.build == "cuda");
    CHECK(with.cuda->text == "12.5.1");
    CHECK(with.cudnn->text == "9.3.0");
    CHECK(with.targets == "sm_60 sm_90 compute_90");
    CHECK_FALSE(library(with, "libcudnn.so.9").path);
    add_cudnn_wheel(root, "9.3.0.75");
    CHECK(read(root).only().build == "and-cuda");
    FakeRoot other;
    add_tensorflow(add_venv(other), "tensorflow_cpu", false);
    const Framework without = read(other).only();
    CHECK(without.build == "cpu");
    CHECK(without.uses_cuda == false);
    CHECK_FALSE(without.cudnn);
    CHECK(without.libraries.empty());
}

TEST_CASE("two packages of one framework are reported as such, and the files show which one won") {
    FakeRoot root;
    add_tensorflow(add_tensorflow(add_venv(root)), "tensorflow_cpu", false);
    const Framework both = read(root).only();
    CHECK(both.uses_cuda == false);
    CHECK(both.package == "tensorflow-cpu 2.18.0");
    CHECK(both.other_packages == std::vector<std::string>{"tensorflow 2.18.0"});
}

TEST_CASE("plugins give the build its name") {
    FakeRoot root;
    add_distribution(
        add_tensorflow(add_venv(root), "tensorflow_cpu", false),
        "tensorflow_directml_plugin",
        "0.4.0");
    const Framework directml = read(root).only();
    CHECK(directml.build == "directml");
    CHECK(directml.plugins == std::vector<std::string>{"tensorflow-directml-plugin 0.4.0"});
    FakeRoot other;
    add_distribution(add_venv(other), "jaxlib", "0.4.35").directory(site + "/jaxlib");
    CHECK(read(other).only().build == "cpu");
    add_distribution(
        other,
        "jax_cuda12_plugin",
        "0.4.35",
        "Requires-Dist: nvidia-cudnn-cu12 <10.0,>=9.1 ; extra == 'with_cuda'\n");
    const Framework jax = read(other).only();
    CHECK(jax.build == "cuda12");
    CHECK(jax.uses_cuda == true);
    CHECK(jax.cudnn->text == "9.1");
}

TEST_CASE("the cuBLAS that CTranslate2 opens by name is looked for") {
    FakeRoot root;
    add_distribution(add_venv(root), "ctranslate2", "4.5.0")
        .file(site + "/ctranslate2/_ext.so", library_bytes("_ext.so"));
    root.file(
        site + "/ctranslate2.libs/libcudnn-74a4c495.so.9.1.0", library_bytes("libcudnn.so.9"));
    const std::string by_name = std::string(1, '\0') + "libcublas.so.12" + '\0';
    root.file(
        site + "/ctranslate2.libs/libctranslate2-bc15bf3f.so.4.5.0",
        library_bytes("libctranslate2.so.4") + by_name);
    const Framework without = read(root).only();
    CHECK(without.cuda->text == "12");
    CHECK(!library(without, "libcublas.so.12").path);
    root.file("/opt/cuda/libcublas.so.12", library_bytes("libcublas.so.12"));
    CHECK(
        library(read(root, "/opt/cuda").only(), "libcublas.so.12").path ==
        "/opt/cuda/libcublas.so.12");
}

TEST_CASE("libraries that the list of files names are looked for on disk") {
    FakeRoot root;
    add_cudnn_wheel(add_cudnn_wheel(add_venv(root), "9.1.0.70"), "9.1.0.71", "11");
    root.file(site + "/nvidia/cudnn/lib/libcudnn.so.9", "shorter");
    const auto changed = read(root).environment.packages.front();
    CHECK(
        changed.changed_files ==
        std::vector<std::string>{site + "/nvidia/cudnn/lib/libcudnn.so.9"});
    std::filesystem::remove(root.outside(site + "/nvidia/cudnn/lib/libcudnn.so.9"));
    const auto gone = read(root).environment.packages.front();
    CHECK(gone.missing_files == std::vector<std::string>{site + "/nvidia/cudnn/lib/libcudnn.so.9"});
    CHECK(gone.changed_files.empty());
}

TEST_CASE("huge and senseless metadata is read to its bound and reported") {
    FakeRoot root;
    add_torch(add_venv(root));
    root.file(site + "/torch-2.4.1.dist-info/METADATA", "Name: torch\nVersion: 2.4.1\n");
    std::filesystem::resize_file(
        root.outside(site + "/torch-2.4.1.dist-info/METADATA"), std::uintmax_t{1} << 30);
    const Read huge = read(root);
    CHECK(huge.only().build == "cu121");
    REQUIRE(huge.environment.skipped.size() == 1);
    CHECK(contains(huge.environment.skipped.front(), "only the first 256 KiB were read"));
    std::string noise;
    for (int i = 0; i < 100'000; ++i)
        noise += static_cast<char>(i * 7919 >> 5);
    root.file(site + "/torch-2.4.1.dist-info/METADATA", noise)
        .file(site + "/torch/version.py", noise);
    const Read random = read(root);
    CHECK(random.only().version->text == "2.4.1");
    CHECK_FALSE(random.only().uses_cuda);
}

TEST_CASE("ten thousand distributions, loops and closed directories are gone through") {
    FakeRoot root;
    add_torch(add_venv(root));
    for (int i = 0; i < 10'000; ++i)
        root.directory(site + "/package_" + std::to_string(i) + "-1.0.dist-info");
    root.link(site + "/loop-1.0.dist-info", "loop-1.0.dist-info")
        .link(site + "/keras-3.0.dist-info", "keras-3.0.dist-info");
    root.directory(site + "/jaxlib-0.4.35.dist-info")
        .directory(site + "/jaxlib")
        .mode(site + "/jaxlib-0.4.35.dist-info", 0);
    const OrdinaryUser user;
    const Read all = read(root);
    CHECK(all.environment.distributions == 10'004);
    CHECK(all.frameworks.size() == 2);
}
