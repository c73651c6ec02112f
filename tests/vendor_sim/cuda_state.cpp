#include "cuda_state.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sim {

namespace {

/// Errors after which a context, and with it the process, is past use (cuda.h documents it at
/// each).
constexpr std::array sticky = {214, 700, 702, 714, 715, 716, 717, 718, 719};

std::vector<int> all_boards() {
    std::vector<int> boards;
    for (int board = 0; board < number("gpus", 1); ++board)
        boards.push_back(board);
    return boards;
}

}  // namespace

std::vector<int> visible_boards() {
    const std::vector<int> boards = all_boards();
    const char* const variable = std::getenv("CUDA_VISIBLE_DEVICES");
    if (!variable)
        return boards;
    std::vector<int> visible;
    std::string rest = variable;
    while (!rest.empty()) {
        char* end = nullptr;
        const long board = std::strtol(rest.c_str(), &end, 10);
        if (end == rest.c_str() || std::ranges::find(boards, board) == boards.end())
            break;  // the first wrong entry ends the list
        visible.push_back(static_cast<int>(board));
        rest.erase(0, static_cast<std::size_t>(end - rest.c_str()) + 1);
    }
    return visible;
}

Tags board_tags(int board) {
    Tags tags = {"libcuda"};
    if (board >= 0)
        tags.push_back("gpu" + std::to_string(board));
    return tags;
}

int capability_of(int board) {
    const std::string text = setting("cc", "8.6", board_tags(board));
    const auto dot = text.find('.');
    return std::stoi(text.substr(0, dot)) * 10 + std::stoi(text.substr(dot + 1));
}

Driver& driver() {
    static Driver state;
    return state;
}

std::optional<int> entering(const char* function, int board) {
    if (driver().broken)
        return driver().broken;
    if (!mentioned(function))
        return std::nullopt;
    const auto forced = act(function, board_tags(board)).result;
    if (!forced)
        return std::nullopt;
    if (std::ranges::find(sticky, *forced) != sticky.end())
        driver().broken = static_cast<int>(*forced);
    return static_cast<int>(*forced);
}

std::optional<int> entering_context(const char* function) {
    if (const auto forced = entering(function))
        return forced;
    if (!driver().initialised)
        return cuda_not_initialized;
    if (driver().current < 0)
        return cuda_invalid_context;
    return std::nullopt;
}

}  // namespace sim
