// Logs to read: by the bundled signatures, and the messages of tests/log/messages.jsonl.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "log/read_log.hpp"
#include "support/bundled_matrix.hpp"

namespace rnncheck::test {

inline const LogReader& bundled_reader() {
    static const LogReader reader(bundled_matrix());
    return reader;
}

inline Log log_read(std::string_view text, const std::string& name = "log") {
    const auto bytes = [text](char* to, std::size_t size) mutable {
        const std::size_t count = text.copy(to, size);
        text.remove_prefix(count);
        return count;
    };
    return bundled_reader().read({{name, bytes}});
}

inline std::set<std::string> signatures_in(const Log& log) {
    std::set<std::string> seen;
    for (const LogEvent& event : log.events)
        seen.insert(event.signature);
    seen.erase("complaint");  // of small logs alone
    return seen;
}

struct Message {
    std::string log;
    std::string cause;
    std::vector<UserHint> given;
};

/// What software prints, each with its cause.
inline const std::vector<Message>& messages() {
    static const std::vector<Message> all = [] {
        std::vector<Message> read;
        std::ifstream file(PROJECT_DIRECTORY "/tests/log/messages.jsonl");
        for (std::string line; std::getline(file, line);) {
            const auto json = nlohmann::json::parse(line);
            Message& message = read.emplace_back(Message{json["log"], json["cause"], {}});
            for (const auto& [key, value] : json["given"].items())
                message.given.push_back({key, value.get<std::string>(), {}});
        }
        return read;
    }();
    return all;
}

/// As often as it takes to fill so many bytes.
inline std::string repeated(std::string_view text, std::size_t bytes) {
    std::string out;
    while (out.size() < bytes)
        out += text;
    return out;
}

}  // namespace rnncheck::test
