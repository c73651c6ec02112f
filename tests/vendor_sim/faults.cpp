#include "faults.hpp"

#include <algorithm>

namespace sim {

std::span<const std::string_view> fault_names() {
#define SIM_FAULT_NAME(name) #name,
    static constexpr std::string_view names[] = {
        "none", SIM_FORWARD_FAULTS(SIM_FAULT_NAME) SIM_BACKWARD_FAULTS(SIM_FAULT_NAME)};
#undef SIM_FAULT_NAME
    return names;
}

std::optional<Fault> fault_named(std::string_view name) {
    const auto names = fault_names();
    const auto at = std::ranges::find(names, name);
    if (at == names.end())
        return std::nullopt;
    return static_cast<Fault>(at - names.begin());
}

}  // namespace sim
