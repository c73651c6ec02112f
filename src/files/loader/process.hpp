// A program as the loader starts it, played through on files: which libraries
// come in, in which order, by which rule. Nothing is loaded. Source: glibc
// elf/rtld.c, elf/dl-deps.c, elf/dl-load.c.
#pragma once

#include <cstdint>
#include <functional>

#include "facts/libraries.hpp"
#include "files/loader/loader.hpp"

namespace rnncheck::loader {

/// One file in the process; the first is the program.
struct Object {
    /// as the loader opened it
    std::string path;
    /// by which it was requested first
    std::string name;
    /// the object that needed it first; none for the program and after dlopen
    std::optional<std::size_t> loader;
    LoaderRule rule = LoaderRule::path;
    elf::ElfFile file;
    RunPath run_path;
    /// by which it answers, beside its soname
    std::vector<std::string> names = {};
    /// of FileStatus
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
};

/// Its soname, or the name of its file.
std::string own_name(const Object& object);

/// A list of the search for one name.
struct SearchList {
    LoaderRule rule = LoaderRule::default_directory;
    /// whose run path it is
    std::size_t owner = 0;
    /// that the loader would look at, in order; absent ones among them
    std::vector<std::string> files = {};
};

/// The result of a request for a name.
struct Answer {
    std::string name;
    /// the object that requested it
    std::optional<std::size_t> by;
    bool by_dlopen = false;
    /// what it got; none when nothing was found or what was found is unusable
    std::optional<std::size_t> object = {};
    /// by which it got that or met what is unusable
    LoaderRule rule = LoaderRule::default_directory;
    /// whose run path that was
    std::optional<std::size_t> owner = {};
    /// the unusable file at which the loader gave up
    std::string stopped_at = {};
    /// what is wrong with it
    std::string problem = {};
    /// of several names tried in turn the one that it got this by, if not `name`
    std::string opened_as = {};
};

/// Where the search for a name ended. Nothing was found if there is no path.
struct Lookup {
    std::optional<std::string> path = {};
    LoaderRule rule = LoaderRule::default_directory;
    /// Set when the loader stops at `path` and cannot use it: opening fails
    /// although a good one may be further on.
    std::optional<FileProblem> problem = {};

    bool usable() const {
        return path && !problem;
    }
};

/// The objects and requests of one process, by the rules of the loader of its setting.
class Process {
  public:
    /// Maps the program, not yet what it needs. `path` is absolute and, for a
    /// program that the kernel starts, free of links.
    Process(const Loader& loader, const std::string& path, elf::ElfFile program);

    /// LD_PRELOAD and the loader's own list, then everything needed, breadth first.
    void start(const std::string& preload);

    /// What dlopen(name) in this object does, with everything that the file
    /// needs. The Answer about the name itself.
    Answer open(const std::string& name, std::size_t caller);

    /// Why the loader takes back what it has just mapped, from the object with
    /// this index on; empty when it keeps it.
    using Rejects = std::function<std::string(const Process&, std::size_t first_new)>;

    /// dlopen of one name after the other, until one opens with all that it
    /// needs. One Answer, which is about the last name if none does.
    Answer open_first(
        const std::vector<std::string>& names, std::size_t caller, const Rejects& rejects = {});

    /// The file that dlopen(name) in this object comes to, with nothing opened.
    Lookup look_up(const std::string& name, std::size_t caller) const;

    /// Adds a file that is known to exist, without what it needs.
    /// Returns its index in objects().
    std::size_t put(const std::string& path);

    const Loader& loader() const {
        return loader_;
    }
    const std::vector<Object>& objects() const {
        return objects_;
    }
    /// In the order of the requests. A name that was requested before is there
    /// again for another object that needs it.
    const std::vector<Answer>& answers() const {
        return answers_;
    }

    /// Where a name is looked for when this object requests it, in order.
    std::vector<SearchList> search_lists(std::size_t by, const std::string& name) const;

  private:
    std::optional<std::size_t> loaded(const std::string& name) const;
    std::size_t add(Object object);
    Answer map(const std::string& name, std::size_t by, bool keeps_loader);
    /// The first of the files that opens or fails. False when all are
    /// skipped or one aborts the list.
    bool take_first(Answer& answer, const std::vector<std::string>& files, bool keeps_loader);
    void map_needed();

    const Loader& loader_;
    std::vector<Object> objects_;
    std::vector<Answer> answers_;
    std::size_t next_ = 0;  ///< the first object whose needs are not yet mapped
};

}  // namespace rnncheck::loader
