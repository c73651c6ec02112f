// Which copy of a library the dynamic loader gives to a program, and why that one.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

/// By which rule of glibc's loader a file is found, in the order in which it tries them, and where else files lie.
enum class LoaderRule {
    already_loaded,     ///< a library of that name is there already
    path,               ///< the name holds a '/'
    ld_preload,         ///< LD_PRELOAD or /etc/ld.so.preload
    rpath,              ///< DT_RPATH of the library in need, of those that led to it, of the program
    ld_library_path,    ///< the environment variable
    runpath,            ///< DT_RUNPATH of the library in need
    cache,              ///< /etc/ld.so.cache
    default_directory,  ///< built into the loader
    mapped,             ///< seen in a running process
    elsewhere,          ///< in a toolkit, a wheel or conda, where the loader does not look by itself
};
RNNCHECK_ENUM_NAMES(LoaderRule, "already_loaded", "path", "ld_preload", "rpath", "ld_library_path", "runpath", "cache",
                    "default_directory", "mapped", "elsewhere")

/// Another file of that name, and why it is not the one.
struct LibraryCandidate {
    std::string path;
    LoaderRule rule = LoaderRule::default_directory;
    std::string why_not;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("path", self.path, "the file");
        visit("rule", self.rule, "by which rule the loader would come to it");
        visit("why_not", self.why_not, "why it is not the one");
    }
};

struct LibraryChoice {
    std::string soname;
    std::optional<std::string> path;
    std::optional<LoaderRule> rule;
    std::optional<std::string> needed_by;
    bool by_dlopen = false;
    std::string why;
    std::vector<LibraryCandidate> candidates;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("soname", self.soname, "the name asked for");
        visit("path", self.path, "the file that the loader gives; null when it finds none that it can use");
        visit("rule", self.rule, "the rule by which it finds that; null without a file");
        visit("needed_by", self.needed_by, "the file that asks for it; null where nothing is known to ask");
        visit("by_dlopen", self.by_dlopen, "asked for by name while the program runs, not listed as needed");
        visit("why", self.why, "the rule in words");
        visit("candidates", self.candidates, "other files of that name");
    }
};

}  // namespace rnncheck
