// Python environments made of small files.
#pragma once

#include "support/elf_builder.hpp"
#include "support/fake_root.hpp"

namespace rnncheck::test {

inline const std::string venv = "/home/ada/venv";
inline const std::string site = venv + "/lib/python3.11/site-packages";

/// A virtual environment of Python 3.11.7 over /usr, without packages.
inline FakeRoot& add_venv(FakeRoot& root, const std::string& directory = venv) {
    root.file("/usr/bin/python3.11", "").directory("/usr/lib/python3.11");
    root.file(
        directory + "/pyvenv.cfg",
        "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.7\n");
    root.link(directory + "/bin/python3", "/usr/bin/python3.11")
        .link(directory + "/bin/python", "python3");
    return root.directory(directory + "/lib/python3.11/site-packages");
}

inline FakeRoot& add_distribution(
    FakeRoot& root,
    const std::string& name,
    const std::string& version,
    const std::string& more = "",
    const std::string& directory = site) {
    return root.file(
        directory + "/" + name + "-" + version + ".dist-info/METADATA",
        "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n" + more +
            "\ntext\n");
}

inline FakeRoot& add_torch(FakeRoot& root, const std::string& directory = site) {
    add_distribution(
        root,
        "torch",
        "2.4.1",
        "Requires-Dist: nvidia-cudnn-cu12 (==9.1.0.70) ; platform_system == \"Linux\"\n",
        directory);
    root.file(
        directory + "/torch/version.py",
        "from typing import Optional\n__version__ = '2.4.1+cu121'\ncuda: Optional[str] = "
        "'12.1'\nhip: "
        "Optional[str] = None\n");
    ElfBuilder core;
    core.soname = "libtorch_cuda.so";
    core.needed = {"libcublas.so.12", "libcudnn.so.9"};
    core.rpath = "$ORIGIN/../../nvidia/cublas/lib:$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN";
    return root.file(directory + "/torch/lib/libtorch_cuda.so", core.bytes());
}

inline FakeRoot& add_tensorflow(
    FakeRoot& root,
    const std::string& package = "tensorflow",
    bool cuda = true,
    const std::string& directory = site) {
    add_distribution(
        root,
        package,
        "2.18.0",
        "Requires-Dist: nvidia-cudnn-cu12 ==9.3.0.75 ; extra == 'and-cuda'\n",
        directory);
    const std::string only_cuda =
        "('cuda_compute_capabilities', ['sm_60', 'compute_90']), ('cuda_version', '12.5.1'), "
        "('cudnn_version', '9'), ";
    root.file(
        directory + "/tensorflow/python/platform/build_info.py",
        "# made by a program\nimport collections\n\nbuild_info = collections.OrderedDict([" +
            (cuda ? only_cuda : std::string()) + "('is_cuda_build', " + (cuda ? "True" : "False") +
            "), ('is_rocm_build', False)])\n");
    ElfBuilder core;
    core.soname = "libtensorflow_cc.so.2";
    core.runpath = "$ORIGIN/../nvidia/cudnn/lib:$ORIGIN/../nvidia/cublas/lib";
    return root.file(directory + "/tensorflow/libtensorflow_cc.so.2", core.bytes());
}

/// As from 1.28 on: it neither needs nor names the cuDNN that it opens.
inline FakeRoot& add_onnxruntime(
    FakeRoot& root, const std::string& version = "1.31.1", const std::string& directory = site) {
    add_distribution(root, "onnxruntime_gpu", version, "", directory);
    root.file(directory + "/onnxruntime/__init__.py", "");
    ElfBuilder core;
    core.soname = "libonnxruntime_providers_cuda.so";
    core.needed = {"libcublas.so.13"};
    return root.file(
        directory + "/onnxruntime/capi/libonnxruntime_providers_cuda.so", core.bytes());
}

/// nvidia-cudnn-cu12 with the front library alone, and its list of files.
inline FakeRoot& add_cudnn_wheel(
    FakeRoot& root,
    const std::string& version,
    const std::string& cuda = "12",
    const std::string& directory = site) {
    const std::string name = "libcudnn.so." + version.substr(0, 1), bytes = library_bytes(name);
    add_distribution(root, "nvidia_cudnn_cu" + cuda, version, "", directory);
    root.file(directory + "/nvidia/cudnn/lib/" + name, bytes);
    return root.file(
        directory + "/nvidia_cudnn_cu" + cuda + "-" + version + ".dist-info/RECORD",
        "nvidia/cudnn/lib/" + name + ",sha256=x," + std::to_string(bytes.size()) + "\n");
}

inline FakeRoot& add_cublas_wheel(FakeRoot& root, const std::string& directory = site) {
    add_distribution(root, "nvidia_cublas_cu12", "12.1.3.1", "", directory);
    return root.file(
        directory + "/nvidia/cublas/lib/libcublas.so.12", library_bytes("libcublas.so.12"));
}

}  // namespace rnncheck::test
