// The models in a file, an archive or a directory.
#pragma once

#include "model/model.hpp"

namespace rnncheck {

/// One model as it was found, or why it could not be read.
struct FoundModel {
    /// its path, that in an archive behind the archive's
    std::string name;
    ModelFile file;
    /// why it cannot be read
    std::string error = {};
};

/// Every model of a file, an archive or a directory; as read_model() otherwise.
std::vector<FoundModel> read_models(const std::string& path, std::size_t weights_wanted = 0);

}  // namespace rnncheck
