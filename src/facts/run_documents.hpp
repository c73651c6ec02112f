// Runs of recurrent networks as documents hold them: each case once, in rnn_cases. Pure.
#pragma once

#include <map>

#include "base/json.hpp"

namespace rnncheck {

/// Bounds what a hostile file can make of a few bytes by repeating a large case
/// in many runs.
class RoomForRuns {
  public:
    /// InputError with the place when all runs together are larger than those
    /// of any machine.
    void take(const Json& run, const std::string& place);

  private:
    std::size_t left_ = std::size_t{64} << 20;
};

/// Moves the case of each run of facts to rnn_cases, without its usual values; the
/// run refers to it by its `case_id`, from 1. Numbers of measurements get six digits.
void describe_cases_once(Json& facts);

/// The cases of rnn_cases by id. InputError where it is no list of objects.
std::map<Json, Json> cases_by_id(const Json& facts);

/// Replaces the `case_id` of a run by its case, which takes its share of the
/// room. InputError with the place where no case has this id.
void put_case_into_run(
    Json& run, const std::map<Json, Json>& cases, const std::string& place, RoomForRuns& room);

/// The reverse of describe_cases_once; facts without rnn_cases, as on their way from a
/// probe, stay as they are. InputError names the place of a run whose case is not there.
void put_cases_into_runs(Json& facts);

}  // namespace rnncheck
