// The recurrent-network cases as a picture.
#pragma once

#include <string>

#include "facts/facts.hpp"

namespace rnncheck {

/// An SVG document: a grid for each copy of cuDNN, interface and group of GPUs that fared alike, with kinds of case as
/// rows and shapes as numbered columns. A square has a colour and a letter, so that it can be read without colours;
/// what a square stands for is its tooltip. All text is escaped.
std::string sweeps_svg(const Facts& facts, const std::string& title);

}  // namespace rnncheck
