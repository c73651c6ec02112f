// Outputs, gradients and limits are bitwise what they have always been, on every instruction set
// that the processor has and with any number of threads. frozen/bitwise.txt has two digests of each
// case: of outputs and gradients, as the plain loops that came before the kernels computed them,
// and of the limits; RNNCHECK_WRITE_BITWISE=FILE writes it again.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "random_cases.hpp"
#include "support/catch.hpp"
#include "support/product_kernels.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// FNV-1a (Fowler, Noll, Vo), eight bytes at a time.
struct Digest {
    std::uint64_t state = 14695981039346656037u;

    void add(std::uint64_t bits) {
        state = (state ^ bits) * 1099511628211u;
        state ^= state >> 29;
    }
    void add(const std::vector<double>& values) {
        for (const double value : values)
            add(std::bit_cast<std::uint64_t>(value));
        add(values.size());
    }
    void add(const RnnCase& rnn_case, const RnnOutputs& outputs) {
        for (const OutputArray& array : arrays_of(rnn_case, outputs))
            add(*array.values);
    }
};

struct Digests {
    std::uint64_t outputs, limits;

    bool operator==(const Digests&) const = default;
};

std::ostream& operator<<(std::ostream& to, const Digests& digests) {
    return to << std::hex << digests.outputs << ' ' << digests.limits << std::dec;
}

Digests digests_of(const RnnCase& rnn_case, int threads) {
    const RnnInputs inputs = make_inputs(rnn_case);
    const Computation computation = compute(rnn_case, inputs, threads);
    Digest outputs, limits;
    outputs.add(rnn_case, computation.outputs);
    for (const Limits::Kept& kept :
         limits_for(rnn_case, inputs, computation, {true, true, false}, threads).kept)
        limits.add(rnn_case, kept.largest);
    return {outputs.state, limits.state};
}

/// Of the functions that the mathematics library computes: not all libraries, nor one library on
/// all processors, round them alike.
std::uint64_t digest_of_functions() {
    Digest digest;
    for (int i = -2000; i <= 2000; ++i) {
        digest.add(std::bit_cast<std::uint64_t>(std::exp(i * 0.00371)));
        digest.add(std::bit_cast<std::uint64_t>(std::tanh(i * 0.00371)));
    }
    return digest.state;
}

struct Frozen {
    Digests digests;
    RnnCase rnn_case;
};

std::vector<Frozen> frozen_cases_in(std::istream& file) {
    std::vector<Frozen> cases;
    file >> std::hex;
    for (Digests digests; file >> digests.outputs >> digests.limits;) {
        std::string words;
        std::getline(file, words);
        cases.push_back({digests, parse_case(words)});
    }
    return cases;
}

}  // namespace

TEST_CASE("outputs, gradients and limits are bitwise what the plain loops computed") {
    std::ifstream file(TEST_DIRECTORY "/frozen/bitwise.txt");
    std::string first;
    std::getline(file, first);
    const bool same_functions = std::stoull(first, nullptr, 16) == digest_of_functions();
    int compared = 0;
    for (const auto& [digests, rnn_case] : frozen_cases_in(file)) {
        // What relu computes depends on no library.
        if (rnn_case.cell != Cell::relu && !same_functions)
            continue;
        CAPTURE(describe(rnn_case));
        CHECK(digests_of(rnn_case, 1) == digests);
        ++compared;
    }
    CHECK(compared >= 100);
}

TEST_CASE("every instruction set and number of threads computes bitwise the same") {
    std::ifstream file(TEST_DIRECTORY "/frozen/bitwise.txt");
    std::string first;
    std::getline(file, first);
    std::vector<Frozen> cases = frozen_cases_in(file);
    // Large enough for threads and for more than one block of steps and rows.
    for (const char* const words :
         {"I=300 H=70 B=150 T=5 training states",
          "gru I=20 H=140 B=70 T=9 training lengths=9,9,1",
          "relu I=33 H=270 B=20 T=6 L=2 training",
          "fp32 I=90 H=130 B=140 T=4 P=33 training bidirectional"}) {
        RnnCase rnn_case = parse_case(words);
        if (!rnn_case.lengths.empty())
            rnn_case.lengths.resize(static_cast<std::size_t>(rnn_case.batch), 4);
        cases.push_back({digests_of(rnn_case, 1), rnn_case});
    }
    for (const auto& [digests, rnn_case] : cases) {
        CAPTURE(describe(rnn_case));
        const Digests expected = digests_of(rnn_case, 1);
        for (const ProductKernel& kernel : product_kernels()) {
            const WithKernel chosen(kernel);
            for (const int threads : {1, 2, 7}) {
                INFO(kernel.name << ", " << threads << " threads");
                CHECK(digests_of(rnn_case, threads) == expected);
            }
        }
    }
}

TEST_CASE("the digests are written again", "[.]") {
    const char* const path = std::getenv("RNNCHECK_WRITE_BITWISE");
    REQUIRE(path);
    std::ofstream file(path);
    file << std::hex << digest_of_functions() << " is the digest of the functions\n";
    Random random{77};
    for (int relu = 0, others = 0; relu < 100 || others < 60;) {
        const RnnCase rnn_case = random_case(random);
        int& count = rnn_case.cell == Cell::relu ? relu : others;
        if (count++ < (rnn_case.cell == Cell::relu ? 100 : 60))
            file << digests_of(rnn_case, 1) << ' ' << describe(rnn_case) << '\n';
    }
}
