// Mutated metadata: nothing that is in an environment may crash its readers.
// RNNCHECK_FUZZ=1000000 test_files "[fuzz]" runs as many; by default a few, so that the test stays
// quick.
#include <cstdlib>

#include "files/python/frameworks.hpp"
#include "support/catch.hpp"
#include "support/text_mutator.hpp"

using namespace rnncheck::python;

namespace {

const std::vector<std::string> seeds = {
    "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'compute_90']), "
    "('is_cuda_build', "
    "True)])\n",
    "from typing import Optional\n__version__ = '2.4.1+cu121'\ncuda: Optional[str] = '12.1'\nhip: "
    "Optional[str] = "
    "None\n",
    "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.18.0\nRequires-Dist: nvidia-cudnn-cu12 "
    "(==9.3.0.75) ; extra "
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

const std::vector<std::string> pieces = {"\n",  "\r",         std::string(1, '\0'),
                                         "'",   "\"",         "(",
                                         ")",   "[",          "]",
                                         ",",   "=",          ":",
                                         ";",   "\\",         "\xFF",
                                         ".so", "extra",      "-cu",
                                         "==",  "99999999999"};

}  // namespace

TEST_CASE("mutated metadata does no harm", "[fuzz]") {
    const char* wanted = std::getenv("RNNCHECK_FUZZ");
    const long rounds = wanted ? std::atol(wanted) : 2000;
    rnncheck::test::TextMutator mutator(seeds, pieces, 20261121);
    std::size_t read = 0;
    for (long round = 0; round < rounds; ++round) {
        const std::string text = mutator.next();
        read += read_literals(text).all("cuda").size();
        const Metadata metadata = read_metadata(text);
        for (const Requirement& need : metadata.needs)
            read += need.name.size() + need.bounds.size();
        for (const RecordedFile& file : read_record(text))
            read += file.path.size();
        const auto name = parse_distribution_name(text);
        read += name ? name->build.size() : 0;
        read += cuda_major_of(text).has_value() + is_library_wheel(text) +
                leading_version(text).has_value() + normalised(text).size();
    }
    CHECK(read > 0);
}
