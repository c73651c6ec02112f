// Sums of products: blocked kernels give what the plain definition gives, bitwise, on every
// instruction set that the processor has and with any number of threads.
#include "rnn/products.hpp"

#include <chrono>
#include <cstring>
#include <mutex>
#include <set>

#include "random_cases.hpp"
#include "support/catch.hpp"
#include "support/product_kernels.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// Numbers of many magnitudes, some of them zeros of either sign, so that another order of sums
/// shows.
std::vector<double> numbers(std::size_t count, Random& random) {
    std::vector<double> values(count);
    for (double& value : values) {
        value =
            std::ldexp(static_cast<double>(random.below(2000001) - 1000000), random.below(40) - 20);
        if (random.one_in(50))
            value = random.below(2) ? 0.0 : -0.0;
    }
    return values;
}

/// Factors and a sum that has begun.
struct Problem {
    std::size_t rows, columns, depth, terms;
    std::vector<double> left, right, begun;

    Problem(std::size_t r, std::size_t c, std::size_t d, std::size_t t, Random& random)
        : rows(r),
          columns(c),
          depth(d),
          terms(t),
          left(numbers(r * d * t, random)),
          right(numbers(c * d * t, random)),
          begun(numbers(r * c, random)) {
    }

    template <int its_terms, class Add>
    std::vector<double> added(const Add& add) const {
        std::vector<double> sums = begun;
        std::vector<double*> to;
        for (std::size_t row = 0; row < rows; ++row)
            to.push_back(sums.data() + row * columns);
        const auto left_at = [&](std::size_t row, std::size_t step, int term) {
            return left[(row * depth + step) * terms + static_cast<std::size_t>(term)];
        };
        const auto right_at = [&](std::size_t step, std::size_t column, int term) {
            return right[(step * columns + column) * terms + static_cast<std::size_t>(term)];
        };
        add(std::span<double* const>(to), left_at, right_at);
        return sums;
    }

    template <int its_terms>
    std::vector<double> plainly() const {
        return added<its_terms>([&](auto to, const auto& left_at, const auto& right_at) {
            add_products_plainly<its_terms>(to, columns, depth, left_at, right_at);
        });
    }
    template <int its_terms>
    std::vector<double> blocked(Team& team) const {
        return added<its_terms>([&](auto to, const auto& left_at, const auto& right_at) {
            add_products<its_terms>(team, to, left_at,
                                    Panels<its_terms>(team, depth, columns, right_at));
        });
    }
    template <int its_terms>
    std::vector<double> in_parts(Team& team) const {
        return added<its_terms>([&](auto to, const auto& left_at, const auto& right_at) {
            for_each_part<its_terms>(
                team, depth, columns, right_at, [&](std::size_t begin, const auto& part) {
                    const auto of_part = [&](std::size_t row, std::size_t step, int term) {
                        return left_at(row, begin + step, term);
                    };
                    add_products<its_terms>(team, to, of_part, part);
                });
        });
    }
};

bool same_bits(const std::vector<double>& one, const std::vector<double>& other) {
    return one.size() == other.size() &&
           std::memcmp(one.data(), other.data(), one.size() * sizeof(double)) == 0;
}

template <int terms>
void check(const Problem& problem, Team& team) {
    const std::vector<double> plain = problem.plainly<terms>();
    for (const ProductKernel& kernel : product_kernels()) {
        const WithKernel chosen(kernel);
        INFO(kernel.name << ", " << team.threads() << " threads: " << problem.rows << " x "
                         << problem.columns << " x " << problem.depth << ", terms " << terms);
        CHECK(same_bits(problem.blocked<terms>(team), plain));
        CHECK(same_bits(problem.in_parts<terms>(team), plain));
    }
}

}  // namespace

TEST_CASE("blocked products are bitwise the plain definition's") {
    Random random{3};
    for (const int threads : {1, 2, 7}) {
        Team team(threads);
        for (int i = 0; i < 60; ++i) {
            const auto rows = static_cast<std::size_t>(random.size(200)),
                       depth = static_cast<std::size_t>(random.size(600));
            const auto columns = static_cast<std::size_t>(random.size(70));
            check<1>(Problem(rows, columns, depth, 1, random), team);
            check<2>(Problem(rows, columns, depth, 2, random), team);
        }
        check<1>(Problem(3, 0, 5, 1, random), team);
        check<1>(Problem(0, 3, 5, 1, random), team);
        check<1>(Problem(3, 3, 0, 1, random), team);
    }
}

TEST_CASE("a term is not fused with its sum") {
    // 1 + 2^-52 squared has the bit 2^-104, which rounding the product to fp64 removes.
    const double next = 1 + 0x1p-52;
    Team team;
    for (const ProductKernel& kernel : product_kernels()) {
        const WithKernel chosen(kernel);
        INFO(kernel.name);
        std::vector<double> sum(16, -(next * next));
        double* const to[] = {sum.data()};
        const Panels<1> right(team, 1, 16, [&](std::size_t, std::size_t, int) { return next; });
        add_products<1>(
            team, to, [&](std::size_t, std::size_t, int) { return next; }, right);
        CHECK(sum == std::vector<double>(16, 0.0));
    }
}

TEST_CASE("a team runs each task once, and as many threads as it has") {
    Team team(4);
    REQUIRE(team.threads() == 4);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::atomic<int>> runs(100);
        team.run(runs.size(), 1e9, [&](std::size_t task) { ++runs[task]; });
        REQUIRE(std::ranges::all_of(runs, [](const auto& count) { return count == 1; }));
    }
    CHECK(Team(0).threads() == 1);
}

TEST_CASE("a team passes on what a task throws, and works on") {
    Team team(3);
    const auto failing = [](std::size_t task) {
        if (task == 17)
            throw std::bad_alloc();
    };
    CHECK_THROWS_AS(team.run(50, 1e9, failing), std::bad_alloc);
    std::atomic<int> count = 0;
    team.run(50, 1e9, [&](std::size_t) { ++count; });
    CHECK(count == 50);
}

TEST_CASE("helpers rest while a GPU is timed, and small work wakes nobody") {
    Team team(4);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    const auto note = [&](std::size_t) {
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
    };
    {
        const Team::Pause pause;
        team.run(100, 1e9, [&](std::size_t task) {
            note(task);
            std::this_thread::sleep_for(
                std::chrono::milliseconds(1));  // long enough for a helper to wake
        });
    }
    CHECK(seen == std::set{std::this_thread::get_id()});
    for (int round = 0; round < 50; ++round)
        team.run(1000, 10, note);
    CHECK(seen == std::set{std::this_thread::get_id()});
    // A task that waits for a second thread ends only if there is one.
    std::atomic<int> inside = 0;
    team.run(2, 1e9, [&](std::size_t) {
        ++inside;
        while (inside < 2)
            std::this_thread::yield();
    });
    CHECK(inside == 2);
}
