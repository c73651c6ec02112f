// The prediction against a real loader, Wine's: DLLs built by mingw, in made trees, loaded by name and by path with
// every kind of flags. RNNCHECK_WINE_TREES=500 test_files "[optional]" plays that many; it needs wine and mingw's
// compiler. Functions that a DLL lacks are left out: Wine loads it all the same, where Windows reports error 127.
#include <cstdio>
#include <filesystem>
#include <random>

#include "base/text.hpp"
#include "files/dll/process.hpp"
#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/skip.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

using Strings = std::vector<std::string>;

const Strings dll_names = {"rnna.dll", "rnnb.dll", "rnnc.dll"};
const Strings tree_directories = {"app", "cwd", "one", "two", "user", "lib"};

/// What a command prints.
std::string output_of(const std::string& command) {
    FILE* const pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    std::string text(1 << 16, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), pipe));
    pclose(pipe);
    return text;
}

/// Wine's drive C: below a prefix of its own, and the files that trees are made of.
class WineDisk {
  public:
    WineDisk() : prefix_(root_.outside("/prefix")), made_(root_.outside("/made")) {
        root_.directory("/made");
        output_of("WINEPREFIX=" + prefix_ + " WINEDEBUG=-all wineboot -i 2>/dev/null");
        const std::string source = std::string(TEST_DIRECTORY) + "/windows_opener/opener.c";
        output_of("x86_64-w64-mingw32-gcc -O1 -o " + made_ + "/opener.exe " + source);
        for (std::size_t name = 0; name < dll_names.size(); ++name)
            for (unsigned imports = 0; imports < 8; ++imports) build(name, imports);
    }
    ~WineDisk() { output_of("WINEPREFIX=" + prefix_ + " wineserver -w 2>/dev/null"); }

    bool works() const { return std::filesystem::exists(prefix_ + "/drive_c/windows/system32"); }
    Root drive() const { return Root(prefix_ + "/drive_c"); }
    std::string place(const std::string& path) const { return prefix_ + "/drive_c/" + path; }
    std::string made(std::size_t name, unsigned imports) const {
        return made_ + "/" + std::to_string(name) + "_" + std::to_string(imports) + ".dll";
    }
    std::string opener() const { return made_ + "/opener.exe"; }
    std::string run(const std::string& directory, const std::string& arguments) const {
        return output_of("cd " + place(directory) + " && WINEPREFIX=" + prefix_ +
                         " WINEDEBUG=-all wine ../app/opener.exe " + arguments + " 2>/dev/null");
    }

  private:
    /// A DLL that imports those of the others whose bits are set.
    void build(std::size_t name, unsigned imports) const {
        std::string code = "__declspec(dllexport) int f" + std::to_string(name) + "(void) { return 0";
        std::string declared, libraries;
        for (std::size_t other = 0; other < dll_names.size(); ++other) {
            if (other == name || !(imports & (1U << other))) continue;
            const std::string number = std::to_string(other);
            declared += "__declspec(dllimport) int f" + number + "(void);";
            code += " + f" + number + "()";
            const std::string definition = made_ + "/" + number + ".def", library = made_ + "/" + number + ".a";
            output_of("printf 'LIBRARY " + dll_names[other] + "\\nEXPORTS\\nf" + number + "\\n' > " + definition +
                      " && x86_64-w64-mingw32-dlltool -d " + definition + " -l " + library);
            libraries += " " + library;
        }
        output_of("echo '" + declared + code + "; }' | x86_64-w64-mingw32-gcc -xc -shared -nostdlib -Wl,--entry=0 -o " +
                  made(name, imports) + " - -xnone" + libraries);
    }

    FakeRoot root_;
    std::string prefix_, made_;
};

struct Load {
    std::string name;
    unsigned flags;
};

class Trees {
  public:
    explicit Trees(const WineDisk& disk) : disk_(disk) {}

    /// The difference between prediction and truth in a new tree; empty where there is none.
    std::string difference(long number) {
        const std::string tree = "t" + std::to_string(number);
        make(tree);
        const std::string windows = "C:\\" + tree + "\\";
        const dll::Disk drive(disk_.drive());
        dll::Process process(drive, {.application_directory = windows + "app",
                                     .current_directory = windows + "cwd",
                                     .path = {windows + "one", windows + "two"}});
        process.add_user_directory(windows + "user");
        std::string arguments = "'path=" + windows + "one;" + windows + "two' 'user=" + windows + "user'";
        std::string predicted;
        bool all_loaded = true;
        for (int i = 0; i < 2 && all_loaded; ++i) {
            const Load load = draw(windows, i == 0);
            const dll::Answer answer = process.load(load.name, load.flags);
            all_loaded = answer.ending == DllEnding::loaded;
            predicted += (all_loaded ? *answer.path : "error") + "\n";
            arguments += " 'load=" + std::to_string(load.flags) + ":" + load.name + "'";
        }
        for (const std::string& name : dll_names) {
            if (!all_loaded) break;  // of what came with a DLL that fails, Wine keeps some
            const dll::Module* const module = process.module_named(name);
            predicted += (module ? module->path : "error") + "\n";
            arguments += " where=" + name;
        }
        const std::string seen = without_numbers(disk_.run(tree + "/cwd", arguments));
        std::filesystem::remove_all(disk_.place(tree));
        std::filesystem::remove_all(disk_.place(tree));
        return lower(seen) == lower(predicted) ? "" : arguments + "\npredicted:\n" + predicted + "seen:\n" + seen;
    }

  private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    static std::string without_numbers(const std::string& text) {
        std::string result;
        for (const std::string& line : split(text, '\n'))
            if (const auto whole = trim(line); !whole.empty())
                result += (whole.starts_with("error") ? "error" : std::string(whole)) + "\n";
        return result;
    }

    void make(const std::string& tree) {
        for (const std::string& directory : tree_directories)
            std::filesystem::create_directories(disk_.place(tree + "/" + directory));
        std::filesystem::copy_file(disk_.opener(), disk_.place(tree + "/app/opener.exe"));
        for (const std::string& directory : tree_directories)
            for (std::size_t name = 0; name < dll_names.size(); ++name)
                if (below(5) < 2) put(disk_.place(tree + "/" + directory + "/" + dll_names[name]), name);
    }

    /// Without circles: after a load that fails in one, Wine still has its first DLL.
    static unsigned later(std::size_t name) { return ~((2U << name) - 1); }

    void put(const std::string& place, std::size_t name) {
        std::filesystem::copy_file(disk_.made(name, static_cast<unsigned>(below(8)) & later(name)), place);
        const std::size_t kind = below(20);
        if (kind == 0) std::ofstream(place, std::ios::trunc) << "no DLL\n";
        if (kind == 1) make_foreign(place);
    }

    /// The same file for another processor.
    static void make_foreign(const std::string& place) {
        std::fstream file(place, std::ios::in | std::ios::out | std::ios::binary);
        std::uint32_t header = 0;
        file.seekg(0x3C).read(reinterpret_cast<char*>(&header), sizeof header);
        const std::uint16_t arm64 = 0xAA64;
        file.seekp(header + 4).write(reinterpret_cast<const char*>(&arm64), sizeof arm64);
    }

    /// The second one is always by name: of two files of one name, both loaded by their paths, Wine names the last.
    Load draw(const std::string& windows, bool first) {
        static constexpr unsigned all_flags[] = {dll::no_flags, dll::altered_search_path, dll::search_system32,
                                                 dll::search_default, dll::python_flags};
        Load load{dll_names[below(dll_names.size())], all_flags[below(std::size(all_flags) - (first ? 0 : 1))]};
        if (load.flags == dll::python_flags || (first && below(2) == 0))
            load.name = windows + tree_directories[below(tree_directories.size())] + "\\" + load.name;
        return load;
    }

    const WineDisk& disk_;
    std::mt19937_64 random_{20261128};
};

}  // namespace

TEST_CASE("the prediction of DLLs agrees with Wine's loader", "[optional]") {
    const char* const wanted = std::getenv("RNNCHECK_WINE_TREES");
    if (!wanted) return skip("RNNCHECK_WINE_TREES names no number of trees");
    const WineDisk disk;
    if (!disk.works()) return skip("Wine or mingw's compiler is not installed");
    Trees trees(disk);
    long differ = 0;
    for (long number = 0; number < std::atol(wanted); ++number) {
        const std::string difference = trees.difference(number);
        differ += !difference.empty();
        if (!difference.empty()) std::printf("tree %ld: %s\n", number, difference.c_str());
        if (differ == 5) break;
    }
    CHECK(differ == 0);
}
