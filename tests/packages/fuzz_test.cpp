// Mutated metadata: nothing that is in an environment may crash its readers.
// RNNCHECK_FUZZ=1000000 test_packages "[fuzz]" runs as many; by default a few, so that the test stays quick.
#include <cstdlib>
#include <random>

#include "packages/distributions.hpp"
#include "packages/guises.hpp"
#include "packages/literals.hpp"
#include "packages/metadata.hpp"
#include "packages/record.hpp"
#include "support/catch.hpp"

using namespace rnncheck::packages;

namespace {

const std::vector<std::string> seeds = {
    "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'compute_90']), ('is_cuda_build', "
    "True)])\n",
    "from typing import Optional\n__version__ = '2.4.1+cu121'\ncuda: Optional[str] = '12.1'\nhip: Optional[str] = "
    "None\n",
    "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.18.0\nRequires-Dist: nvidia-cudnn-cu12 (==9.3.0.75) ; extra "
    "== 'and-cuda'\n\nbody\n",
    "nvidia/cudnn/lib/libcudnn.so.9,sha256=abc,126457\n\"a "
    "\"\"b\"\".so\",,5\n../../up/libx.so.1.2.3,h,99999999999999999999\n",
    "tensorflow-directml-plugin",
    "jax-cuda12-plugin",
    "mxnet-cu112mkl",
    "cupy-cuda12x",
    "nvidia-cudnn-cu12",
    "9.1.0.70",
    "2.15.0.post1"};

class Mutator {
  public:
    std::string next() {
        std::string text = seeds[below(seeds.size())];
        if (below(4) == 0) text += seeds[below(seeds.size())];
        for (std::size_t n = below(8); n > 0; --n) change(text);
        return text;
    }

  private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    void change(std::string& text) {
        static const std::vector<std::string> pieces = {"\n",  "\r",         std::string(1, '\0'),
                                                        "'",   "\"",         "(",
                                                        ")",   "[",          "]",
                                                        ",",   "=",          ":",
                                                        ";",   "\\",         "\xFF",
                                                        ".so", "extra",      "-cu",
                                                        "==",  "99999999999"};
        const std::size_t at = below(text.size() + 1);
        switch (below(4)) {
            case 0:
                text.insert(at, pieces[below(pieces.size())]);
                break;
            case 1:
                text.erase(at, below(20));
                break;
            case 2:
                text.insert(at, std::string(below(600), static_cast<char>(below(256))));
                break;
            default:
                if (!text.empty()) text[at % text.size()] = static_cast<char>(below(256));
        }
    }

    std::mt19937_64 random_{20261121};
};

}  // namespace

TEST_CASE("mutated metadata does no harm", "[fuzz]") {
    const char* wanted = std::getenv("RNNCHECK_FUZZ");
    const long rounds = wanted ? std::atol(wanted) : 2000;
    Mutator mutator;
    std::size_t read = 0;
    for (long round = 0; round < rounds; ++round) {
        const std::string text = mutator.next();
        read += read_literals(text).all("cuda").size();
        const Metadata metadata = read_metadata(text);
        for (const Requirement& need : metadata.needs) read += need.name.size() + need.extra.size();
        read_record(text, [&](const RecordedFile& file) { read += file.path.size(); });
        const auto guise = guise_of(text);
        read += guise ? guise->build.size() : 0;
        read += cuda_major_of(text).has_value() + is_library_wheel(text) + release_of(text).has_value() +
                normalised(text).size();
    }
    CHECK(read > 0);
}
