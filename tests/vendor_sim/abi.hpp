// How a simulated library declares and exports the functions of its list, so that leaving one out does not build.
#pragma once

#include "fault.hpp"

#define SIM_DECLARE(name, result, parameters) extern "C" __attribute__((visibility("default"))) result name parameters;
#define SIM_ADDRESS(name, result, parameters) reinterpret_cast<const void*>(&name),

/// Right after `using namespace rnncheck::vendor`: declares the functions of a list, and refers to each of them.
#define SIM_EXPORTS(list) \
    list(SIM_DECLARE) [[gnu::used]] static const void* const exported_functions[] = {list(SIM_ADDRESS)};

/// The library's load-time constructor and its clean-up at exit, where SIM may plant a fault ("libcudnn:load=segv").
#define SIM_LOAD_AND_EXIT(library)                         \
    [[gnu::constructor]] static void on_load() {           \
        sim::act("load", {library});                       \
    }                                                      \
    [[gnu::destructor]] static void on_exit_of_process() { \
        sim::act("exit", {library});                       \
    }
