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
/// By framework, all systems and flavours together: 2.4 is followed by 2.5, or by 3.0.
void check_holes(const std::vector<FrameworkBuild>& rows, const Holes& declared, const Complaints& complain);

template <class R>
void check_holes(const std::vector<R>&, const Holes&, const Complaints&) {}

}  // namespace rnncheck::verifying
