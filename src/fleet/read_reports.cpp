#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <thread>
#include <unordered_map>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "facts/facts.hpp"
#include "fleet/nodes.hpp"
#include "fleet/values.hpp"

namespace rnncheck {

namespace {

namespace fs = std::filesystem;

constexpr unsigned most_threads = 8;

/// Reports of one file, one after the other.
struct Chunk {
    std::string file;
    std::size_t first_line = 1;
    std::string text = {};
    bool whole_file = false;
};

/// Up to an end of line, unless the file ends.
Chunk next_chunk(std::istream& stream, const std::string& file, std::size_t first_line) {
    constexpr std::size_t size_of_chunk = std::size_t{16} << 20;  // longer than any report
    std::vector<char> block(std::size_t{64} << 10);
    Chunk chunk{file, first_line};
    while (stream && chunk.text.size() < size_of_chunk) {
        stream.read(block.data(), std::ssize(block));
        chunk.text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    }
    if (std::string rest; stream && std::getline(stream, rest)) chunk.text += rest + '\n';
    chunk.whole_file = !stream && first_line == 1;
    return chunk;
}

/// The facts of a report, or the document if it is facts alone. InputError says why it is neither.
const rapidjson::Value& facts_of(const rapidjson::Value& report) {
    if (!report.IsObject()) throw InputError("it is no report");
    const rapidjson::Value* facts = member(report, "facts");
    if (!facts && member(report, "probe_runs")) facts = &report;
    if (!facts || !facts->IsObject())
        throw InputError(report.HasMember("command")
                             ? "it is the result of another command, and holds no facts of a machine"
                             : "it holds no facts of a machine");
    const rapidjson::Value* schema = member(*facts, "schema");
    if (!schema || !schema->IsInt() || schema->GetInt() != facts_schema)
        throw InputError("its facts are not of schema " + std::to_string(facts_schema));
    return *facts;
}

/// One report, before its texts have numbers.
struct ParsedReport {
    std::string place;  ///< "nodes.ndjson:7"; "gpu07" of the only report in gpu07.json
    FleetNode node = {};
    std::vector<std::string> findings = {};
    std::map<std::string, std::string> titles = {};  ///< by rule
    ComparedValues compared;
};

ParsedReport parsed_report(const rapidjson::Value& json, std::string place) {
    ParsedReport report{.place = std::move(place), .compared = compared_values(facts_of(json))};
    report.node.run_at = text_member(json, "run_at");
    report.node.verdict = text_member(json, "verdict");
    if (const auto* tool = member(json, "tool"))
        for (const char* name : {"version", "matrix_date"})
            report.compared.values["tool." + std::string(name)] = text_member(*tool, name);
    if (const auto* labels = member(json, "labels"); labels && labels->IsObject())
        for (const auto& label : labels->GetObject())
            report.node.labels.emplace(label.name.GetString(), text_member(*labels, label.name.GetString()));
    for (const auto& finding : list_member(json, "findings").GetArray())
        if (const std::string severity = text_member(finding, "severity");
            severity == "error" || severity == "warning") {
            const std::string rule = text_member(finding, "rule");
            report.findings.push_back(severity + ' ' + rule);
            report.titles.emplace(rule, text_member(finding, "title"));
        }
    return report;
}

/// A name that a set of nodes can hold: no comma, bracket or blank.
std::string name_of_node(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c <= ' ' || c == ',' || c == '[' || c == ']'; }, '_');
    return text;
}

struct ParsedChunk {
    std::vector<ParsedReport> reports = {};
    std::vector<UnreadableReport> unreadable = {};
};

/// Parses in the chunk's text, which the strings of the JSON then share.
ParsedChunk parsed_chunk(Chunk chunk) {
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<std::size_t> ends_of_lines;  // now, because parsing changes the text
    for (std::size_t at = chunk.text.find('\n'); at != std::string::npos; at = chunk.text.find('\n', at + 1))
        ends_of_lines.push_back(at);
    const fs::path file(chunk.file);
    rapidjson::MemoryPoolAllocator<> allocator(std::size_t{1} << 20);
    ParsedChunk parsed;
    for (std::size_t at = chunk.text.find_first_not_of(blanks); at != std::string::npos;
         at = chunk.text.find_first_not_of(blanks, at)) {
        const auto lines = std::ranges::lower_bound(ends_of_lines, at) - ends_of_lines.begin();
        const std::string place =
            concat(file.filename().string(), ':', chunk.first_line + static_cast<std::size_t>(lines));
        rapidjson::InsituStringStream stream(&chunk.text[at]);
        allocator.Clear();
        rapidjson::Document json(&allocator);
        json.ParseStream<rapidjson::kParseInsituFlag | rapidjson::kParseStopWhenDoneFlag |
                         rapidjson::kParseIterativeFlag>(stream);
        at += stream.Tell();
        try {
            if (json.HasParseError())
                throw InputError("it is no valid JSON: " + std::string(GetParseError_En(json.GetParseError())));
            parsed.reports.push_back(parsed_report(json, place));
        } catch (const InputError& error) {
            parsed.unreadable.push_back({name_of_node(place), error.what()});
            if (json.HasParseError()) at = chunk.text.find('\n', at);
        }
    }
    if (chunk.whole_file && parsed.reports.size() == 1 && parsed.unreadable.empty())
        parsed.reports.front().place = file.stem().string();
    return parsed;
}

void add(ParsedChunk parsed, bool name_by_file, Collection& collection) {
    for (ParsedReport& report : parsed.reports) {
        FleetNode& node = report.node;
        const std::string* const label = name_by_file ? nullptr : look_up(node.labels, "node");
        node.name = name_of_node(label ? *label : report.place);
        for (const auto& [field, value] : report.compared.values) node.values.emplace_back(Text(field), Text(value));
        for (const NumberOfGpu& number : report.compared.numbers)
            node.samples.push_back({Text(number.field), number.gpu, number.value});
        for (const std::string& finding : report.findings) node.findings.insert(Text(finding));
        collection.titles.merge(report.titles);
        std::ranges::sort(node.values);
        collection.nodes.push_back(std::move(node));
    }
    append(collection.unreadable, std::move(parsed.unreadable));
}

void keep_the_latest(Collection& collection) {
    auto& nodes = collection.nodes;
    std::ranges::stable_sort(nodes, [](const FleetNode& a, const FleetNode& b) {
        return std::tie(a.name, b.run_at) < std::tie(b.name, a.run_at);
    });
    const auto rest = std::ranges::unique(nodes, {}, &FleetNode::name);
    collection.repeated = rest.size();
    nodes.erase(rest.begin(), rest.end());
    std::ranges::sort(collection.unreadable, {}, &UnreadableReport::name);
}

/// The reports below a directory.
void add_directory(const std::string& directory, std::vector<std::string>& files) {
    std::error_code error;
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator it(directory, fs::directory_options::skip_permission_denied, error), end;
         !error && it != end; it.increment(error))
        if (const auto extension = it->path().extension(); extension == ".json" || extension == ".ndjson")
            found.push_back(it->path().string());
    if (error) throw InputError(directory + " cannot be read: " + error.message());
    if (found.empty()) throw InputError(directory + " holds no reports: files whose names end in .json or .ndjson");
    std::ranges::sort(found);
    std::ranges::move(found, std::back_inserter(files));
}

}  // namespace

/// All texts by their numbers.
static std::deque<std::string> texts;

Text::Text(std::string_view text) {
    static std::unordered_map<std::string_view, std::uint32_t> numbers;
    const auto* known = look_up(numbers, text);
    number_ = known ? *known : static_cast<std::uint32_t>(texts.size());
    if (!known) numbers.emplace(texts.emplace_back(text), number_);
}

const std::string& Text::str() const {
    return texts[number_];
}

const FleetNode* Collection::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(nodes, name, {}, &FleetNode::name);
    return found == nodes.end() || found->name != name ? nullptr : &*found;
}

const FleetNode& only_report(const Collection& collection) {
    if (collection.nodes.size() != 1 || !collection.unreadable.empty())
        throw InputError("--expect needs a file with one report that can be read");
    return collection.nodes.front();
}

std::vector<std::string> report_files(const std::vector<std::string>& inputs) {
    std::vector<std::string> files;
    for (const std::string& input : inputs) {
        if (fs::is_directory(input))
            add_directory(input, files);
        else if (input == "-" || fs::exists(input))
            files.push_back(input);
        else
            throw InputError(input + " does not exist");
    }
    return files;
}

Collection read_reports(const std::vector<std::string>& files, bool name_by_file) {
    Collection collection;
    std::deque<std::future<ParsedChunk>> at_work;
    const auto add_first = [&] {
        add(at_work.front().get(), name_by_file, collection);
        at_work.pop_front();
    };
    for (const std::string& file : files) {
        std::ifstream opened(file, std::ios::binary);
        std::istream& stream = file == "-" ? std::cin : opened;
        if (!stream) collection.unreadable.push_back({file, "the file cannot be opened"});
        for (std::size_t line = 1; stream;) {
            Chunk chunk = next_chunk(stream, file, line);
            line += static_cast<std::size_t>(std::ranges::count(chunk.text, '\n'));
            if (at_work.size() >= std::clamp(std::thread::hardware_concurrency(), 1U, most_threads)) add_first();
            at_work.push_back(std::async(std::launch::async, parsed_chunk, std::move(chunk)));
        }
    }
    while (!at_work.empty()) add_first();
    keep_the_latest(collection);
    return collection;
}

}  // namespace rnncheck
