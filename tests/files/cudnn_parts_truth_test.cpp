// Which files the parts of a cuDNN 9 come from, against the loader: some hundred arrangements of
// directories, in each of which a program calls for the parts in the order of PyTorch and in that
// of JAX.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <set>

#include "base/text.hpp"
#include "files/cudnn_parts.hpp"
#include "files/elf/cudnn_builds.hpp"
#include "support/catch.hpp"
#include "support/elf_builder.hpp"
#include "support/fake_root.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

struct Outcome {
    bool failed = false;  ///< a part does not open, or it is one of this machine's own cuDNN
    std::set<std::string> files = {};

    bool operator==(const Outcome& other) const {
        return failed == other.failed && (failed || files == other.files);
    }
    std::string in_words() const {
        std::string text = failed ? "fails with" : "";
        for (const auto& file : files)
            text += "\n  " + file;
        return text;
    }
};

/// One arrangement: a libcudnn.so.9 in /home, and files with the names of parts there and in two
/// other directories.
class Arrangement {
  public:
    explicit Arrangement(std::size_t number)
        : random_(number), version_(pick({"9.1.0", "9.10.2", "9.28.0"})) {
        const std::string kind = pick({"rpath", "runpath"});
        copy("fake_" + kind + '_' + version_ + "/libcudnn.so.9", "/home/libcudnn.so.9");
        for (const std::string directory : {"/home", "/one", "/two"})
            for (const std::string part : {"graph", "ops", "adv", "cnn"})
                place(directory, part);
        library_path_ = pick({"", "/one", "/two", "/one:/two", "/two:/nowhere:/one", "/home"});
    }

    /// A later version at home, whose adv calls a function that the libcudnn_ops.so.9 in
    /// LD_LIBRARY_PATH lacks.
    struct OlderOps {};
    explicit Arrangement(OlderOps) : version_("9.28.0"), library_path_("/one") {
        copy("fake_rpath_9.28.0/libcudnn.so.9", "/home/libcudnn.so.9");
        for (const std::string part : {"graph", "cnn"})
            copy_part("fake_" + part, part, "/home");
        for (const std::string part : {"ops", "adv"})
            copy_part("fake_new_" + part, part, "/home");
        copy_part("fake_ops", "ops", "/one");
    }

    Outcome truth(bool adv_first) const {
        const Environment environment(
            {{"LD_LIBRARY_PATH", library_path()}, {"ASAN_OPTIONS", "detect_leaks=0"}});
        // Without the cache, in which this machine's own cuDNN may be.
        const std::string command = concat(
            loader::usual_interpreter(),
            " --inhibit-cache ",
            FAKE_CUDNN_PROGRAM,
            ' ',
            root_.outside("/home/libcudnn.so.9"),
            ' ',
            adv_first ? "gaoc" : "goac");
        Outcome outcome;
        FILE* output = popen(command.c_str(), "r");
        REQUIRE(output);
        char line[4096];
        while (std::fgets(line, sizeof line, output)) {
            const std::string text(trim(line));
            if (text == "failed")
                outcome.failed = true;
            else
                outcome.files.insert(text);
        }
        REQUIRE(pclose(output) == 0);
        outcome.failed |= has_others(outcome.files);
        return outcome;
    }

    Outcome predicted(bool adv_first) const {
        loader::Loader loader = loader::loader_of(Root(), {.library_path = library_path()});
        loader.cache = {};
        loader::Process process(
            loader,
            FAKE_CUDNN_PROGRAM,
            elf::read_elf_file(Root(), FAKE_CUDNN_PROGRAM, elf::ElfUse::program));
        process.start("");
        const std::string path = root_.outside("/home/libcudnn.so.9");
        const std::size_t cudnn = process.open(path, 0).object.value();
        loader::open_parts_of_cudnn(
            process,
            cudnn,
            elf::embedded_library_names(Root(), path),
            adv_first ? loader::FirstCall::adv : loader::FirstCall::ops);
        Outcome outcome;
        for (const auto& answer : process.answers())
            outcome.failed |= !answer.object;
        for (const auto& object : process.objects())
            if (file_name(object.path).starts_with("libcudnn"))
                outcome.files.insert(Root().real_path(object.path).value_or(object.path));
        outcome.failed |= has_others(outcome.files);
        return outcome;
    }

  private:
    std::string pick(const std::vector<std::string>& choices) {
        return choices[random_() % choices.size()];
    }

    bool has_others(const std::set<std::string>& files) const {
        return std::ranges::any_of(
            files, [&](const auto& file) { return !file.starts_with(root_.outside("/")); });
    }

    std::string library_path() const {
        std::string path = library_path_;
        replace_all(path, "/one", root_.outside("/one"));
        replace_all(path, "/two", root_.outside("/two"));
        replace_all(path, "/home", root_.outside("/home"));
        return path;
    }

    void copy(const std::string& from, const std::string& to) {
        std::filesystem::create_directories(std::filesystem::path(root_.outside(to)).parent_path());
        std::filesystem::copy_file(std::string(FAKE_CUDNN) + '/' + from, root_.outside(to));
    }

    void copy_part(const std::string& made, const std::string& part, const std::string& directory) {
        const std::string name = "/libcudnn_" + part + ".so.9";
        copy(made + name, directory + name);
    }

    /// Files of this part with some of the names that a libcudnn of this version would try, and one
    /// of another.
    void place(const std::string& directory, const std::string& part) {
        const std::string name = "libcudnn_" + part + ".so.";
        const std::string two_numbers = version_.substr(0, version_.rfind('.'));
        const bool at_home = directory == "/home";
        put(directory + '/' + name + "9", part, at_home ? 90 : 50);
        put(directory + '/' + name + two_numbers, part, 15);
        put(directory + '/' + name + version_, part, at_home ? 20 : 35);
        put(directory + '/' + name + "9.99.0", part, 20);
    }

    /// In `percent` of all cases a library, in some others what the loader cannot use.
    void put(const std::string& path, const std::string& part, unsigned percent) {
        const auto draw = random_() % 100;
        if (draw < percent)
            copy("fake_" + part + "/libcudnn_" + part + ".so.9", path);
        else if (draw == 97)
            root_.file(path, "no library");
        else if (draw == 98)
            root_.file(path, foreign_bytes("libcudnn_" + part + ".so.9"));
        else if (draw == 99)
            root_.link(path, "nowhere");
    }

    std::mt19937 random_;
    FakeRoot root_;
    std::string version_, library_path_;
};

constexpr std::size_t arrangements = 400;

}  // namespace

TEST_CASE("the files that the parts of a cuDNN 9 come from are predicted in every arrangement") {
#ifndef __x86_64__
    return;  // the version of a libcudnn is read from its code on x86-64 only
#endif
    std::size_t compared = 0, failed = 0, differ_by_order = 0, wrong = 0;
    for (std::size_t number = 0; number < arrangements; ++number) {
        const Arrangement arrangement(number);
        Outcome truths[2];
        for (const bool adv_first : {false, true}) {
            const Outcome truth = truths[adv_first] = arrangement.truth(adv_first);
            const Outcome predicted = arrangement.predicted(adv_first);
            ++compared;
            failed += truth.failed;
            if (truth == predicted)
                continue;
            ++wrong;
            std::printf(
                "arrangement %zu, %s first\nthe loader: %s\npredicted:  %s\n",
                number,
                adv_first ? "adv" : "ops",
                truth.in_words().c_str(),
                predicted.in_words().c_str());
        }
        differ_by_order +=
            !truths[0].failed && !truths[1].failed && truths[0].files != truths[1].files;
    }
    std::printf(
        "%zu runs compared, %zu fail, the order of calls decides in %zu of %zu arrangements, %zu "
        "wrong\n",
        compared,
        failed,
        differ_by_order,
        arrangements,
        wrong);
    CHECK(wrong == 0);
    CHECK(compared - failed > arrangements);  // most of them work
    CHECK(differ_by_order > 10);
}

TEST_CASE("a part that needs a function which the others lack is not loaded") {
#ifndef __x86_64__
    return;
#endif
    const Arrangement arrangement{Arrangement::OlderOps()};
    CHECK(arrangement.truth(true).failed);
    CHECK(arrangement.predicted(true).failed);
    CHECK_FALSE(arrangement.truth(false).failed);
    CHECK(arrangement.predicted(false) == arrangement.truth(false));
}

TEST_CASE("cuDNN's files show the version whose parts they open, and the CUDA of their GPU code") {
    const std::string made = FAKE_CUDNN;
    const auto version = [&](const std::string& path) {
        return elf::version_of_parts_opened(Root(), made + path).value_or(Version{}).text;
    };
#ifdef __x86_64__
    CHECK(version("/fake_rpath_9.28.0/libcudnn.so.9") == "9.28.0");
    CHECK(version("/fake_runpath_9.10.2/libcudnn.so.9") == "9.10.2");
    CHECK(version("/fake_runpath_9.1.0/libcudnn.so.9") == "9.1.0");
#endif
    CHECK(version("/fake_ops/libcudnn_ops.so.9") == "");
    CHECK(version("/nowhere") == "");
    CHECK(elf::cuda_major_of_gpu_code(Root(), made + "/fake_ops/libcudnn_ops.so.9") == 12);
    CHECK(elf::cuda_major_of_gpu_code(Root(), made + "/fake_adv/libcudnn_adv.so.9") == 13);
    CHECK_FALSE(elf::cuda_major_of_gpu_code(Root(), made + "/fake_rpath_9.28.0/libcudnn.so.9"));
    CHECK_FALSE(elf::cuda_major_of_gpu_code(Root(), "/proc/self/exe"));
    CHECK_FALSE(elf::cuda_major_of_gpu_code(Root(), "/dev/null"));
}
