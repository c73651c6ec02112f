// Long because each conflict is judged against the same builds.
// Frameworks against Python, the system, CUDA, each other, and the network that is to run; versions
// that do not exist.
#include <algorithm>
#include <set>

#include "base/if_any.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/checks.hpp"
#include "stack/conflicts.hpp"
#include "stack/questions.hpp"

namespace rnncheck::stack {

namespace {

// Which build pip installs:

/// With `only_by_default` the build is the one that pip installs by default.
Conflict without_cuda(
    const Stack& stack,
    const Framework& framework,
    const FrameworkBuild& build,
    bool only_by_default) {
    const std::string name = words_of(framework);
    Conflict conflict{
        .kind = ConflictKind::cpu_only_build,
        .parts = {framework_part(framework)},
        .why = name + " is a CPU-only build: it never uses the GPU or cuDNN",
        .evidence = {evidence_of(build, "no CUDA")},
        .builds = {build},
    };
    if (!only_by_default)
        return conflict;
    conflict.severity = Severity::warning;
    conflict.why = name + " as pip installs it on " + *stack.os +
                   " is a CPU-only build, unless the index of a CUDA build is given";
    return conflict;
}

/// The build without CUDA that pip gives on the stack's system, although the same package has
/// builds with CUDA.
const FrameworkBuild* default_without_cuda(
    const Stack& stack, const Framework& framework, const Builds& builds) {
    if (framework.build || !stack.os || std::ranges::any_of(builds.with_cuda, is_default))
        return nullptr;
    const FrameworkBuild* cpu = find_where(builds.without_cuda, is_default);
    if (cpu && find_by(builds.with_cuda, &FrameworkBuild::package, cpu->package))
        return cpu;
    return nullptr;
}

/// A plugin is installed beside a build, which decides.
bool is_no_plugin(const FrameworkBuild& build) {
    return build.build != "metal" && build.build != "directml";
}

}  // namespace

/// Of the builds that may be meant all are without CUDA, or pip's default is.
Judgement cpu_only_build(const Stack& stack, const Matrix& matrix) {
    if (stack.frameworks.empty())
        return undecided("no framework was specified");
    JudgementBuilder judgements;
    for (const Framework& framework : stack.frameworks) {
        const std::string name = words_of(framework);
        const Builds builds = builds_of(stack, framework, matrix);
        const auto& cpu = builds.without_cuda;
        if (const FrameworkBuild* by_default = default_without_cuda(stack, framework, builds))
            judgements.conflict(without_cuda(stack, framework, *by_default, true));
        else if (!builds.with_cuda.empty() && !cpu.empty())
            judgements.unknown(
                "the build of " + name + " was not specified (example: pytorch=2.4+cu124)");
        else if (!builds.with_cuda.empty())
            judgements.passed(
                name + " has a CUDA build",
                {evidence_of(builds.with_cuda.front(), libraries_of(builds.with_cuda.front()))});
        else if (cpu.empty() && framework.version)
            judgements.unknown(outside_data(name, builds.coverage, matrix));
        else if (cpu.empty())
            judgements.unknown("no version of " + name + " was specified");
        else if (cpu.front().build != "cpu")
            judgements.block_pass("it is a build for other devices");
        else
            judgements.conflict(without_cuda(stack, framework, cpu.front(), false));
    }
    return judgements.close();
}

/// The build uses the GPU through DirectML, Metal or ROCm.
Judgement plugin_without_cudnn_rnn(const Stack& stack, const Matrix& matrix) {
    JudgementBuilder judgements;
    for (const Framework& framework : stack.frameworks) {
        const std::string name = words_of(framework);
        const auto without_cuda = builds_of(stack, framework, matrix).without_cuda;
        if (!framework.build)
            judgements.unknown("the build of " + name + " was not specified");
        else if (without_cuda.empty() || without_cuda.front().build == "cpu")
            judgements.not_applicable("it is not a plugin build");
        else
            judgements.conflict({
                .kind = ConflictKind::plugin_without_cudnn_rnn,
                .parts = {framework_part(framework)},
                .why = name + " uses the GPU through " + without_cuda.front().build +
                       ", which has no cuDNN: layers that request cuDNN's recurrent networks fail",
                .evidence = {evidence_of(without_cuda.front(), "no CUDA")},
            });
    }
    return judgements.close();
}

/// TensorFlow from 2.11 on has no package with CUDA for Windows:
/// https://www.tensorflow.org/install/pip#windows-native
Judgement tf_no_native_windows_gpu(const Stack& stack, const Matrix& matrix) {
    if (!stack.os)
        return undecided("the operating system is unknown");
    if (*stack.os != "windows")
        return not_applicable("this is not Windows");
    JudgementBuilder judgements;
    judgements.not_applicable("no TensorFlow version was specified");
    for (const Framework& framework : stack.frameworks) {
        if (framework.name != "tensorflow" || !framework.version)
            continue;
        const Builds builds = builds_of(stack, framework, matrix);
        const std::string name = words_of(framework);
        if (!builds.with_cuda.empty())
            judgements.passed(name + " has a build with CUDA for Windows");
        else if (!builds.without_cuda.empty() && *framework.version >= make_version({2, 11}))
            judgements.conflict({
                .kind = ConflictKind::tf_no_native_windows_gpu,
                .parts = {framework_part(framework)},
                .why =
                    name +
                    " does not support CUDA on native Windows: 2.10 was the last version that did",
                .evidence =
                    {{"operating system", "windows", "host.platform"},
                     evidence_of(builds.without_cuda.front(), "no CUDA")},
            });
    }
    return judgements.close();
}

// What a build needs:

/// The build takes CUDA from the system, which has another major version: its
/// libraries have other sonames there.
Judgement cuda_version_mismatch(const Stack& stack, const Matrix& matrix) {
    if (!stack.cuda)
        return undecided("no CUDA version was specified");
    const Known& cuda = *stack.cuda;
    const auto judge = [&](const FrameworkBuild& build, const Framework& framework) {
        const std::string name = words_of(framework);
        if (cuda_serves(cuda, *build.cuda))
            return fits(name + " has compatible libraries");
        return in_conflict({
            .kind = ConflictKind::cuda_version_mismatch,
            .parts = {framework_part(framework), {PartKind::cuda, "", "CUDA " + cuda.words}},
            .why = name + " was built for CUDA " + build.cuda->text + ", which CUDA " + cuda.words +
                   " does not provide",
            .evidence =
                {{"CUDA", cuda.text, cuda.source}, evidence_of(build, "CUDA " + build.cuda->text)},
        });
    };
    return judge_frameworks(stack, matrix, takes_system_libraries, judge);
}

/// The version has no package for this Python: pip then reports "no matching
/// distribution" or takes another version.
Judgement python_not_supported(const Stack& stack, const Matrix& matrix) {
    if (stack.has_unknown_python)
        return undecided("the version of the active Python is unknown", MissingInput::data);
    if (!stack.python)
        return undecided("no Python version was specified");
    const Known& python = *stack.python;
    const auto judge = [&](const FrameworkBuild& build, const Framework& framework) {
        const std::string name = words_of(framework);
        const auto suits = build_for_python(build, python);
        if (suits.fit == Fit::unknown)
            return undecided("the data do not show it");
        if (suits.fit == Fit::works)
            return fits(name + " has a package for Python " + python.text);
        return in_conflict({
            .kind = ConflictKind::python_not_supported,
            .parts = {framework_part(framework), {PartKind::python, "", "Python " + python.text}},
            .why = name + " has no package for Python " + python.text + "; it supports " +
                   suits.evidence.front().value,
            .evidence = {{"Python", python.text, python.source}, suits.evidence.front()},
        });
    };
    return judge_frameworks(stack, matrix, is_no_plugin, judge);
}

namespace {

/// A backend that is known in part suits if some version of it does.
bool suits(const KerasBackend& row, const Version& backend) {
    const bool old_enough = !row.backend_last || within(backend, *row.backend_last);
    return old_enough && (!row.backend_first || backend >= *row.backend_first ||
                          agree(*row.backend_first, backend));
}

/// "version 2.16 or later", "version 2.0 up to 2.15".
std::string backends_wanted(const KerasBackend& row) {
    std::string wanted = if_any("version ", row.backend_first);
    if (row.backend_last)
        return wanted + " up to " + row.backend_last->text;
    if (row.backend_first)
        return wanted + " or later";
    return wanted;
}

Conflict unsuited(const Framework& keras, const Framework& backend, const KerasBackend& row) {
    const std::string wanted = backends_wanted(row);
    Conflict conflict{
        .kind = ConflictKind::keras_backend_not_supported,
        .parts = {framework_part(keras), framework_part(backend)},
        .why =
            words_of(keras) + " does not work with " + words_of(backend) + "; it needs " + wanted,
        .evidence =
            {{"Keras", keras.version->text, "frameworks"},
             {"backend " + row.backend, wanted, row.source.url}},
    };
    const bool was_read = row.provenance < Provenance::inferred;  // for this very version
    if (!was_read) {
        conflict.severity = Severity::warning;
        conflict.confidence = Confidence::likely;
    }
    return conflict;
}

/// By the row of the Keras version for this backend; without one it is unknown.
void judge_backend(
    const Framework& keras,
    const Framework& backend,
    const Matrix& matrix,
    JudgementBuilder& judgements) {
    const KerasBackend* row = find_where(matrix.keras_backends(), [&](const KerasBackend& one) {
        return one.backend == backend.name &&
               covers(one.first, one.last.value_or(*keras.version), *keras.version);
    });
    if (!row)
        judgements.unknown(
            "whether " + words_of(keras) + " works with " + words_of(backend) +
            " is not in the data");
    else if (!suits(*row, *backend.version))
        judgements.conflict(unsuited(keras, backend, *row));
    else
        judgements.passed(words_of(keras) + " works with " + words_of(backend));
}

}  // namespace

/// Each Keras of the stack against each of its backends.
Judgement keras_backend_not_supported(const Stack& stack, const Matrix& matrix) {
    JudgementBuilder judgements;
    for (const Framework& keras : stack.frameworks)
        for (const Framework& backend : stack.frameworks)
            if (keras.name == "keras" && backend.name != "keras" && keras.version &&
                backend.version)
                judge_backend(keras, backend, matrix, judgements);
    return judgements.close();
}

// Versions that do not exist, or are not in the data:

namespace {

/// Every toolkit is in the table: a number between two of its rows was never released.
Conflict no_such_cuda(const Known& cuda, const Matrix& matrix) {
    Conflict conflict{
        .kind = ConflictKind::version_not_in_data,
        .parts = {{PartKind::cuda, "", "CUDA " + cuda.text}},
        .why = "no CUDA toolkit " + cuda.text +
               " was ever released; a driver may report it as the newest CUDA version that it "
               "supports",
        .evidence = {{"CUDA", cuda.text, cuda.source}},
    };
    for (const int minor : {cuda.minor() - 1, cuda.minor() + 1})
        if (const auto row = matrix.driver_for_cuda(make_version({cuda.major(), minor})))
            conflict.evidence.push_back({"released", "CUDA " + row->cuda.text, row->source.url});
    return conflict;
}

/// A version that the tables know passes, any other is outside the data.
void note(
    JudgementBuilder& judgements,
    const std::string& what,
    Coverage coverage,
    const Matrix& matrix) {
    if (coverage == Coverage::known)
        judgements.passed("every specified version is in the compatibility data");
    else
        judgements.outside(outside_data(what, coverage, matrix));
}

/// What NVIDIA guarantees of a driver that is newer than the data, other kinds decide: that it runs
/// older CUDA.
void note_driver(JudgementBuilder& judgements, const Known& driver, const Matrix& matrix) {
    const Coverage coverage = matrix.cuda_of_driver(driver).coverage;
    const std::string what = "driver " + driver.text;
    if (coverage == Coverage::newer_than_data)
        judgements.block_pass(
            outside_data(what, coverage, matrix) + "; later drivers run every older CUDA version");
    else
        note(judgements, what, coverage, matrix);
}

void note_cuda(JudgementBuilder& judgements, const Known& cuda, const Matrix& matrix) {
    const Coverage coverage = matrix.driver_for_cuda(cuda).coverage;
    if (coverage == Coverage::silent && parts_written(cuda) > 1 &&
        matrix.driver_for_cuda(make_version({cuda.major(), 0})))
        judgements.conflict(no_such_cuda(cuda, matrix));
    else
        note(judgements, "CUDA " + cuda.words, coverage, matrix);
}

/// A version that exists, but not for the CUDA that it was specified with, is
/// cudnn_built_for_other_cuda's.
void note_cudnn(JudgementBuilder& judgements, const Stack& stack, const Matrix& matrix) {
    const Known& cudnn = *stack.cudnn;
    const std::string what = "cuDNN " + cudnn.words;
    const auto builds = cudnn_builds_of(cudnn, matrix);
    if (builds.empty())
        note(judgements, what, matrix.cudnn_build(cudnn, 0).coverage, matrix);
    else if (
        stack.cudnn_cuda && !find_by(builds, &CudnnBuild::cuda_major, stack.cudnn_cuda->major()))
        judgements.block_pass("another rule reports that " + what + " has no such build");
    else
        note(judgements, what, Coverage::known, matrix);
}

/// Keras has no builds, only backends.
Coverage coverage_of_keras(const Version& keras, const Matrix& matrix) {
    Coverage coverage = Coverage::older_than_data;
    for (const KerasBackend& row : matrix.keras_backends()) {
        if (covers(row.first, row.last, keras) || agree(row.first, keras))
            return Coverage::known;
        if (row.first < keras)
            coverage = Coverage::newer_than_data;
    }
    return coverage;
}

/// "; there are its builds cpu, cu118 and cu124", where the version is known and the build is not.
std::string builds_there_are(const Stack& stack, const Matrix& matrix, Framework framework) {
    if (!framework.build)
        return "";
    framework.build.reset();
    const Builds builds = builds_of(stack, framework, matrix);
    std::set<std::string> names;
    for (const auto* some : {&builds.without_cuda, &builds.with_cuda})
        for (const FrameworkBuild& build : *some)
            names.insert(build.build);
    if (names.empty())
        return "";
    return "; there are its builds " + join_with_and({names.begin(), names.end()});
}

void note_framework(
    JudgementBuilder& judgements,
    const Stack& stack,
    const Matrix& matrix,
    const Framework& framework) {
    Coverage coverage = Coverage::silent;
    if (framework.name == "keras")
        coverage = coverage_of_keras(*framework.version, matrix);
    else
        coverage = builds_of(stack, framework, matrix).coverage;
    if (coverage == Coverage::known)
        return note(judgements, "", coverage, matrix);
    std::string on;
    if (on_arm(stack, matrix))
        on = " for Linux on Arm";
    judgements.outside(
        outside_data(words_of(framework) + on, coverage, matrix) +
        builds_there_are(stack, matrix, framework));
}

/// A container image of which neither the data nor its tag show CUDA or a framework's version.
bool is_unknown_image(const Stack& stack) {
    const auto has_version = [](const Framework& one) { return one.version.has_value(); };
    return !stack.image.empty() && !stack.cuda &&
           std::ranges::none_of(stack.frameworks, has_version);
}

}  // namespace

/// What the tables do not cover is undecided; what cannot exist, such as a CUDA
/// between two known ones, is a conflict.
Judgement version_not_in_data(const Stack& stack, const Matrix& matrix) {
    JudgementBuilder judgements;
    if (stack.driver)
        note_driver(judgements, *stack.driver, matrix);
    if (stack.cuda)
        note_cuda(judgements, *stack.cuda, matrix);
    if (is_unknown_image(stack))
        judgements.outside(
            "what the container image " + stack.image + " contains is not in the data of " +
            matrix.date());
    if (stack.cudnn)
        note_cudnn(judgements, stack, matrix);
    for (const Gpu& gpu : stack.gpus)
        if (gpu.capability)
            note(judgements, words_of(gpu), matrix.architecture(*gpu.capability).coverage, matrix);
    for (const Framework& framework : stack.frameworks)
        if (framework.version)
            note_framework(judgements, stack, matrix, framework);
    return judgements.close();
}

// The network that is to run:

namespace {

/// `part` is the cuDNN, framework or GPU that is too old for the data type.
Conflict unsupported(
    const std::string& dtype,
    const RnnLimit& limit,
    const std::string& what,
    Part part,
    Evidence evidence) {
    const std::string and_gpu = if_any(" and compute capability ", limit.capability_min);
    return {
        .kind = ConflictKind::rnn_dtype_not_supported,
        .parts = {{PartKind::network, "", dtype}, std::move(part)},
        .why = what + " does not support recurrent networks of type " + dtype +
               ", which require cuDNN " + limit.first.text + and_gpu,
        .evidence =
            {std::move(evidence),
             {"recurrent networks of type " + dtype, limit.rule, limit.source.url}},
    };
}

/// A framework with its own cuDNN, where none was specified.
void judge_dtype_of_framework(
    JudgementBuilder& judgements,
    const std::string& dtype,
    const RnnLimit& limit,
    const Stack& stack,
    const Matrix& matrix,
    const Framework& framework) {
    const std::string name = words_of(framework);
    judge_builds(
        builds_of(stack, framework, matrix).with_cuda,
        framework,
        judgements,
        [&](const FrameworkBuild& build) {
            if (!build.cudnn)
                return undecided("the data do not show it");
            if (*build.cudnn >= limit.first)
                return fits("the cuDNN of " + name + " supports it");
            return in_conflict(unsupported(
                dtype,
                limit,
                name + ", built with cuDNN " + build.cudnn->text + ",",
                framework_part(framework),
                evidence_of(build, "cuDNN " + build.cudnn->text)));
        });
}

/// A version newer than the data may have lost the support, too.
void judge_dtype_of_cudnn(
    JudgementBuilder& judgements,
    const std::string& dtype,
    const RnnLimit& limit,
    const Known& cudnn,
    const Matrix& matrix) {
    const std::string what = "cuDNN " + cudnn.words;
    const Coverage coverage = matrix.cudnn_build(cudnn, 0).coverage;
    if (coverage != Coverage::known && coverage != Coverage::silent)
        judgements.outside(outside_data(what, coverage, matrix));
    else if (cudnn < limit.first)
        judgements.conflict(unsupported(
            dtype, limit, what, {PartKind::cudnn, "", what}, {"cuDNN", cudnn.text, cudnn.source}));
}

void judge_dtype_of_gpu(
    JudgementBuilder& judgements, const std::string& dtype, const RnnLimit& limit, const Gpu& gpu) {
    if (!gpu.capability)
        return judgements.unknown("the compute capability of a GPU is unknown");
    if (*gpu.capability >= *limit.capability_min)
        return;
    judgements.conflict(unsupported(
        dtype,
        limit,
        words_of(gpu),
        {PartKind::gpu, std::to_string(gpu.index), words_of(gpu)},
        {"compute capability", gpu.capability->text, gpu.capability->source}));
}

}  // namespace

/// The network's data type needs a newer cuDNN or GPU than the stack has. A
/// cuDNN that was specified counts, not those that frameworks bundle.
Judgement rnn_dtype_not_supported(const Stack& stack, const Matrix& matrix) {
    if (!stack.network || !stack.network->dtype)
        return undecided("no data type was specified");
    const std::string dtype(name_of(*stack.network->dtype));
    const auto limit = matrix.rnn_limit(dtype);
    if (!limit)
        return fits(
            "every known cuDNN version and GPU supports recurrent networks of type " + dtype);
    JudgementBuilder judgements;
    if (stack.cudnn)
        judge_dtype_of_cudnn(judgements, dtype, *limit, *stack.cudnn, matrix);
    if (!stack.cudnn)
        for (const Framework& framework : stack.frameworks)
            judge_dtype_of_framework(judgements, dtype, *limit, stack, matrix, framework);
    if (!stack.cudnn && stack.frameworks.empty())
        judgements.unknown("cudnn= was not specified");
    if (limit->capability_min && stack.gpus.empty())
        judgements.unknown("gpu= was not specified");
    if (limit->capability_min)
        for (const Gpu& gpu : stack.gpus)
            judge_dtype_of_gpu(judgements, dtype, *limit, gpu);
    judgements.passed(
        "cuDNN and GPU support recurrent networks of type " + dtype,
        {{"recurrent networks of type " + dtype, limit->rule, limit->source.url}});
    return judgements.close();
}

}  // namespace rnncheck::stack
