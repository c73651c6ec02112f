#pragma once

#include <string>

namespace rnncheck::test {

/// Reports that this machine lacks what the rest of the test case needs, e.g. "no libz.so.1 on this
/// machine"; the case returns next. Tag such cases [optional]: each is a ctest test of its own,
/// reported as skipped.
void skip(const std::string& reason);

}  // namespace rnncheck::test
