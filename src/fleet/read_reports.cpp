#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

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
    std::string text;
    std::vector<std::size_t> ends_of_lines = {};  ///< in the text, which parsing changes
    bool whole_file = false;
};

struct CloseStream {
    void operator()(std::FILE* stream) const {
        if (stream != stdin) std::fclose(stream);
    }
};

/// Hands out the reports of all files. Safe for several threads.
class Chunks {
  public:
    explicit Chunks(std::vector<std::string> files) : files_(std::move(files)) {}

    std::optional<Chunk> next() {
        const std::lock_guard lock(mutex_);
        while (open_ || open_next())
            if (Chunk chunk = read(); !chunk.text.empty()) return chunk;
        return std::nullopt;
    }

    std::vector<UnreadableReport> unopened;

  private:
    bool open_next() {
        while (!open_ && next_ < files_.size()) {
            const std::string& file = files_[next_++];
            line_ = 1;
            stream_.reset(file == "-" ? stdin : std::fopen(file.c_str(), "rb"));
            open_ = stream_ != nullptr;
            if (!open_) unopened.push_back({file, "the file cannot be opened"});
        }
        return open_;
    }

    /// Up to the last end of line, unless the file ends.
    Chunk read() {
        Chunk chunk{files_[next_ - 1], line_, std::exchange(rest_, {})};
        while (open_ && chunk.text.size() < chunk_size) {
            const std::size_t size = chunk.text.size();
            chunk.text.resize(size + block_size);
            const std::size_t got = std::fread(&chunk.text[size], 1, block_size, stream_.get());
            chunk.text.resize(size + got);
            open_ = got == block_size;
        }
        if (const std::size_t end = open_ ? chunk.text.rfind('\n') : std::string::npos; end != std::string::npos) {
            rest_ = chunk.text.substr(end + 1);
            chunk.text.resize(end + 1);
        }
        chunk.whole_file = !open_ && line_ == 1;
        for (std::size_t at = chunk.text.find('\n'); at != std::string::npos; at = chunk.text.find('\n', at + 1))
            chunk.ends_of_lines.push_back(at);
        line_ += chunk.ends_of_lines.size();
        return chunk;
    }

    std::vector<std::string> files_;
    std::size_t next_ = 0, line_ = 1;
    bool open_ = false;
    std::unique_ptr<std::FILE, CloseStream> stream_;
    std::string rest_;
    std::mutex mutex_;
};

const rapidjson::Value* member_of(const rapidjson::Value& object, const char* name) {
    const auto found = object.FindMember(name);
    return found == object.MemberEnd() ? nullptr : &found->value;
}

std::string text_at(const rapidjson::Value& object, const char* name) {
    const rapidjson::Value* value = object.IsObject() ? member_of(object, name) : nullptr;
    return value && value->IsString() ? std::string(value->GetString(), value->GetStringLength()) : "";
}

/// The facts of a report, or the document if it is facts alone. InputError says why it is neither.
const rapidjson::Value& facts_of(const rapidjson::Value& report) {
    if (!report.IsObject()) throw InputError("it is no report");
    const rapidjson::Value* facts = member_of(report, "facts");
    if (!facts && member_of(report, "probe_runs")) facts = &report;
    if (!facts || !facts->IsObject())
        throw InputError(report.HasMember("command")
                             ? "it is the result of another command, and holds no facts of a machine"
                             : "it holds no facts of a machine");
    const rapidjson::Value* schema = member_of(*facts, "schema");
    if (!schema || !schema->IsInt() || schema->GetInt() != facts_schema)
        throw InputError("its facts are not of schema " + std::to_string(facts_schema));
    return *facts;
}

/// One report, before its texts have numbers.
struct ParsedReport {
    std::string place;  ///< "nodes.ndjson:7"
    FleetNode node = {};
    std::vector<std::string> errors = {}, warnings = {};
    std::map<std::string, std::string> titles = {};  ///< by rule
    ComparedValues compared;
};

ParsedReport parsed_report(const rapidjson::Value& json, std::string place) {
    ParsedReport report{.place = std::move(place), .compared = compared_values(facts_of(json))};
    report.node.run_at = text_at(json, "run_at");
    report.node.verdict = text_at(json, "verdict");
    if (const auto* tool = member_of(json, "tool"))
        for (const char* name : {"version", "matrix_date"})
            report.compared.values["tool." + std::string(name)] = text_at(*tool, name);
    if (const auto* labels = member_of(json, "labels"); labels && labels->IsObject())
        for (const auto& label : labels->GetObject())
            report.node.labels.emplace_back(label.name.GetString(), text_at(*labels, label.name.GetString()));
    if (const auto* findings = member_of(json, "findings"); findings && findings->IsArray())
        for (const auto& finding : findings->GetArray())
            if (const std::string severity = text_at(finding, "severity");
                severity == "error" || severity == "warning") {
                (severity == "error" ? report.errors : report.warnings).push_back(text_at(finding, "rule"));
                report.titles.emplace(text_at(finding, "rule"), text_at(finding, "title"));
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
        Texts& texts = collection_.texts;
        const auto* label = find_by(node.labels, &std::pair<std::string, std::string>::first, "node");
        node.name = name_of_node(label && !name_by_file_ ? label->second : file.empty() ? report.place : file);
        for (const auto& [field, value] : report.compared.values)
            node.values.emplace_back(texts.number_of(field), texts.number_of(value));
        for (const NumberOfGpu& number : report.compared.numbers)
            node.samples.push_back({texts.number_of(number.field), number.gpu, number.value});
        for (const std::string& rule : report.errors) node.errors.push_back(texts.number_of(rule));
        for (const std::string& rule : report.warnings) node.warnings.push_back(texts.number_of(rule));
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

std::uint32_t Texts::number_of(std::string_view text) {
    if (const auto known = find(text)) return *known;
    const auto number = static_cast<std::uint32_t>(texts_.size());
    numbers_.emplace(texts_.emplace_back(text), number);
    return number;
}

std::optional<std::uint32_t> Texts::find(std::string_view text) const {
    const auto* known = look_up(numbers_, text);
    return known ? std::optional(*known) : std::nullopt;
}

const FleetNode* Collection::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(nodes, name, {}, &FleetNode::name);
    return found == nodes.end() || found->name != name ? nullptr : &*found;
}

FleetNode Collection::renumbered(FleetNode node, Texts& other) const {
    for (auto& [field, value] : node.values) {
        field = other.number_of(texts[field]);
        value = other.number_of(texts[value]);
    }
    for (auto* rules : {&node.errors, &node.warnings})
        for (std::uint32_t& rule : *rules) rule = other.number_of(texts[rule]);
    std::ranges::sort(node.values);
    return node;
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
