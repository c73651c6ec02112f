#include "fleet/places.hpp"

#include <algorithm>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

/// With the name of an element, or without for all.
constexpr std::string_view varying =
    "schema tool log network probe_runs rnn_request rnn_fits rnn_dropouts rnn_cases rnn_runs cuda_devices[].index "
    "nvml_devices[].index kernel_runs[].gpu host.environment[SLURM_JOB_ID] "
    "host.environment[PBS_JOBID] host.environment[LSB_JOBID] host.environment[VIRTUAL_ENV] "
    "host.environment[CONDA_PREFIX] host.hidden_directories host.pci_gpus[].address driver.library "
    "driver.kernel_log_read driver.xids[].pci driver.xids[].seconds_ago driver.xids[].text cuda_devices[].uuid "
    "cuda_devices[].pci nvml_devices[].uuid nvml_devices[].pci nvml_devices[].memory_free_mib nvml_devices[].processes "
    "nvml_devices[].throttle_reasons nvml_devices[].busy_percent nvml_devices[].display_active libraries[].path "
    "libraries[].real_path libraries[].needed libraries[].run_path libraries[].problem_detail cudnns[].parts_mapped "
    "pythons.path pythons.found_by pythons.interpreter pythons.package_directories pythons.distributions "
    "pythons.left_out pythons.packages[].directory frameworks[].environment frameworks[].shown_by frameworks[].core "
    "frameworks[].directories_before frameworks[].directories_after";

}  // namespace

const Section& section_of(const std::string& place) {
    using enum DiffLayer;
    static constexpr Section sections[] = {{"host.environment[", host, "variable ", "host_system"},
                                           {"host.pci_gpus[", gpu, "PCI device ", "host_system"},
                                           {"host.", host, "", "host_system"},
                                           {"driver.device_nodes[", driver, "device node ", "driver_files"},
                                           {"driver.xids[", gpu, "Xid ", "hang_witness"},
                                           {"driver.", driver, "driver ", "driver_api"},
                                           {"cuda_devices[", gpu, "GPU ", "driver_api"},
                                           {"nvml_devices[", gpu, "NVML's GPU ", "nvml_devices"},
                                           {"libraries[libcuda.so", driver, "", "library_files"},
                                           {"libraries[libnvidia-ml", driver, "", "library_files"},
                                           {"libraries[libcudnn", cudnn, "", "library_files"},
                                           {"libraries[", runtime, "", "library_files"},
                                           {"runtimes[", runtime, "CUDA runtime ", "cuda_runtime"},
                                           {"nvrtcs[", runtime, "NVRTC ", "nvrtc_compile"},
                                           {"cudnns[", cudnn, "cuDNN ", "cudnn_library"},
                                           {"kernel_runs[", gpu, "test kernel on GPU ", "ptx_launch"},
                                           {"rnn_runs[", rnn, "GPU "},
                                           {"rnn_tests[", rnn, "RNN test "},
                                           {"probe_runs[", host, "probe "},
                                           {"tool.", host, "rnncheck "},
                                           {"pythons.packages[", frameworks, "package ", "python_packages"},
                                           {"pythons.", frameworks, "Python ", "python_packages"},
                                           {"frameworks[", frameworks, "", "python_packages"},
                                           {"", host, ""}};
    return *find_where(sections, [&](const Section& one) { return place.starts_with(one.begin); });
}

std::string_view probe_that_shows_absence(const std::string& place) {
    constexpr std::string_view unset_where_all_is_well = " failure unreachable problem container kernel_driver ";
    const std::string member = place.substr(place.rfind('.') + 1);
    const bool is_shown = place.ends_with(']') || contains(unset_where_all_is_well, ' ' + member + ' ');
    return is_shown ? section_of(place).probe : "";
}

std::string without_names(std::string_view place) {
    std::string out;
    bool inside = false;
    for (const char c : place) {
        inside = inside && c != ']';
        if (!inside) out += c;
        inside = inside || c == '[';
    }
    return out;
}

bool may_vary(const std::string& place) {
    static const std::vector<std::string> words = split(varying, ' ');
    static const std::set<std::string_view> known(words.begin(), words.end());
    return known.contains(place) || known.contains(without_names(place));
}

std::pair<std::string, std::string> name_and_member(const std::string& place) {
    const std::size_t begin = section_of(place).begin.size();
    const std::size_t open = place.substr(0, begin).find('[');
    if (open == std::string::npos) return {"", place.substr(begin)};
    const std::size_t close = place.find(']');
    return {place.substr(open + 1, close - open - 1), place.substr(std::min(close + 2, place.size()))};
}

std::string label_of(const std::vector<std::string>& places) {
    constexpr std::string_view terms = " CUDA MiB MHz ECC MIG PCI NVML RNN ";
    std::vector<std::string> names, words;
    for (const std::string& place : places) names.push_back(name_and_member(place).first);
    const std::string member = name_and_member(places.front()).second;
    for (const std::string& word : split(contains(member, "[") ? member : id_in_words(member), ' ')) {
        const std::size_t at = lower(terms).find(' ' + word + ' ');
        words.emplace_back(at == std::string::npos ? word : terms.substr(at + 1, word.size()));
    }
    const std::string name = join_with_and(names), of_name = join(words, " ");
    std::string kind(section_of(places.front()).words);
    if (names.size() == 1 || kind.empty()) return kind + name + (name.empty() || of_name.empty() ? "" : " ") + of_name;
    if (kind.ends_with("GPU ") || (kind[kind.size() - 2] >= 'a' && kind[kind.size() - 2] <= 'z')) kind.back() = 's';
    return (of_name.empty() ? "" : of_name + " of ") + kind + (kind.ends_with('s') ? " " : "") + name;
}

}  // namespace rnncheck
