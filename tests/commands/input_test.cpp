// How old the tables are on a given day.
#include "commands/input.hpp"

#include "support/catch.hpp"

using namespace rnncheck;
using namespace std::chrono;

TEST_CASE("days from a date") {
    const sys_days today = 2026y / November / 21;
    CHECK(days_from("2026-11-21", today) == 0);
    CHECK(days_from("2026-11-01", today) == 20);
    CHECK(days_from("2025-11-21", today) == 365);
}

TEST_CASE("a date that is none, or lies ahead of a clock that is wrong, has no age") {
    const sys_days today = 2026y / November / 21;
    for (const char* date : {"", "2026-11", "2026-02-30", "yesterday", "2026-11-22", "2026-99-99"})
        CHECK_FALSE(days_from(date, today));
}
