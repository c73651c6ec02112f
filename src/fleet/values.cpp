// Turns the nested facts of a report into pairs of place and value, which can be compared whatever
// the facts are, and gives places names for people.
#include "fleet/values.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/sweep.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

/// With the name of an element, or without for all.
constexpr std::string_view varying =
    "schema tool log network probe_runs rnn_request rnn_fits rnn_dropouts rnn_cases rnn_runs "
    "cuda_devices[].index "
    "nvml_devices[].index kernel_runs[].gpu host.environment[SLURM_JOB_ID] "
    "host.environment[PBS_JOBID] host.environment[LSB_JOBID] host.environment[VIRTUAL_ENV] "
    "host.environment[CONDA_PREFIX] host.hidden_directories host.limits[].peak "
    "host.limits[].times_reached "
    "host.pci_gpus[].address driver.library "
    "driver.kernel_log_read driver.xids[].pci driver.xids[].seconds_ago driver.xids[].text "
    "cuda_devices[].uuid "
    "cuda_devices[].pci nvml_devices[].uuid nvml_devices[].pci nvml_devices[].memory_free_mib "
    "nvml_devices[].processes "
    "nvml_devices[].throttle_reasons nvml_devices[].busy_percent nvml_devices[].display_active "
    "libraries[].path "
    "libraries[].real_path libraries[].needed libraries[].run_path libraries[].problem_detail "
    "cudnns[].parts_mapped "
    "cudnns[].files[].path cudnns[].rnn_first.parts_mapped "
    "pythons.path pythons.found_by pythons.passed_over pythons.interpreter "
    "pythons.missing_interpreter "
    "pythons.package_directories pythons.distributions "
    "pythons.skipped pythons.packages[].directory frameworks[].environment frameworks[].evidence "
    "frameworks[].core "
    "frameworks[].directories_before frameworks[].directories_after";

/// Differs between runs or equal machines without any effect, or is also shown by other facts.
bool may_vary(const std::string& place) {
    static const std::vector<std::string> words = split(varying, ' ');
    static const std::set<std::string_view> known(words.begin(), words.end());
    return known.contains(place) || known.contains(without_names(place));
}

using Value = rapidjson::Value;
constexpr int deepest = 12;

/// Called for each value of thousands of reports, which have the same places.
bool is_left_out(const std::string& place) {
    constexpr std::size_t most_places = 100'000;
    thread_local std::unordered_map<std::string, bool> known;
    if (known.size() > most_places)
        known.clear();
    const auto [at, is_new] = known.try_emplace(place);
    if (is_new)
        at->second = may_vary(place);
    return at->second;
}

/// A text without quotation marks, anything else as JSON.
std::string text_of(const Value& value) {
    if (value.IsString())
        return {value.GetString(), value.GetStringLength()};
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

/// Of a path the file's name: the same library may be elsewhere on another
/// machine. A list of directories stays as it is.
std::string without_directory(std::string text) {
    if (text.starts_with('/') && !contains(text, ":"))
        return file_name(text);
    return text;
}

/// By what an element of a list is known.
std::string name_of_element(const Value& element) {
    for (const char* name : {"index", "gpu", "code", "library", "soname", "name", "path", "place"})
        if (const Value* value = member(element, name))
            return without_directory(text_of(*value));
    return "0";
}

/// Walks through the facts of one report.
struct Collector {
    const bool with_directories;
    Values values = {};

    /// Two machines may have the same library in different places.
    std::string plain_text(const Value& value) const {
        if (with_directories)
            return text_of(value);
        return without_directory(text_of(value));
    }

    /// A failed call is one value, and so is a variable of the environment.
    void collect(const Value& value, const std::string& place, int depth) {
        if (value.IsNull() || is_left_out(place) || depth > deepest)
            return;
        if (value.IsArray())
            return collect_list(value, place, depth);
        if (!value.IsObject()) {
            values[place] = plain_text(value);
        } else if (member(value, "call") && member(value, "code")) {
            const std::string code = text_member(value, "code");
            std::string text = "success";
            if (code != "0")
                text = text_member(value, "call") + " returned " + code;
            values[place] = text;
        } else if (place == "host.environment") {
            for (const auto& item :
                 value.GetObject()) {  // lists of directories too, whose order matters
                const std::string whole = place + '[' + text_of(item.name) + ']';
                if (!is_left_out(whole))
                    values[whole] = text_of(item.value);
            }
        } else {
            std::string inner = place + '.';
            for (const auto& item : value.GetObject()) {
                inner.replace(place.size() + 1, std::string::npos, item.name.GetString());
                collect(item.value, inner, depth + 1);
            }
        }
    }

    /// Elements by their names; two of one name are numbered. Texts are one
    /// value, in their order.
    void collect_list(const Value& list, const std::string& place, int depth) {
        std::vector<std::string> texts;
        for (const Value& element : list.GetArray()) {
            if (!element.IsObject()) {
                texts.push_back(plain_text(element));
                continue;
            }
            const std::string name = place + '[' + name_of_element(element);
            std::string whole = name + ']';
            for (int n = 2; values.contains(whole); ++n)
                whole = name + " #" + std::to_string(n) + ']';
            values[whole] = "present";
            collect(element, whole, depth + 1);
        }
        const bool is_of_texts =
            list.Empty() && contains(place, "]") && !place.ends_with(".libraries");
        if (is_of_texts || !texts.empty())
            values[place] = join(texts, ", ");
    }
};

/// One value for all GPUs if theirs are equal.
using ByGpu = std::map<std::string, std::vector<int>>;

/// "9.0" where all GPUs have it, else "9.0 (GPUs 0-6), 8.0 (GPU 7)".
std::string text_of(const ByGpu& values) {
    if (values.size() == 1)
        return values.begin()->first;
    std::vector<std::string> parts;
    for (auto [value, gpus] : values) {
        std::ranges::sort(gpus);
        gpus.erase(std::ranges::unique(gpus).begin(), gpus.end());
        parts.push_back(value + " (" + gpus_in_words(gpus) + ")");
    }
    return join(parts, ", ");
}

/// "rnn_tests[fp32 lstm case 4 #123 "; what is usual is not in the description of a case.
std::string place_of_case(const Value& rnn_case) {
    const auto word = [&](const char* name, const char* usual) {
        const std::string text = text_member(rnn_case, name);
        if (text.empty())
            return std::string(usual);
        return text;
    };
    return "rnn_tests[" + word("dtype", "fp32") + ' ' + word("cell", "lstm") + " case " +
           word("case_id", "") + " #" +
           std::to_string(std::hash<std::string>()(text_of(rnn_case))) + ' ';
}

/// The results of each case, and the time that all of them took on each GPU.
std::unordered_map<std::string, ByGpu> results_of(const Value& facts, FleetNode& node) {
    std::unordered_map<std::string, std::string> cases;
    for (const Value& one : list_member(facts, "rnn_cases").GetArray())
        cases[text_member(one, "case_id")] = place_of_case(one);
    std::unordered_map<std::string, ByGpu> fields;
    std::map<int, double> times;
    for (const Value& run : list_member(facts, "rnn_runs").GetArray()) {
        const auto* known = look_up(cases, text_member(run, "case_id"));
        if (!known)
            continue;
        const std::string place = *known + text_member(run, "rnn_api") + ']';
        const int gpu = leading_number(text_member(run, "gpu")).value_or(-1);
        fields[place + ".end"][text_member(run, "end")].push_back(gpu);
        if (const Value* digest = member(run, "digest"); digest && digest->IsString())
            fields[place + ".digest"][text_of(*digest)].push_back(gpu);
        if (const Value* ms = member(run, "repeat_ms"); ms && ms->IsNumber())
            times[gpu] += ms->GetDouble();
    }
    for (const auto& [gpu, ms] : times)
        node.numbers.emplace_back(Text("rnn_tests[].time_ms"), ms);
    return fields;
}

}  // namespace

/// Safe for anything that a report from elsewhere may have in this place.
const Value* member(const Value& object, const char* name) {
    if (!object.IsObject())
        return nullptr;
    const auto found = object.FindMember(name);
    if (found == object.MemberEnd())
        return nullptr;
    return &found->value;
}

std::string text_member(const Value& object, const char* name) {
    const Value* value = member(object, name);
    if (value && !value->IsNull())
        return text_of(*value);
    return "";
}

/// Empty where it is no list, so that a caller can always walk through it.
const Value& list_member(const Value& object, const char* name) {
    static const Value none(rapidjson::kArrayType);
    const Value* list = member(object, name);
    if (!list || !list->IsArray())
        return none;
    return *list;
}

/// Everything but environments of Python that are not in use.
Values values_of(const Value& facts, bool with_directories) {
    Collector collector{with_directories};
    for (const auto& fact : facts.GetObject()) {
        const std::string name = text_of(fact.name);
        if (name != "pythons")
            collector.collect(fact.value, name, 0);
    }
    // Frameworks are judged as the active environment has them. What else is
    // installed on a node changes nothing for its jobs.
    for (const Value& python : list_member(facts, "pythons").GetArray())
        if (text_member(python, "active") == "true")
            collector.collect(python, "pythons", 0);
    return std::move(collector.values);
}

/// Values of the GPUs are collected by GPU, so that eight equal ones are one
/// value.
void add_facts(const Value& facts, FleetNode& node) {
    std::unordered_map<std::string, ByGpu> fields = results_of(facts, node);
    const auto add = [&](const std::string& place, const std::string& value) {
        node.values.emplace_back(Text(place), Text(value));
    };
    // A list of GPUs has an element for each; its members are compared by GPU,
    // its length is a value of its own.
    for (const auto& [place, value] : values_of(facts, true)) {
        const std::string_view list = std::string_view(place).substr(0, place.find('['));
        if (list.size() == place.size() ||
            (list != "cuda_devices" && list != "nvml_devices" && list != "kernel_runs")) {
            if (place != "host.environment[CUDA_VISIBLE_DEVICES]" && list != "driver.xids")
                add(place, value);
        } else if (!place.ends_with(']')) {
            const int gpu =
                leading_number(std::string_view(place).substr(list.size() + 1)).value_or(-1);
            fields[concat(list, '[', place.substr(place.find(']')))][value].push_back(gpu);
        }
    }
    for (const auto& [place, values] : fields)
        add(place, text_of(values));
    for (const char* name : {"cuda_devices", "nvml_devices", "kernel_runs"})
        if (const Value* list = member(facts, name); list && list->IsArray())
            add(name, std::to_string(list->Size()));
    // Free memory changes all the time: it is a number with a usual range, no
    // value.
    for (const Value& board : list_member(facts, "nvml_devices").GetArray())
        if (const Value* free = member(board, "memory_free_mib"); free && free->IsNumber())
            node.numbers.emplace_back(Text("nvml_devices[].memory_free_mib"), free->GetDouble());
    // Of a probe with several targets, an end other than "finished", if there
    // is one.
    std::map<std::string, std::string> ends;
    for (const Value& run : list_member(facts, "probe_runs").GetArray()) {
        std::string& known = ends[text_member(run, "probe")];
        if (known.empty() || known == "finished")
            known = text_member(run, "end");
    }
    for (const auto& [probe, end] : ends)
        add("probe_runs[" + probe + "].end", end);
}

/// The first that fits: longer beginnings are listed before shorter ones.
const Section& section_of(const std::string& place) {
    using enum DiffLayer;
    static constexpr Section sections[] = {
        {"host.environment[", host, "variable ", "host_system"},
        {"host.pci_gpus[", gpu, "PCI device ", "host_system"},
        {"host.", host, "", "host_system"},
        {"driver.device_nodes[", driver, "device node ", "driver_files"},
        {"driver.xids[", gpu, "Xid ", "hang_diagnostic"},
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

/// An element of a list, or a member that is unset where nothing is wrong.
std::string_view probe_that_shows_absence(const std::string& place) {
    constexpr std::string_view unset_where_all_is_well =
        " failure unreachable problem container kernel_driver ";
    const std::string member = place.substr(place.rfind('.') + 1);
    const bool is_shown =
        place.ends_with(']') || contains(unset_where_all_is_well, ' ' + member + ' ');
    if (!is_shown)
        return "";
    return section_of(place).probe;
}

/// What is between brackets is left out, the brackets stay.
std::string without_names(std::string_view place) {
    std::string out;
    bool inside = false;
    for (const char c : place) {
        inside = inside && c != ']';
        if (!inside)
            out += c;
        inside = inside || c == '[';
    }
    return out;
}

/// The section knows where the name of an element begins.
std::pair<std::string, std::string> name_and_member(const std::string& place) {
    const std::size_t begin = section_of(place).begin.size();
    const std::size_t open = place.substr(0, begin).find('[');
    if (open == std::string::npos)
        return {"", place.substr(begin)};
    const std::size_t close = place.find(']');
    return {
        place.substr(open + 1, close - open - 1), place.substr(std::min(close + 2, place.size()))};
}

/// "GPU 0 compute capability"; terms keep their capital letters.
std::string label_of(const std::vector<std::string>& places) {
    constexpr std::string_view terms = " CUDA MiB MHz ECC MIG PCI NVML RNN ";
    std::vector<std::string> names, words;
    for (const std::string& place : places)
        names.push_back(name_and_member(place).first);
    const std::string member = name_and_member(places.front()).second;
    std::string all_words = member;
    if (!contains(member, "["))
        all_words = id_in_words(member);
    for (std::string word : split(all_words, ' ')) {
        const std::size_t at = lower(terms).find(' ' + word + ' ');
        if (at != std::string::npos)
            word = terms.substr(at + 1, word.size());
        words.push_back(std::move(word));
    }
    const std::string name = join_with_and(names), of_name = join(words, " ");
    std::string kind(section_of(places.front()).words);
    if (names.size() == 1 || kind.empty()) {
        std::string_view gap = " ";
        if (name.empty() || of_name.empty())
            gap = "";
        return concat(kind, name, gap, of_name);
    }
    if (kind.ends_with("GPU ") || (kind[kind.size() - 2] >= 'a' && kind[kind.size() - 2] <= 'z'))
        kind.back() = 's';
    if (kind.ends_with('s'))
        kind += ' ';
    return if_any("", of_name, " of ") + kind + name;
}

}  // namespace rnncheck
