// Facts about Python environments and the frameworks installed in them.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

struct PythonEnvironment {
    std::string path;
    std::optional<Version> version;

    const std::string& key() const { return path; }

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("path", self.path, "folder of the environment; empty when only its version is known");
        visit("version", self.version, "version of Python");
    }
};

/// One framework as installed, or as given by the person who asks.
struct Framework {
    std::string name;
    std::string environment;
    std::optional<Version> version;
    std::optional<std::string> build;

    std::string key() const { return name + " " + environment; }

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("name", self.name,
              "tensorflow, keras, pytorch, jax, onnxruntime, paddlepaddle, ctranslate2, cupy, mxnet");
        visit("environment", self.environment, "folder of its Python environment; empty when not known");
        visit("version", self.version, "release");
        visit("build", self.build, "flavour: cpu, cuda, cu121, directml, rocm, ...");
    }
};

}  // namespace rnncheck
