// PLACEHOLDER
#include "commands/command.hpp"

namespace rnncheck::commands {

static std::function<int()> declare(CLI::App&) { return [] { return int{healthy}; }; }

extern const Command list{.title = "Lists what rnncheck is made of", .declare = declare};

}  // namespace rnncheck::commands
