#include "log/read_log.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "log/events.hpp"

namespace rnncheck {

namespace {

using namespace log_reader;

/// Below this a log is matched as a whole, so that text wrapped anywhere is understood.
constexpr std::size_t small_log = 64 * 1024;

/// Returns the number of lines; 0 where there are blanks alone.
std::int64_t read_whole(std::string_view text, EventCollector& collector, const std::string& file) {
    if (trim(text).empty()) return 0;
    const NormalizedText log = normalized(lines_of(text));
    for (const int signature : collector.signatures().candidates(log.without_whitespace))
        collector.take(static_cast<std::size_t>(signature), log, {0, log.lines.size()}, file);
    return static_cast<std::int64_t>(log.lines.size());
}

std::int64_t read_one(const LogInput& input, EventCollector& collector) {
    LogText log(input.read);
    std::string text;
    const bool has_more = log.append_to(text);
    if (!has_more && text.size() <= small_log) return read_whole(text, collector, input.name);
    return search_large(log, std::move(text), collector, input.name);
}

void take_first_error(Log& log) {
    for (const LogKind kind : {LogKind::error, LogKind::unknown, LogKind::consequence})
        if (const LogEvent* const found = find_by(log.events, &LogEvent::kind, kind)) {
            log.first_error_line = found->line;
            log.first_error = found->text;
            return;
        }
}

void take_rnn_config(Log& log) {
    for (const LogEvent& event : log.events) {
        if (event.signature != "rnn_call_failed") continue;
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

LogReader::LogReader(const Matrix& matrix) : signatures_(std::make_shared<Signatures>(matrix.log_signatures())) {}

Log LogReader::read(const std::vector<LogInput>& inputs) const {
    Log log;
    EventCollector collector(*signatures_);
    for (const LogInput& input : inputs) {
        log.files.push_back(input.name);
        log.lines += read_one(input, collector);
    }
    log.events = collector.events();
    take_first_error(log);
    take_rnn_config(log);
    take_devices(log);
    return log;
}

Log read_logs(const std::vector<LogInput>& inputs, const Matrix& matrix) {
    return LogReader(matrix).read(inputs);
}

}  // namespace rnncheck
