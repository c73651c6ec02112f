// How a simulated library declares and exports the functions of its list, so that leaving one out
// does not build. What is exported under a function's name is the common entry below, which knows
// the types of the parameters and so can give back garbage; the function itself has a symbol of its
// own.
#pragma once

#include <cstring>
#include <string_view>
#include <type_traits>

#include "fault.hpp"

namespace sim {

/// What a function may write through. Not const things, functions, device memory, nor handles:
/// nobody looks into these.
template <class Pointer, class Target = std::remove_pointer_t<Pointer>>
constexpr bool is_output() {
    constexpr bool handle =
        std::string_view(__PRETTY_FUNCTION__).find("Target = rnncheck::vendor::Opaque") !=
            std::string_view::npos &&
        std::is_class_v<Target>;
    return std::is_pointer_v<Pointer> && std::is_object_v<Target> && !std::is_const_v<Target> &&
           !handle;
}

template <class... Rest>
std::size_t first_of(std::size_t size, Rest...) {
    return size;
}

/// cuMemcpyDtoH alone is given host memory as void*.
inline void overwrite(int byte, void* to, unsigned long long, std::size_t bytes) {
    std::memset(to, byte, bytes);
}

inline void overwrite(int) {
}

template <class First, class... Rest>
void overwrite(int byte, First first, Rest... rest) {
    if constexpr (is_output<First>()) {
        std::size_t size = sizeof *first;
        if constexpr (std::is_same_v<First, char*>)
            size = first_of(rest...);  // a text without an end
        if (first)
            std::memset(static_cast<void*>(first), byte, size);
    }
    overwrite(byte, rest...);
}

template <auto function>
struct Entry;

template <class Result, class... Parameters, Result (*function)(Parameters...)>
struct Entry<function> {
    static Result call(Parameters... parameters) {
        if constexpr (std::is_void_v<Result>) {
            function(parameters...);
            if (const auto byte = garbage_wanted())
                overwrite(*byte, parameters...);
        } else {
            Result result = function(parameters...);
            const auto byte = garbage_wanted();
            if (!byte)
                return result;
            if constexpr (!std::is_same_v<Result, int>)
                std::memset(&result, *byte, sizeof result);
            overwrite(*byte, parameters...);
            return result;
        }
    }
};

}  // namespace sim

#define SIM_DECLARE(name, result, parameters) \
    extern "C" result name parameters __asm__("simulated_" #name);

#include <sim_export.hpp>  // of elf/ or windows/

/// Right after `using namespace rnncheck::vendor`: declares the functions of a list and exports
/// each of them.
#define SIM_EXPORTS(list) list(SIM_DECLARE) list(SIM_EXPORT)

/// The library's load-time constructor and its clean-up at exit, where SIM may plant a fault
/// ("libcudnn:load=segv").
#define SIM_LOAD_AND_EXIT(library)                         \
    [[gnu::constructor]] static void on_load() {           \
        sim::act("load", {library});                       \
    }                                                      \
    [[gnu::destructor]] static void on_exit_of_process() { \
        sim::act("exit", {library});                       \
    }
