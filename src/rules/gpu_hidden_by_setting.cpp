// An environment variable keeps CUDA from GPUs that are there.
#include "rules/rule.hpp"

namespace rnncheck::rules::gpu_hidden_by_setting {

static Remedy remedy_for(const Facts& facts, const std::string& variable, Severity severity) {
    if (variable == "NVIDIA_VISIBLE_DEVICES") {
        Remedy remedy = gpu_for_container(facts);
        remedy.text = "This variable is set when the container is started. " + remedy.text;
        return remedy;
    }
    // The batch system sets it to the GPUs of the job, and to a word that names none where the job has none.
    if (severity == Severity::error && !batch_system(facts).empty()) return gpu_for_job(facts);
    return {.action = Action::change_environment,
            .text =
                "Unset the variable, or set it to existing GPUs: indices from 0, or UUIDs as nvidia-smi lists them. "
                "Programs and notebooks may also set it",
            .commands = {"unset CUDA_VISIBLE_DEVICES", "nvidia-smi -L"},
            .link = "https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html"};
}

static Finding hidden(const Facts& facts, const std::string& variable, Severity severity, const std::string& effect) {
    const std::string& value = *environment(facts, variable);
    Finding finding;
    finding.severity = severity;
    finding.subject = variable;
    if (severity == Severity::error)
        finding.explains = {"container", "libcuda", "driver", "/dev", "cuda_devices", "driver.init"};
    finding.message = variable + "=\"" + escaped(value, 200) + "\" " + effect;
    finding.evidence = {{variable, value, "host.environment"},
                        {"GPUs that CUDA sees", std::to_string(facts.cuda_devices.size()), "cuda_devices"},
                        {"GPUs that NVML sees", std::to_string(facts.nvml_devices.size()), "nvml_devices"}};
    finding.remedies = {remedy_for(facts, variable, severity)};
    return finding;
}

/// Entries from the first one that names no GPU on are ignored by CUDA.
static Verdict part_hidden(const Facts& facts, const std::string& value) {
    auto named = split(value, ',');
    std::erase_if(named, [](const std::string& entry) { return trim(entry).empty(); });
    const auto entries = named.size();
    // Of several MIG instances CUDA gives a process one, whatever the variable names.
    if (facts.cuda_devices.size() < entries && !contains(value, "MIG-"))
        return fault(hidden(facts, "CUDA_VISIBLE_DEVICES", Severity::warning,
                            "names " + pluralized(entries, "GPU", "GPUs") + ", but CUDA uses only the first " +
                                std::to_string(facts.cuda_devices.size()) +
                                ": the next entry is not a GPU of this machine"));
    if (facts.nvml_devices.size() > facts.cuda_devices.size())
        return fault(hidden(facts, "CUDA_VISIBLE_DEVICES", Severity::note,
                            "limits CUDA to " + std::to_string(facts.cuda_devices.size()) + " of " +
                                std::to_string(facts.nvml_devices.size()) + " GPUs"));
    return pass("CUDA_VISIBLE_DEVICES names GPUs that exist");
}

static Verdict check(const Facts& facts, const Matrix&) {
    const std::string* value = environment(facts, "CUDA_VISIBLE_DEVICES");
    const bool no_gpu_given = container_without_gpu(facts) || (facts.driver.init && !kernel_side_absent(facts));
    if (container_hides_gpus(facts) && facts.cuda_devices.empty() && no_gpu_given)
        return fault(hidden(facts, "NVIDIA_VISIBLE_DEVICES", Severity::error, "requests a container without a GPU"));
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    if (!value) return not_applicable("CUDA_VISIBLE_DEVICES is not set");
    if (!facts.driver.init->ok() && init_code(facts) != cuda_no_device)
        return not_applicable("the driver does not initialize");
    if (!facts.cuda_devices.empty()) return part_hidden(facts, *value);
    if (!probe_completed(facts, "driver_api") && driver_answers(facts))
        return undecided("querying the driver did not finish");
    Finding finding = hidden(facts, "CUDA_VISIBLE_DEVICES", Severity::error, "hides every GPU from CUDA");
    if (facts.nvml_devices.empty()) finding.confidence = Confidence::likely;
    return fault(std::move(finding));
}

extern const Rule rule{
    .title = "An environment variable hides GPUs from CUDA", .layer = Layer::gpu, .stage = Stage::ask, .check = check};

}  // namespace rnncheck::rules::gpu_hidden_by_setting
