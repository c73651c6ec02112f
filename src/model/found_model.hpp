// The models in a file, an archive or a directory.
#pragma once

#include "model/model.hpp"

namespace rnncheck {

struct FoundModel {
    std::string name;  ///< its path, that in an archive behind the archive's
    ModelFile file;
    std::string error = {};  ///< why it cannot be read
};

/// Every model of a file, an archive or a directory; as read_model() otherwise.
std::vector<FoundModel> read_models(const std::string& path, std::size_t weights_wanted = 0);

}  // namespace rnncheck
