#include "matrix/cudnn_for_gpu.hpp"

#include <algorithm>

namespace rnncheck {

bool has_cudnn_from(const Matrix& matrix, const Version& release, const Version& capability) {
    const auto& builds = matrix.cudnn_builds();
    return std::any_of(builds.begin(), builds.end(), [&](const CudnnBuild& build) {
        return build.cudnn.major() == release.major() && build.cudnn_last.value_or(build.cudnn) >= release &&
               build.capability_min <= capability;
    });
}

}  // namespace rnncheck
