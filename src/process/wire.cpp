// One JSON object on each line. The reader trusts none of them: a library may
// write anything onto any descriptor.
#include "process/wire.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/json.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "facts/facts.hpp"

namespace rnncheck {

/// A sweep leaves thousands of these, nearly all of them names of
/// functions: those need no escaping.
void ProbeWriter::calling(std::string_view function) {
    if (function == last_call_)
        return;
    const auto plain = [](char c) { return is_letter_or_digit(c) || c == '_' || c == ' '; };
    if (!std::ranges::all_of(function, plain))
        line(Json{{"calling", reversible_utf8(function)}}.dump());
    else
        line("{\"calling\":\"" + std::string(function) + "\"}");
    last_call_ = function;
}
void ProbeWriter::failed(const CallResult& result) {
    line(Json{{"failed", to_json(result)}}.dump());
}
void ProbeWriter::step(int number, std::chrono::milliseconds limit) {
    line(Json{{"step", number}, {"limit_ms", limit.count()}}.dump());
}
void ProbeWriter::limit(std::chrono::milliseconds silence) {
    line(Json{{"limit_ms", silence.count()}}.dump());
}
void ProbeWriter::unusable() {
    line("{\"unusable\":true}");
}
void ProbeWriter::facts(const Facts& news) {
    line("{\"facts\":" + facts_to_text(news) + "}");
}
void ProbeWriter::done() {
    if (stays_)
        line("{\"done\":true,\"stays\":true}");
    else
        line("{\"done\":true}");
}

void ProbeWriter::line(std::string_view json) {
    last_call_.clear();
    write_line(descriptor_, std::string(json));
}

void write_line(int descriptor, std::string text) {
    text += '\n';
    std::string_view rest = text;
    while (!rest.empty()) {
        const ssize_t written = write(descriptor, rest.data(), rest.size());
        if (written < 0 && errno != EINTR)
            return;
        if (written > 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// A library that fails in a loop must not fill the facts: the first
/// failures show what is wrong.
constexpr std::size_t most_failed_calls = 64;

/// A line may have several of these members.
static void take(const Json& json, WireReader& reader, Facts& found) {
    if (const auto call = json.find("calling"); call != json.end())
        reader.last_call = original_bytes(call->get<std::string>());
    if (const auto step = json.find("step"); step != json.end()) {
        reader.steps_begun += reader.step != step->get<int>();
        reader.step = step->get<int>();
    }
    if (const auto limit = json.find("limit_ms"); limit != json.end())
        reader.limit = std::chrono::milliseconds(limit->get<std::int64_t>());
    if (json.contains("unusable"))
        reader.unusable = true;
    if (const auto failed = json.find("failed");
        failed != json.end() && reader.failed_calls.size() < most_failed_calls)
        from_json(*failed, reader.failed_calls.emplace_back(), "failed");
    if (const auto facts = json.find("facts"); facts != json.end())
        merge(found, facts_from_json(*facts));
    if (json.contains("done"))
        reader.done = true;
    if (json.contains("stays"))
        reader.stays = true;
}

/// A library gave back what cannot be: all that it found is lost,
/// which is not to pass in silence.
static void report_unreadable(WireReader& reader, const std::string& why) {
    if (reader.failed_calls.size() < most_failed_calls)
        reader.failed_calls.push_back({reader.last_call, -1, "returned an invalid value: " + why});
}

LineMeaning WireReader::read(std::string_view line, Facts& found) {
    limit.reset();
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object())
        return *this;
    try {
        take(json, *this, found);
    } catch (const Json::exception& error) {
        report_unreadable(*this, error.what());
    } catch (const InputError& error) {
        report_unreadable(*this, error.what());
    }
    return *this;
}

}  // namespace rnncheck
