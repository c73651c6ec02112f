// The prediction for DLLs against a loader: directory trees are drawn, a program in each of them
// loads DLLs under Wine (tests/windows/dll_opener.c), and where each DLL came from is compared.
// WINEPREFIX names Wine's directory; RNNCHECK_DLL_TREES=5000 compares as many. What Wine does
// otherwise than Microsoft documents is not drawn: docs/which.md lists it.
#include <algorithm>
#include <cstdlib>
#include <random>

#include "base/text.hpp"
#include "files/dll/frameworks.hpp"
#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/pe_builder.hpp"
#include "support/skip.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

using Strings = std::vector<std::string>;

/// Directories of one tree, by what they are for the program.
enum Place {
    application,
    current,
    first_on_path,
    last_on_path = first_on_path + 3,
    user,
    set_directory,
    other,
    last_of_tree = other,
    system32,
    windows_system,
    windows,
    place_count
};

class Draw {
  public:
    explicit Draw(unsigned seed) : random_(seed) {
    }

    bool chance(int percent) {
        return below(100) < percent;
    }
    int below(int count) {
        return std::uniform_int_distribution<int>(0, count - 1)(random_);
    }
    template <class T>
    const T& one_of(const std::vector<T>& all) {
        return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    }
    std::mt19937& generator() {
        return random_;
    }

  private:
    std::mt19937 random_;
};

/// A DLL for the machine, for another one, or a text that has its name.
std::string drawn_file(Draw& draw, const std::string& name, const Strings& needed) {
    if (draw.chance(6))
        return "<html>not a library</html>";
    PeBuilder builder;
    builder.name = name;
    builder.exports = {"function"};
    for (const std::string& library : needed)
        builder.imports.push_back({library});
    if (draw.chance(6)) {
        builder.is_64_bit = false;
        builder.machine = 0x14C;
    }
    return builder.bytes();
}

/// A drawn tree: its files, the setting of a program in it, and the requests of that program.
class Tree {
  public:
    Tree(const std::filesystem::path& drive, int number)
        : drive_(drive), number_(number), draw_(static_cast<unsigned>(20261128 + number)) {
        for (char letter = 'a'; letter <= 'f'; ++letter)
            names_.push_back(concat("cudnn_t", number, letter, "64_9.dll"));
        for (int place = application; place <= last_of_tree; ++place)
            std::filesystem::create_directories(outside(place));
        for (const std::string& name : names_)
            draw_files_of(name);
        draw_path();
        draw_requests();
    }
    ~Tree() {
        for (const auto& file : in_windows_)
            std::filesystem::remove(file);
    }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    /// A line of the file that the opener reads.
    std::string in_cases() const {
        return join(
                   {directory(application) + "\\opener.exe", directory(current), path_, case_()},
                   "|") +
               '\n';
    }
    void write_requests(const std::filesystem::path& opener) const {
        std::filesystem::create_hard_link(opener, outside(application) / "opener.exe");
        std::ofstream to(drive_ / concat("truth/", number_, ".requests"));
        for (const std::string& request : requests_)
            to << request << '\n';
    }
    Strings loaded() const {
        std::ifstream from(drive_ / concat("truth/", number_, ".loaded"));
        Strings lines;
        for (std::string line; std::getline(from, line);)
            lines.push_back(lower(trim(line)));
        return lines;
    }
    /// As far as it can be compared: where a load fails for what its DLL needs, Wine may keep
    /// others that came in with it, which no page of Microsoft provides for.
    Strings predicted(const dll::Disk& disk) const {
        dll::Process process(
            disk,
            {.application_directory = directory(application),
             .current_directory = directory(current),
             .path = dll::directories_of_path(path_)});
        Strings lines;
        for (const std::string& request : requests_)
            if (!predict(process, request, lines))
                break;
        return lines;
    }
    std::string in_words() const {
        return concat("tree ", number_, "\nPATH ", path_, "\n", join(requests_, "\n"));
    }

  private:
    std::string case_() const {
        return concat("C:\\truth\\", number_);
    }
    std::string directory(int place) const {
        static const Strings of_windows = {
            "C:\\windows\\system32", "C:\\windows\\system", "C:\\windows"};
        if (place > last_of_tree)
            return of_windows[static_cast<std::size_t>(place - last_of_tree - 1)];
        return concat(case_(), "\\", static_cast<char>('A' + place), " d");
    }
    std::filesystem::path outside(int place) const {
        std::string path = directory(place).substr(3);
        std::ranges::replace(path, '\\', '/');
        return drive_ / path;
    }

    void draw_files_of(const std::string& name) {
        const int copies = 1 + draw_.below(3);
        for (int copy = 0; copy < copies; ++copy) {
            const int place = draw_.below(place_count);
            Strings needed;
            while (needed.size() < 3 && draw_.chance(25))
                needed.push_back(
                    draw_.chance(20) ? upper(draw_.one_of(names_)) : draw_.one_of(names_));
            const auto file = outside(place) / name;
            if (place > last_of_tree)
                in_windows_.push_back(file);
            std::ofstream(file, std::ios::binary) << drawn_file(draw_, name, needed);
        }
    }
    static std::string upper(std::string text) {
        std::ranges::transform(
            text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
        return text;
    }

    void draw_path() {
        Strings entries = {"C:\\windows\\system32", "C:\\windows", "C:\\absent"};
        for (int place = first_on_path; place <= last_on_path; ++place)
            if (draw_.chance(80))
                entries.push_back(directory(place) + (draw_.chance(15) ? "\\" : ""));
        std::ranges::shuffle(entries, draw_.generator());
        path_ = join(entries, ";");
    }

    void draw_requests() {
        if (draw_.chance(25))
            requests_.push_back("s " + directory(set_directory));
        if (draw_.chance(40))
            requests_.push_back("a " + directory(user));
        if (draw_.chance(15))
            requests_.push_back(concat("d ", draw_.one_of<unsigned>({0x1000, 0xC00, 0xA00})));
        const int loads = 1 + draw_.below(4);
        for (int i = 0; i < loads; ++i)
            requests_.push_back(drawn_load());
        for (const std::string& name : names_)
            requests_.push_back("m " + name);
    }
    std::string drawn_load() {
        std::string name = draw_.one_of(names_);
        if (draw_.chance(50)) {
            const auto flags =
                draw_.one_of<unsigned>({0, 0, 0x8, 0x1000, 0x800, 0x200, 0x400, 0x1100});
            if (draw_.chance(20))
                name = name.substr(0, name.size() - 4);
            return concat("l ", flags, " ", name);
        }
        const auto flags = draw_.one_of<unsigned>({0, 0x8, 0x1000, 0x1100, 0x1100, 0x900});
        return concat("l ", flags, " ", directory(draw_.below(place_count)), "\\", name);
    }

    static bool predict(dll::Process& process, const std::string& request, Strings& lines) {
        const std::string about = request.substr(2);
        const auto number = [](const std::string& text) {
            return static_cast<unsigned>(std::stoul(text));
        };
        if (request[0] == 's')
            process.set_dll_directory(about);
        if (request[0] == 'a')
            process.add_user_directory(about);
        if (request[0] == 'd')
            process.set_default_directories(number(about));
        if (request[0] == 'l') {
            const auto answer = process.load(about.substr(about.find(' ') + 1), number(about));
            lines.push_back(answer.ending == DllEnding::loaded ? lower(*answer.path) : "-");
            return answer.ending == DllEnding::loaded || answer.failing.empty();
        }
        if (request[0] == 'm') {
            // Microsoft's page on GetModuleHandle does not define which of two it returns.
            if (std::ranges::count(process.modules(), about, &dll::Module::key) > 1)
                return false;
            const auto* const module = process.module_named(about);
            lines.push_back(module ? lower(module->path) : "-");
        }
        return true;
    }

    std::filesystem::path drive_;
    int number_;
    Draw draw_;
    Strings names_;
    std::string path_;
    Strings requests_;
    std::vector<std::filesystem::path> in_windows_;
};

/// Removes what the trees leave on Wine's drive.
class TreesOnDrive {
  public:
    explicit TreesOnDrive(std::filesystem::path drive) : directory_(std::move(drive) / "truth") {
        std::filesystem::remove_all(directory_);
        std::filesystem::create_directories(directory_);
    }
    ~TreesOnDrive() {
        std::error_code failed;
        std::filesystem::remove_all(directory_, failed);
    }
    TreesOnDrive(const TreesOnDrive&) = delete;
    TreesOnDrive& operator=(const TreesOnDrive&) = delete;

    std::filesystem::path file(const std::string& name) const {
        return directory_ / name;
    }

  private:
    std::filesystem::path directory_;
};

bool succeeds(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace

TEST_CASE(
    "DLLs come from where Wine's loader takes them, for every drawn tree", "[optional][wine]") {
    const char* const prefix = std::getenv("WINEPREFIX");
    const std::filesystem::path drive = std::filesystem::path(prefix ? prefix : "") / "drive_c";
    const std::string compiler = "x86_64-w64-mingw32-gcc-posix";
    if (!prefix || !std::filesystem::is_directory(drive / "windows/system32") ||
        !succeeds("command -v wine") || !succeeds("command -v " + compiler))
        return skip(
            "WINEPREFIX names no directory of Wine, or Wine or " + compiler + " is not installed");
    const char* const wish = std::getenv("RNNCHECK_DLL_TREES");
    const int count = wish ? std::atoi(wish) : 500;
    const TreesOnDrive place(drive);
    const auto opener = place.file("opener.exe");
    REQUIRE(succeeds(
        compiler + " -O1 -static -o '" + opener.string() +
        "' '" TEST_DIRECTORY "/../windows/dll_opener.c'"));
    std::vector<std::unique_ptr<Tree>> trees;
    std::ofstream cases(place.file("cases"));
    for (int number = 0; number < count; ++number) {
        trees.push_back(std::make_unique<Tree>(drive, number));
        trees.back()->write_requests(opener);
        cases << trees.back()->in_cases();
    }
    cases.close();
    REQUIRE(succeeds("WINEDEBUG=-all wine '" + opener.string() + "' 'C:\\truth\\cases'"));
    const dll::Disk disk{Root(drive.string())};
    std::size_t loads = 0, loaded = 0, wrong = 0;
    for (const auto& tree : trees) {
        Strings truth = tree->loaded();
        const Strings prediction = tree->predicted(disk);
        truth.resize(prediction.size());
        loads += truth.size();
        loaded += truth.size() - static_cast<std::size_t>(std::ranges::count(truth, "-"));
        if (truth == prediction)
            continue;
        ++wrong;
        UNSCOPED_INFO(
            tree->in_words() << "\nloader: " << join(truth, "\n        ")
                             << "\npredicted: " << join(prediction, "\n           "));
    }
    std::printf(
        "%zu trees, %zu DLLs looked for, %zu loaded, %zu trees wrong\n",
        trees.size(),
        loads,
        loaded,
        wrong);
    CHECK(wrong == 0);
    CHECK(loaded > trees.size());
}
