// Long because all proposals share one state: what was given, the driver that is proposed, the
// remedies so far.
#include "rules/support/repairs.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/if_any.hpp"
#include "matrix/ranges.hpp"
#include "rules/support/frameworks.hpp"
#include "rules/support/remedies.hpp"
#include "rules/support/versions.hpp"
#include "stack/plan.hpp"

namespace rnncheck::rules {

namespace {

constexpr const char* support =
    "https://docs.nvidia.com/deeplearning/frameworks/support-matrix/index.html";
constexpr const char* cuda_archive = "https://developer.nvidia.com/cuda-toolkit-archive";

/// `why` continues the sentence.
Remedy using_image(bool on_windows, const ContainerImage& image, const std::string& why) {
    const std::string name = stack::name_of(image);
    std::string_view use = "Use";
    if (on_windows)
        use = "In WSL 2, use";
    std::vector<std::string> commands;
    // A row may cover several tags, "24.*-py3", of which none can be pulled by
    // name.
    if (!name.ends_with('*'))
        commands = {"docker pull " + name};
    return {
        .action = Action::install_package,
        .text = concat(
            use,
            " NVIDIA's container image ",
            name,
            ", which contains CUDA ",
            image.cuda.text,
            why),
        .commands = std::move(commands),
        .link = image.source.url,
        .changes = {{"image", name}},
    };
}

/// "PyTorch 2.8 (cu126)".
std::string name_of(const PlannedBuild& build, const Version& version) {
    stack::Framework framework{build.framework, version};
    if (!build.build.empty())
        framework.build = build.build;
    return words_of(framework);
}

/// The plan of this framework only; empty if the data have no builds of it, or nothing runs on the
/// GPU.
Plan plan_of(const stack::Framework& framework, const stack::Stack& stack, const Matrix& matrix) {
    if (matrix.framework_builds(framework.name).empty())
        return {};
    return make_plan(stack, framework.name, matrix);
}

/// Null where no version is known to run.
const PlannedBuild* newest_of(const Plan& plan) {
    if (plan.frameworks.empty() || !plan.frameworks.front().newest)
        return nullptr;
    return &*plan.frameworks.front().newest;
}

/// The driver branch that is the last one for some GPU of the stack: no newer driver may be
/// recommended.
std::optional<int> last_driver_branch(const stack::Stack& stack, const Matrix& matrix) {
    std::optional<int> last;
    for (const stack::Gpu& gpu : stack.gpus) {
        const auto row = matrix.architecture(gpu.capability);
        if (row && row->last_driver_branch)
            last = std::min(last.value_or(*row->last_driver_branch), *row->last_driver_branch);
    }
    return last;
}

/// One proposal after the other.
class Proposals {
  public:
    Proposals(const stack::Stack& stack, const Facts& facts, const Matrix& matrix)
        : stack_(stack),
          facts_(facts),
          matrix_(matrix),
          target_(stack),
          gpu_(stack::capability_of(stack)) {
    }

    /// From the smallest change on: driver, the framework's build, Python and
    /// version, then an image or the libraries of the system.
    std::vector<Remedy> all() {
        propose_driver();
        for (const stack::Framework& framework : stack_.frameworks)
            if (framework.version)
                propose_builds(framework);
        if (const ContainerImage* image = stack::image_of(stack_, matrix_))
            propose_image(*image);
        else
            propose_libraries();
        return std::move(remedies_);
    }

  private:
    const Version* cuda() const {
        return stack::version_in(stack_.cuda);
    }
    const Version* cudnn() const {
        return stack::version_in(stack_.cudnn);
    }

    /// Where the GPU needs another driver in any case, each proposal includes
    /// it.
    void add(Remedy remedy) {
        remedy.changes.insert(remedy.changes.begin(), driver_change_.begin(), driver_change_.end());
        if (!driver_text_.empty())
            remedy.text = driver_text_ + "; then: " + remedy.text;
        remedies_.push_back(std::move(remedy));
    }

    /// The system and the driver that is proposed.
    stack::Driver driver() const {
        return stack::driver_of(target_);
    }

    bool is_on_windows() const {
        return stack_.os == "windows";
    }

    /// Every CUDA that something given needs, the newest first.
    std::vector<Version> cudas_given() const {
        std::vector<Version> cudas;
        if (const Version* cuda = this->cuda())
            cudas.push_back(*cuda);
        for (const stack::Framework& framework : stack_.frameworks)
            for (const FrameworkBuild& build :
                 stack::builds_of(stack_, framework, matrix_).with_cuda)
                if (!cuda() || !takes_system_libraries(build))
                    cudas.push_back(*build.cuda);
        std::ranges::sort(cudas, std::greater());
        return cudas;
    }

    /// The oldest driver that runs everything that was given; unset when there is none to be found.
    /// A GPU needs one of the CUDA that came with it, minor-version compatibility does not serve
    /// it.
    std::optional<Version> driver_needed() const {
        std::optional<Version> needed;
        const std::string os = systems_of_driver(stack_).front();
        for (const Version& cuda : cudas_given())
            if (const auto row = stack::drivers_for(cuda, os, matrix_))
                needed = std::max(needed, std::optional(row->oldest_driver));
        for (const stack::Framework& framework : stack_.frameworks)
            for (const FrameworkBuild& build :
                 stack::builds_of(stack_, framework, matrix_).with_cuda)
                if (build.os == os)
                    needed = std::max(needed, build.driver_min);
        // Minor-version compatibility runs a newer CUDA, but not on GPUs that
        // the driver does not know.
        for (const stack::Gpu& gpu : stack_.gpus)
            if (const auto architecture = matrix_.architecture(gpu.capability))
                if (const auto row = stack::drivers_for(architecture->first_cuda, os, matrix_))
                    needed = std::max(needed, std::optional(row->full_driver));
        return needed;
    }

    /// " to 450.80.02 or later, at most branch 470": newer ones ignore the GPU.
    std::string to(const Version& needed) const {
        const auto last = last_driver_branch(stack_, matrix_);
        // https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/kernel-modules.html
        const auto is_blackwell = [](const stack::Gpu& gpu) {
            return gpu.capability && *gpu.capability >= make_version({10, 0});
        };
        const bool open_only = std::ranges::any_of(stack_.gpus, is_blackwell) &&
                               stack_.os.value_or("linux") == "linux" && !stack_.wsl;
        std::string to = " to " + needed.text + " or later" + if_any(", at most branch ", last);
        if (open_only)
            to +=
                " with the open kernel modules (nvidia-open, or on Ubuntu nvidia-driver-NNN-open), "
                "which this GPU requires";
        return to;
    }

    void propose_driver() {
        if (!target_.driver || stack::any_jetson(stack_, matrix_))
            return;  // JetPack contains the driver
        const auto last = last_driver_branch(stack_, matrix_);
        if (last && target_.driver->major() > *last) {
            const std::string branch = std::to_string(*last);
            driver_text_ = "Install driver branch " + branch + ", the last one for this GPU";
            driver_change_ = {{"driver", branch}};
            target_.driver = stack::known_driver(make_version({*last}), matrix_);
            remedies_.push_back(on_host(
                facts_,
                {
                    .action = Action::install_driver,
                    .text = driver_text_,
                    .risk = Risk::disruptive,
                    .verify = "nvidia-smi",
                    .link = "https://www.nvidia.com/drivers",
                    .changes = driver_change_,
                }));
            return;
        }
        const auto needed = driver_needed();
        if (!needed || *needed <= *target_.driver || (last && needed->major() > *last))
            return;
        const std::vector<GivenValue> change = {{"driver", needed->text}};
        remedies_.push_back(on_host(
            facts_,
            remedy(
                "driver_too_old/update", {to(*needed)}, driver_install_commands(facts_, *needed))));
        remedies_.back().changes = change;
        propose_compat_package(change);
        // Nothing else helps if the driver does not support the GPU.
        if (!gpu_ || stack::driver_knows(*target_.driver, *gpu_, matrix_).fit != Fit::does_not_work)
            return;
        driver_text_ = "Update the NVIDIA driver" + to(*needed);
        driver_change_ = change;
        target_.driver = stack::known_driver(*needed, matrix_);
    }

    /// NVIDIA's newer libcuda over the older kernel driver, unless the GPU is known to be none of a
    /// data center.
    void propose_compat_package(const std::vector<GivenValue>& change) {
        if (stack::on_data_center_gpus(stack_, matrix_) == false)
            return;
        if (stack::image_of(stack_, matrix_))
            return;  // NVIDIA's images contain theirs
        for (const Version& cuda : cudas_given()) {
            const auto package =
                stack::compat_package(stack::driver_of(stack_), cuda, gpu_, matrix_);
            if (!package)
                continue;
            remedies_.push_back({
                .action = Action::install_driver,
                .text = "On data center GPUs only: install the forward-compatibility package " +
                        package->name + " instead",
                .commands = {"sudo apt-get install " + package->name},
                .risk = Risk::needs_root,
                .verify = "rnncheck doctor",
                .link = package->source,
                .changes = change,
            });
            return;
        }
    }

    /// The command of the build's row for this version, not for the newest of the row.
    std::string install_of_version(const PlannedBuild& build, const Version& version) const {
        const FrameworkBuild* row = find_where(
            stack::published_builds(stack::on_arm(stack_, matrix_), matrix_),
            [&](const FrameworkBuild& other) { return other.key() == build.key(); });
        if (!row)
            return "";
        return install_command(of_version(*row, version), gpu_, matrix_);
    }

    /// With the libraries that the build takes from the system, where such were given.
    void propose_build(const PlannedBuild& build, const Version& version, std::string text) {
        Remedy remedy{
            .action = Action::install_package,
            .text = std::move(text),
            .changes = stack::changes_to(build, version, stack_),
        };
        if (!build.install.empty())
            remedy.commands = install_here(facts_, build.framework, build.install);
        if (!build.sources.empty())
            remedy.link = build.sources.front();
        change_libraries_without_code(build, remedy);
        std::vector<std::string> on_system;
        for (const GivenValue& change : remedy.changes) {
            const std::string number = change.value.substr(0, change.value.find('+'));
            if (change.key == "cuda")
                on_system.push_back("CUDA " + number);
            if (change.key == "cudnn")
                on_system.push_back("cuDNN " + number);
        }
        if (!on_system.empty())
            remedy.text += ", with " + join(on_system, ", ") + " installed on the system";
        add(std::move(remedy));
    }

    /// Another build does not help if the system's CUDA or cuDNN has no code for the GPU.
    void change_libraries_without_code(const PlannedBuild& build, Remedy& remedy) const {
        const Version *cuda = this->cuda(), *cudnn = this->cudnn();
        const bool is_loaded = build.libraries == "system";
        if (!gpu_ || (!cuda && !cudnn))
            return;
        FrameworkBuild after;
        const GivenValue* changed = find_by(remedy.changes, &GivenValue::key, "cuda");
        after.cuda = changed || !cuda ? build.cuda : *cuda;
        if (cuda && stack::cuda_on_gpu(*after.cuda, *gpu_, matrix_).fit == Fit::does_not_work) {
            after.cuda = newest_cuda();
            if (!after.cuda)
                return;
            remedy.changes.push_back({"cuda", after.cuda->text});
        }
        const bool other_cudnn = find_by(remedy.changes, &GivenValue::key, "cudnn");
        after.cudnn = other_cudnn || !cudnn ? build.cudnn : *cudnn;
        const CudnnBuild* newest = newest_cudnn(after.cuda->major());
        if (!cudnn || !newest || !after.cudnn ||
            (is_loaded && newest->cudnn.major() != after.cudnn->major()))
            return;
        const bool has_code = stack::cudnn_of_build_on_gpu(after, *gpu_, matrix_).fit == Fit::works;
        if (has_code && parts_written(*after.cudnn) > 1)
            return;
        std::erase_if(
            remedy.changes, [](const GivenValue& change) { return change.key == "cudnn"; });
        remedy.changes.push_back(
            {"cudnn", newest->last().text + "+cu" + std::to_string(newest->cuda_major)});
    }

    bool has_code(const FrameworkBuild& build) const {
        return !gpu_ ||
               stack::cudnn_of_build_on_gpu(build, *gpu_, matrix_).fit != Fit::does_not_work;
    }

    /// The given CUDA has the files that the build opens, and code for the GPU.
    bool suits(const Version& cuda, const PlannedBuild& build) const {
        return stack::cuda_serves(cuda, *build.cuda) &&
               (!gpu_ || stack::cuda_on_gpu(cuda, *gpu_, matrix_).fit != Fit::does_not_work);
    }

    bool cudnn_suits(const Version& cudnn, const PlannedBuild& build) const {
        FrameworkBuild with_given = build;
        with_given.cudnn = cudnn;
        const auto& built_for = stack_.cudnn_cuda;
        return stack::cudnn_match(cudnn, *build.cudnn, build.framework) ==
                   stack::CudnnMatch::compatible &&
               has_code(with_given) && (!built_for || built_for->major() == build.cuda->major());
    }

    /// "cuDNN 9.3 or a later version before 9.11", the first one without code for the GPU.
    std::string cudnn_range(const PlannedBuild& build) const {
        const CudnnBuild* without =
            gpu_ ? stack::first_cudnn_without(*gpu_, *build.cudnn, build.cuda->major(), matrix_)
                 : nullptr;
        const std::string range = "cuDNN " + build.cudnn->text + " or a later version ";
        if (without)
            return range + "before " + stack::as_bound(without->cudnn);
        return range + "of major " + std::to_string(build.cudnn->major());
    }

    /// What the build takes from the system, in the place of what was given and does not suit it.
    void propose_system_libraries(const PlannedBuild& build, const stack::Framework& framework) {
        Remedy remedy{.action = Action::install_package, .link = cuda_archive};
        std::vector<std::string> libraries;
        const Version *cuda = this->cuda(), *cudnn = this->cudnn();
        if (cuda && !suits(*cuda, build)) {
            remedy.changes.push_back({"cuda", build.cuda->text});
            libraries.push_back("CUDA " + build.cuda->text);
        }
        if (cudnn && build.cudnn && !cudnn_suits(*cudnn, build)) {
            remedy.changes.push_back(
                {"cudnn", build.cudnn->text + "+cu" + std::to_string(build.cuda->major())});
            libraries.push_back(cudnn_range(build));
        }
        if (libraries.empty())
            return;
        remedy.text = "Install " + join_with_and(libraries) + ", for which " + words_of(framework) +
                      " was built";
        add(std::move(remedy));
    }

    /// Of the builds of this version other than the given one the best: machine code before PTX,
    /// its own libraries before those of the system, the newest CUDA. Unset if none can be
    /// installed.
    std::optional<PlannedBuild> other_build(
        const std::vector<PlannedBuild>& builds, const stack::Framework& framework) const {
        std::optional<PlannedBuild> other;
        const auto rank = [](const PlannedBuild& build) {
            return std::tuple(
                build.fit, build.libraries == "system", -build.cuda->major(), -build.cuda->minor());
        };
        for (const PlannedBuild& build : builds) {
            if (build.build == framework.build.value_or("") ||
                (other && rank(build) >= rank(*other)))
                continue;
            PlannedBuild one = build;
            one.install = install_of_version(build, *framework.version);
            if (!one.install.empty())
                other = std::move(one);
        }
        return other;
    }

    void propose_other_build(PlannedBuild other, const stack::Framework& framework) {
        if (!stack::is_of_conda(other))
            other.install += in_place_of_installed;
        propose_build(
            other,
            *framework.version,
            "Install another build of the same version: " + name_of(other, *framework.version));
    }

    /// It contains its libraries, and nothing shows that the system has any.
    bool needs_no_system(const stack::Framework& framework) const {
        const auto builds = stack::builds_of(stack_, framework, matrix_).with_cuda;
        return !builds.empty() && std::ranges::all_of(builds, stack::bundles_libraries) && !cuda();
    }

    /// It needs an older CUDA than the one that is installed.
    bool goes_back(const PlannedBuild& build) const {
        return cuda() && *build.cuda < *cuda() && !stack::cuda_serves(*cuda(), *build.cuda);
    }

    /// Another build that needs no change of the system comes before other libraries of the system.
    void propose_builds(const stack::Framework& framework) {
        const Plan plan = plan_of(framework, target_, matrix_);
        const PlannedBuild* newest = newest_of(plan);
        if (!newest) {
            propose_with_driver(framework);
            return propose_python(framework);
        }
        std::vector<PlannedBuild> same_version = {*newest};
        append(same_version, plan.frameworks.front().others);
        std::erase_if(same_version, [&](const PlannedBuild& build) {
            return !covers(build.first, build.last, *framework.version);
        });
        // conda-forge's build is for where none of the project's own runs.
        if (!stack::is_of_conda(*newest))
            std::erase_if(same_version, stack::is_of_conda);
        auto other = other_build(same_version, framework);
        if (other && other->libraries == "system" && needs_no_system(framework))
            other.reset();
        const bool has_own_libraries = other && other->libraries != "system";
        const bool leaves_system =
            other && stack::changes_to(*other, *framework.version, stack_).size() == 1;
        if (leaves_system)
            propose_other_build(*other, framework);
        for (const PlannedBuild& build : same_version)
            if (build.libraries == "system" && !(has_own_libraries && goes_back(build)))
                propose_system_libraries(build, framework);
        if (other && !leaves_system)
            propose_other_build(*other, framework);
        propose_python(framework);
        propose_build(
            *newest,
            *newest->last,
            "Install " + name_of(*newest, *newest->last) +
                ", the newest version that runs with this GPU, driver and Python");
        if (newest->fit == Fit::compiles_first)
            propose_with_driver(framework);
    }

    /// Where no version runs on this driver: the newest one that runs on a later driver.
    void propose_with_driver(const stack::Framework& framework) {
        if (!target_.driver || !driver_change_.empty())
            return;
        stack::Stack later = target_;
        later.driver.reset();
        const auto last = last_driver_branch(stack_, matrix_);
        if (last)
            later.driver = stack::known_driver(make_version({*last}), matrix_);
        const Plan plan = plan_of(framework, later, matrix_);
        const PlannedBuild* newest = newest_of(plan);
        if (!newest || !newest->driver_min || *newest->driver_min <= *target_.driver)
            return;
        propose_build(
            *newest,
            *newest->last,
            "Update the NVIDIA driver" + to(*newest->driver_min) + ", then install " +
                name_of(*newest, *newest->last));
        remedies_.back().risk = Risk::disruptive;
        remedies_.back().changes.push_back({"driver", newest->driver_min->text});
    }

    /// "python3.11 -m venv environment"; on Windows there is a launcher instead of such names.
    std::string new_environment(const std::string& python) const {
        std::string launcher = "python";
        if (is_on_windows())
            launcher = "py -";
        return launcher + python + " -m venv environment";
    }

    /// Every build that the other given frameworks may be.
    std::vector<std::vector<FrameworkBuild>> builds_beside(
        const stack::Framework& framework) const {
        std::vector<std::vector<FrameworkBuild>> all;
        for (const stack::Framework& other : stack_.frameworks) {
            if (other.name == framework.name)
                continue;
            const auto builds = stack::builds_of(stack_, other, matrix_);
            append(all.emplace_back(builds.with_cuda), builds.without_cuda);
        }
        return all;
    }

    /// The newest Python for this build that every other given framework has a package for, too.
    /// Unset if there is none.
    std::optional<Version> python_for(
        const FrameworkBuild& build, const stack::Framework& framework) const {
        const auto beside = builds_beside(framework);
        const auto has_package = [](const FrameworkBuild& one, const Version& python) {
            return stack::build_for_python(one, python).fit != Fit::does_not_work;
        };
        const auto suits_all = [&](const Version& python) {
            return has_package(build, python) &&
                   std::ranges::all_of(beside, [&](const auto& builds) {
                       return builds.empty() ||
                              std::ranges::any_of(builds, [&](const FrameworkBuild& one) {
                                  return has_package(one, python);
                              });
                   });
        };
        std::vector<std::optional<Version>> last = {build.python_last};
        for (const auto& builds : beside)
            append(last, mapped(builds, &FrameworkBuild::python_last));
        std::ranges::sort(last, std::greater());
        for (const auto& python : last)
            if (python && suits_all(*python))
                return python;
        return std::nullopt;
    }

    /// The newest Python that the version has a package for; else another version and its newest
    /// Python.
    void propose_python(const stack::Framework& framework) {
        if (!target_.python)
            return;
        const auto builds = stack::builds_of(stack_, framework, matrix_).with_cuda;
        const FrameworkBuild* unfit = find_where(builds, [&](const FrameworkBuild& build) {
            return build.python_last &&
                   stack::build_for_python(build, *target_.python).fit == Fit::does_not_work;
        });
        if (unfit)
            propose_other_python(*unfit, framework);
        propose_version_with_python(framework);
    }

    /// The newest Python for this build; nothing if the other frameworks have no
    /// package for any that it has.
    void propose_other_python(const FrameworkBuild& build, const stack::Framework& framework) {
        const auto python = python_for(build, framework);
        if (!python)
            return;
        std::string whose = words_of(framework);
        if (stack_.frameworks.size() > 1)
            whose = "every framework";
        remedies_.push_back({
            .action = Action::install_package,
            .text = "Use Python " + python->text + ", the newest one that " + whose +
                    " has a package for",
            .commands = {new_environment(python->text)},
            .link = build.source.url,
            .changes = {{"python", python->text}},
        });
    }

    /// The newest version that runs here at all, in an environment of its own with
    /// its newest Python.
    void propose_version_with_python(const stack::Framework& framework) {
        stack::Stack any_python = target_;
        any_python.python.reset();
        const Plan plan = plan_of(framework, any_python, matrix_);
        const PlannedBuild* newest = newest_of(plan);
        std::optional<Version> other;
        if (newest)
            other = python_for(*newest, framework);
        if (!other)
            return;
        const std::string python = other->text;
        propose_build(
            *newest,
            *newest->last,
            "Install " + name_of(*newest, *newest->last) + " in an environment with Python " +
                python);
        std::vector<std::string>& commands = remedies_.back().commands;
        std::string programs = "environment/bin/";
        if (is_on_windows())
            programs = "environment\\Scripts\\";
        const PythonEnvironment* environment = active_environment(facts_);
        if (environment && environment->kind == "conda")
            commands = {
                "conda create --name environment python=" + python,
                "conda run --name environment " + newest->install};
        else if (newest->install.empty())
            commands = {new_environment(python)};
        else
            commands = {new_environment(python), programs + newest->install};
        remedies_.back().changes.push_back({"python", python});
    }

    /// The newest CUDA that the driver runs with all features, otherwise that it runs, with code
    /// for the GPU.
    std::optional<Version> newest_cuda() const {
        stack::Driver requested = driver();
        requested.cuda.reset();
        std::optional<Version> full, limited;
        for (const DriverForCuda& row : matrix_.driver_for_cuda()) {
            if (gpu_ && stack::cuda_on_gpu(row.cuda, *gpu_, matrix_).fit != Fit::works)
                continue;
            const auto runs = requested.version
                                  ? stack::driver_runs_cuda(requested, row.cuda, matrix_)
                                  : stack::Compatibility();
            std::optional<Version>& newest = runs.minor_version_only ? limited : full;
            if (runs.fit == Fit::works)
                newest = std::max(newest, std::optional(row.cuda));
        }
        return full ? full : limited;
    }

    const CudnnBuild* newest_cudnn(int cuda_major) const {
        const CudnnBuild* newest = nullptr;
        for (const CudnnBuild& build : matrix_.cudnn_builds())
            if (build.cuda_major == cuda_major &&
                (!gpu_ || stack::cudnn_on_gpu(build, *gpu_).fit == Fit::works) &&
                (!newest || newest->last() < build.last()))
                newest = &build;
        return newest;
    }

    /// The newest one of the same image that the driver and the GPU run.
    void propose_image(const ContainerImage& given) {
        const ContainerImage* newest =
            stack::newest_image(stack_, driver(), matrix_, [&](const ContainerImage& image) {
                return image.image == given.image;
            });
        if (newest)
            add(using_image(is_on_windows(), *newest, ""));
    }

    /// CUDA and cuDNN of the system; those that a framework takes are proposed with its build. The
    /// CUDA that was given stays where a cuDNN suits it.
    void propose_libraries() {
        const Version* given = cuda();
        if (cudnn() && given)
            propose_libraries_of(*given, false);
        if (!given && !cudnn())
            return;
        const auto newest = newest_cuda();
        if (newest)
            propose_libraries_of(*newest, given != nullptr);
    }

    /// Where the driver is not specified: it may not run the newest CUDA, and any that has code for
    /// the GPU is enough.
    std::string or_an_older_cuda(const Version& newest) const {
        const auto row = gpu_ ? matrix_.architecture(*gpu_) : Answer<Architecture>();
        if (driver().version || !row || row->first_cuda >= newest)
            return "";
        return concat(
            ", or an older one from ",
            row->first_cuda.text,
            " on: nvidia-smi shows the newest that the driver supports");
    }

    void propose_libraries_of(const Version& cuda, bool change_cuda) {
        const CudnnBuild* cudnn = newest_cudnn(cuda.major());
        if (this->cudnn() && !cudnn)
            return;
        Remedy remedy{
            .action = Action::install_package,
            .text = "Use CUDA " + cuda.text,
            .link = cuda_archive,
        };
        if (change_cuda)
            remedy.changes.push_back({"cuda", cuda.text});
        if (this->cudnn()) {
            std::string with_cuda;
            if (change_cuda)
                with_cuda = "CUDA " + cuda.text + " with ";
            remedy.text = "Use " + with_cuda + "cuDNN " + cudnn->last().text;
            remedy.changes.push_back(
                {"cudnn", cudnn->last().text + "+cu" + std::to_string(cuda.major())});
            remedy.commands = pip_commands_for(*cudnn);
            remedy.link = cudnn->source.url;
        }
        remedy.text += ", the newest that suits what was specified";
        if (change_cuda)
            remedy.text += or_an_older_cuda(cuda);
        add(std::move(remedy));
    }

    const stack::Stack& stack_;
    const Facts& facts_;
    const Matrix& matrix_;
    stack::Stack target_;  ///< with the driver that is proposed
    std::optional<Version> gpu_;
    std::vector<GivenValue> driver_change_;
    std::string driver_text_;  ///< what is already proposed because the GPU needs it
    std::vector<Remedy> remedies_;
};

}  // namespace

static std::optional<Version> capability_for(const Facts& facts, const stack::Part& part) {
    std::optional<Version> first;
    for (const Gpu& gpu : facts.cuda_devices) {
        if (part.kind == stack::PartKind::gpu && part.id == std::to_string(gpu.index))
            return gpu.compute_capability;
        if (!first)
            first = gpu.compute_capability;
    }
    return first;
}

/// With the values of the GPU that the finding is about, else the first one's.
void append_plan_command(const Facts& facts, Finding& finding) {
    const std::string command =
        plan_command(capability_for(facts, finding.part), driver_version(facts));
    if (!command.empty())
        finding.remedies.push_back({
            .action = Action::investigate,
            .text = "List the versions of each framework that run with this GPU and driver",
            .commands = {command},
        });
}

/// Builds that run on this GPU although none on PyPI does: those of conda-forge, for Linux.
static std::vector<Remedy> builds_elsewhere(
    const std::string& framework, const Version& gpu, const Matrix& matrix) {
    std::vector<Remedy> remedies;
    for (const FrameworkBuild& build : matrix.framework_builds(framework)) {
        if (!build.cuda || stack::build_and_cudnn_on_gpu(build, gpu, {}, matrix).fit != Fit::works)
            continue;
        const stack::Framework named{framework, build.last.value_or(build.first)};
        remedies.push_back({
            .action = Action::install_package,
            .text = "Install conda-forge's build of " + words_of(named) + ", made for CUDA " +
                    build.cuda->text + ": no package on PyPI of any version runs on this GPU",
            .commands = {install_command(build, gpu, matrix)},
            .link = build.source.url,
        });
    }
    return remedies;
}

std::vector<Remedy> image_instead(
    bool on_windows,
    const std::string& framework,
    const Version& gpu,
    const stack::Driver& driver,
    const Matrix& matrix,
    bool arm) {
    const ContainerImage* image = stack::image_instead(framework, gpu, driver, matrix, arm);
    if (!image)
        return {};
    std::vector<Remedy> remedies;
    if (!on_windows && !arm)
        remedies = builds_elsewhere(framework, gpu, matrix);
    const char* why = ": no package on PyPI of any version runs on this GPU";
    if (arm)
        why =
            ": no package on PyPI for Linux on Arm runs on this GPU; `docker manifest inspect` "
            "shows whether there is such an image for arm64";
    remedies.push_back(using_image(on_windows, *image, why));
    return remedies;
}

/// The capability of a board whose builds come with NVIDIA's JetPack alone.
static std::optional<Version> jetpack_board(const stack::Stack& stack, const Matrix& matrix) {
    for (const stack::Gpu& gpu : stack.gpus)
        if (gpu.capability && !stack::no_board_of_builds(*gpu.capability, matrix).empty())
            return *gpu.capability;
    return std::nullopt;
}

std::vector<Remedy> proposed_repairs(
    const stack::Stack& stack, const Facts& facts, const Matrix& matrix) {
    if (jetpack_board(stack, matrix))
        return {};  // only JetPack bundles what suits it
    return Proposals(stack, facts, matrix).all();
}

Remedy without_repair(const stack::Stack& stack, const Matrix& matrix) {
    if (const auto board = jetpack_board(stack, matrix))
        return {
            .action = Action::install_package,
            .text =
                "Use the framework builds that NVIDIA publishes for JetPack: driver, CUDA and "
                "cuDNN of a "
                "Jetson come with it, and the published builds of frameworks do not run there. "
                "Packages are in " +
                stack::jetson_packages(*board),
            .link =
                "https://docs.nvidia.com/deeplearning/frameworks/"
                "install-pytorch-jetson-platform/index.html",
        };
    const auto nothing = [](const Plan& plan) {
        return Remedy{
            .action = Action::other,
            .text = "Nothing repairs this: " + plan.obstacles.front(),
            .link = support,
        };
    };
    std::vector<std::string> names, open;
    stack::Stack of_gpu;
    if (const auto gpu = stack::capability_of(stack))
        of_gpu.gpus.push_back({.capability = stack::known_capability(*gpu, matrix)});
    if (const Plan any = make_plan(of_gpu, "", matrix); !any.obstacles.empty())
        return nothing(any);
    for (const stack::Framework& framework : stack.frameworks) {
        names.push_back(words_of(framework));
        const Plan plan = plan_of(framework, stack, matrix);
        if (!plan.obstacles.empty())
            return nothing(plan);
        if (plan.frameworks.empty())
            continue;
        const auto possible = plan.frameworks.front().possible;
        if (possible)
            open.push_back(
                name_of(*possible, *possible->last) + " (" + join(possible->reasons, "; ") + ")");
    }
    std::string otherwise = "use a build from source, or another GPU";
    if (names.size() > 1)
        otherwise = "use an environment for each framework";
    if (!open.empty())
        otherwise = "it is unknown whether it runs with " + join_with_and(open);
    std::string changed = "CUDA or cuDNN";
    if (!names.empty())
        changed = "the build or version of " + join_with_and(names) + " or Python";
    return {
        .action = Action::install_package,
        .text =
            "No combination in the compatibility data is known to repair this by changing the "
            "driver, " +
            changed + ": " + otherwise,
        .link = support,
    };
}

}  // namespace rnncheck::rules
