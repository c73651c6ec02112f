// Which cuDNN frameworks get that share a process. The real frameworks: import_orders_test.py.
#include "base/lists.hpp"
#include "files/known_openers.hpp"
#include "files/python/environments.hpp"
#include "files/python/used_libraries.hpp"
#include "support/catch.hpp"
#include "support/python_root.hpp"

using namespace rnncheck;
using namespace rnncheck::python;
using namespace rnncheck::test;

namespace {

const std::string wheel = site + "/nvidia/cudnn/lib/libcudnn.so.9";
const std::string systems = "/usr/lib/x86_64-linux-gnu/libcudnn.so.9";

/// "first, second: /a, /b" for every order.
std::vector<std::string> orders_in(const FakeRoot& root) {
    PythonEnvironment environment = active_environment(root.root(), {}, venv).value();
    std::vector<Framework> frameworks = frameworks_of(root.root(), environment);
    const loader::Loader loader = loader::loader_of(root.root(), {});
    for (Framework& framework : frameworks)
        find_used_libraries(loader, environment.packages, framework);
    std::vector<std::string> found;
    for (const ImportOrder& order : import_orders_of(loader, environment, frameworks))
        found.push_back(
            order.first + ", " + order.second + ": " + order.first_cudnn.value_or("none") + ", " +
            order.second_cudnn.value_or("none"));
    return found;
}

/// A real library: the loader's hash table of its functions is read.
void add_stubs(FakeRoot& root) {
    const std::string path = site + "/tensorflow/libtensorflow_framework.so.2";
    root.file(path, "");
    std::filesystem::copy_file(
        CUDNN_STUBS, root.outside(path), std::filesystem::copy_options::overwrite_existing);
}

}  // namespace

TEST_CASE("a library defines the functions that it exports, not those that it calls") {
    CHECK(elf::defines_symbol(Root(), CUDNN_STUBS, "cudnnCreate"));
    CHECK(elf::defines_symbol(Root(), CUDNN_STUBS, "cudnnGetLastErrorString"));
    CHECK_FALSE(elf::defines_symbol(Root(), CUDNN_STUBS, "cudnnRNNForward"));
    CHECK_FALSE(elf::defines_symbol(Root(), CUDNN_STUBS, "dlopen"));
    CHECK_FALSE(elf::defines_symbol(Root(), "/nonexistent", "cudnnCreate"));
    CHECK_FALSE(elf::defines_symbol(Root(), "/etc/passwd", "cudnnCreate"));
    CHECK_FALSE(elf::defines_symbol(Root(), "/dev/null", "cudnnCreate"));
    const auto undefined = elf::undefined_symbols(Root(), CUDNN_STUBS);
    CHECK(includes(undefined, "dlopen"));
    CHECK_FALSE(includes(undefined, "cudnnCreate"));
    CHECK(elf::undefined_symbols(Root(), "/etc/passwd").empty());
}

TEST_CASE("TensorFlow's cuDNN is that of the library that defines cuDNN's functions") {
    FakeRoot root;
    add_cudnn_wheel(add_tensorflow(add_venv(root)), "9.28.0.42");
    ElfBuilder without_run_path;
    without_run_path.soname = "libtensorflow_cc.so.2";
    root.file(site + "/tensorflow/libtensorflow_cc.so.2", without_run_path.bytes());
    root.file(systems, library_bytes("libcudnn.so.9"));
    PythonEnvironment environment = active_environment(root.root(), {}, venv).value();
    const auto cudnn_of = [&] {
        Framework tensorflow = frameworks_of(root.root(), environment).front();
        find_used_libraries(loader::loader_of(root.root(), {}), environment.packages, tensorflow);
        return tensorflow.libraries.front().path;
    };
    CHECK(cudnn_of() == systems);
    add_stubs(root);
    CHECK(cudnn_of() == wheel);
}

TEST_CASE("ONNX Runtime opens a cuDNN that its file does not name, CTranslate2 none") {
    FakeRoot root;
    add_onnxruntime(add_venv(root));
    const std::string provider = site + "/onnxruntime/capi/libonnxruntime_providers_cuda.so";
    const auto known =
        loader::known_opener(root.root(), provider, elf::read_elf_file(root.root(), provider));
    REQUIRE(known);
    CHECK(known->opens == std::vector<std::string>{"libcudnn.so.9"});
    root.file("/lib1/libonnxruntime_providers_cuda.so", library_bytes("libx.so", {"libcudnn.so.8"}))
        .file("/lib1/libctranslate2-1.so.4", library_bytes("libctranslate2.so.4"));
    const auto at = [&](const std::string& path) {
        return loader::known_opener(root.root(), path, elf::read_elf_file(root.root(), path));
    };
    CHECK_FALSE(at("/lib1/libonnxruntime_providers_cuda.so"));
    CHECK(at("/lib1/libctranslate2-1.so.4")->opens.empty());
}

TEST_CASE("who opens cuDNN first decides for both") {
    FakeRoot root;
    add_onnxruntime(add_cudnn_wheel(add_torch(add_tensorflow(add_venv(root))), "9.1.0.70"));
    add_stubs(root);
    root.file(systems, library_bytes("libcudnn.so.9"));
    const auto orders = orders_in(root);
    CHECK(orders.size() == 6);
    const auto both = [](const std::string& file) { return file + ", " + file; };
    // PyTorch opens it when it is imported, the others when they use a GPU for the first time.
    CHECK(includes(orders, "pytorch, onnxruntime: " + both(wheel)));
    CHECK(includes(orders, "onnxruntime, pytorch: " + both(wheel)));
    CHECK(includes(orders, "tensorflow, pytorch: " + both(wheel)));
    CHECK(includes(orders, "tensorflow, onnxruntime: " + both(wheel)));
    CHECK(includes(orders, "onnxruntime, tensorflow: " + both(systems)));
}

TEST_CASE("one framework has no order of import") {
    FakeRoot root;
    add_cudnn_wheel(add_torch(add_venv(root)), "9.1.0.70");
    CHECK(orders_in(root).empty());
}
