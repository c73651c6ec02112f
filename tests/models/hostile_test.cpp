// Spoilt files: each is read or rejected in a sentence; nothing else happens. With RNNCHECK_MUTATIONS=1000000 in the
// environment under the sanitizers, the long form.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/program.hpp"
#include "model/model.hpp"
#include "model/zip.hpp"
#include "support/catch.hpp"
#include "support/text_mutator.hpp"

namespace {

using namespace rnncheck;
namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The files of the corpus and what is packed in them: a change in a packed text leads no further than its unpacking.
std::vector<std::string> seeds() {
    std::vector<std::string> texts;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TEST_DIRECTORY) / "files")) {
        if (!entry.is_regular_file() || entry.file_size() > 200'000) continue;
        texts.push_back(read(entry.path()));
        if (!texts.back().starts_with("PK")) continue;
        const std::string archive = texts.back();
        const model::ZipArchive zip(archive);
        for (const auto& file : zip.entries()) {
            std::string storage;
            texts.emplace_back(zip.content(file, storage));
        }
    }
    return texts;
}

const std::vector<std::string> pieces = {std::string(8, '\xff'),
                                         std::string(8, '\0'),
                                         std::string("\x80\x02}q\0(", 6),
                                         "cos\nsystem\n(S'touch x'\ntR.",
                                         "[[[[[[[[[[",
                                         "{\"config\":",
                                         "\x0a\xff\xff\xff\x7f",
                                         std::string("PK\5\6", 4),
                                         "TREE",
                                         "SNOD",
                                         "HEAP",
                                         "\x7f\xff\xff\xff"};

/// Whether the bytes were read or rejected with a sentence; what else is thrown fails the test.
void try_to_read(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    try {
        read_model(path.string(), 1'000'000);  // with weights
    } catch (const InputError& error) {
        CHECK(std::string(error.what()).size() > 10);
    }
}

}  // namespace

TEST_CASE("models: spoilt files are read or rejected") {
    const char* const wanted = std::getenv("RNNCHECK_MUTATIONS");
    const int count = wanted ? std::atoi(wanted) : 2000;
    const fs::path path = fs::temp_directory_path() / ("rnncheck-model-" + std::to_string(std::rand()));
    test::TextMutator mutator(seeds(), pieces, wanted ? static_cast<std::uint64_t>(count) : 1);
    for (int i = 0; i < count; ++i) try_to_read(path, mutator.next());
    for (const std::string& seed : seeds())
        for (std::size_t end = 0; end < seed.size(); end += 1 + seed.size() / 20)
            try_to_read(path, seed.substr(0, end));
    fs::remove(path);
}
