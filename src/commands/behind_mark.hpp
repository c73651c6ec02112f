// What stands behind "--" on the command line of `exec`. It is cut off before the options are read: the reader takes
// arguments such as [1,2] apart.
#pragma once

#include <string>
#include <vector>

namespace rnncheck {

/// Empty without a "--".
const std::vector<std::string>& arguments_behind_mark();

}  // namespace rnncheck
