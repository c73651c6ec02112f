// Spoilt files: each is read or rejected in a sentence; nothing else happens. With
// RNNCHECK_MUTATIONS=1000000 in the environment under the sanitizers, the long form.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/json.hpp"
#include "base/program.hpp"
#include "model/judge_model.hpp"
#include "model/readers.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"
#include "support/text_mutator.hpp"

namespace {

using namespace rnncheck;
namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::vector<std::string> pieces = {
    std::string(8, '\xff'),
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

/// Whether the file is read, judged and written down, rather than rejected in a sentence; what else
/// is thrown fails the test.
bool can_be_read(const fs::path& path) {
    try {
        const ModelFile file = read_model(path.string(), 1'000'000);  // with weights
        judged_layers(file, {}, {4096, 65535}, test::bundled_matrix());
        return !to_json(file, valid_utf8).dump().empty();
    } catch (const InputError& error) {
        CHECK(std::string(error.what()).size() > 10);
        return false;
    }
}

/// A directory in which bytes are read in each place that they can have in a model.
class Directory {
  public:
    Directory()
        : place_(fs::temp_directory_path() / ("rnncheck-model-" + std::to_string(::getpid()))) {
        fs::create_directories(place_);
        fs::copy(files / "torch/sharded", place_);  // the files of an index
        fs::copy(files / "onnx/lstm_external.onnx.data", place_);
        for (const char* part : {"graph", "metadata"})
            fs::copy(files / "keras2/saved_lstm", place_ / part);
    }
    ~Directory() {
        fs::remove_all(place_);
    }

    bool can_be_read(const std::string& bytes) const {
        bool read = can_be_read("model", bytes);
        if (bytes.starts_with('\x08'))
            read |= can_be_read("graph/saved_model.pb", bytes);
        if (bytes.starts_with('\n'))
            read |= can_be_read("metadata/keras_metadata.pb", bytes);
        return read;
    }

  private:
    bool can_be_read(const fs::path& name, const std::string& bytes) const {
        std::ofstream(place_ / name, std::ios::binary) << bytes;
        return ::can_be_read(
            name.has_parent_path() ? (place_ / name).parent_path() : place_ / name);
    }

    const fs::path files = fs::path(TEST_DIRECTORY) / "files";
    fs::path place_;
};

/// The files of the corpus and what is packed in them, as far as they are read: a change in a
/// packed text leads no further than its unpacking.
std::vector<std::string> seeds(const Directory& directory) {
    std::vector<std::string> texts;
    const auto add = [&](const std::string& text) {
        if (!text.empty() && directory.can_be_read(text))
            texts.push_back(text);
    };
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TEST_DIRECTORY) / "files")) {
        if (!entry.is_regular_file() || entry.file_size() > 200'000)
            continue;
        const std::string text = read(entry.path());
        add(text);
        if (!text.starts_with("PK"))
            continue;
        const model::ZipArchive zip(text);
        for (const auto& file : zip.entries())
            add(std::string(zip.content(file)));
    }
    return texts;
}

}  // namespace

TEST_CASE("models: spoilt files are read or rejected") {
    const char* const wanted = std::getenv("RNNCHECK_MUTATIONS");
    const int count = wanted ? std::atoi(wanted) : 2000;
    const Directory directory;
    const std::vector<std::string> whole = seeds(directory);
    CHECK(whole.size() > 200);
    test::TextMutator mutator(whole, pieces, wanted ? static_cast<std::uint64_t>(count) : 1);
    int read = 0;
    for (int i = 0; i < count; ++i)
        read += directory.can_be_read(mutator.next());
    CHECK(read > count / 10);  // the changes are not all found at the door
    for (const std::string& seed : whole)
        for (std::size_t end = 0; end < seed.size(); end += 1 + seed.size() / 20)
            directory.can_be_read(seed.substr(0, end));
    if (wanted)
        WARN(
            read << " of " << count << " were read, the others rejected; made of " << whole.size()
                 << " files");
}
