#include "process/claims.hpp"

namespace rnncheck::process {

std::vector<Claim> claims_about_system() {
    return {};
}

}  // namespace rnncheck::process
