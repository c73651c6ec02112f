// Which cuDNN a process calls that uses two frameworks. The first file of a
// name that is mapped answers every later request for that name, whatever run
// paths the others have: so what counts is who opens cuDNN first.
#include "base/lists.hpp"
#include "files/python/environments.hpp"
#include "files/python/used_libraries.hpp"

namespace rnncheck::python {

namespace {

/// When a framework maps its library that opens cuDNN.
enum class Loads { at_import, at_first_use };

/// How one framework comes to cuDNN in a process.
struct Habit {
    std::string_view framework;
    Loads core = Loads::at_import;
    /// Opens cuDNN of the environment's wheel by its path before
    /// anything else opens it by name.
    bool wheel_by_path = false;
};

// Where each is known from:
// PyTorch: torch/__init__.py imports torch._C, which needs libtorch_cuda.so and
// that libcudnn (ELF, 1.13 to 2.15).
// TensorFlow: the library is mapped by the import, cuDNN is opened by the first
// call of it (tsl/cuda/cudnn_stub.cc).
// JAX: the plug-in is initialized with the first device; it opens NVIDIA's wheels
// by path and then itself (jax_plugins/cuda/__init__.py, _load_nvidia_libraries,
// 0.4.30 to 0.12).
// ONNX Runtime: a session with CUDA maps the provider's library
// (provider_bridge_ort.cc), which needs or opens cuDNN.
// CTranslate2 up to 4.6.2: the import maps its own front library, which opens
// cuDNN's other libraries at first use.
// CuPy up to 13: cupy.cudnn is imported by what uses it.
// MXNet: the import maps libmxnet.so, which needs libcudnn.
constexpr Habit habits[] = {
    {"pytorch", Loads::at_import},
    {"tensorflow", Loads::at_import},
    {"jax", Loads::at_first_use, true},
    {"onnxruntime", Loads::at_first_use},
    {"ctranslate2", Loads::at_import},
    {"cupy", Loads::at_first_use},
    {"mxnet", Loads::at_import},
    {"paddlepaddle", Loads::at_import}};

/// A framework that opens cuDNN, and how.
struct User {
    const Framework* framework;
    Habit habit;
    /// the name by which it opens cuDNN: libcudnn.so.9
    std::string cudnn;
};

std::vector<User> users_of_cudnn(const std::vector<Framework>& frameworks) {
    std::vector<User> users;
    for (const Framework& framework : frameworks) {
        const auto opens_cudnn = [](const FrameworkLibrary& library) {
            return library.soname.starts_with("libcudnn");
        };
        const FrameworkLibrary* const cudnn = find_where(framework.libraries, opens_cudnn);
        const Habit* const habit = find_by(habits, &Habit::framework, framework.name);
        if (cudnn && habit && framework.core)
            users.push_back({&framework, *habit, cudnn->soname});
    }
    return users;
}

/// A Python process, as far as cuDNN goes.
class PythonProcess {
  public:
    PythonProcess(const loader::Loader& loader, const PythonEnvironment& environment)
        : process_(loader, "", {}), environment_(environment) {
    }

    void import(const User& user) {
        if (user.habit.core == Loads::at_import)
            load_core(user);
    }

    /// The first call of a GPU function: the file that answers to
    /// the name of cuDNN from then on.
    std::optional<std::string> use(const User& user) {
        if (user.habit.wheel_by_path)
            open_wheel(user.cudnn);
        const std::size_t core = load_core(user);
        const loader::Answer cudnn = process_.open(user.cudnn, core);
        if (!cudnn.object)
            return std::nullopt;
        return process_.objects()[*cudnn.object].path;
    }

  private:
    /// Its place in the process; that of the program when it cannot be opened.
    std::size_t load_core(const User& user) {
        return process_.open(*user.framework->core, 0).object.value_or(0);
    }

    void open_wheel(const std::string& name) {
        for (const std::string& packages : environment_.package_directories) {
            const std::string path = packages + "/nvidia/cudnn/lib/" + name;
            if (!process_.loader().root.exists(path))
                continue;
            process_.open(path, 0);
            return;
        }
    }

    loader::Process process_;
    const PythonEnvironment& environment_;
};

/// Run paths such as $ORIGIN/../../nvidia lead to paths that nobody recognises.
std::optional<std::string> without_dots(std::optional<std::string> path) {
    if (path)
        path = normal_path(*path);
    return path;
}

}  // namespace

std::vector<ImportOrder> import_orders_of(
    const loader::Loader& loader,
    const PythonEnvironment& environment,
    const std::vector<Framework>& frameworks) {
    const std::vector<User> users = users_of_cudnn(frameworks);
    std::vector<ImportOrder> orders;
    for (const User& first : users)
        for (const User& second : users) {
            if (first.framework == second.framework)
                continue;
            PythonProcess process(loader, environment);
            process.import(first);
            process.import(second);
            ImportOrder order{
                environment.path, first.framework->name, second.framework->name, {}, {}};
            order.first_cudnn = without_dots(process.use(first));
            order.second_cudnn = without_dots(process.use(second));
            orders.push_back(std::move(order));
        }
    return orders;
}

}  // namespace rnncheck::python
