// The facts document as text. The heavy JSON templates stay behind this door.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "facts/facts.hpp"

namespace rnncheck {

/// The facts as documents hold them: a case of `rnn_runs` is described once, in `rnn_cases`; the runs on a GPU are one
/// object with a list for each member that differs; and GPUs on which all cases ended alike share that object.
nlohmann::json facts_to_json(const Facts& facts);
nlohmann::json facts_json_schema();

/// The reverse, of older schemas too; InputError names the place of what has the wrong form.
Facts facts_from_json(nlohmann::json json);

/// That as text, on one line without an indent: the wire and the file form.
std::string facts_to_text(const Facts& facts, int indent = -1);

/// Reads a facts document, or a whole report with one inside. `name` is for messages ("machine.json").
/// InputError when it is neither, is of another schema, or a field has the wrong form. The places of fields that
/// are not known here are added to `unknown`, where given: a newer rnncheck wrote them, or they are mistyped.
Facts facts_from_text(std::string_view text, const std::string& name, std::vector<std::string>* unknown = nullptr);

}  // namespace rnncheck
