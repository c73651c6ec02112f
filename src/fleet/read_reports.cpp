// Reads the reports of a fleet, up to a hundred thousand of them: in chunks, several threads at a
// time, each report reduced to its fields as soon as it is parsed. RapidJSON, because it parses in
// place; what it accepts is bounded here, since the files may be hostile.
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "base/json.hpp"
#include "base/lists.hpp"
#include "base/named_file.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "facts/facts.hpp"
#include "facts/old_ids.hpp"
#include "facts/older_schemas.hpp"
#include "fleet/fleet.hpp"
#include "fleet/values.hpp"

namespace rnncheck {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t chunk_size = std::size_t{16}
                                   << 20;  ///< for one thread at a time; longer than any report
constexpr unsigned most_threads = 8;

/// Reports of one file, one after the other.
struct Chunk {
    std::string file;
    std::size_t first_line = 1;
    std::string text = {};
    bool whole_file = false;
};

/// The last line end before a line that begins a report; of text without one, the last line end.
/// The lines of an indented report begin with blanks or "}".
std::size_t end_of_last_report(const std::string& text) {
    const auto before_report = text.rfind("\n{");
    if (before_report != text.npos)
        return before_report;
    return text.rfind('\n');
}

/// A file in chunks that end with a report, unless the file ends.
class ChunksOfFile {
  public:
    ChunksOfFile(const std::string& path, NamedFile::Fifo fifo) : path_(path), file_(path, fifo) {
    }

    bool at_end() const {
        return at_end_;
    }

    /// InputError where the file cannot be read, or a line is longer than any report.
    Chunk next() {
        constexpr std::size_t block = std::size_t{64} << 10, longest_line = std::size_t{64} << 20;
        Chunk chunk{path_, line_, std::exchange(rest_, {})};
        // A chunk has to end between two reports, however long the last one is.
        while (!at_end_ && (chunk.text.size() < chunk_size || last_line_end_ == chunk.text.npos)) {
            const std::size_t size = chunk.text.size();
            if (size > longest_line)
                throw InputError("it contains a line of more than 64 MiB, which no report has");
            chunk.text.resize(size + block);
            chunk.text.resize(size + file_.read(chunk.text.data() + size, block));
            at_end_ = chunk.text.size() == size;
            if (const auto end = chunk.text.find('\n', size); end != chunk.text.npos)
                last_line_end_ = end_of_last_report(chunk.text);
        }
        chunk.whole_file = at_end_ && line_ == 1;
        if (!at_end_) {
            rest_ = chunk.text.substr(last_line_end_ + 1);
            chunk.text.resize(last_line_end_ + 1);
        }
        last_line_end_ = chunk.text.npos;
        line_ += static_cast<std::size_t>(std::ranges::count(chunk.text, '\n'));
        return chunk;
    }

  private:
    std::string path_;
    NamedFile file_;
    std::size_t line_ = 1;
    std::string rest_;  ///< the beginning of the next chunk
    std::size_t last_line_end_ = std::string::npos;
    bool at_end_ = false;
};

/// Those of today; a document of an earlier schema was upgraded before.
void require_schema(const rapidjson::Value& document, int known, const std::string& what) {
    const rapidjson::Value* schema = member(document, "schema");
    if (schema && schema->IsInt() && schema->GetInt() == known)
        return;
    std::string written = "unknown";
    if (schema)
        written = escaped(text_member(document, "schema"), 20);
    throw InputError(concat(
        what,
        " of schema ",
        written,
        " cannot be compared by this rnncheck (it compares schema ",
        oldest_schema,
        " to ",
        known,
        ")"));
}

/// The facts of a report, or the document if it is facts alone. InputError shows why it is neither.
const rapidjson::Value& facts_of(const rapidjson::Value& report) {
    if (!report.IsObject())
        throw InputError("it is not a report");
    const rapidjson::Value* facts = member(report, "facts");
    if (!facts && member(report, "probe_runs"))
        facts = &report;
    const bool has_facts = facts && facts->IsObject();
    if (!has_facts && report.HasMember("command"))
        throw InputError("it is the result of another command, and contains no facts of a machine");
    if (!has_facts)
        throw InputError("it contains no facts of a machine");
    if (facts != &report)
        require_schema(report, report_schema, "a report");
    require_schema(*facts, facts_schema, "its facts");
    return *facts;
}

/// A schema that this rnncheck knows how to upgrade.
bool is_of_earlier_schema(const rapidjson::Value& document) {
    const rapidjson::Value* schema = member(document, "schema");
    return schema && schema->IsInt() && schema->GetInt() >= oldest_schema &&
           schema->GetInt() < std::max(report_schema, facts_schema);
}

/// Checked before a parser that recurses, and could exhaust the stack, reads
/// it.
bool is_deeper_than(const rapidjson::Value& value, int levels) {
    const auto is_deep = [&](const rapidjson::Value& inner) {
        return levels == 0 || is_deeper_than(inner, levels - 1);
    };
    if (value.IsArray())
        return std::ranges::any_of(value.GetArray(), is_deep);
    return value.IsObject() && std::ranges::any_of(value.GetObject(), [&](const auto& member) {
               return is_deep(member.value);
           });
}

/// Few documents are of an earlier schema, so they may take longer. InputError where one has not
/// the form of its schema.
void upgrade(rapidjson::Document& report) {
    constexpr int deepest = 32;
    if (!is_of_earlier_schema(report))
        return;
    if (is_deeper_than(report, deepest))
        throw InputError("it is nested deeper than any report");
    rapidjson::StringBuffer written;
    rapidjson::Writer<rapidjson::StringBuffer> writer(written);
    report.Accept(writer);
    const std::string current =
        report_in_current_schema({written.GetString(), written.GetSize()}).dump();
    report.Parse(current.data(), current.size());
}

/// A name that a set of nodes can hold: no comma, bracket or blank.
std::string name_of_node(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c <= ' ' || c == ',' || c == '[' || c == ']'; }, '_');
    return text;
}

/// `place` is its name if no label is to be used: "nodes.ndjson:7".
FleetNode node_of(const rapidjson::Value& report, const std::string& place, bool name_by_file) {
    FleetNode node{
        .run_at = text_member(report, "run_at"),
        .verdict = text_member(report, "verdict"),
    };
    add_facts(facts_of(report), node);
    if (const auto* tool = member(report, "tool"))
        for (const char* name : {"version", "matrix_date"})
            node.values.emplace_back(Text(concat("tool.", name)), Text(text_member(*tool, name)));
    std::ranges::sort(node.values);
    if (const auto* labels = member(report, "labels"); labels && labels->IsObject())
        for (const auto& label : labels->GetObject())
            node.labels.emplace(
                label.name.GetString(), text_member(*labels, label.name.GetString()));
    node.name = name_of_node(place);
    if (const std::string* const label = look_up(node.labels, "node"); label && !name_by_file)
        node.name = name_of_node(*label);
    for (const auto& finding : list_member(report, "findings").GetArray())
        if (const std::string severity = text_member(finding, "severity");
            severity == "error" || severity == "warning")
            node.findings.emplace(
                Text(severity + ' ' + current_id(text_member(finding, "rule"))),
                Text(text_member(finding, "title")));
    return node;
}

/// Hands on what a parser finds to a document, and ends the parser where there is more than any
/// report has: a value takes ten times the memory of its text.
class BoundedValues {
  public:
    explicit BoundedValues(rapidjson::Document& document) : document_(document) {
    }

    bool Null() {
        return is_within() && document_.Null();
    }
    bool Bool(bool value) {
        return is_within() && document_.Bool(value);
    }
    bool Int(int value) {
        return is_within() && document_.Int(value);
    }
    bool Uint(unsigned value) {
        return is_within() && document_.Uint(value);
    }
    bool Int64(std::int64_t value) {
        return is_within() && document_.Int64(value);
    }
    bool Uint64(std::uint64_t value) {
        return is_within() && document_.Uint64(value);
    }
    bool Double(double value) {
        return is_within() && document_.Double(value);
    }
    bool RawNumber(const char* text, unsigned size, bool copy) {
        return is_within() && document_.RawNumber(text, size, copy);
    }
    bool String(const char* text, unsigned size, bool copy) {
        return is_within() && document_.String(text, size, copy);
    }
    bool Key(const char* text, unsigned size, bool copy) {
        return is_within() && document_.Key(text, size, copy);
    }
    bool StartObject() {
        return is_within() && document_.StartObject();
    }
    bool EndObject(unsigned size) {
        return document_.EndObject(size);
    }
    bool StartArray() {
        return is_within() && document_.StartArray();
    }
    bool EndArray(unsigned size) {
        return document_.EndArray(size);
    }

  private:
    bool is_within() {
        constexpr std::size_t most_values = 1'000'000;
        return ++values_ <= most_values;
    }

    rapidjson::Document& document_;
    std::size_t values_ = 0;
};

/// BoundedValues ends the parser by returning false, which is "termination".
std::string in_words(rapidjson::ParseErrorCode error) {
    if (error == rapidjson::kParseErrorTermination)
        return "it contains more values than any report";
    const std::string_view why = GetParseError_En(error);  // with a full stop
    return "it is invalid JSON: " + std::string(why.substr(0, why.find_last_not_of('.') + 1));
}

/// Parses in the chunk's text, which the strings of the JSON then share.
void parse(
    Chunk& chunk,
    bool name_by_file,
    rapidjson::MemoryPoolAllocator<>& allocator,
    Collection& parsed) {
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<std::size_t> ends_of_lines;  // now, because parsing changes the text
    for (std::size_t at = chunk.text.find('\n'); at != std::string::npos;
         at = chunk.text.find('\n', at + 1))
        ends_of_lines.push_back(at);
    // A file with a single report gives its node the file's name, else the line
    // does.
    const fs::path file(chunk.file);
    std::size_t reports = 0;
    for (std::size_t at = chunk.text.find_first_not_of(blanks), next; at != std::string::npos;
         at = next) {
        const auto lines = std::ranges::lower_bound(ends_of_lines, at) - ends_of_lines.begin();
        const std::string place = concat(
            file.filename().string(), ':', chunk.first_line + static_cast<std::size_t>(lines));
        rapidjson::InsituStringStream stream(&chunk.text[at]);
        allocator.Clear();
        rapidjson::Document json(&allocator);
        rapidjson::Reader reader;
        const auto generate = [&](rapidjson::Document& document) {
            BoundedValues values(document);
            constexpr auto how = rapidjson::kParseInsituFlag | rapidjson::kParseStopWhenDoneFlag |
                                 rapidjson::kParseIterativeFlag;
            return !reader.Parse<how>(stream, values).IsError();
        };
        json.Populate(generate);
        next = at + stream.Tell();
        if (reader.HasParseError())
            next = chunk.text.find('\n', next);
        next = chunk.text.find_first_not_of(blanks, next);
        const bool is_only_one = chunk.whole_file && ++reports == 1 && next == std::string::npos;
        try {
            if (reader.HasParseError())
                throw InputError(in_words(reader.GetParseErrorCode()));
            upgrade(json);
            std::string name = place;
            if (is_only_one)
                name = file.stem().string();
            parsed.nodes.push_back(node_of(json, name, name_by_file));
        } catch (const InputError& error) {
            parsed.unreadable.push_back({name_of_node(place), error.what()});
        }
    }
}

/// The work of one thread, with an allocator of its own for all its reports.
Collection parsed_chunks(std::vector<Chunk> chunks, bool name_by_file) {
    rapidjson::MemoryPoolAllocator<> allocator(std::size_t{1} << 20);
    Collection parsed;
    for (Chunk& chunk : chunks)
        parse(chunk, name_by_file, allocator, parsed);
    return parsed;
}

/// The times have one form, so that they can be compared as text.
void keep_the_latest(Collection& collection) {
    auto& nodes = collection.nodes;
    std::ranges::stable_sort(nodes, [](const FleetNode& a, const FleetNode& b) {
        return std::tie(a.name, b.run_at) < std::tie(b.name, a.run_at);
    });
    // Of each name the latest report is the first.
    const auto rest = std::ranges::unique(nodes, {}, &FleetNode::name);
    collection.repeated = rest.size();
    nodes.erase(rest.begin(), rest.end());
    std::ranges::sort(collection.unreadable, {}, &UnreadableReport::name);
}

/// The reports below a directory.
void add_directory(const std::string& directory, std::vector<std::string>& files) {
    std::error_code error;
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator
             it(directory, fs::directory_options::skip_permission_denied, error),
         end;
         !error && it != end;
         it.increment(error))
        if (const auto extension = it->path().extension();
            extension == ".json" || extension == ".ndjson")
            found.push_back(it->path().string());
    if (error)
        throw InputError(directory + " cannot be read: " + error.message());
    if (found.empty())
        throw InputError(
            directory + " contains no reports: files whose names end in .json or .ndjson");
    std::ranges::sort(found);
    std::ranges::move(found, std::back_inserter(files));
}

}  // namespace

/// All texts by their numbers.
static std::deque<std::string> texts;

Text::Text(std::string_view text) {
    using Numbers = std::unordered_map<std::string_view, std::uint32_t>;
    thread_local Numbers seen;  // so that threads seldom wait for each other
    static Numbers numbers;
    static std::mutex mutex;
    if (const auto* known = look_up(seen, text)) {
        number_ = *known;
        return;
    }
    const std::lock_guard lock(mutex);
    if (const auto* known = look_up(numbers, text)) {
        number_ = *known;
    } else {
        number_ = static_cast<std::uint32_t>(texts.size());
        numbers.emplace(texts.emplace_back(text), number_);
    }
    seen.emplace(texts[number_], number_);
}

const std::string& Text::str() const {
    return texts[number_];
}

const FleetNode* Collection::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(nodes, name, {}, &FleetNode::name);
    if (found == nodes.end() || found->name != name)
        return nullptr;
    return &*found;
}

/// In the order of the command line, of a directory by name.
std::vector<std::string> report_files(const std::vector<std::string>& inputs) {
    std::vector<std::string> files;
    for (const std::string& input : inputs) {
        std::error_code error;
        if (fs::is_directory(input, error))
            add_directory(input, files);
        else if (input == "-" || fs::exists(input, error))
            files.push_back(input);
        else if (error)
            throw InputError(input + " cannot be read: " + error.message());
        else
            throw InputError(input + " does not exist");
    }
    return files;
}

/// No more threads than CPUs work at a time, and no more chunks are in memory.
/// A file that cannot be read is reported beside the others.
Collection read_reports(const std::vector<std::string>& files, bool name_by_file) {
    Collection collection;
    std::deque<std::future<Collection>> at_work;
    const auto take_first = [&] {
        Collection parsed = at_work.front().get();
        at_work.pop_front();
        append(collection.nodes, std::move(parsed.nodes));
        append(collection.unreadable, std::move(parsed.unreadable));
    };
    std::vector<Chunk> chunks;  // for the next thread
    std::size_t size = 0;
    const auto start = [&] {
        if (at_work.size() >= std::clamp(std::thread::hardware_concurrency(), 1U, most_threads))
            take_first();
        at_work.push_back(
            std::async(std::launch::async, parsed_chunks, std::exchange(chunks, {}), name_by_file));
        size = 0;
    };
    // Many pipes in a directory would cost the time for one as often.
    NamedFile::Fifo fifo = NamedFile::Fifo::reject;
    if (files.size() == 1)
        fifo = NamedFile::Fifo::read;
    const auto read_file = [&](const std::string& path) {
        ChunksOfFile file(path, fifo);
        bool is_empty = true;
        while (!file.at_end()) {
            chunks.push_back(file.next());
            is_empty &= chunks.back().text.empty();
            size += chunks.back().text.size();
            if (size >= chunk_size)
                start();
        }
        if (is_empty)
            throw InputError("the file is empty");
    };
    for (const std::string& path : files)
        try {
            read_file(path);
        } catch (const InputError& error) {
            collection.unreadable.push_back(
                {name_of_node(fs::path(path).filename().string()), error.what()});
        }
    start();
    while (!at_work.empty())
        take_first();
    keep_the_latest(collection);
    return collection;
}

}  // namespace rnncheck
