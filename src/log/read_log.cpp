#include "log/read_log.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "log/complaints.hpp"
#include "log/events.hpp"

namespace rnncheck {

namespace {

using namespace log_reader;

/// Below this a log is matched as a whole, so that text wrapped anywhere is understood.
constexpr std::size_t small_log = 64 * 1024;

/// Returns the number of lines; 0 where there are blanks alone.
std::int64_t read_whole(
    std::string_view text,
    EventCollector& collector,
    const std::string& file,
    std::vector<LogEvent>& others) {
    if (trim(text).empty())
        return 0;
    const NormalizedText log = normalized(lines_of(text));
    for (const std::size_t signature : collector.signatures().candidates(log.without_whitespace))
        collector.take(signature, log, {0, log.lines.size()}, file);
    append(others, complaints_in(log.lines, collector.events(), file));
    return static_cast<std::int64_t>(log.lines.size());
}

/// What a file is that begins so, if it is no text; "" for text.
std::string_view kind_of_file(std::string_view begin) {
    constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"%PDF-", "a PDF document"},
        {"PK\x03\x04", "a zip archive"},
        {"\x1f\x8b", "compressed with gzip"},
        {"\x89PNG", "a picture"},
        {"\xff\xd8\xff", "a picture"},
        {"\x7f"
         "ELF",
         "a program or library"},
        {"BZh", "compressed with bzip2"},
        {"\xfd"
         "7zXZ",
         "compressed with xz"},
        {"(\xb5/\xfd", "compressed with zstd"}};
    for (const auto& [magic, kind] : known)
        if (begin.starts_with(magic))
            return kind;
    begin = begin.substr(0, 4096);
    constexpr std::string_view of_text = "\t\n\v\f\r\b\x1b\0";
    const auto is_strange = [&](char c) {
        return static_cast<unsigned char>(c) < ' ' && of_text.find(c) == std::string_view::npos;
    };
    return std::ranges::count_if(begin, is_strange) * 20 > std::ssize(begin) ? "no text" : "";
}

std::int64_t read_one(
    const LogInput& input, EventCollector& collector, std::vector<LogEvent>& others) {
    LogText log(input.read);
    std::string text;
    const bool has_more = log.append_to(text);
    if (const std::string_view kind = kind_of_file(text); !kind.empty())
        others.push_back(
            {.signature = "not_text",
             .file = input.name,
             .line = 1,
             .text = escaped(concat(input.name, " is ", kind), 200)});
    if (!has_more && text.size() <= small_log)
        return read_whole(text, collector, input.name, others);
    return search_large(log, std::move(text), collector, input.name);
}

/// Lines that only introduce an error, or only show that a process ended because of one.
bool shows_no_reason(const LogEvent& event) {
    constexpr std::string_view ids[] = {
        "traceback",
        "process_exit_code",
        "process_killed",
        "session_died",
        "windows_exit_code",
        "crash"};
    return includes(ids, event.signature);
}

void take_first_error(Log& log) {
    const auto take = [&log](auto is_wanted) {
        const auto found = std::ranges::find_if(log.events, is_wanted);
        if (found == log.events.end())
            return false;
        log.first_error_line = found->line;
        log.first_error = found->text;
        return true;
    };
    for (const LogKind kind : {LogKind::error, LogKind::unknown, LogKind::consequence})
        for (const bool with_reason : {true, false})
            if (take([&](const LogEvent& event) {
                    return event.kind == kind && shows_no_reason(event) != with_reason;
                }))
                return;
}

void take_rnn_config(Log& log) {
    for (const LogEvent& event : log.events) {
        if (event.signature != "rnn_call_failed")
            continue;
        LogRnnConfig config = rnn_config_of(event);
        if (!log.rnn_config || config.missing.size() < log.rnn_config->missing.size())
            log.rnn_config = std::move(config);
    }
}

void take_devices(Log& log) {
    for (const LogEvent& event : log.events)
        for (const LogField& field : event.captures)
            if (event.signature == "registered_devices" && log.registered_devices.empty())
                for (const std::string& device : split(field.value, ','))
                    log.registered_devices.emplace_back(trim(device));
}

}  // namespace

LogReader::LogReader(const Matrix& matrix)
    : signatures_(std::make_shared<Signatures>(matrix.log_signatures())) {
    if (matrix.digest() == Matrix::bundled().digest())
        return;  // the build has verified every pattern
    for (const LogSignature& row : matrix.log_signatures())
        Signature(row).groups();
}

Log LogReader::read(const std::vector<LogInput>& inputs) const {
    Log log;
    EventCollector collector(*signatures_);
    for (const LogInput& input : inputs) {
        log.files.push_back(input.name);
        log.lines += read_one(input, collector, log.events);
    }
    append(log.events, collector.events());
    take_first_error(log);
    take_rnn_config(log);
    take_devices(log);
    return log;
}

LogInput text_as_log(std::string name, std::string_view text) {
    return {std::move(name), [rest = text](char* to, std::size_t size) mutable {
                const std::size_t part = rest.copy(to, size);
                rest.remove_prefix(part);
                return part;
            }};
}

Log read_logs(const std::vector<LogInput>& inputs, const Matrix& matrix) {
    return LogReader(matrix).read(inputs);
}

}  // namespace rnncheck
