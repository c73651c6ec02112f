// The recurrent-network cases sorted into grids: which kinds of case (rows) fared how in which shapes (columns).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace rnncheck {

/// More different shapes than this have no letters: no grid is drawn.
inline constexpr std::size_t most_shapes_drawn = 52;

/// All cases of one copy of cuDNN and one interface on the GPUs that fared alike.
struct Sweep {
    std::string library;
    Dialect dialect = Dialect::v8;
    std::vector<int> gpus;
    std::vector<const RnnRun*> runs;  ///< of the first of these GPUs
};

/// In the order of their first case. GPUs share a sweep only where every case is right or not offered on each.
std::vector<Sweep> sweeps_of(const Facts& facts);

/// "fp32 fma standard": the row of a case.
std::string kind_of(const RnnCase& rnn_case);

/// "I=7 H=5 B=3 T=4 both directions": the column of a case, everything that kind_of leaves out.
std::string shape_of(const RnnCase& rnn_case);

/// All shapes, in the order of their first case.
std::vector<std::string> shapes_of(const Facts& facts);

struct GridRow {
    std::string kind;
    std::vector<std::optional<RunEnd>> ends;  ///< by shape; the worst where several cases share the place
};

std::vector<GridRow> grid_of(const Sweep& sweep, const std::vector<std::string>& shapes);

char mark_of(RunEnd end);
char letter_of(std::size_t shape);

/// "GPU 0", "GPUs 0-3 and 5".
std::string gpus_of(const Sweep& sweep);

}  // namespace rnncheck
