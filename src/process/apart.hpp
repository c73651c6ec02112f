// Work on files that a person or the environment names. On the file system of a
// server that is gone, a system call never returns and its process cannot be
// killed: this program's own process makes none there.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/program.hpp"

namespace rnncheck::process {

/// A file system did not respond; the sentence names the file where it is known.
struct NoResponse : InputError {
    using InputError::InputError;
};

/// Runs `work` in a fork of this process without its output streams. Returns what it
/// returns, throws the InputError or UsageError that it throws. NoResponse if
/// nothing moves in it for eight seconds, or until the deadline: then the fork is
/// killed and left behind. Where no process can be started, `work` runs in this one.
std::string apart(const std::function<std::string()>& work);

/// The same for a structure of fields.
template <class T>
T fields_from_apart(const std::function<T()>& work) {
    T result;
    from_json(Json::parse(apart([&] { return to_json(work()).dump(); })), result, "result");
    return result;
}

/// NoResponse if looking at this file, or at the directories on the way to it,
/// does not end.
void require_response(const std::string& path);

/// From now on no work apart lasts longer than until the deadline, or
/// a second where less is left.
void end_work_apart_at(std::optional<std::chrono::steady_clock::time_point> deadline);

}  // namespace rnncheck::process
