// The headers of a distribution's METADATA or PKG-INFO, which are those of an e-mail (PEP 566, core metadata).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::packages {

/// "nvidia-cudnn-cu12 (==8.9.4.25) ; extra == 'and-cuda'".
struct Requirement {
    std::string name;    ///< normalised
    std::string bounds;  ///< "==8.9.4.25", ">=9.1,<10.0"; empty for any version
    std::string extra;   ///< the extra it belongs to; empty for none
};

struct Metadata {
    std::string name;  ///< normalised
    std::string version;
    std::vector<Requirement> needs;
};

/// As PEP 503 compares names: lower case, each run of '-', '_' and '.' one '-'.
std::string normalised(std::string_view name);

/// The headers end at the first empty line; what is no header is passed over.
Metadata read_metadata(std::string_view text);

/// The part of a requirement's line behind "Requires-Dist:".
Requirement read_requirement(std::string_view text);

}  // namespace rnncheck::packages
