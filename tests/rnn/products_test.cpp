// Sums of products: blocked kernels give what the plain definition gives, bitwise, on every
// instruction set that the processor has and with any number of threads.
#include "rnn/products.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <set>

#include "random_cases.hpp"
#include "support/catch.hpp"
#include "support/product_kernels.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// Of what a factor consists. The products of short numbers are exact; of the others all have the
/// 53 bits of fp64, or one of them does, or is too small for a product's bits, or is not finite.
enum class Kind { brief, full, one_full, one_tiny, one_infinite, count };

/// Numbers of many magnitudes, some of them zeros of either sign, so that another order of sums
/// shows.
std::vector<double> numbers(std::size_t count, Kind kind, Random& random) {
    std::vector<double> values(count);
    for (double& value : values) {
        value =
            std::ldexp(static_cast<double>(random.below(2000001) - 1000000), random.below(40) - 20);
        if (kind == Kind::full)
            value += std::ldexp(value, -32);
        if (random.one_in(50))
            value = random.below(2) ? 0.0 : -0.0;
    }
    if (values.empty())
        return values;
    double& one = values[random.next() % count];
    if (kind == Kind::one_full)
        one = 1 + 0x1p-52;
    if (kind == Kind::one_tiny)
        one = 0x1.fffffep-1050;
    if (kind == Kind::one_infinite)
        one = random.below(2) ? HUGE_VAL : std::nan("");
    return values;
}

Kind any_kind(Random& random) {
    return static_cast<Kind>(random.below(static_cast<int>(Kind::count)));
}

/// Factors and a sum that has begun.
struct Problem {
    std::size_t rows, columns, depth;
    std::vector<double> left, right, begun;

    Problem(std::size_t r, std::size_t c, std::size_t d, Random& random)
        : rows(r),
          columns(c),
          depth(d),
          left(numbers(r * d, any_kind(random), random)),
          right(numbers(c * d, any_kind(random), random)),
          begun(numbers(r * c, Kind::full, random)) {
    }

    std::vector<double> added(const auto& add) const {
        std::vector<double> sums = begun;
        std::vector<double*> to;
        for (std::size_t row = 0; row < rows; ++row)
            to.push_back(sums.data() + row * columns);
        const auto left_at = [&](std::size_t row, std::size_t step) {
            return left[row * depth + step];
        };
        const auto right_at = [&](std::size_t step, std::size_t column) {
            return right[step * columns + column];
        };
        add(std::span<double* const>(to), left_at, right_at);
        return sums;
    }

    std::vector<double> plainly() const {
        return added([&](auto to, const auto& left_at, const auto& right_at) {
            add_products_plainly(to, columns, depth, left_at, right_at);
        });
    }
    std::vector<double> blocked(Team& team) const {
        return added([&](auto to, const auto& left_at, const auto& right_at) {
            add_products(team, to, left_at, Panels(team, depth, columns, right_at));
        });
    }
    std::vector<double> in_parts(Team& team) const {
        return added([&](auto to, const auto& left_at, const auto& right_at) {
            for_each_part(team, depth, columns, right_at, [&](std::size_t begin, const auto& part) {
                const auto of_part = [&](std::size_t row, std::size_t step) {
                    return left_at(row, begin + step);
                };
                add_products(team, to, of_part, part);
            });
        });
    }
};

bool same_bits(const std::vector<double>& one, const std::vector<double>& other) {
    return one.size() == other.size() &&
           std::memcmp(one.data(), other.data(), one.size() * sizeof(double)) == 0;
}

void check(const Problem& problem, Team& team) {
    const std::vector<double> plain = problem.plainly();
    for (const ProductKernel& kernel : product_kernels()) {
        const WithKernel chosen(kernel);
        INFO(
            kernel.name << ", " << team.threads() << " threads: " << problem.rows << " x "
                        << problem.columns << " x " << problem.depth);
        CHECK(same_bits(problem.blocked(team), plain));
        CHECK(same_bits(problem.in_parts(team), plain));
    }
}

/// sum + left * right, by the kernel that is in use.
double sum_with(double left, double right, double sum) {
    Team team;
    std::vector<double> sums(panel_width, sum);
    double* const to[] = {sums.data()};
    const Panels panels(team, 1, panel_width, [&](std::size_t, std::size_t) { return right; });
    add_products(
        team, to, [&](std::size_t, std::size_t) { return left; }, panels);
    CHECK(std::ranges::count(sums, sums[0]) == panel_width);
    return sums[0];
}

}  // namespace

TEST_CASE("blocked products are bitwise the plain definition's") {
    Random random{3};
    for (const int threads : {1, 2, 7}) {
        Team team(threads);
        for (int i = 0; i < 150; ++i) {
            const auto rows = static_cast<std::size_t>(random.size(200)),
                       depth = static_cast<std::size_t>(random.size(600));
            const auto columns = static_cast<std::size_t>(random.size(70));
            check(Problem(rows, columns, depth, random), team);
        }
        check(Problem(3, 0, 5, random), team);
        check(Problem(0, 3, 5, random), team);
        check(Problem(3, 3, 0, random), team);
    }
}

TEST_CASE("a product is fused with its sum only where it is exact") {
    const double next = 1 + 0x1p-52, short_next = 1 + 0x1p-23;
    for (const ProductKernel& kernel : product_kernels()) {
        const WithKernel chosen(kernel);
        INFO(kernel.name);
        // next² has the bit 2^-104, which rounding the product to fp64 removes.
        CHECK(sum_with(next, next, -(next * next)) == 0.0);
        CHECK(sum_with(short_next, short_next, -1.0) == 0x1p-22 + 0x1p-46);
        // Half of the least subnormal becomes 0, and would otherwise round the odd sum up.
        const double odd = 0x1p-1022 + 0x1p-1074;
        CHECK(sum_with(0x1p-537, 0x1p-538, odd) == odd);
        CHECK(sum_with(0x1p-500, 0x1p-500, 0x1p-1000) == 0x1p-999);
        CHECK(sum_with(0x1p500, 0x1p500, 0x1p1000) == 0x1p1001);
    }
}

TEST_CASE("a number is rounded up to a short one") {
    CHECK(short_above(0) == 0);
    CHECK(short_above(1) == 1);
    CHECK(short_above(1 + 0x1p-52) == 1 + 0x1p-23);
    CHECK(short_above(2 - 0x1p-52) == 2);
    CHECK(short_above(0x1p-1074) == 0x1p-500);
    CHECK(short_above(HUGE_VAL) == HUGE_VAL);
    CHECK(std::isnan(short_above(std::nan(""))));
    Random random{4};
    for (int i = 0; i < 1000; ++i) {
        const double value =
                         std::ldexp(1 + std::ldexp(random.next(), -31), random.below(900) - 450),
                     above = short_above(value);
        CHECK((above >= value && above <= value * (1 + 0x1p-23)));
        for (const ProductKernel& kernel : product_kernels())
            CHECK(kernel.all_short({&above, 1}));
    }
}

TEST_CASE("numbers of all narrower types are short, in all places") {
    const double narrow[] = {
        0.0, -0.0, 1.0, 0x1p-149, -0x1.fffffep127, 65504, 0x1p-24, 0x1p500, 0x1p-500};
    const double others[] = {1 + 0x1p-24, 0x1p-501, 0x1p501, HUGE_VAL, std::nan(""), 0x1p-1074};
    for (const ProductKernel& kernel : product_kernels()) {
        INFO(kernel.name);
        CHECK(kernel.all_short({}));
        CHECK(kernel.all_short({std::begin(narrow), std::end(narrow)}));
        for (const double other : others)
            for (std::size_t place = 0; place < 300; ++place) {
                std::vector<double> values(300, 0.1f);
                values[place] = other;
                CHECK(!kernel.all_short(values));
                CHECK(kernel.all_short(std::span(values).first(place)));
            }
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
