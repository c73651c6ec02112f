// Disks of Windows as directories of small files: each frequent fault is found and named, and none
// on a healthy disk.
#include "commands/which_disk.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command.hpp"
#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/pe_builder.hpp"

using namespace rnncheck;
using namespace rnncheck::test;
using commands::exit_code_of_disk;

namespace {

using Strings = std::vector<std::string>;
using Number = std::array<std::uint16_t, 4>;

const std::string python = "/Python310", site = python + "/Lib/site-packages",
                  system32 = "/Windows/System32";
const std::string toolkit = "/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.2/bin";
const std::string toolkit_path =
    "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.2\\bin";
const Number cudnn_8_1 = {8, 1, 0, 77}, cudnn_9_10 = {9, 10, 2, 21};

/// Windows with the Visual C++ runtime and Python 3.10.
struct WindowsDisk : FakeRoot {
    WindowsDisk() {
        for (const char* name :
             {"msvcp140.dll", "msvcp140_1.dll", "vcruntime140.dll", "vcruntime140_1.dll"})
            dll(system32 + "/" + name);
        file(python + "/python.exe", "MZ");
        dll(python + "/python310.dll").dll(python + "/vcruntime140.dll");
    }

    WindowsDisk& dll(const std::string& path, const Strings& needed = {}) {
        file(path, dll_bytes(file_name(path), needed));
        return *this;
    }

    WindowsDisk& package(const std::string& name, const std::string& version) {
        file(
            site + "/" + name + "-" + version + ".dist-info/METADATA",
            "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n");
        return *this;
    }

    /// Version 8 with the libraries for inference, as large a part of it as an LSTM opens.
    WindowsDisk& cudnn_8(const std::string& directory, const Number& version) {
        const Strings parts = {"cudnn_ops_infer64_8.dll", "cudnn_adv_infer64_8.dll"};
        library(directory, "cudnn64_8.dll", version, {}, parts);
        library(directory, parts[0], version, {}, {});
        library(directory, parts[1], version, {{parts[0]}}, {});
        return *this;
    }

    WindowsDisk& cudnn_9(
        const std::string& directory, const Number& version, bool with_front = true) {
        const Strings parts = {"cudnn_graph64_9.dll", "cudnn_ops64_9.dll", "cudnn_adv64_9.dll"};
        if (with_front)
            library(directory, "cudnn64_9.dll", version, {}, parts);
        library(directory, parts[0], {}, {}, {});
        library(directory, parts[1], version, {{parts[0]}}, {});
        library(directory, parts[2], version, {{parts[1]}, {parts[0]}}, {});
        return *this;
    }

    void library(
        const std::string& directory,
        const std::string& name,
        const std::optional<Number>& version,
        const std::vector<PeImport>& imports,
        const Strings& texts,
        const Strings& exports = {"function"}) {
        PeBuilder builder;
        builder.name = name;
        builder.version = version;
        builder.imports = imports;
        builder.texts = texts;
        builder.exports = exports;
        file(directory + "/" + name, builder.bytes());
    }

    WindowsDisk& tensorflow_2_10() {
        package("tensorflow", "2.10.1");
        file(
            site + "/tensorflow/python/platform/build_info.py",
            "build_info = OrderedDict([('cuda_version', '64_112'), ('cudnn_version', '64_8'), "
            "('is_cuda_build', True)])\n");
        return dll(
            site + "/tensorflow/python/_pywrap_tensorflow_internal.pyd",
            {"python310.dll", "MSVCP140.dll"});
    }

    WindowsDisk& cuda_11() {
        for (const char* name :
             {"cudart64_110.dll",
              "cublas64_11.dll",
              "cublasLt64_11.dll",
              "cufft64_10.dll",
              "curand64_10.dll",
              "cusolver64_11.dll",
              "cusparse64_11.dll"})
            dll(toolkit + "/" + name);
        return *this;
    }

    WindowsDisk& torch() {
        package("torch", "2.4.1+cu124");
        const std::string lib = site + "/torch/lib";
        file(site + "/torch/version.py", "__version__ = '2.4.1+cu124'\ncuda = '12.4'\n");
        dll(lib + "/c10.dll", {"MSVCP140.dll", "VCRUNTIME140.dll"}).dll(lib + "/cublas64_12.dll");
        dll(lib + "/torch_cuda.dll", {"c10.dll", "cudnn64_9.dll", "cublas64_12.dll"});
        return cudnn_9(lib, {9, 1, 0, 70});
    }

    WindowsDisk& ctranslate2() {
        package("ctranslate2", "4.8.5");
        const std::string lib = site + "/ctranslate2";
        library(lib, "ctranslate2.dll", {}, {{"MSVCP140.dll"}}, {"cublas64_12.dll"});
        library(
            lib,
            "cudnn64_9.dll",
            cudnn_9_10,
            {},
            {"cudnn_graph64_9.dll", "cudnn_ops64_9.dll", "cudnn_adv64_9.dll"});
        return dll("/cuda12/cublas64_12.dll");
    }

    WhichDocument which(const std::optional<std::string>& path) const {
        return commands::which_on_disk({.root = outside(""), .target = {}, .path = path});
    }

    /// The rules that report something, each once, in their order.
    Strings rules(const std::optional<std::string>& path) const {
        Strings found;
        for (const Finding& finding : which(path).findings)
            add_once(found, finding.rule);
        return found;
    }
};

/// "/first/a" is "\first\a".
std::string windows_path(std::string path) {
    std::ranges::replace(path, '/', '\\');
    return path;
}

std::string path_of(const WhichDocument& document, std::string_view name) {
    for (const LibraryChoice& choice : document.libraries)
        if (choice.soname == name)
            return choice.path.value_or("none: " + choice.why);
    return "not requested";
}

}  // namespace

TEST_CASE("a PyTorch of Windows gets its own cuDNN, whatever PATH has") {
    WindowsDisk disk;
    disk.torch().cudnn_9("/other", cudnn_9_10);
    for (const std::optional<std::string>& path :
         {std::optional<std::string>(), {""}, {"C:\\other"}}) {
        const WhichDocument document = disk.which(path);
        CHECK(document.findings.empty());
        CHECK(
            path_of(document, "cudnn64_9.dll") ==
            "C:\\Python310\\Lib\\site-packages\\torch\\lib\\cudnn64_9.dll");
        CHECK(exit_code_of_disk(document) == healthy);
    }
}

TEST_CASE("PyTorch loads again with PATH what it does not find without") {
    WindowsDisk disk;
    disk.torch().dll("/extra/cufft64_11.dll");
    disk.dll(site + "/torch/lib/torch_cuda.dll", {"c10.dll", "cudnn64_9.dll", "cufft64_11.dll"});
    const WhichDocument document = disk.which("C:\\extra");
    CHECK(path_of(document, "cufft64_11.dll") == "C:\\extra\\cufft64_11.dll");
    CHECK(document.findings.empty());
    CHECK(contains(path_of(disk.which(""), "cufft64_11.dll"), "is not found"));
}

TEST_CASE("TensorFlow 2.10 gets cuDNN from PATH, and its build information is that of CUDA 11.2") {
    WindowsDisk disk;
    disk.tensorflow_2_10().cuda_11().cudnn_8(toolkit, cudnn_8_1);
    const WhichDocument document = disk.which("C:\\absent;\"" + toolkit_path + "\"");
    CHECK(document.findings.empty());
    CHECK(path_of(document, "cudnn64_8.dll") == toolkit_path + "\\cudnn64_8.dll");
    CHECK(path_of(document, "cudart64_110.dll") == toolkit_path + "\\cudart64_110.dll");
    CHECK(
        path_of(document, "cudnn_adv_infer64_8.dll") == toolkit_path + "\\cudnn_adv_infer64_8.dll");
    CHECK(exit_code_of_disk(document) == healthy);
}

TEST_CASE("TensorFlow needs all of CUDA's DLLs and a part of the Visual C++ runtime by name") {
    WindowsDisk disk;
    disk.tensorflow_2_10().cuda_11().cudnn_8(toolkit, cudnn_8_1);
    std::filesystem::remove(disk.outside(toolkit + "/cufft64_10.dll"));
    const WhichDocument document = disk.which(toolkit_path);
    REQUIRE(document.findings.size() == 1);
    CHECK(document.findings.front().rule == "cuda_version_mismatch");
    CHECK(
        document.findings.front().message ==
        "tensorflow 2.10.1 loads cufft64_10.dll, which is not installed");
    disk.cuda_11();
    std::filesystem::remove(disk.outside(system32 + "/msvcp140_1.dll"));
    CHECK(disk.rules(toolkit_path) == Strings{"vc_runtime_missing"});
}

TEST_CASE("an earlier TensorFlow opens what CUDA 10 has") {
    WindowsDisk disk;
    disk.tensorflow_2_10().package("tensorflow", "2.3.4");
    std::filesystem::remove_all(disk.outside(site + "/tensorflow-2.10.1.dist-info"));
    CHECK(path_of(disk.which(""), "cufft64_10.dll") == "not requested");
}

TEST_CASE("PaddlePaddle searches PATH, then the toolkit that it was built with") {
    WindowsDisk disk;
    disk.package("paddlepaddle_gpu", "2.6.2");
    disk.file(
        site + "/paddle/version/__init__.py", "cuda_version = '11.8'\ncudnn_version = '8.6.0'\n");
    disk.dll(site + "/paddle/base/libpaddle.pyd").dll("/zlib/zlibwapi.dll");
    const std::string own = "/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.8/bin";
    const std::string own_path = "C:" + windows_path(own);
    CHECK(disk.rules("C:\\zlib") == Strings{"cuda_version_mismatch", "cudnn_not_installed"});
    disk.dll(own + "/cublas64_11.dll").cudnn_8(own, {8, 6, 0, 163});
    // cuDNN's own libraries are searched for by PATH alone.
    CHECK(path_of(disk.which("C:\\zlib"), "cudnn64_8.dll") == own_path + "\\cudnn64_8.dll");
    CHECK(disk.rules("C:\\zlib") == Strings{"cudnn_part_missing"});
    CHECK(disk.rules("C:\\zlib;" + own_path).empty());
    disk.cudnn_8("/first", {8, 6, 0, 163});
    CHECK(path_of(disk.which("C:\\zlib;C:\\first"), "cudnn64_8.dll") == "C:\\first\\cudnn64_8.dll");
}

TEST_CASE("PaddlePaddle 3 loads what NVIDIA's wheels have when it is imported") {
    WindowsDisk disk;
    disk.package("paddlepaddle_gpu", "3.0.0");
    disk.file(
        site + "/paddle/version/__init__.py", "cuda_version = '12.6'\ncudnn_version = '9.5.1'\n");
    disk.dll(site + "/paddle/base/libpaddle.pyd")
        .dll(site + "/nvidia/cublas/bin/cublas64_12.dll")
        .cudnn_9(site + "/nvidia/cudnn/bin", cudnn_9_10);
    CHECK(disk.rules("").empty());
}

TEST_CASE("CuPy 13 loads the cuDNN that its own installer puts below the user's directory") {
    WindowsDisk disk;
    disk.package("cupy_cuda12x", "13.6.0");
    disk.file(
        site + "/cupy/.data/_wheel.json",
        R"({"cuda": "12.x", "packaging": "pip",)"
        R"( "cudnn": {"version": "8.8.1"}})");
    disk.dll(site + "/cupy_backends/cuda/libs/cublas.cp310-win_amd64.pyd", {"cublas64_12.dll"});
    disk.dll(site + "/cupy_backends/cuda/libs/cudnn.cp310-win_amd64.pyd", {"cudnn64_8.dll"});
    disk.dll("/cuda/cublas64_12.dll");
    disk.dll("/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.4/bin/cublas64_12.dll");
    CHECK(disk.rules("") == Strings{"cudnn_not_installed"});
    const std::string own = "/Users/ada/.cupy/cuda_lib/12.x/cudnn/8.8.1/bin";
    disk.cudnn_8(own, {8, 8, 1, 3});
    const WhichDocument document = disk.which("");
    CHECK(document.findings.empty());
    for (const char* name : {"cudnn64_8.dll", "cudnn_adv_infer64_8.dll"})
        CHECK(path_of(document, name) == "C:" + windows_path(own) + "\\" + name);
}

TEST_CASE("CuPy 14 gets cuBLAS from NVIDIA's wheel, PATH or CUDA_PATH, and needs no cuDNN") {
    WindowsDisk disk;
    disk.package("cupy_cuda12x", "14.2.0");
    disk.file(site + "/cupy/.data/_wheel.json", R"({"cuda": "12.x", "packaging": "pip"})");
    disk.dll(site + "/cupy_backends/cuda/libs/cublas.cp310-win_amd64.pyd", {"cublas64_12.dll"});
    CHECK(disk.rules("") == Strings{"cuda_version_mismatch"});
    for (const std::string directory :
         {"/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.4/bin",
          "/first",
          "/Python310/Lib/site-packages/nvidia/cublas/bin"}) {
        disk.dll(directory + "/cublas64_12.dll").dll(directory + "/cublasLt64_12.dll");
        const WhichDocument document = disk.which("C:\\first");
        CHECK(document.findings.empty());
        CHECK(
            path_of(document, "cublas64_12.dll") ==
            "C:" + windows_path(directory) + "\\cublas64_12.dll");
    }
}

TEST_CASE("without PATH it is unknown what TensorFlow gets") {
    WindowsDisk disk;
    disk.tensorflow_2_10().cuda_11().cudnn_8(toolkit, cudnn_8_1);
    const WhichDocument document = disk.which({});
    CHECK(document.findings.empty());
    CHECK(contains(path_of(document, "cudnn64_8.dll"), "PATH of this disk is unknown"));
    CHECK(exit_code_of_disk(document) == undetermined);
    CHECK(contains(join(document.notes, "\n"), "PATH of this disk is unknown"));
}

TEST_CASE("cuDNN's other libraries that are not found are named, with where they are") {
    WindowsDisk disk;
    disk.ctranslate2();
    const std::string cuda = "C:\\cuda12";
    CHECK(disk.rules(cuda) == Strings{"cudnn_part_missing"});
    disk.cudnn_9("/Program Files/NVIDIA/CUDNN/v9.10/bin/12.9", cudnn_9_10);
    const WhichDocument document =
        disk.which(cuda + ";C:\\Program Files\\NVIDIA\\CUDNN\\v9.10\\bin");
    REQUIRE_FALSE(document.findings.empty());
    const Finding& finding = document.findings.front();
    CHECK(finding.rule == "cudnn_part_missing");
    CHECK(contains(
        finding.message,
        "C:\\Program Files\\NVIDIA\\CUDNN\\v9.10\\bin\\12.9, which Windows does not search"));
    CHECK(
        finding.remedies.front().commands ==
        Strings{"$env:PATH = \"C:\\Program Files\\NVIDIA\\CUDNN\\v9.10\\bin\\12.9;$env:PATH\""});
    CHECK(contains(finding.remedies.front().verify, "rnncheck which --root "));
    CHECK(exit_code_of_disk(document) == problem);
    CHECK(disk.rules(cuda + ";C:\\Program Files\\NVIDIA\\CUDNN\\v9.10\\bin\\12.9").empty());
}

TEST_CASE("cuDNN 8.3 without zlibwapi.dll") {
    WindowsDisk disk;
    disk.tensorflow_2_10().cuda_11().cudnn_8(toolkit, {8, 3, 2, 44});
    CHECK(disk.rules(toolkit_path) == Strings{"zlib_missing"});
    disk.dll(toolkit + "/zlibwapi.dll");
    CHECK(disk.rules(toolkit_path).empty());
}

TEST_CASE("an old cuDNN in System32 is found before the one on PATH") {
    WindowsDisk disk;
    disk.tensorflow_2_10().cuda_11().cudnn_8(toolkit, cudnn_8_1).cudnn_8(system32, {8, 0, 5, 39});
    const WhichDocument document = disk.which(toolkit_path);
    REQUIRE(document.findings.size() == 1);
    CHECK(document.findings.front().rule == "cudnn_shadowed");
    CHECK(contains(
        document.findings.front().message,
        "loads cuDNN 8.0.5 from C:\\Windows\\System32 instead of " + toolkit_path));
}

TEST_CASE("a cuDNN of the framework's file name that is older or newer than it needs") {
    WindowsDisk disk;
    disk.package("paddlepaddle_gpu", "2.6.2").cuda_11();
    disk.file(
        site + "/paddle/version/__init__.py", "cuda_version = '11.8'\ncudnn_version = '8.6.0'\n");
    disk.dll(site + "/paddle/base/libpaddle.pyd");
    const auto found = [&](const Number& version) {
        disk.cudnn_8(toolkit, version);
        const WhichDocument document = disk.which(toolkit_path);
        return document.findings.empty()
                   ? ""
                   : document.findings.front().rule + ": " + document.findings.front().message;
    };
    CHECK(found({8, 9, 7, 29}).empty());
    CHECK(
        found({8, 1, 0, 77}) ==
        "cudnn_runtime_older_than_built: paddlepaddle 2.6.2 was built with cuDNN 8.6.0, but " +
            toolkit_path + "\\cudnn64_8.dll, which it loads, is cuDNN 8.1.0");
    CHECK(contains(found({9, 1, 0, 70}), "cudnn_newer_than_framework_supports: "));
}

TEST_CASE("what is imported with a delay is found as LoadLibrary finds it") {
    WindowsDisk disk;
    disk.torch();
    PeBuilder builder;
    builder.name = "torch_cuda.dll";
    builder.delayed = {"cublas64_12.dll", "nvrtc64_120_0.dll", "dbghelp.dll"};
    disk.file(site + "/torch/lib/torch_cuda.dll", builder.bytes());
    disk.dll("/extra/nvrtc64_120_0.dll");
    const WhichDocument document = disk.which("C:\\extra");
    CHECK(path_of(document, "nvrtc64_120_0.dll") == "C:\\extra\\nvrtc64_120_0.dll");
    CHECK(path_of(document, "dbghelp.dll") == "not requested");
}

TEST_CASE("the Python of the Microsoft Store has its packages in the user's data, and no PATH") {
    WindowsDisk disk;
    const std::string store =
        "/Program Files/WindowsApps/"
        "PythonSoftwareFoundation.Python.3.10_3.10.3056.0_x64__qbz5n2kfra8p0";
    const std::string packages =
        "/Users/ada/AppData/Local/Packages/PythonSoftwareFoundation.Python.3.10_qbz5n2kfra8p0/"
        "LocalCache/local-packages/Python310/site-packages";
    disk.tensorflow_2_10().cuda_11().cudnn_8(toolkit, cudnn_8_1);
    disk.directory(store).directory(packages);
    std::filesystem::rename(disk.outside(python), disk.outside(store + "/moved"));
    for (const char* name : {"python.exe", "python310.dll", "vcruntime140.dll"})
        std::filesystem::rename(
            disk.outside(store + "/moved/" + name), disk.outside(store + "/" + name));
    std::filesystem::remove(disk.outside(packages));
    std::filesystem::rename(
        disk.outside(store + "/moved/Lib/site-packages"), disk.outside(packages));
    const WhichDocument on_path = disk.which(toolkit_path);
    CHECK(
        contains(join(on_path.notes, "\n"), "tensorflow 2.10.1 in C:\\Program Files\\WindowsApps"));
    CHECK(on_path.findings.empty());
    CHECK(exit_code_of_disk(on_path) == undetermined);
    CHECK(contains(path_of(on_path, "cudnn64_8.dll"), "Python of the Microsoft Store"));
    const WhichDocument not_on_path = disk.which("");
    CHECK(exit_code_of_disk(not_on_path) == problem);
    CHECK(disk.rules("") == Strings{"cuda_lib_not_on_loader_path", "cudnn_not_on_loader_path"});
}

TEST_CASE("cuDNN libraries of two versions") {
    WindowsDisk disk;
    disk.ctranslate2().cudnn_9("/old", {9, 1, 0, 70});
    CHECK(disk.rules("C:\\cuda12;C:\\old") == Strings{"cudnn_mixed_sublibraries"});
    disk.cudnn_9("/new", cudnn_9_10);
    disk.library("/old", "cudnn_graph64_9.dll", {}, {}, {}, {"another"});
    disk.file("/new/cudnn_graph64_9.dll", "");
    std::filesystem::remove(disk.outside("/new/cudnn_graph64_9.dll"));
    const WhichDocument document = disk.which("C:\\cuda12;C:\\new;C:\\old");
    REQUIRE_FALSE(document.findings.empty());
    CHECK(document.findings.front().rule == "cudnn_mixed_sublibraries");
    CHECK(contains(
        document.findings.front().message, "needs function from C:\\old\\cudnn_graph64_9.dll"));
    CHECK(contains(document.findings.front().message, "WinError 127"));
}

TEST_CASE("a cuDNN and a CUDA of another major version") {
    WindowsDisk disk;
    disk.tensorflow_2_10().cudnn_9(toolkit, cudnn_9_10).dll(toolkit + "/cudart64_12.dll");
    disk.dll(toolkit + "/cublas64_11.dll");
    CHECK(
        disk.rules(toolkit_path) ==
        Strings{"cuda_version_mismatch", "cudnn_major_soname_mismatch"});
}

TEST_CASE("a cuDNN that is installed and not on PATH") {
    WindowsDisk disk;
    disk.tensorflow_2_10().cuda_11().cudnn_8(site + "/nvidia/cudnn/bin", cudnn_8_1);
    CHECK(disk.rules(toolkit_path) == Strings{"cudnn_not_on_loader_path"});
    CHECK(disk.rules("") == Strings{"cuda_lib_not_on_loader_path", "cudnn_not_on_loader_path"});
}

TEST_CASE("the Visual C++ runtime is missing") {
    WindowsDisk disk;
    disk.torch();
    std::filesystem::remove(disk.outside(system32 + "/msvcp140.dll"));
    const WhichDocument document = disk.which("");
    REQUIRE_FALSE(document.findings.empty());
    CHECK(document.findings.front().rule == "vc_runtime_missing");
    CHECK(contains(document.findings.front().message, "c10.dll needs MSVCP140.dll"));
    CHECK(disk.rules("") == Strings{"vc_runtime_missing"});
}

TEST_CASE("TensorFlow since 2.11 has no GPU on Windows, and DirectML no cuDNN") {
    WindowsDisk disk;
    disk.package("tensorflow_intel", "2.15.0");
    disk.file(
        site + "/tensorflow/python/platform/build_info.py",
        "build_info = dict([('is_cuda_build', False)])\n");
    CHECK(disk.rules("") == Strings{"tf_no_native_windows_gpu"});
    WindowsDisk other;
    other.package("tensorflow_cpu", "2.10.0")
        .package("tensorflow_directml_plugin", "0.4.0.dev230202");
    other.file(
        site + "/tensorflow/python/platform/build_info.py",
        "build_info = dict([('is_cuda_build', False)])\n");
    REQUIRE(other.rules("") == Strings{"plugin_without_cudnn_rnn"});
    const Finding finding = other.which("").findings.front();
    CHECK(
        finding.message ==
        "TensorFlow 2.10.0 (directml) in C:\\Python310 uses the GPU through DirectML, which has no "
        "recurrent networks of cuDNN at all");
    CHECK(contains(finding.remedies.front().text, "LSTMCell"));
    CHECK(contains(finding.remedies.front().text, "WSL 2"));
    CHECK_FALSE(contains(finding.remedies.front().text, "Keras 3"));
}

TEST_CASE("torch-directml and onnxruntime-directml have no cuDNN") {
    WindowsDisk disk;
    disk.package("torch", "2.4.1").package("torch_directml", "0.2.5.dev240914");
    disk.file(site + "/torch/version.py", "__version__ = '2.4.1+cpu'\ncuda = None\n");
    const WhichDocument torch = disk.which("");
    REQUIRE(torch.findings.size() == 1);
    CHECK(torch.findings.front().rule == "plugin_without_cudnn_rnn");
    CHECK(contains(torch.findings.front().message, "through DirectML"));
    CHECK(contains(torch.findings.front().remedies.front().text, "on the CPU"));
    WindowsDisk other;
    other.package("onnxruntime_directml", "1.24.4").dll(site + "/onnxruntime/capi/DirectML.dll");
    other.file(site + "/onnxruntime/__init__.py", "");
    const WhichDocument onnxruntime = other.which("");
    REQUIRE(onnxruntime.findings.size() == 1);
    CHECK(contains(onnxruntime.findings.front().message, "through DirectML"));
    CHECK(
        onnxruntime.findings.front().remedies.front().commands ==
        Strings{
            "python -m pip uninstall -y onnxruntime-directml",
            "python -m pip install onnxruntime-gpu"});
}

TEST_CASE("a virtual environment runs the python.exe of its base") {
    WindowsDisk disk;
    disk.file("/Users/ada/venv/Scripts/python.exe", "MZ")
        .file("/Users/ada/venv/pyvenv.cfg", "home = C:\\Python310\nversion = 3.10.11\n");
    disk.file(
        "/Users/ada/venv/Lib/site-packages/torch/version.py",
        "__version__ = '2.4.1+cu124'\ncuda = '12.4'\n");
    const WhichDocument document = commands::which_on_disk(
        {.root = disk.outside(""),
         .target = "C:\\Users\\ada\\venv\\Scripts\\python.exe",
         .path = ""});
    CHECK(contains(join(document.notes, "\n"), "Python 3.10.11 in C:\\Users\\ada\\venv"));
}

TEST_CASE("a virtual environment whose Python is gone has no interpreter") {
    WindowsDisk disk;
    const auto missing = [&](const std::string& home) {
        disk.file("/venv/Scripts/python.exe", "MZ")
            .file("/venv/pyvenv.cfg", "home = " + home + "\nversion = 3.10.11\n");
        const auto environment = dll::environment_at(dll::Disk{disk.root()}, "C:\\venv");
        return environment->python.missing_interpreter.value_or("");
    };
    CHECK(missing("C:\\Python310").empty());
    CHECK(missing("C:\\Python39") == "C:\\Python39\\python.exe");
    CHECK(missing("D:\\Python39").empty());
    CHECK(missing("\\\\server\\Python39").empty());
    std::filesystem::remove(disk.outside("/venv/Scripts/python.exe"));
    std::filesystem::create_directories(disk.outside("/venv/Scripts"));
    const auto environment = dll::environment_at(dll::Disk{disk.root()}, "C:\\venv");
    REQUIRE(environment);
    CHECK(environment->python.missing_interpreter == "C:\\venv\\Scripts\\python.exe");
}

TEST_CASE("what is no disk of Windows, and no environment, is named") {
    FakeRoot empty;
    CHECK_THROWS_AS(
        commands::which_on_disk({.root = empty.outside(""), .target = {}, .path = {}}), InputError);
    WindowsDisk disk;
    CHECK_THROWS_AS(
        commands::which_on_disk({.root = disk.outside(""), .target = "C:\\Users", .path = {}}),
        InputError);
}
