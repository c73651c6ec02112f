#include "log/read_log.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "log/blocks.hpp"
#include "log/collector.hpp"
#include "log/rnn_config.hpp"
#include "log/scanner.hpp"

namespace rnncheck {

namespace {

using namespace log_reader;

/// Below this a log is matched as a whole, so that text wrapped anywhere is understood.
constexpr std::size_t small_log = 64 * 1024;
/// In larger logs a line is matched with the lines that may continue it, within these bounds.
constexpr std::size_t lines_together = 4;
constexpr std::size_t most_before = 2 * 1024;
constexpr std::size_t most_after = 6 * 1024;

/// The literals of the signatures that may still learn something, and whose they are.
struct Wanted {
    std::vector<std::string> literals;
    std::vector<std::vector<std::size_t>> signatures;  ///< by literal

    explicit Wanted(const Collector& collector) {
        for (std::size_t s = 0; s < collector.signatures().size(); ++s) {
            if (collector.is_full(s)) continue;
            for (const std::string& literal : collector.signatures()[s].literals()) add(literal, s);
        }
    }

    void add(const std::string& literal, std::size_t signature) {
        const auto known = std::find(literals.begin(), literals.end(), literal);
        const auto index = static_cast<std::size_t>(known - literals.begin());
        if (known == literals.end()) {
            literals.push_back(literal);
            signatures.emplace_back();
        }
        signatures[index].push_back(signature);
    }
};

class LargeLog {
  public:
    LargeLog(Collector& collector, std::string name)
        : collector_(collector), name_(std::move(name)), wanted_(collector), scanner_(wanted_.literals) {}

    void take(std::string_view block) {
        std::size_t counted = 0, done = 0;
        for (std::size_t from = 0; from < block.size();) {
            const Scanner::Hit hit = scanner_.find(block, from);
            if (hit.place == Scanner::none) break;
            if (is_exhausted(hit.literal)) {
                renew();  // and look here again: another literal may share the mark
                continue;
            }
            from = hit.go_on;
            if (hit.place < done) continue;
            line_ += std::count(block.begin() + static_cast<std::ptrdiff_t>(counted),
                                block.begin() + static_cast<std::ptrdiff_t>(hit.place), '\n');
            counted = hit.place;
            done = take_lines(block, hit.place);
            from = std::max(from, done);
        }
        line_ += std::count(block.begin() + static_cast<std::ptrdiff_t>(counted), block.end(), '\n');
    }

    std::int64_t lines() const { return line_ - 1; }

  private:
    bool is_exhausted(std::size_t literal) const {
        const auto& of = wanted_.signatures[literal];
        return std::all_of(of.begin(), of.end(), [&](std::size_t s) { return collector_.is_full(s); });
    }

    void renew() {
        wanted_ = Wanted(collector_);
        scanner_ = Scanner(wanted_.literals);
    }

    /// Matches what begins in the line at `place`; returns its end.
    std::size_t take_lines(std::string_view block, std::size_t place) {
        const std::size_t line_end = std::min(block.find('\n', place), block.size());
        std::size_t begin = place == 0 ? 0 : block.rfind('\n', place - 1) + 1;
        begin = std::max(begin, place - std::min(place, most_before));
        std::size_t end = line_end;
        for (std::size_t more = 1; more < lines_together && end < block.size(); ++more)
            end = std::min(block.find('\n', end + 1), block.size());
        end = std::min(end, place + most_after);
        collector_.take(make_passage(block.substr(begin, end - begin), line_), name_, 1);
        return std::min(line_end, end);
    }

    Collector& collector_;
    std::string name_;
    Wanted wanted_;
    Scanner scanner_;
    std::int64_t line_ = 1;
};

std::int64_t read_one(const LogInput& input, Collector& collector) {
    Blocks blocks(input.read);
    std::string first(blocks.next());
    std::string_view more = blocks.next();
    if (more.empty() && first.size() <= small_log) {
        const Passage passage = make_passage(first, 1);
        collector.take(passage, input.name, passage.lines.size());
        return static_cast<std::int64_t>(passage.lines.size());
    }
    LargeLog log(collector, input.name);
    log.take(first);
    first = {};
    for (; !more.empty(); more = blocks.next()) log.take(more);
    return log.lines();
}

void take_first_error(Log& log) {
    const auto first = [&](LogKind kind) {
        return std::find_if(log.events.begin(), log.events.end(), [&](const LogEvent& e) { return e.kind == kind; });
    };
    auto found = first(LogKind::error);
    if (found == log.events.end()) found = first(LogKind::unknown);
    if (found == log.events.end()) found = first(LogKind::consequence);
    if (found == log.events.end()) return;
    log.first_error_line = found->line;
    log.first_error = found->text;
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
        for (const LogField& field : event.told)
            if (event.signature == "registered_devices" && log.registered_devices.empty())
                for (const std::string& device : split(field.value, ','))
                    log.registered_devices.emplace_back(trim(device));
}

}  // namespace

Log read_logs(const std::vector<LogInput>& inputs, const Matrix& matrix) {
    Log log;
    Collector collector(matrix);
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

Log read_log_text(std::string_view text, const Matrix& matrix, const std::string& name) {
    const auto read = [text](char* to, std::size_t size) mutable {
        const std::size_t count = text.copy(to, size);
        text.remove_prefix(count);
        return count;
    };
    return read_logs({{name, read}}, matrix);
}

}  // namespace rnncheck
