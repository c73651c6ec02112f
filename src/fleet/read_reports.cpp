#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "facts/facts.hpp"
#include "fleet/nodes.hpp"
#include "fleet/values.hpp"

namespace rnncheck {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t chunk_size = std::size_t{16} << 20;  ///< of a file with many reports; longer than any report
constexpr std::size_t block_size = std::size_t{64} << 10;
constexpr unsigned most_threads = 8;

/// Reports of one file, one after the other.
struct Chunk {
    std::string file;
    std::size_t first_line = 1;
    std::string text = {};
    std::vector<std::size_t> ends_of_lines = {};  ///< in the text, which parsing changes
    bool whole_file = false;
};

/// Hands out the reports of all files. Safe for several threads.
class Chunks {
  public:
    explicit Chunks(std::vector<std::string> files) : files_(std::move(files)) {}

    std::optional<Chunk> next() {
        const std::lock_guard lock(mutex_);
        while (is_open_ || next_ < files_.size()) {
            if (!is_open_) open_next();
            if (Chunk chunk = read(); !chunk.text.empty()) return chunk;
        }
        return std::nullopt;
    }

    std::vector<UnreadableReport> unopened;

  private:
    void open_next() {
        const std::string& file = files_[next_++];
        line_ = 1;
        file_ = std::ifstream(file, std::ios::binary);
        stream_ = file == "-" ? &std::cin : &file_;
        is_open_ = stream_->good();
        if (!is_open_) unopened.push_back({file, "the file cannot be opened"});
    }

    /// Up to an end of line, unless the file ends.
    Chunk read() {
        Chunk chunk{files_[next_ - 1], line_};
        std::vector<char> block(block_size);
        while (*stream_ && chunk.text.size() < chunk_size) {
            stream_->read(block.data(), block_size);
            chunk.text.append(block.data(), static_cast<std::size_t>(stream_->gcount()));
        }
        if (std::string rest; *stream_ && std::getline(*stream_, rest)) chunk.text += rest + '\n';
        is_open_ = stream_->good();
        chunk.whole_file = !is_open_ && line_ == 1;
        for (std::size_t at = chunk.text.find('\n'); at != std::string::npos; at = chunk.text.find('\n', at + 1))
            chunk.ends_of_lines.push_back(at);
        line_ += chunk.ends_of_lines.size();
        return chunk;
    }

    std::vector<std::string> files_;
    std::size_t next_ = 0, line_ = 1;
    bool is_open_ = false;
    std::ifstream file_;
    std::istream* stream_ = &file_;
    std::mutex mutex_;
};

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
    std::string place;  ///< "nodes.ndjson:7"
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

class Reader {
  public:
    Reader(std::vector<std::string> files, bool name_by_file)
        : chunks_(std::move(files)), name_by_file_(name_by_file) {}

    Collection read_all() {
        std::vector<std::jthread> others;
        for (unsigned n = 1; n < std::min(std::thread::hardware_concurrency(), most_threads); ++n)
            others.emplace_back([this] { read_chunks(); });
        read_chunks();
        for (std::jthread& thread : others) thread.join();
        std::ranges::move(chunks_.unopened, std::back_inserter(collection_.unreadable));
        keep_the_latest();
        return std::move(collection_);
    }

  private:
    void read_chunks() {
        std::vector<char> memory(std::size_t{1} << 20);  // of a report's JSON; more is allocated when it needs more
        rapidjson::MemoryPoolAllocator<> allocator(memory.data(), memory.size());
        while (auto chunk = chunks_.next()) read(*chunk, allocator);
    }

    /// Parses in the chunk's text, which the strings of the JSON then share.
    void read(Chunk& chunk, rapidjson::MemoryPoolAllocator<>& allocator) {
        constexpr std::string_view blanks = " \t\r\n";
        std::vector<ParsedReport> reports;
        std::vector<UnreadableReport> unreadable;
        for (std::size_t at = chunk.text.find_first_not_of(blanks); at != std::string::npos;
             at = chunk.text.find_first_not_of(blanks, at)) {
            const auto& ends = chunk.ends_of_lines;
            const auto line =
                chunk.first_line + static_cast<std::size_t>(std::ranges::lower_bound(ends, at) - ends.begin());
            const std::string place = fs::path(chunk.file).filename().string() + ':' + std::to_string(line);
            rapidjson::InsituStringStream stream(&chunk.text[at]);
            allocator.Clear();
            rapidjson::Document json(&allocator);
            json.ParseStream<rapidjson::kParseInsituFlag | rapidjson::kParseStopWhenDoneFlag |
                             rapidjson::kParseIterativeFlag>(stream);
            at += stream.Tell();
            try {
                if (json.HasParseError())
                    throw InputError("it is no valid JSON: " + std::string(GetParseError_En(json.GetParseError())));
                reports.push_back(parsed_report(json, place));
            } catch (const InputError& error) {
                unreadable.push_back({name_of_node(place), error.what()});
                if (json.HasParseError()) at = chunk.text.find('\n', at);
            }
        }
        const bool one_report = chunk.whole_file && reports.size() + unreadable.size() == 1;
        const std::lock_guard lock(mutex_);
        for (ParsedReport& report : reports) add(report, one_report ? fs::path(chunk.file).stem().string() : "");
        std::ranges::move(unreadable, std::back_inserter(collection_.unreadable));
    }

    void add(ParsedReport& report, const std::string& file) {
        FleetNode& node = report.node;
        const std::string* const label = look_up(node.labels, "node");
        node.name = name_of_node(label && !name_by_file_ ? *label : file.empty() ? report.place : file);
        for (const auto& [field, value] : report.compared.values) node.values.emplace_back(Text(field), Text(value));
        for (const NumberOfGpu& number : report.compared.numbers)
            node.samples.push_back({Text(number.field), number.gpu, number.value});
        for (const std::string& finding : report.findings) node.findings.insert(Text(finding));
        collection_.titles.merge(report.titles);
        std::ranges::sort(node.values);
        collection_.nodes.push_back(std::move(node));
    }

    void keep_the_latest() {
        auto& nodes = collection_.nodes;
        const auto by_name_latest_first = [](const FleetNode& a, const FleetNode& b) {
            return std::tie(a.name, b.run_at) < std::tie(b.name, a.run_at);
        };
        std::ranges::sort(nodes, by_name_latest_first);
        const auto rest = std::ranges::unique(nodes, {}, &FleetNode::name);
        collection_.repeated = rest.size();
        nodes.erase(rest.begin(), rest.end());
        std::ranges::sort(collection_.unreadable, {}, &UnreadableReport::name);
    }

    Chunks chunks_;
    bool name_by_file_;
    std::mutex mutex_;
    Collection collection_;
};

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

Collection read_reports(std::vector<std::string> files, bool name_by_file) {
    return Reader(std::move(files), name_by_file).read_all();
}

}  // namespace rnncheck
