#include "commands/command_line.hpp"

int main(int argc, char** argv) {
    const rnncheck::Arguments arguments(argv + (argc > 0), argv + argc);
    return rnncheck::run_safely(arguments, rnncheck::run_command_line);
}
