// Versions that a table must have because it has those before and after them. What really does not exist is declared
// in the head of the table: "holes": {"12.7": "no such toolkit was released"}.
#pragma once

#include "matrix/verify_parts.hpp"

namespace rnncheck::verifying {

using Holes = std::map<std::string, std::string>;

/// Toolkits: 12.6 is followed by 12.7, or by 13.0.
void check_holes(const std::vector<DriverForCuda>& rows, const Holes& declared, const Complaints& complain);
/// Branches follow each other without a gap.
void check_holes(const std::vector<CudaOfDriver>& rows, const Holes& declared, const Complaints& complain);
/// By CUDA major: 8.9.6 is followed by 8.9.7, or by the .0 of a later minor or major: 8.10.0, 9.0.0.
void check_holes(const std::vector<CudnnBuild>& rows, const Holes& declared, const Complaints& complain);
/// By framework and system, all flavours together: 2.4 is followed by 2.5, or by 3.0; 0.4.30 by 0.4.31 or 0.5.0. A hole
/// is declared for all systems ("jax 0.4.31") or for one ("jax 0.4.31 for linux").
void check_holes(const std::vector<FrameworkBuild>& rows, const Holes& declared, const Complaints& complain);

template <class R>
void check_holes(const std::vector<R>&, const Holes&, const Complaints&) {}

}  // namespace rnncheck::verifying
