#include "fleet/values.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <map>
#include <set>
#include <unordered_map>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "fleet/nodeset.hpp"
#include "report/places.hpp"

namespace rnncheck {

namespace {

using Value = rapidjson::Value;
constexpr int deepest = 12;
constexpr std::size_t most_patterns = 10'000;  ///< kept; no machine has so many
constexpr unsigned most_runs = 10'000;         ///< described together: more than any level has

/// Beside what differs between two runs of one machine.
const std::set<std::string, std::less<>> left_out = {"rnn_cases",
                                                     "host.environment[CUDA_VISIBLE_DEVICES]",
                                                     "driver.xids",
                                                     "cuda_devices[].index",
                                                     "nvml_devices[].index",
                                                     "kernel_runs[].gpu"};

/// Asked for each value of thousands of reports, which have the same patterns.
bool is_left_out(const std::string& pattern) {
    thread_local std::unordered_map<std::string, bool> known;
    if (known.size() > most_patterns) known.clear();
    const auto [at, is_new] = known.try_emplace(pattern);
    if (is_new) at->second = left_out.contains(pattern) || may_vary(pattern);
    return at->second;
}

const Value* member(const Value& object, const char* name) {
    if (!object.IsObject()) return nullptr;
    const auto found = object.FindMember(name);
    return found == object.MemberEnd() ? nullptr : &found->value;
}

std::string text_of(const Value& value) {
    if (value.IsString()) return {value.GetString(), value.GetStringLength()};
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

std::string text_member(const Value& object, const char* name) {
    const Value* value = member(object, name);
    return value && !value->IsNull() ? text_of(*value) : "";
}

const Value& list_member(const Value& object, const char* name) {
    static const Value none(rapidjson::kArrayType);
    const Value* list = member(object, name);
    return list && list->IsArray() ? *list : none;
}

/// By what an element is known, its directory left out.
std::string name_of_element(const Value& element) {
    for (const char* name : {"code", "library", "soname", "name", "path"})
        if (const Value* value = member(element, name)) {
            const std::string text = text_of(*value);
            return text.starts_with('/') ? text.substr(text.rfind('/') + 1) : text;
        }
    return "0";
}

using Values = std::unordered_map<std::string, std::string>;

/// One value for all GPUs where they have the same.
class ByGpu {
  public:
    /// The GPUs with the value; the list stays in place.
    std::vector<int>& with(const std::string& value) { return gpus_[value]; }

    std::string text() const {
        if (gpus_.size() == 1) return gpus_.begin()->first;
        std::vector<std::string> parts;
        for (const auto& [value, gpus] : gpus_) {
            std::vector<std::string> numbers;
            for (const int gpu : gpus) numbers.push_back(std::to_string(gpu));
            const std::string set = nodeset_of(numbers);
            parts.push_back(value + " (GPU " + std::string(trim_brackets(set)) + ")");
        }
        return join(parts, ", ");
    }

  private:
    static std::string_view trim_brackets(std::string_view set) {
        return set.starts_with('[') ? set.substr(1, set.size() - 2) : set;
    }

    std::map<std::string, std::vector<int>> gpus_;
};

class Collector {
  public:
    explicit Collector(ComparedValues& out) : out_(out) {}

    void collect_facts(const Value& facts) {
        for (const auto& item : facts.GetObject()) {
            const std::string name = text_of(item.name);
            if (name == "cuda_devices" || name == "nvml_devices" || name == "kernel_runs")
                collect_gpus(item.value, name);
            else if (name == "rnn_runs")
                collect_runs(facts, item.value);
            else if (name == "pythons")  // frameworks are judged as the active environment has them
                collect_active(item.value);
            else
                collect(item.value, name, name, 0, out_.values);
        }
        for (const Value& run : list_member(facts, "probe_runs").GetArray()) {
            const std::string end = text_member(run, "end");
            std::string& known = out_.values["probe_runs[" + text_member(run, "probe") + "].end"];
            if (known.empty() || end != "finished") known = end;
        }
    }

  private:
    void collect(const Value& value, const std::string& place, const std::string& pattern, int depth, Values& values) {
        if (value.IsNull() || is_left_out(pattern) || depth > deepest) return;
        if (value.IsArray()) return collect_list(value, place, pattern, depth, values);
        if (!value.IsObject()) {
            values[place] = text_of(value);
        } else if (member(value, "call") && member(value, "code")) {
            const std::string code = text_member(value, "code");
            values[place] = code == "0" ? "success" : text_member(value, "call") + " returned " + code;
        } else if (pattern == "host.environment") {
            for (const auto& item : value.GetObject()) {
                const std::string whole = place + '[' + text_of(item.name) + ']';
                if (!is_left_out(whole)) values[whole] = text_of(item.value);
            }
        } else {
            std::string inner = place + '.', inner_pattern = pattern + '.';
            for (const auto& item : value.GetObject()) {
                inner.replace(place.size() + 1, std::string::npos, item.name.GetString());
                inner_pattern.replace(pattern.size() + 1, std::string::npos, item.name.GetString());
                collect(item.value, inner, inner_pattern, depth + 1, values);
            }
        }
    }

    void collect_list(const Value& list, const std::string& place, const std::string& pattern, int depth,
                      Values& values) {
        std::string texts;
        for (const Value& element : list.GetArray()) {
            if (!element.IsObject()) {
                texts += (texts.empty() ? "" : ", ") + text_of(element);
                continue;
            }
            const std::string name = place + '[' + name_of_element(element);
            std::string whole = name + ']';
            for (int n = 2; values.contains(whole); ++n) whole = name + " #" + std::to_string(n) + ']';
            values[whole] = "present";
            collect(element, whole, pattern + "[]", depth + 1, values);
        }
        if (!texts.empty()) values[place] = texts;
    }

    void collect_active(const Value& pythons) {
        if (!pythons.IsArray()) return;
        for (const Value& python : pythons.GetArray())
            if (text_member(python, "active") == "true") collect(python, "pythons", "pythons", 0, out_.values);
    }

    void collect_gpus(const Value& list, const std::string& name) {
        if (!list.IsArray()) return;
        std::unordered_map<std::string, ByGpu> fields;
        int position = 0;
        for (const Value& element : list.GetArray()) {
            const Value* index = member(element, name == "kernel_runs" ? "gpu" : "index");
            const int gpu = index && index->IsInt() ? index->GetInt() : position;
            Values values;
            collect(element, name + "[]", name + "[]", 0, values);
            for (const auto& [place, value] : values) fields[place].with(value).push_back(gpu);
            if (const Value* free = member(element, "memory_free_mib"); free && free->IsNumber())
                out_.numbers.push_back({"nvml_devices[].memory_free_mib", gpu, free->GetDouble()});
            ++position;
        }
        out_.values[name] = std::to_string(position);
        for (const auto& [place, values] : fields) out_.values[place] = values.text();
    }

    /// Results of each case, and the time that all cases took on each GPU.
    void collect_runs(const Value& facts, const Value& lists) {
        if (!lists.IsArray()) return;
        std::unordered_map<std::string, std::string> cases;
        for (const Value& one : list_member(facts, "rnn_cases").GetArray())
            cases[text_member(one, "case_id")] = place_of_case(one);
        std::unordered_map<std::string, ByGpu> fields;
        std::map<int, double> times;
        for (const Value& runs : lists.GetArray()) {
            const Value *count = member(runs, "count"), *gpus = member(runs, "gpus");
            if (!count || !count->IsUint() || count->GetUint() > most_runs || !gpus || !gpus->IsArray()) continue;
            for (rapidjson::SizeType run = 0; run < count->GetUint(); ++run) {
                const auto* known = look_up(cases, text_of(item(member(runs, "case_id"), run)));
                if (!known) continue;
                const std::string place = *known + text_member(runs, "dialect") + ']';
                const std::string end = text_of(item(member(runs, "end"), run));
                const Value& digest = item(member(runs, "digest"), run);
                std::vector<int>& ends = fields[place + ".end"].with(end);
                std::vector<int>* digests =
                    digest.IsString() ? &fields[place + ".digest"].with(text_of(digest)) : nullptr;
                for (rapidjson::SizeType g = 0; g < gpus->Size(); ++g) {
                    const int gpu = (*gpus)[g].IsInt() ? (*gpus)[g].GetInt() : -1;
                    ends.push_back(gpu);
                    if (digests) digests->push_back(gpu);
                    const Value& ms = item(&item(member(runs, "repeat_ms"), g), run);
                    if (ms.IsNumber()) times[gpu] += ms.GetDouble();
                }
            }
        }
        for (const auto& [place, values] : fields) out_.values[place] = values.text();
        for (const auto& [gpu, ms] : times) out_.numbers.push_back({"rnn_tests[].time_ms", gpu, ms});
    }

    /// "rnn_tests[fp32 lstm case 4 #123 "; what is usual is not in the description of a case.
    static std::string place_of_case(const Value& rnn_case) {
        const auto word = [&](const char* name, const char* usual) {
            const std::string text = text_member(rnn_case, name);
            return text.empty() ? std::string(usual) : text;
        };
        return "rnn_tests[" + word("dtype", "fp32") + ' ' + word("cell", "lstm") + " case " + word("case_id", "") +
               " #" + std::to_string(std::hash<std::string>()(text_of(rnn_case))) + ' ';
    }

    /// That of one run, or the one of all runs.
    static const Value& item(const Value* column, rapidjson::SizeType i) {
        static const Value none;
        if (!column) return none;
        if (!column->IsArray()) return *column;
        return i < column->Size() ? (*column)[i] : none;
    }

    ComparedValues& out_;
};

}  // namespace

ComparedValues compared_values(const Value& facts) {
    ComparedValues values;
    if (facts.IsObject()) Collector(values).collect_facts(facts);
    return values;
}

}  // namespace rnncheck
