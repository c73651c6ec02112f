#include "process/reader.hpp"

#include "base/errors.hpp"
#include "base/json.hpp"
#include "facts/facts_json.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t most_failed_calls = 64;

void take(const Json& json, WireReader& reader, Facts& learnt) {
    if (const auto call = json.find("calling"); call != json.end())
        reader.last_call = original_bytes(call->get<std::string>());
    if (const auto step = json.find("step"); step != json.end()) {
        reader.steps_begun += reader.step != step->get<int>();
        reader.step = step->get<int>();
    }
    if (const auto limit = json.find("limit_ms"); limit != json.end())
        reader.limit = std::chrono::milliseconds(limit->get<std::int64_t>());
    if (json.contains("past_use")) reader.past_use = true;
    if (const auto failed = json.find("failed"); failed != json.end() && reader.failed_calls.size() < most_failed_calls)
        from_json(*failed, reader.failed_calls.emplace_back(), "failed");
    if (const auto facts = json.find("facts"); facts != json.end()) {
        Facts news;
        from_json(*facts, news, "facts");
        merge(learnt, std::move(news));
    }
    if (json.contains("done")) reader.done = true;
    if (json.contains("stays")) reader.stays = true;
}

/// A library gave back what cannot be: all that was learnt with it is lost, which is not to pass in silence.
void tell_unreadable(WireReader& reader, const std::string& why) {
    if (reader.failed_calls.size() < most_failed_calls)
        reader.failed_calls.push_back({reader.last_call, -1, "it gave back what cannot be a fact: " + why});
}

}  // namespace

void WireReader::read(std::string_view line, Facts& learnt) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) return;
    try {
        take(json, *this, learnt);
    } catch (const Json::exception& error) {
        tell_unreadable(*this, error.what());
    } catch (const InputError& error) {
        tell_unreadable(*this, error.what());
    }
}

}  // namespace rnncheck
