#include "base/program.hpp"

namespace rnncheck {

std::string_view version_of_rnncheck() {
    return RNNCHECK_VERSION;
}

}  // namespace rnncheck
