// PLACEHOLDER
#include "survey.hpp"

namespace rnncheck {

Facts survey(const SurveyOptions&) {
    return {};
}

}  // namespace rnncheck
